"""From standing into the air: a squat, then a push along a planned course. [Zordan2014] section VII."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, radians
from typing import ClassVar, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.rotation.actor import Actor
from poise.control.rotation.flight_plan import Phase, PlannedCourse
from poise.control.rotation.footing import FootSupportPlane, StanceTargets
from poise.control.rotation.pose_line import PoseLine
from poise.control.rotation.program import ProgramWeights
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State

EARLIEST = 0.6
"""Of the push: feet that come off the ground before do so by chance."""
KNOTS = 6
"""Of the forces of a push."""


@dataclass(frozen=True)
class TakeOffNumbers:
    """What a take-off aims for, and how much it matters."""

    flight: float = 0.58  # s
    turned: float = -351.0  # degrees of excursion at touch-down
    take_off_height: float = 1.0  # m of the centre of mass
    touch_down_height: float = 0.8  # m
    travel: float = -0.1  # m forward until touch-down
    squat_ahead: float = 0.04  # m of the centre of mass before the ankles in the crouch
    squat_linear: float = 0.5
    squat_angular: float = 0.5
    squat_stiffness: float = 400.0
    push_strongest: float = 1600.0  # N of heels, and of toes
    push_last: float = 0.3  # of that at take-off
    push_heels: float = inf  # of the push, during which heels bear; then toes alone
    push_linear: float = 5.0
    push_angular: float = 10.0
    push_stiffness: float = 400.0
    push_core: float = 1.0  # stiffness of the trunk's own joints, of the others'
    push_support: float = 83.0  # 1/(m/s^2)^2
    squat_trunk: float = 5.0  # weight of the pelvis' orientation in the squat, 1/(rad/s^2)^2
    push_trunk: float = 0.5  # in the push
    push_tilt: float = 0.0  # degrees by which it leans forward at the end of the push, against the soles' pose
    support: float = 28.0  # 1/(m/s^2)^2
    gap: float = 0.03  # m: feet nearer to the ground may bear
    trunk_spring: float = 60.0  # 1/s^2


class TakeOffTimes(NamedTuple):
    """s of the two that matter."""

    crouch: float
    take_off: float


class TakeOff:
    """A take-off that is to come, or under way."""

    bearing: ClassVar[str] = "feet"
    """What it takes off from."""
    turning: ClassVar[float] = 2.0 / 3.0
    """Of the trunk's torque limit: what may turn the body in a flip. The rest holds the trunk up while legs push."""

    def __init__(
        self,
        actor: Actor,
        footing: FootSupportPlane,
        line: PoseLine,
        at: TakeOffTimes,
        numbers: TakeOffNumbers,
        step: float,
        start: float = 0.0,
    ) -> None:
        """`line` are the poses from standing to take-off, a step (s) apart; the first is due at `start` (s)."""
        self._actor, self._footing, self._line, self._numbers, self._step = actor, footing, line, numbers, step
        self._at, self._start = TakeOffTimes(at.crouch + start, at.take_off + start), start
        self._course: PlannedCourse | None = None
        self._began: float | None = None  # s of the push
        self.pose = np.array(line.qpos[0])

    def due(self, state: State) -> bool:
        """Whether the push should begin."""
        return self._began is None and state.time >= self._at.crouch - 1e-9

    def phase(self, state: State) -> Phase:
        """The push as a plan needs it."""
        n = self._numbers
        first = round((self._at.crouch - self._start) / self._step)
        heel, toe = self._points(state)
        return Phase(self._line.inertia[first + 1 :], heel, toe, KNOTS, n.push_strongest, n.push_last, n.push_heels)

    def _points(self, state: State) -> tuple[float, float]:
        """m along the way: where forces act."""
        return self._footing.soles(state)

    def begin(self, state: State, course: PlannedCourse | None) -> None:
        """Push from here on, along a course; without one, by poses in time."""
        self._began, self._course = state.time, course

    def over(self, state: State) -> bool:
        """Whether its time is up, or it is off the ground before."""
        if self._began is None:
            return False
        late = self._began + EARLIEST * (self._at.take_off - self._at.crouch)
        off = state.time > late and not self._footing.touching(state, self.bearing)
        return state.time >= self._at.take_off - 1e-9 or off

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
        """Torques of the coming step."""
        k = min(round((state.time - self._start) / self._step) + 1, len(self._line.qpos) - 1)
        self.pose = np.array(self._line.qpos[k])
        stance = self._squat(state, rotation, k) if self._began is None else self._push(state, rotation, k)
        return self._footing.grounded(state, rotation, stance)

    def _squat(self, state: State, rotation: RotationIndices, k: int) -> StanceTargets:
        n = self._numbers
        wanted = self._footing.over_feet(state, n.squat_ahead, self._line.height[k])
        pull = rotation.mass * (60.0 * (wanted - rotation.com) - 12.0 * rotation.velocity)
        twist = -8.0 * rotation.angular_momentum
        weights = ProgramWeights(n.squat_linear, n.squat_angular, n.support)
        upright = self._footing.upright(state, self._line.tilt[k], n.trunk_spring, n.squat_trunk)
        return StanceTargets(self.pose, n.squat_stiffness, weights, pull, twist, (upright,), n.gap)

    def _push(self, state: State, rotation: RotationIndices, k: int) -> StanceTargets:
        assert self._began is not None
        n = self._numbers
        if self._course is None:
            wanted = self._footing.over_feet(state, n.squat_ahead, self._line.height[k])
            pull = rotation.mass * (80.0 * (wanted - rotation.com) - 32.0 * rotation.velocity)
            twist = np.zeros(3)
        else:
            pull, twist = self._footing.followed(rotation, self._course, state.time - self._began, (80.0, 32.0), 32.0)
        share = (state.time - self._began) / (self._at.take_off - self._at.crouch)
        tilt = self._line.tilt[k] + share * radians(n.push_tilt)
        weights = ProgramWeights(n.push_linear, n.push_angular, n.push_support)
        upright = self._footing.upright(state, tilt, n.trunk_spring, n.push_trunk)
        on = "toes" if share > n.push_heels else self.bearing
        return StanceTargets(self.pose, self._stiffness, weights, pull, twist, (upright,), n.gap, on)

    @property
    def _stiffness(self) -> Array:
        """(n,) 1/s^2 of joints in the push."""
        return np.asarray(self._numbers.push_stiffness * np.where(self._actor.core, self._numbers.push_core, 1.0))


# From lying on the back into the air: back onto the shoulders, then a kick, and a press of the hands beside the head.
#
# A take-off as that of a flip [Zordan2014] section VII, from other supports: shoulders instead of heels, hands
# instead of toes. Poses tell the tilt of the pelvis as well, which no soles tell of who lies.

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

    def _squat(self, state: State, rotation: RotationIndices, k: int) -> StanceTargets:
        """Back onto the shoulders: the pelvis leads."""
        n = self._numbers
        pull, twist = -CALMING[0] * rotation.mass * rotation.velocity, -CALMING[1] * rotation.angular_momentum
        weights = ProgramWeights(n.squat_linear, n.squat_angular, n.support)
        upright = self._footing.upright(state, self._tilt(k), n.trunk_spring, n.squat_trunk)
        return StanceTargets(self.pose, n.squat_stiffness, weights, pull, twist, (upright,), n.gap, self.bearing)

    def _push(self, state: State, rotation: RotationIndices, k: int) -> StanceTargets:
        assert self._began is not None
        n = self._numbers
        pull, twist = np.zeros(3), np.zeros(3)
        if self._course is not None:
            pull, twist = self._footing.followed(rotation, self._course, state.time - self._began, (80.0, 32.0), 32.0)
        weights = ProgramWeights(n.push_linear, n.push_angular, n.push_support)
        upright = self._footing.upright(state, self._tilt(k), n.trunk_spring, n.push_trunk)
        return StanceTargets(self.pose, self._stiffness, weights, pull, twist, (upright,), n.gap, self.bearing)
