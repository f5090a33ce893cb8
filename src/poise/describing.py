"""What a recording says about its making."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from poise.control import Controller
from poise.reference import Reference
from poise.version import __version__
from poise.world.world import World


def describe(
    world: World,
    controller: Controller,
    reference: Reference,
    events: Sequence[dict[str, Any]],
    seed: int,
    noise: float,
) -> dict[str, Any]:
    """As JSON has it."""
    body = world.scene.body
    return {
        "version": __version__,
        "body": body.name,
        "motion": reference.name,
        "controller": controller.name,
        "settings": controller.settings,
        "seed": seed,
        "noise": noise,
        "step": world.settings.step,
        "world": asdict(world.settings),
        "torque_limits": [limit if math.isfinite(limit) else None for limit in world.torque_limit.tolist()],
        "dof_names": [world.scene.dof_name(i) for i in range(world.model.nv)],
        "root": body.links[0],
        "rigging": None if body.rigging is None else body.rigging.as_dict(),
        "feet": [foot.link for foot in body.feet],
        "hands": [hand.link for hand in body.hands],
        "events": list(events),
    }
