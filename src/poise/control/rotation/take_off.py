"""Take-off control, [Zordan2014] section VII: a squat, then a push along a planned course."""

from math import inf, radians
from typing import ClassVar

import numpy as np

from poise.arrays import Array
from poise.control.rotation.actor import RotationPoseLine
from poise.control.rotation.flight_plan import GroundPhase, PlannedCourse
from poise.control.rotation.program import ProgramWeights
from poise.control.rotation.settings import TakeOffNumbers
from poise.control.rotation.support_plane import RotationPlane, StanceTargets
from poise.dynamics.actuation import Actuation
from poise.dynamics.momentum import RotationIndices
from poise.dynamics.state import State

EARLIEST_TAKE_OFF = 0.6  # Share of the push before which a loss of contact does not count as take-off
PUSH_KNOTS = 6  # Knots of the forces of a planned push
PUSH_GAINS, PUSH_SPIN_DAMPING = (80.0, 32.0), 32.0
"""Feedback in the push: K_s^L (1/s^2), K_d^L (1/s), and damping of angular momentum (1/s)."""
SQUAT_GAINS, SQUAT_SPIN_DAMPING = (60.0, 12.0), 8.0  # The same feedback in the squat


class TakeOff:
    """A take-off from the feet: squat and push."""

    bearing: ClassVar[str] = "feet"
    """Links that bear in the push: a key of `support_plane.BEARING`."""
    turning: ClassVar[float] = 2.0 / 3.0
    """Largest rate of angular momentum of a flip, as a share of the trunk's torque limit.

    The rest of the limit holds the trunk up while the legs push."""

    def __init__(
        self,
        plane: RotationPlane,
        line: RotationPoseLine,
        push: tuple[float, float],
        numbers: TakeOffNumbers,
        start: float = 0.0,
    ) -> None:
        """`line`: poses from standing to take-off, the first due at `start` (s); times (s) of `push` count from it."""
        self._actor, self._plane, self._line, self._numbers = plane.actor, plane, line, numbers
        self._crouch, self._take_off, self._start = push[0] + start, push[1] + start, start
        self._course: PlannedCourse | None = None
        self._began: float | None = None  # s: start of the push
        self.pose = np.array(line.qpos[0])

    def due(self, state: State) -> bool:
        """Whether the push should begin."""
        return self._began is None and state.time >= self._crouch - 1e-9

    def ground_phase(self, state: State) -> GroundPhase:
        """The push as a phase of a plan."""
        n = self._numbers
        first = round((self._crouch - self._start) / self._actor.step)
        rear, front = self._supports(state)
        inertia = self._line.inertia[first + 1 :]
        return GroundPhase(inertia, rear, front, PUSH_KNOTS, n.push_strongest, n.push_last, n.push_heels)

    def _supports(self, state: State) -> tuple[float, float]:
        """Positions (m, along the heading) of the two supports at which forces act."""
        return self._plane.sole_ends(state)

    def begin(self, state: State, course: PlannedCourse | None) -> None:
        """Start the push along a course; if `course` is None, the push follows the poses in time."""
        self._began, self._course = state.time, course

    def over(self, state: State) -> bool:
        """Whether the time of the push has passed, or the body has left the ground before."""
        if self._began is None:
            return False
        earliest = self._began + EARLIEST_TAKE_OFF * (self._take_off - self._crouch)
        off = state.time > earliest and not self._plane.touches_ground(state, self.bearing)
        return state.time >= self._take_off - 1e-9 or off

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
        """Torques of the coming step."""
        k = min(round((state.time - self._start) / self._actor.step) + 1, self._line.last)
        self.pose = np.array(self._line.qpos[k])
        targets = self._squat_stance if self._began is None else self._push_stance
        return self._plane.act(state, rotation, targets(state, rotation, k))

    def _squat_stance(self, state: State, rotation: RotationIndices, k: int) -> StanceTargets:
        """Targets of the squat, at pose k: the centre of mass over the feet."""
        pull = self._momentum_rate_over_feet(state, rotation, k, SQUAT_GAINS)
        return self._squat_targets(state, rotation, pull, self._line.tilt[k])

    def _squat_targets(self, state: State, rotation: RotationIndices, pull: Array, tilt: float) -> StanceTargets:
        n = self._numbers
        twist = -SQUAT_SPIN_DAMPING * rotation.angular_momentum
        weights = ProgramWeights(n.squat_linear, n.squat_angular, n.support)
        pelvis = self._plane.pelvis_task(state, tilt, n.trunk_spring, n.squat_trunk)
        return StanceTargets(self.pose, n.squat_stiffness, weights, pull, twist, (pelvis,), n.gap, self.bearing)

    def _momentum_rate_over_feet(
        self, state: State, rotation: RotationIndices, k: int, gains: tuple[float, float]
    ) -> Array:
        """(3,) N: rate of linear momentum that brings the centre of mass over the feet, at the height of pose k."""
        place = self._plane.com_target_over_feet(state, self._numbers.squat_ahead, self._line.height[k])
        return np.asarray(rotation.mass * (gains[0] * (place - rotation.com) - gains[1] * rotation.velocity))

    def _push_stance(self, state: State, rotation: RotationIndices, k: int) -> StanceTargets:
        """Targets of the push, at pose k."""
        assert self._began is not None
        n, since = self._numbers, state.time - self._began
        if self._course is None:
            pull, twist = self._momentum_rate_over_feet(state, rotation, k, PUSH_GAINS), np.zeros(3)
        else:
            pull, twist = self._plane.momentum_rates(rotation, self._course, since, PUSH_GAINS, PUSH_SPIN_DAMPING)
        share = since / (self._take_off - self._crouch)
        tilt = self._line.tilt[k] + share * radians(n.push_tilt)
        on = "toes" if share > n.push_heels else self.bearing
        return self._push_targets(state, pull, twist, tilt, on)

    def _push_targets(self, state: State, pull: Array, twist: Array, tilt: float, on: str) -> StanceTargets:
        n = self._numbers
        weights = ProgramWeights(n.push_linear, n.push_angular, n.push_support)
        pelvis = self._plane.pelvis_task(state, tilt, n.trunk_spring, n.push_trunk)
        stiffness = np.asarray(n.push_stiffness * np.where(self._actor.core, n.push_core, 1.0))
        return StanceTargets(self.pose, stiffness, weights, pull, twist, (pelvis,), n.gap, on, pushing=True)


class KipTakeOff(TakeOff):
    """A take-off from lying on the back: onto the shoulders, then a kick and a press of the hands beside the head.

    The supports are shoulders and hands instead of heels and toes. The pitch of the pelvis comes from the poses
    themselves, since no soles are on the ground.
    """

    bearing: ClassVar[str] = "back"
    turning: ClassVar[float] = inf  # the trunk lies on the supports that turn the body

    def _supports(self, state: State) -> tuple[float, float]:
        """Positions (m, along the heading) of shoulders and hands."""
        return self._mean_link_position(state, "upper_arm"), self._mean_link_position(state, "hand")

    def _mean_link_position(self, state: State, link: str) -> float:
        links = [self._actor.body.link_id(f"{side}_{link}") for side in ("left", "right")]
        return float(np.mean(state.data.xpos[links] @ self._plane.forward))

    def _pelvis_tilt(self, k: int) -> float:
        """Pitch (rad) of the pelvis in pose k."""
        quat = self._line.qpos[k, 3:7]
        return float(2.0 * np.arctan2(quat[2], quat[0]))

    def _squat_stance(self, state: State, rotation: RotationIndices, k: int) -> StanceTargets:
        """Targets while rolling back onto the shoulders: both momenta are damped, and the pelvis follows pose k."""
        pull = -SQUAT_GAINS[1] * rotation.mass * rotation.velocity
        return self._squat_targets(state, rotation, pull, self._pelvis_tilt(k))

    def _push_stance(self, state: State, rotation: RotationIndices, k: int) -> StanceTargets:
        """Targets of the kick, at pose k."""
        assert self._began is not None
        pull, twist = np.zeros(3), np.zeros(3)
        if self._course is not None:
            since = state.time - self._began
            pull, twist = self._plane.momentum_rates(rotation, self._course, since, PUSH_GAINS, PUSH_SPIN_DAMPING)
        return self._push_targets(state, pull, twist, self._pelvis_tilt(k), self.bearing)
