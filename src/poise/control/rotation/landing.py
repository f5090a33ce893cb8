"""From touch-down, or from coming up onto the feet, to standing at rest.

A landing is planned from the state that really is, and followed; pelvis and feet are held level. Then the body stands
up along a line of poses. The landing control of [Zordan2014] section VII.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.control.rotation.flight_plan import Phase, PlannedCourse, Planner, Wish
from poise.control.rotation.footing import FootSupportPlane, StanceTargets
from poise.control.rotation.pose_line import PoseLine
from poise.control.rotation.program import ProgramWeights
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State

STILL = 0.1
"""m/s, rad/s: a body that moves and turns less stands."""
UPRIGHT = 0.8
"""Of the height of the centre of mass above the ground in the last pose: whose is higher above the ankles is up."""
STRONGEST = 2500.0
"""N of heels, and of toes."""


@dataclass(frozen=True)
class LandingNumbers:
    """What a landing aims for, and how much it matters."""

    end_height: float = 0.69  # m of the centre of mass after landing
    stand_ahead: float = 0.08  # m of the centre of mass before the ankles, standing
    landing: float = 0.5  # s until rest
    land_linear: float = 3.0
    land_angular: float = 2.5
    land_stiffness: float = 200.0
    land_spring: float = 28.0  # 1/s^2
    land_damping: float = 14.0  # 1/s
    land_spin_damping: float = 9.0  # 1/s
    land_support: float = 47.0  # 1/(m/s^2)^2
    land_gap: float = 0.03  # m: feet nearer to the ground may bear
    trunk: float = 4.0  # weight of the pelvis' orientation, 1/(rad/s^2)^2
    trunk_spring: float = 60.0  # 1/s^2
    flat: float = 0.9  # weight of feet that are flat on the ground, 1/(rad/s^2)^2
    flat_spring: float = 400.0  # 1/s^2
    land_margin: float = 0.0  # m from the ends of the soles, within which a plan presses


class Landing:
    """A landing that is to come, or under way."""

    def __init__(self, footing: FootSupportPlane, planner: Planner, line: PoseLine, numbers: LandingNumbers) -> None:
        """`line` are the poses from touch-down to standing, a step apart."""
        self._footing, self._planner, self._line, self._numbers = footing, planner, line, numbers
        self.pose = line.qpos[0]
        self._course: PlannedCourse | None = None
        self._began = self._tilt = 0.0  # s; rad of the pelvis
        self._since, self._speed = 0.0, np.inf  # s since it began; m/s or rad/s of the whole
        self._height = 0.0  # m of the centre of mass above the ankles

    @property
    def inertia(self) -> Array:
        """(N,) kg m^2 at the steps until rest."""
        count = round(self._numbers.landing / self._planner.step)
        return np.asarray(self._line.inertia[np.minimum(np.arange(count), len(self._line.inertia) - 1)])

    def begin(self, state: State, rotation: RotationIndices, tilt: float, planned: bool) -> None:
        """From here on; the pelvis is to be tilted so far (rad) at first."""
        self._began, self._tilt = state.time, tilt
        self._course = self.plan(state, rotation) if planned else None

    def plan(self, state: State, rotation: RotationIndices) -> PlannedCourse:
        """From a state to rest over the feet, as near to that as forces on heels and toes bring it."""
        n = self._numbers
        heel, toe = self._footing.soles(state)
        ankle = float(self._footing.forward @ self._footing.ankles(state))
        wish = Wish(end_height=n.end_height, end_ahead=n.stand_ahead + ankle - 0.5 * (heel + toe))
        phase = Phase(self.inertia, heel + n.land_margin, toe - n.land_margin, 8, STRONGEST)
        return self._planner.landing(self._footing.planar(rotation, 0.0), phase, wish)

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
        """Torques of the coming step."""
        n, line, footing = self._numbers, self._line, self._footing
        since, step = state.time - self._began, self._planner.step
        self._since = since
        self._speed = max(float(np.linalg.norm(rotation.velocity)), float(np.linalg.norm(rotation.spin)))
        self._height = float(rotation.com[2] - footing.ankles(state)[2])
        last = len(line.qpos) - 1
        k = min(round(since / step) + 1, last)
        if self._course is not None and since < n.landing:
            gains = (n.land_spring, n.land_damping)
            pull, twist = footing.followed(rotation, self._course, since, gains, n.land_spin_damping)
        else:
            wanted = footing.over_feet(state, n.stand_ahead, max(line.height[k], n.end_height))
            pull = rotation.mass * (n.land_spring * (wanted - rotation.com) - n.land_damping * rotation.velocity)
            twist = -n.land_spin_damping * rotation.angular_momentum
        weights = ProgramWeights(n.land_linear, n.land_angular, n.land_support)
        tilt = (1.0 - min(since / (last * step), 1.0)) * self._tilt
        tasks = (
            footing.upright(state, tilt, n.trunk_spring, n.trunk),
            *footing.flat(state, n.flat_spring, n.flat),
        )
        self.pose = line.qpos[k]
        stance = StanceTargets(self.pose, n.land_stiffness, weights, pull, twist, tasks, n.land_gap)
        return footing.grounded(state, rotation, stance)

    def stands(self) -> bool:
        """Whether it is over: the last pose is reached, and the body is up and at rest."""
        over = self._since >= (len(self._line.qpos) - 1) * self._planner.step
        return over and self._speed < STILL and self._height > UPRIGHT * float(self._line.height[-1])
