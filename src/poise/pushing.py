"""Pushes on a body of a scene: from newtons and a direction to generalised forces, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import mujoco
import numpy as np

from poise.beginning import carriage_of
from poise.errors import unknown
from poise.frozen import Array
from poise.world.ground import Place
from poise.world.pushes import Push
from poise.world.world import World


class ScenePush:
    """A push on a body of the scene, turned with the character's first heading."""

    def __init__(self, push: Push, world: World, place: Place) -> None:
        self.push = push
        self.held = False  # by someone who will let go of it
        name = world.scene.body.trunk if push.body is None else push.body
        self.body = world.scene.link_id(name)
        if world.mechanism.body_last_dof[self.body] < 0:
            raise unknown("body part that can be pushed", name, world.scene.body.links)
        self.force = push.force * carriage_of(place).vector(np.array(push.direction))
        self.event = {"kind": "push", **asdict(push), "body": name, "world_force": self.force.tolist()}

    def generalised(self, world: World) -> Array | None:
        """(nv,) forces in the coming step, or None while it does not act."""
        share = self.push.share(world.time, world.settings.step)
        if share <= 0:
            return None
        out = np.zeros(world.model.nv)
        data = world.terms.data
        mujoco.mj_applyFT(world.model, data, share * self.force, np.zeros(3), data.xipos[self.body], self.body, out)
        return out


def total_push(pushes: Sequence[ScenePush], world: World) -> Array | None:
    """(nv,) what all pushes exert in the coming step; None if none acts."""
    acting = [force for push in pushes if (force := push.generalised(world)) is not None]
    return np.sum(acting, axis=0) if acting else None
