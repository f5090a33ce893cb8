"""Landing control, [Zordan2014] section VII: from touch-down, or from a crouch on the feet, to standing at rest.

A landing is planned from the simulated state and followed, with pelvis and feet held level. Then the body stands up
along a sequence of poses.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.control.rotation.behaviour_numbers import LandingNumbers
from poise.control.rotation.flight_plan import GroundPhase, PlannedCourse, Planner, PlanTargets
from poise.control.rotation.footing import FootSupportPlane, StanceTargets
from poise.control.rotation.pose_line import PoseLine
from poise.control.rotation.program import ProgramWeights
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State

STILL = 0.1
"""Speed of the centre of mass (m/s) and whole-body angular velocity (rad/s) below which the body is at rest."""
UPRIGHT = 0.8
"""Least height of the centre of mass above the ankles, as a share of its height in the last pose, to count as up."""
LANDING_KNOTS = 8
"""Knots of the forces of a planned landing."""
STRONGEST = 2500.0
"""Largest normal force (N) at the heels, and at the toes, of a planned landing."""


class Landing:
    """A landing and the standing up after it."""

    def __init__(self, footing: FootSupportPlane, planner: Planner, line: PoseLine, numbers: LandingNumbers) -> None:
        """`line` are the poses from touch-down to standing."""
        self._footing, self._planner, self._line, self._numbers = footing, planner, line, numbers
        self.pose = line.qpos[0]
        self._course: PlannedCourse | None = None
        self._began = self._tilt = 0.0  # s; rad: initial pitch of the pelvis
        self._since, self._speed = 0.0, np.inf  # s since the start; larger of linear and angular speed
        self._height = 0.0  # m of the centre of mass above the ankles

    @property
    def inertia(self) -> Array:
        """(N,) kg m^2 at the steps of the planned landing."""
        return self._line.inertias(0, round(self._numbers.landing / self._planner.step))

    def begin(self, state: State, rotation: RotationIndices, tilt: float, planned: bool) -> None:
        """Start the landing; the pelvis is to have a pitch `tilt` (rad) at first."""
        self._began, self._tilt = state.time, tilt
        self._course = self.plan(state, rotation) if planned else None

    def plan(self, state: State, rotation: RotationIndices) -> PlannedCourse:
        """Plan from a state to rest over the feet, as close to it as forces at heels and toes can bring it."""
        n = self._numbers
        heel, toe = self._footing.soles(state)
        ankle = float(self._footing.forward @ self._footing.ankles(state))
        targets = PlanTargets(end_height=n.end_height, end_ahead=n.stand_ahead + ankle - 0.5 * (heel + toe))
        phase = GroundPhase(self.inertia, heel + n.land_margin, toe - n.land_margin, LANDING_KNOTS, STRONGEST)
        return self._planner.landing(self._footing.planar(rotation), phase, targets)

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
        """Torques of the coming step."""
        n, line, footing = self._numbers, self._line, self._footing
        since, step = state.time - self._began, self._planner.step
        self._since = since
        self._speed = max(float(np.linalg.norm(rotation.velocity)), float(np.linalg.norm(rotation.spin)))
        self._height = float(rotation.com[2] - footing.ankles(state)[2])
        k = min(round(since / step) + 1, line.last)
        if self._course is not None and since < n.landing:
            gains = (n.land_spring, n.land_damping)
            pull, twist = footing.momentum_rates(rotation, self._course, since, gains, n.land_spin_damping)
        else:
            place = footing.com_over_feet(state, n.stand_ahead, max(line.height[k], n.end_height))
            pull = rotation.mass * (n.land_spring * (place - rotation.com) - n.land_damping * rotation.velocity)
            twist = -n.land_spin_damping * rotation.angular_momentum
        weights = ProgramWeights(n.land_linear, n.land_angular, n.land_support)
        tilt = (1.0 - min(since / (line.last * step), 1.0)) * self._tilt
        tasks = (
            footing.pelvis_task(state, tilt, n.trunk_spring, n.trunk),
            *footing.flat_feet_tasks(state, n.flat_spring, n.flat),
        )
        self.pose = line.qpos[k]
        stance = StanceTargets(self.pose, n.land_stiffness, weights, pull, twist, tasks, n.land_gap)
        return footing.act(state, rotation, stance)

    def stands(self) -> bool:
        """Whether the last pose is reached and the body is upright and at rest."""
        over = self._since >= self._line.last * self._planner.step
        return over and self._speed < STILL and self._height > UPRIGHT * float(self._line.height[-1])
