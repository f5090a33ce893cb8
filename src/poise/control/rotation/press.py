"""From lying on the back into the air: back onto the shoulders, then a kick, and a press of the hands beside the head.

A take-off as that of a flip [Zordan2014] section VII, from other supports: shoulders instead of heels, hands instead of
toes. Poses tell the tilt of the pelvis as well, which no soles tell of who lies.
"""

from __future__ import annotations

from math import inf
from typing import ClassVar

import numpy as np

from poise.control.rotation.footing import Stance
from poise.control.rotation.program import Weights
from poise.control.rotation.take_off import TakeOff
from poise.dynamics import State
from poise.dynamics.rotation import Rotation

CALMING = 12.0, 8.0
"""1/s at which linear and angular momentum go while it rolls back."""


class Press(TakeOff):
    """A take-off from the back that is to come, or under way."""

    bearing: ClassVar[str] = "back"
    turning: ClassVar[float] = inf  # the trunk lies on what it is turned by

    def _points(self, state: State) -> tuple[float, float]:
        """m along the way: shoulders and hands."""
        return self._along(state, "upper_arm"), self._along(state, "hand")

    def _along(self, state: State, link: str) -> float:
        links = [self._actor.body.link_id(f"{side}_{link}") for side in ("left", "right")]
        return float(np.mean(state.data.xpos[links] @ self._footing.forward))

    def _tilt(self, k: int) -> float:
        """rad of the pelvis at a step."""
        turn = self._line.qpos[k, 3:7]
        return float(2.0 * np.arctan2(turn[2], turn[0]))

    def _squat(self, state: State, rotation: Rotation, k: int) -> Stance:
        """Back onto the shoulders: the pelvis leads."""
        n = self._numbers
        pull, twist = -CALMING[0] * rotation.mass * rotation.velocity, -CALMING[1] * rotation.angular_momentum
        weights = Weights(n.squat_linear, n.squat_angular, n.support)
        upright = self._footing.upright(state, self._tilt(k), n.trunk_spring, n.squat_trunk)
        return Stance(self.pose, n.squat_stiffness, weights, pull, twist, (upright,), n.gap, self.bearing)

    def _push(self, state: State, rotation: Rotation, k: int) -> Stance:
        assert self._began is not None
        n = self._numbers
        pull, twist = np.zeros(3), np.zeros(3)
        if self._course is not None:
            pull, twist = self._footing.followed(rotation, self._course, state.time - self._began, (80.0, 32.0), 32.0)
        weights = Weights(n.push_linear, n.push_angular, n.push_support)
        upright = self._footing.upright(state, self._tilt(k), n.trunk_spring, n.push_trunk)
        return Stance(self.pose, self._stiffness, weights, pull, twist, (upright,), n.gap, self.bearing)
