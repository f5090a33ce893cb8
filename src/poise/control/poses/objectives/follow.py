"""Joints that follow others: limbs that move alike, or against each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco
import numpy as np

from poise.control.controller import Setting
from poise.control.poses.schedule import Span
from poise.control.poses.springs import Springs
from poise.dynamics import State
from poise.reference.keyposes import straight_pose


@dataclass
class Follow:
    """Each freedom on the left is drawn to a multiple of the one that it follows, as it is now.

    A factor of 1 follows, -1 goes against it; mirrored limbs have the factors of `Body.mirror_signs`.
    """

    leaders: Mapping[str, str]  # freedom -> the one that it follows
    factor: float = 1.0
    offset: float = 0.0  # rad
    when: Span = field(default_factory=Span)

    def reset(self, scene: Setting) -> None:
        """Ids of the freedoms."""
        body = scene.body
        self._model, self._zero = scene.model, np.array(scene.model.qpos0)
        self._zero[: body.nq] = straight_pose(body)
        self._own = np.array([body.index(name)[0] for name in self.leaders], np.int64)
        self._led = np.array([body.index(name)[0] for name in self.leaders.values()], np.int64)
        self._angles = np.zeros(scene.model.nv)

    def on(self, springs: Springs, state: State) -> None:
        """Springs to where the others lead."""
        if state.time not in self.when:
            return
        mujoco.mj_differentiatePos(self._model, self._angles, 1.0, self._zero, state.qpos)
        error = self.factor * self._angles[self._led] + self.offset - self._angles[self._own]
        stiffness, damping = springs.stiffness[self._own], springs.damping[self._own]
        springs.push[self._own] = stiffness * error + damping * self.factor * state.qvel[self._led]
        springs.gain[self._own] = damping + state.step * stiffness
