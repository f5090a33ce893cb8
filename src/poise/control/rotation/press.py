"""From lying on the back into the air: back onto the shoulders, then a kick, and a press of the hands beside the head.

A take-off as that of a flip [Zordan2014] section VII, with other supports: shoulders instead of heels, hands instead of
toes. Of the pelvis the poses tell the tilt as well, for what lies on the ground does not tell it.
"""

from __future__ import annotations

import numpy as np

from poise.control.rotation.actor import Actor
from poise.control.rotation.course import Course, Phase
from poise.control.rotation.footing import Footing, Stance
from poise.control.rotation.poseline import PoseLine
from poise.control.rotation.program import Weights
from poise.control.rotation.take_off import EARLIEST, KNOTS, Moments, TakeOffNumbers
from poise.dynamics import Actuation, State
from poise.dynamics.rotation import Rotation
from poise.spatial import Array


class Press:
    """A take-off from the back that is to come, or under way."""

    def __init__(
        self, actor: Actor, footing: Footing, line: PoseLine, at: Moments, numbers: TakeOffNumbers, step: float
    ) -> None:
        """`line` are the poses from lying to take-off, a step (s) apart."""
        self._actor, self._footing, self._line, self._numbers, self._step = actor, footing, line, numbers, step
        self._at = at
        self._tilt = np.unwrap(2.0 * np.arctan2(line.qpos[:, 5], line.qpos[:, 3]))  # rad of the pelvis
        self._course: Course | None = None
        self._began: float | None = None  # s of the push
        self.pose = np.array(line.qpos[0])

    def due(self, state: State) -> bool:
        """Whether the push should begin."""
        return self._began is None and state.time >= self._at.crouch - 1e-9

    def phase(self, state: State) -> Phase:
        """The push as a plan needs it."""
        n = self._numbers
        first = round(self._at.crouch / self._step)
        shoulders, hands = self._along(state, "upper_arm"), self._along(state, "hand")
        return Phase(
            self._line.inertia[first + 1 :], shoulders, hands, KNOTS, n.push_strongest, n.push_last, n.push_heels
        )

    def _along(self, state: State, link: str) -> float:
        """m along the way: the middle of a link of both sides."""
        links = [self._actor.body.link_id(f"{side}_{link}") for side in ("left", "right")]
        return float(np.mean(state.data.xpos[links] @ self._footing.forward))

    def begin(self, state: State, course: Course | None) -> None:
        """Push from here on, along a course; without one, by poses in time."""
        self._began, self._course = state.time, course

    def over(self, state: State) -> bool:
        """Whether its time is up, or nothing touches the ground before."""
        if self._began is None:
            return False
        late = self._began + EARLIEST * (self._at.take_off - self._at.crouch)
        return state.time >= self._at.take_off - 1e-9 or (
            state.time > late and not self._footing.touching(state, "back")
        )

    def act(self, state: State, rotation: Rotation) -> Actuation:
        """Torques of the coming step."""
        k = min(round(state.time / self._step) + 1, len(self._line.qpos) - 1)
        self.pose = np.array(self._line.qpos[k])
        stance = self._rock(state, rotation, k) if self._began is None else self._push(state, rotation, k)
        return self._footing.grounded(state, rotation, stance)

    def _rock(self, state: State, rotation: Rotation, k: int) -> Stance:
        n = self._numbers
        pull, twist = -12.0 * rotation.mass * rotation.velocity, -8.0 * rotation.angular_momentum
        weights = Weights(n.squat_linear, n.squat_angular, n.support)
        upright = self._footing.upright(state, self._tilt[k], n.trunk_spring, n.squat_trunk)
        return Stance(self.pose, n.squat_stiffness, weights, pull, twist, (upright,), n.gap, "back")

    def _push(self, state: State, rotation: Rotation, k: int) -> Stance:
        assert self._began is not None
        n = self._numbers
        pull, twist = np.zeros(3), np.zeros(3)
        if self._course is not None:
            pull, twist = self._footing.followed(rotation, self._course, state.time - self._began, (80.0, 32.0), 32.0)
        weights = Weights(n.push_linear, n.push_angular, n.push_support)
        upright = self._footing.upright(state, self._tilt[k], n.trunk_spring, n.push_trunk)
        return Stance(self.pose, self._stiffness, weights, pull, twist, (upright,), n.gap, "back")

    @property
    def _stiffness(self) -> Array:
        """(n,) 1/s^2"""
        return np.asarray(self._numbers.push_stiffness * np.where(self._actor.core, self._numbers.push_core, 1.0))
