"""Control of a flight that ends on the feet, [Zordan2014] section VII: the body only tracks poses.

The body leaves the tuck when the root is predicted to reach its target pitch at touch-down. While the body moves to the
pose of touch-down, the hips turn so that the feet arrive as planned.
"""

from __future__ import annotations

from math import radians, sqrt

import numpy as np

from poise.arrays import Array
from poise.control.rotation.pose_line import PoseLine, pose_line
from poise.control.rotation.settings import FlightNumbers
from poise.control.rotation.support_plane import LEFT, SupportPlane
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State
from poise.rotations import quat_from_axis_angle, quat_multiply

HIP_NUDGE = 0.01  # Angle (rad) by which the hips are turned for finite differences
LARGEST_PITCH_ERROR = 0.6  # Largest error (rad) of the pitch at touch-down for which the hips compensate
LARGEST_LEG_TURN = 0.3  # Largest angle (rad) by which the legs turn to change where the feet touch down


class Flight:
    """A flight onto the feet."""

    def __init__(self, plane: SupportPlane, into: PoseLine, out: PoseLine, numbers: FlightNumbers) -> None:
        """`into` holds the poses from take-off to the tuck, `out` the poses from the tuck to touch-down."""
        self._actor, self._plane, self._into, self._out, self._numbers = plane.actor, plane, into, out, numbers
        self._lean = self._com_shift_by_leaning()
        self._began = 0.0  # s
        self._open_at: int | None = None  # steps since the body left the tuck; None before
        self.pose = np.array(self._into.qpos[0])

    @property
    def inertia(self) -> Array:
        """(S,) kg m^2: inertia of the poses at each of the S steps of the planned flight."""
        into, out = self._into.inertia[1:], self._out.inertia[1:]
        hold = round(self._numbers.flight / self._actor.step) - len(into) - len(out)
        return np.concatenate([into, np.full(max(hold, 1), self._out.inertia[0]), out])

    def begin(self, state: State) -> None:
        """Start the flight at the time of `state`."""
        self._began = state.time

    def landed(self, state: State) -> bool:
        """Whether the feet touch the ground in the second half of the planned flight or later."""
        return self._plane.touches_ground(state) and state.time - self._began > 0.5 * self._numbers.flight

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
        """Leave the tuck if this is due; return the torques of the coming step."""
        n, rise = self._numbers, self._into
        opening = TuckOpening(self._out, state.step)
        k = round((state.time - self._began) / state.step) + 1
        if self._open_at is None:
            pose, velocity = rise.pose_at(k, state.step)
            self.pose = np.array(pose)
            left, spin = self._time_to_touch_down(rotation), float(self._plane.axis @ rotation.angular_momentum)
            if k >= rise.last and opening.due(self._plane.pitch, spin, left, radians(n.touch_pitch)):
                self._open_at = 0
        if self._open_at is not None:
            self._open_at += 1
            pose, velocity = self._out.pose_at(self._open_at, state.step)
            self.pose = np.array(pose)
            if self._actor.settings.placing:
                self._place_feet(rotation, opening)
        return self._actor.track(state, self.pose, n.flight_stiffness, velocity)

    def _place_feet(self, rotation: RotationIndices, opening: TuckOpening) -> None:
        """Turn hips and ankles of the tracked pose against the predicted pitch error, so that feet land as planned."""
        assert self._open_at is not None
        last = self._out.last
        spin, at = float(self._plane.axis @ rotation.angular_momentum), min(self._open_at, last)
        arrival = opening.arrival_pitch(self._plane.pitch, spin, self._time_to_touch_down(rotation), at)
        error = arrival - radians(self._numbers.touch_pitch)
        error = min(max(error, -LARGEST_PITCH_ERROR), LARGEST_PITCH_ERROR)
        reach = self._leg_turn(rotation, error)
        self._turn_both_joints("hip", -at / last * (error - reach))
        self._turn_both_joints("ankle", -at / last * reach)

    def _com_shift_by_leaning(self) -> float:
        """Forward shift of the centre of mass (m) per rad of forward lean at touch-down; overwrites `pose`."""
        self.pose = np.array(self._out.qpos[-1])
        self._turn_both_joints("hip", -HIP_NUDGE)
        both = pose_line(self._actor.body, np.stack([self._out.qpos[-1], self.pose]))
        return float(np.diff(both.ahead)[0] / HIP_NUDGE)

    def _turn_both_joints(self, joint: str, angle: float) -> None:
        """Turn a joint of the tracked pose by an angle (rad) about the left axis, on both sides."""
        for side in ("left", "right"):
            place = list(self._actor.body.joint(f"{side}_{joint}").qpos)
            self.pose[place] = quat_multiply(quat_from_axis_angle(LEFT, angle), self.pose[place])

    def _leg_turn(self, rotation: RotationIndices, error: float) -> float:
        """Angle (rad) by which the legs turn back, so that angular momentum about the feet at touch-down is on target.

        This momentum is H + m (z x' - x z'), with the centre of mass x in front of the feet and z above them. `error`
        (rad) is how much further forward than planned the trunk will lean; the hips keep this error from the legs.
        """
        target = self._numbers.about_feet
        if target is None:
            return 0.0
        spin, mass = float(self._plane.axis @ rotation.angular_momentum), rotation.mass
        height = float(self._out.height[-1])
        along = float(self._plane.forward @ rotation.velocity)
        gravity, left = self._actor.planner.gravity, self._time_to_touch_down(rotation)
        down = max(gravity * left - float(rotation.velocity[2]), 0.5)  # m/s at touch-down
        ahead = float(self._out.ahead[-1]) + self._lean * error
        about = spin + mass * (height * along + ahead * down)  # with the feet as in the pose of touch-down
        return min(max((target - about) / (mass * down * height), -LARGEST_LEG_TURN), LARGEST_LEG_TURN)

    def _time_to_touch_down(self, rotation: RotationIndices) -> float:
        """Time (s) until the centre of mass has fallen to its height above flat soles in the pose of touch-down."""
        fall, up = float(rotation.com[2] - self._out.height[-1]), float(rotation.velocity[2])
        g = self._actor.planner.gravity
        return max((up + sqrt(max(up**2 + 2 * g * fall, 0.0))) / g, 0.0)


class TuckOpening:
    """Predicts the pitch of the root while the body moves from a tuck to the pose of touch-down and holds that pose.

    The pitch of the root is predicted, not the excursion, because at the right excursion the trunk may still be
    over-rotated by 0.7 rad.
    """

    def __init__(self, line: PoseLine, step: float) -> None:
        """`line` begins with the tuck and advances by one pose per `step` (s)."""
        self._step, self._line = step, line
        self._flow = np.concatenate([[0.0], np.cumsum(step / line.inertia[1:])])  # s/(kg m^2): integral of 1 / I

    def arrival_pitch(self, pitch: float, momentum: float, left: float, at: int, wait: float = 0.0) -> float:
        """Pitch (rad) that the root will have in `left` s, from its present pitch and angular momentum (kg m^2/s).

        The body is at pose `at` of the line, holds that pose for `wait` s and then moves on along the line.
        """
        line = self._line
        moving = min(line.last - at, int(max(left - wait, 0.0) / self._step))
        end = at + moving
        rest = max(left - wait - moving * self._step, 0.0)
        flow = wait / line.inertia[at] + self._flow[end] - self._flow[at] + rest / line.inertia[end]
        return float(pitch + momentum * flow - (line.swing[end] - line.swing[at]))

    def due(self, pitch: float, momentum: float, left: float, target: float) -> bool:
        """Whether to leave the first pose now: waiting would overshoot the target pitch (rad), or no time is left.

        Waiting turns the root further if the first pose has less inertia than the last (a tuck), and less far if the
        first pose has more inertia (an arch before a squat).
        """
        inertia = self._line.inertia
        direction = np.sign(momentum) * np.sign(inertia[-1] - inertia[0])
        beyond = direction * (self.arrival_pitch(pitch, momentum, left, 0) - target)
        return bool(beyond >= 0 or left <= self._line.last * self._step)
