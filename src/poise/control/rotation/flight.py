"""Control of a flight that ends on the feet, and of the landing: [Zordan2014] section VII.

In the flight the body only tracks poses. It leaves the tuck when the root is predicted to reach its target pitch at
touch-down. While the body moves to the pose of touch-down, the hips turn so that the feet arrive as planned.

The landing goes from touch-down, or from a crouch on the feet, to standing at rest. The body follows a landing that is
planned from the simulated state, with pelvis and feet held level. Then it stands up along a sequence of poses.
"""

from __future__ import annotations

from math import radians, sqrt

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.rotation.actor import RotationActor, RotationPoseLine, rotation_pose_line
from poise.control.rotation.flight_plan import GroundPhase, PlannedCourse, PlanTargets
from poise.control.rotation.program import ProgramWeights
from poise.control.rotation.settings import FlightNumbers, LandingNumbers
from poise.control.rotation.support_plane import LEFT, TOUCHING_GAP, RotationPlane, StanceTargets
from poise.dynamics.actuation import Actuation
from poise.dynamics.momentum import RotationIndices
from poise.dynamics.state import State
from poise.rotations import quat_from_axis_angle, quat_multiply

HIP_NUDGE = 0.01  # Angle (rad) by which the hips are turned for finite differences
LARGEST_PITCH_ERROR = 0.6  # Largest error (rad) of the pitch at touch-down for which the hips compensate
LARGEST_LEG_TURN = 0.3  # Largest angle (rad) by which the legs turn to change where the feet touch down


class Flight:
    """A flight onto the feet."""

    def __init__(
        self, plane: RotationPlane, into: RotationPoseLine, out: RotationPoseLine, numbers: FlightNumbers
    ) -> None:
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
        opening = FlightTuckOpening(self._out, state.step)
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

    def _place_feet(self, rotation: RotationIndices, opening: FlightTuckOpening) -> None:
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
        both = rotation_pose_line(self._actor.body, np.stack([self._out.qpos[-1], self.pose]))
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


class FlightTuckOpening:
    """Predicts the pitch of the root while the body moves from a tuck to the pose of touch-down and holds that pose.

    The pitch of the root is predicted, not the excursion, because at the right excursion the trunk may still be
    over-rotated by 0.7 rad.
    """

    def __init__(self, line: RotationPoseLine, step: float) -> None:
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


STILL = 0.1  # Speed of the centre of mass (m/s) and whole-body angular velocity (rad/s) below which the body is at rest
UPRIGHT = 0.8
"""A body is upright if its centre of mass is higher above the ankles than this share of `height` of the last pose."""
FALLEN = 0.5
"""A body has fallen if its centre of mass is lower above the ankles than this share of the least `height` of all
poses."""
LANDING_KNOTS = 8  # Knots of the forces of a planned landing
LARGEST_LANDING_FORCE = 2500.0  # Largest normal force (N) at the heels, and at the toes, of a planned landing


class Landing:
    """A landing and the standing up after it."""

    def __init__(self, plane: RotationPlane, line: RotationPoseLine, numbers: LandingNumbers) -> None:
        """`line` are the poses from touch-down to standing."""
        self._plane, self._planner, self._line, self._numbers = plane, plane.actor.planner, line, numbers
        self.pose = line.qpos[0]
        self._course: PlannedCourse | None = None
        self._began = self._tilt = 0.0  # s: start; rad: target pitch of the pelvis at the start
        self._since, self._speed = 0.0, np.inf  # s since the start; larger of linear and angular speed
        self._height = 0.0  # m of the centre of mass above the ankles
        self.fallen = False

    def ground_phase(self, heel: float, toe: float) -> GroundPhase:
        """The landing as a phase of a plan, with heels and toes at positions x (m)."""
        inertia = self._line.inertia_from(0, round(self._numbers.landing / self._planner.step))
        return GroundPhase(inertia, heel, toe, LANDING_KNOTS, LARGEST_LANDING_FORCE)

    def begin(self, state: State, rotation: RotationIndices, tilt: float, planned: bool) -> None:
        """Start the landing, with a plan if `planned`; the target pitch of the pelvis goes from `tilt` (rad) to 0."""
        self._began, self._tilt, self.fallen = state.time, tilt, False
        self._course = self.plan(state, rotation) if planned else None

    def plan(self, state: State, rotation: RotationIndices) -> PlannedCourse:
        """Plan the course from a state to rest over the feet, or as near to rest as forces at heels and toes allow."""
        n = self._numbers
        heel, toe = self._plane.sole_ends(state)
        ankle = float(self._plane.forward @ self._plane.ankle_midpoint(state))
        targets = PlanTargets(end_height=n.end_height, end_ahead=n.stand_ahead + ankle - 0.5 * (heel + toe))
        phase = self.ground_phase(heel + n.land_margin, toe - n.land_margin)
        return self._planner.plan_landing(self._plane.planar_state(rotation), phase, targets)

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
        """Torques of the coming step; the joints give way once the body has fallen."""
        n, line, plane = self._numbers, self._line, self._plane
        since, step = state.time - self._began, self._planner.step
        self._since = since
        self._speed = max(float(np.linalg.norm(rotation.velocity)), float(np.linalg.norm(rotation.spin)))
        self._height = float(rotation.com[2] - plane.ankle_midpoint(state)[2])
        self.fallen = self.fallen or self._height < FALLEN * float(line.height.min())
        if self.fallen:
            return plane.actor.give_way()
        k = min(round(since / step) + 1, line.last)
        if self._course is not None and since < n.landing:
            gains = (n.land_spring, n.land_damping)
            pull, twist = plane.momentum_rates(rotation, self._course, since, gains, n.land_spin_damping)
        else:
            place = plane.com_target_over_feet(state, n.stand_ahead, max(line.height[k], n.end_height))
            pull = rotation.mass * (n.land_spring * (place - rotation.com) - n.land_damping * rotation.velocity)
            twist = -n.land_spin_damping * rotation.angular_momentum
        weights = ProgramWeights(n.land_linear, n.land_angular, n.land_support)
        tilt = (1.0 - min(since / (line.last * step), 1.0)) * self._tilt
        pelvis = plane.pelvis_task(state, tilt, n.trunk_spring, n.trunk)
        tasks = (pelvis, *plane.flat_feet_tasks(state, n.flat_spring, n.flat))
        self.pose = line.qpos[k]
        stance = StanceTargets(self.pose, n.land_stiffness, weights, pull, twist, tasks, n.land_gap)
        return plane.act(state, rotation, stance)

    def stands(self) -> bool:
        """Whether the last pose is reached and the body is upright and at rest."""
        over = self._since >= self._line.last * self._planner.step
        return over and self._speed < STILL and self._height > UPRIGHT * float(self._line.height[-1])


STAND_UP_TIME = 1.3  # Time (s) from the crouch to standing
MOST_SPIN = 17.5
"""Angular momentum (kg m^2/s) above which the body has not yet come down onto its feet with its full weight."""
MOST_SIDEWAYS = 0.2
"""Sideways speed (m/s) above which the body does not stand up: plans ignore this speed, and feet hardly stop it."""
STAND_UP_SPRING = 49.0
"""K_s^L (1/s^2) while standing up, critically damped: with less, the body lags its poses and sways when they end."""
NEAR_STANDING = 0.08
"""Largest distance (m) of the planned final centre of mass from its place in standing; beyond, a step is needed."""


class StandUp:
    """Standing up at the end of a roll, once the body has come up over its feet."""

    def __init__(self, actor: RotationActor, crouch: Array) -> None:
        """`crouch` (nq,) is the pose of the roll in which the body is on its feet."""
        self._actor, self._plane = actor, RotationPlane(actor)
        rising = poses_to_standing(actor.body, crouch, round(STAND_UP_TIME / actor.step) + 1)
        line = rotation_pose_line(actor.body, rising)
        self._landing = Landing(self._plane, line, LandingNumbers(land_spring=STAND_UP_SPRING))
        self._tilt = float(line.tilt[0])
        self.begun = False

    @property
    def pose(self) -> Array:
        """(nq,) the tracked pose."""
        return np.asarray(self._landing.pose)

    def due(self, state: State, rotation: RotationIndices) -> bool:
        """Whether to stand up now: the trunk is off the ground, and forces at the feet can bring the body to rest."""
        plane = self._plane
        plane.update(state)
        touched = state.contacts.gap < TOUCHING_GAP
        if not plane.touches_ground(state) or np.any(touched & self._actor.trunk[state.contacts.body]):
            return False
        spin, sideways = float(plane.axis @ rotation.angular_momentum), abs(plane.axis @ rotation.velocity)
        if spin > MOST_SPIN or sideways > MOST_SIDEWAYS:
            return False
        end = self._landing.plan(state, rotation).state[-1]
        ahead = float(end[0] - plane.forward @ plane.ankle_midpoint(state))
        return abs(ahead - LandingNumbers.stand_ahead) < NEAR_STANDING

    def begin(self, state: State, rotation: RotationIndices) -> None:
        """Start to stand up."""
        self.begun = True
        self._landing.begin(state, rotation, self._tilt, True)

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
        """Torques of the coming step."""
        self._plane.update(state)
        return self._landing.act(state, rotation)

    def stands(self) -> bool:
        """Whether the body stands at rest."""
        return self.begun and self._landing.stands()


def poses_to_standing(body: Body, crouch: Array, count: int) -> Array:
    """(count, nq) poses from a crouch to standing, eased at both ends (3 u^2 - 2 u^3)."""
    displacement, out = np.zeros(body.nv), np.tile(crouch, (count, 1))
    mujoco.mj_differentiatePos(body.model, displacement, 1.0, crouch, body.standing)
    displacement[:6] = 0.0
    for k, share in enumerate(np.linspace(0.0, 1.0, count)):
        mujoco.mj_integratePos(body.model, out[k], displacement, share * share * (3.0 - 2.0 * share))
    return out
