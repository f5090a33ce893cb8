"""Landing control, [Zordan2014] section VII: from touch-down, or from a crouch on the feet, to standing at rest.

The body follows a landing that is planned from the simulated state, with pelvis and feet held level. Then the body
stands up along a sequence of poses.
"""

from __future__ import annotations

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.rotation.actor import RotationActor
from poise.control.rotation.flight_plan import GroundPhase, PlannedCourse, PlanTargets
from poise.control.rotation.pose_line import PoseLine, pose_line
from poise.control.rotation.program import ProgramWeights
from poise.control.rotation.settings import LandingNumbers
from poise.control.rotation.support_plane import TOUCHING_GAP, StanceTargets, SupportPlane
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State

STILL = 0.1  # Speed of the centre of mass (m/s) and whole-body angular velocity (rad/s) below which the body is at rest
UPRIGHT = 0.8
"""A body is upright if its centre of mass is higher above the ankles than this share of `height` of the last pose."""
LANDING_KNOTS = 8  # Knots of the forces of a planned landing
LARGEST_LANDING_FORCE = 2500.0  # Largest normal force (N) at the heels, and at the toes, of a planned landing


class Landing:
    """A landing and the standing up after it."""

    def __init__(self, plane: SupportPlane, line: PoseLine, numbers: LandingNumbers) -> None:
        """`line` are the poses from touch-down to standing."""
        self._plane, self._planner, self._line, self._numbers = plane, plane.actor.planner, line, numbers
        self.pose = line.qpos[0]
        self._course: PlannedCourse | None = None
        self._began = self._tilt = 0.0  # s: start; rad: target pitch of the pelvis at the start
        self._since, self._speed = 0.0, np.inf  # s since the start; larger of linear and angular speed
        self._height = 0.0  # m of the centre of mass above the ankles

    def ground_phase(self, heel: float, toe: float) -> GroundPhase:
        """The landing as a phase of a plan, with heels and toes at positions x (m)."""
        inertia = self._line.inertia_from(0, round(self._numbers.landing / self._planner.step))
        return GroundPhase(inertia, heel, toe, LANDING_KNOTS, LARGEST_LANDING_FORCE)

    def begin(self, state: State, rotation: RotationIndices, tilt: float, planned: bool) -> None:
        """Start the landing, with a plan if `planned`; the target pitch of the pelvis goes from `tilt` (rad) to 0."""
        self._began, self._tilt = state.time, tilt
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
        """Torques of the coming step."""
        n, line, plane = self._numbers, self._line, self._plane
        since, step = state.time - self._began, self._planner.step
        self._since = since
        self._speed = max(float(np.linalg.norm(rotation.velocity)), float(np.linalg.norm(rotation.spin)))
        self._height = float(rotation.com[2] - plane.ankle_midpoint(state)[2])
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
        tasks = (
            plane.pelvis_task(state, tilt, n.trunk_spring, n.trunk),
            *plane.flat_feet_tasks(state, n.flat_spring, n.flat),
        )
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
NEAR_STANDING = 0.08
"""Largest distance (m) of the planned final centre of mass from its place in standing; beyond, a step is needed."""


class StandUp:
    """Standing up at the end of a roll, once the body has come up over its feet."""

    def __init__(self, actor: RotationActor, crouch: Array) -> None:
        """`crouch` (nq,) is the pose of the roll in which the body is on its feet."""
        self._actor, self._plane = actor, SupportPlane(actor)
        line = pose_line(actor.body, _poses_to_standing(actor.body, crouch, round(STAND_UP_TIME / actor.step) + 1))
        self._landing = Landing(self._plane, line, LandingNumbers())
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


def _poses_to_standing(body: Body, crouch: Array, count: int) -> Array:
    """(count, nq) poses from a crouch to standing, eased at both ends (3 u^2 - 2 u^3)."""
    displacement, out = np.zeros(body.nv), np.tile(crouch, (count, 1))
    mujoco.mj_differentiatePos(body.model, displacement, 1.0, crouch, body.standing)
    displacement[:6] = 0.0
    for k, share in enumerate(np.linspace(0.0, 1.0, count)):
        mujoco.mj_integratePos(body.model, out[k], displacement, share * share * (3.0 - 2.0 * share))
    return out
