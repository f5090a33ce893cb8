"""Trajectory optimisation of flights with an abstract model: centre of mass, excursion and momenta in one plane.

[Zordan2014] section VII and appendix B. Take-off, ballistic flight and landing are planned together, so that the flight
ends in a state from which the landing can come to rest. The model is a mass whose inertia changes in time like the
inertia of the poses. Forces act on this mass at heels and toes:

    c' = L / m,  L' = sum f + m g,  H' = sum (r - c) x f,  phi' = H / I.

c is the centre of mass, L and H the momenta, phi the excursion, f the force at point r. Forces are piecewise linear
between knots. Gauss-Newton steps find the knots (single shooting, finite differences, all variants integrated in one
array). In each step a quadratic program keeps bounds and friction cones. Shapes: V variants, S steps, K knots.
"""

from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from math import inf

import daqp
import numpy as np

from poise.arrays import Array


@dataclass(frozen=True)
class PlanarState:
    """State of the abstract model: x forward, z up, rotation about y; backward rotation is negative."""

    x: float  # m
    z: float  # m above the ground
    vx: float  # m/s
    vz: float  # m/s
    spin: float  # kg m^2/s: angular momentum H
    turned: float  # rad: excursion phi


@dataclass(frozen=True, eq=False)
class PlannedCourse:
    """Planned trajectory of S steps: states at S + 1 times and rates of momentum in each step."""

    step: float  # s
    state: Array  # (S + 1, 6) x, z, vx, vz, spin, turned
    push: Array  # (S, 2) N: rate of linear momentum along x and z, gravity included
    twist: Array  # (S,) N m: rate of angular momentum

    def state_at(self, time: float) -> tuple[PlanarState, Array, float]:
        """Interpolated state at a time (s), and in the step at that time the rates of linear and angular momentum."""
        last = len(self.push)
        where = min(max(time / self.step, 0.0), float(last))
        k = min(int(where), last - 1)
        share = where - k
        here = (1 - share) * self.state[k] + share * self.state[k + 1]
        return PlanarState(*here.tolist()), self.push[k], float(self.twist[k])


@dataclass(frozen=True, eq=False)
class GroundPhase:
    """A phase in contact with the ground: where forces act, how large they may be, and the model's inertia."""

    inertia: Array  # (S,) kg m^2 at each step
    heel: float  # m: x of the heels; in a landing, relative to the centre of mass at touch-down
    toe: float  # m: x of the toes, from the same origin
    knots: int  # number of knots of the forces
    strongest: float  # N: upper bound of the normal forces at heels and at toes
    last: float = 1.0  # share of `strongest` at the last knot: nearly straight legs cannot push
    heels: float = inf  # share of the phase after which only the toes push
    twist: float = inf  # N m: largest rate of angular momentum


@dataclass(frozen=True)
class PlanTargets:
    """Targets of a plan. All heights are heights of the centre of mass."""

    take_off_height: float = 0.98  # m
    touch_down_height: float = 0.80  # m
    turned: float = -6.13  # rad: excursion at touch-down
    travel: float = -0.1  # m: displacement of the centre of mass from the start to touch-down
    end_height: float = 0.70  # m at the end of the landing
    end_ahead: float = 0.05  # m: centre of mass in front of the middle of the feet at the end of the landing


@dataclass(frozen=True, eq=False)
class FlightPlan:
    """Planned take-off and landing of a flight."""

    take_off: PlannedCourse
    landing: PlannedCourse
    off: float  # largest residual of the hard targets, in units of their tolerances


FORCE_NUDGE = 1.0  # Finite-difference step (N) of the knots; excursion and angular momentum are nonlinear in the knots
TWIST_TOLERANCE = 20.0  # Scale (N m) of the residual for a rate of angular momentum above its limit
REGULARISATION = 1e-4  # Added to the diagonal of the Gauss-Newton matrix, as a share of the mean of its diagonal
INITIAL_LOAD = 1.5
"""Sum of the normal forces at heels and toes in the initial guess, as a multiple of the body's weight."""


@dataclass(frozen=True, eq=False)
class RotationFlightPlanner:
    """Trajectory optimiser for a body of a given mass, at a given step."""

    mass: float  # kg
    step: float  # s
    gravity: float = 9.81  # m/s^2
    friction: float = 0.8
    iterations: int = 12

    def plan_flip(
        self, start: PlanarState, push: GroundPhase, flight: Array, landing: GroundPhase, targets: PlanTargets
    ) -> FlightPlan:
        """Plan push, flight and landing from a state on the ground to rest; `flight` (S,) kg m^2: inertia per step."""

        def shoot_flip(knots: Array) -> tuple[Array, Array, Array]:
            starts = _repeated_flight_state(start, len(knots))
            rise = self._shoot_ground_phase(starts, push, knots[:, : 4 * push.knots], 0.0)
            down = self._state_after_flight(rise[:, -1], flight)
            land = self._shoot_ground_phase(down, landing, knots[:, 4 * push.knots :], down[:, 0])
            return rise, down, land

        def flip_residuals(knots: Array) -> Array:
            rise, down, land = shoot_flip(knots)
            feet = down[:, 0] + 0.5 * (landing.heel + landing.toe)
            return np.column_stack(
                [
                    *_flip_flight_residuals(rise, down, start, targets),
                    *_landing_rest_residuals(land, feet, targets),
                    *_take_off_effort_residuals(knots, push.knots, landing.knots),
                    *self._twist_residuals(rise, push),
                ]
            )

        knots = self._gauss_newton(flip_residuals, push, landing)
        rise, _, land = (each[0] for each in shoot_flip(knots[None]))
        off = float(np.abs(flip_residuals(knots[None])[0, [1, 2, 5, 6, 7]]).max())
        take_off = self._planned_course(rise, push, knots[: 4 * push.knots])
        return FlightPlan(take_off, self._planned_course(land, landing, knots[4 * push.knots :]), off)

    def plan_leap(self, start: PlanarState, push: GroundPhase, flight: Array, targets: PlanTargets) -> PlannedCourse:
        """Course of the push before a flight; no landing is planned. `flight` (S,) kg m^2: inertia per step."""

        def leap_residuals(rise: Array) -> list[Array]:
            return _flip_flight_residuals(rise, self._state_after_flight(rise[:, -1], flight), start, targets)

        return self._plan_ground_phase(start, push, 0.0, leap_residuals)

    def plan_landing(self, start: PlanarState, phase: GroundPhase, targets: PlanTargets) -> PlannedCourse:
        """Plan a landing from a state at touch-down to rest; heel and toe of `phase` are in the frame of `start`."""
        placed = replace(phase, heel=phase.heel - start.x, toe=phase.toe - start.x)
        feet = 0.5 * (phase.heel + phase.toe)
        return self._plan_ground_phase(
            start, placed, start.x, lambda land: _landing_rest_residuals(land, feet, targets)
        )

    def _plan_ground_phase(
        self, start: PlanarState, phase: GroundPhase, origin: float, residuals: Callable[[Array], list[Array]]
    ) -> PlannedCourse:
        """Course of one phase from a state; `residuals` maps states (V, S + 1, 6) to arrays (V,). `origin` in m."""

        def shoot(knots: Array) -> Array:
            return self._shoot_ground_phase(_repeated_flight_state(start, len(knots)), phase, knots, origin)

        def all_residuals(knots: Array) -> Array:
            return np.column_stack([*residuals(shoot(knots)), *_take_off_effort_residuals(knots, phase.knots)])

        knots = self._gauss_newton(all_residuals, phase)
        return self._planned_course(shoot(knots[None])[0], phase, knots)

    def _shoot_ground_phase(self, start: Array, phase: GroundPhase, knots: Array, origin: Array | float) -> Array:
        """(V, S + 1, 6) states from first states (V, 6) with knots (V, 4 K); heel and toe are relative to `origin`."""
        steps, h = len(phase.inertia), self.step
        force = _take_off_forces_at_steps(knots, phase.knots, steps)  # (V, S, 4)
        out = np.empty((len(knots), steps + 1, 6))
        out[:, 0] = start
        x, z, vx, vz, spin, turned = start.T.copy()
        heel, toe = phase.heel + origin, phase.toe + origin
        for k in range(steps):
            fx, fz = force[:, k, 0] + force[:, k, 2], force[:, k, 1] + force[:, k, 3]
            twist = -z * fx - ((heel - x) * force[:, k, 1] + (toe - x) * force[:, k, 3])
            vx = vx + h * fx / self.mass
            vz = vz + h * (fz / self.mass - self.gravity)
            spin = spin + h * twist
            x, z, turned = x + h * vx, z + h * vz, turned + h * spin / phase.inertia[k]
            out[:, k + 1] = np.stack([x, z, vx, vz, spin, turned], axis=1)
        return out

    def _twist_residuals(self, states: Array, phase: GroundPhase) -> list[Array]:
        """One residual (V,) per step: excess of the rate of angular momentum over the limit of the phase."""
        twist = np.abs(np.diff(states[:, :, 4], axis=1)) / self.step
        return list(np.maximum(twist - phase.twist, 0.0).T / TWIST_TOLERANCE)

    def _state_after_flight(self, start: Array, inertia: Array) -> Array:
        """(V, 6) states after a ballistic flight from states (V, 6), with inertia (S,) kg m^2 at each step."""
        time = len(inertia) * self.step
        out = start.copy()
        out[:, 0] += time * start[:, 2]
        out[:, 1] += time * start[:, 3] - 0.5 * self.gravity * time**2
        out[:, 3] -= self.gravity * time
        out[:, 5] += start[:, 4] * self.step * np.sum(1.0 / inertia)
        return out

    def _gauss_newton(self, residual: Callable[[Array], Array], *phases: GroundPhase) -> Array:
        """Knots (4 K,), in N, with least squared residuals within bounds and cones; `residual`: (V, 4 K) to (V, R)."""
        cone, upper, lower = self._force_constraints(phases)
        knots = np.zeros(4 * sum(phase.knots for phase in phases))
        knots[1::2] = 0.5 * self.mass * self.gravity * INITIAL_LOAD
        for _ in range(self.iterations):
            moved = np.vstack([knots, knots + FORCE_NUDGE * np.eye(len(knots))])
            residuals = residual(moved)
            jacobian = (residuals[1:] - residuals[0]).T / FORCE_NUDGE
            hessian = jacobian.T @ jacobian
            hessian[np.diag_indices(len(knots))] += REGULARISATION * hessian.diagonal().mean()
            linear = jacobian.T @ residuals[0] - hessian @ knots
            knots, _, _, _ = daqp.solve(hessian, linear, cone, upper, lower)
        return np.asarray(knots)

    def _force_constraints(self, phases: tuple[GroundPhase, ...]) -> tuple[Array, Array, Array]:
        """Matrix of friction cones |fx| <= mu fz of the knots; upper and lower bounds of knots, then of cones."""
        count = 2 * sum(phase.knots for phase in phases)
        strongest = np.concatenate([_take_off_force_bounds(phase) for phase in phases])
        cone = np.zeros((2 * count, 2 * count))
        k = np.arange(count)
        for side, sign in enumerate((1.0, -1.0)):
            cone[2 * k + side, 2 * k] = sign
            cone[2 * k + side, 2 * k + 1] = -self.friction
        upper, lower = np.zeros(4 * count), np.full(4 * count, -1e30)
        upper[0 : 2 * count : 2] = 1e30
        upper[1 : 2 * count : 2], lower[1 : 2 * count : 2] = strongest, 0.0
        return cone, upper, lower

    def _planned_course(self, state: Array, phase: GroundPhase, knots: Array) -> PlannedCourse:
        steps = len(phase.inertia)
        force = _take_off_forces_at_steps(knots[None], phase.knots, steps)[0]
        push = np.column_stack([force[:, 0] + force[:, 2], force[:, 1] + force[:, 3] - self.mass * self.gravity])
        return PlannedCourse(self.step, state, push, np.diff(state[:, 4]) / self.step)


def _take_off_force_bounds(phase: GroundPhase) -> Array:
    """(2 K,) N: upper bounds of the normal forces: heel and toe of the first knot, then of the second, and so on."""
    out = np.full((phase.knots, 2), phase.strongest)
    out[-1] *= phase.last
    next_knot = np.arange(1, phase.knots + 1) / (phase.knots - 1)  # share of the phase
    out[next_knot > phase.heels, 0] = 0.0
    return out.ravel()


def _repeated_flight_state(start: PlanarState, count: int) -> Array:
    """(count, 6) copies of a state."""
    return np.tile(np.array(astuple(start)), (count, 1))


def _take_off_forces_at_steps(knots: Array, count: int, steps: int) -> Array:
    """Forces (V, S, 4), in newtons, at the middle of each step: heel x, heel z, toe x, toe z; from knots (V, 4 K)."""
    table = knots.reshape(len(knots), count, 4)
    where = (np.arange(steps) + 0.5) / steps * (count - 1)
    k = np.minimum(where.astype(int), count - 2)
    share = (where - k)[None, :, None]
    return np.asarray((1 - share) * table[:, k] + share * table[:, k + 1])


def _flip_flight_residuals(rise: Array, down: Array, start: PlanarState, targets: PlanTargets) -> list[Array]:
    """Residuals, each (V,), of the states at take-off and touch-down; the last penalises spin in the wrong sense."""
    return [
        (rise[:, -1, 1] - targets.take_off_height) / 0.02,
        (down[:, 1] - targets.touch_down_height) / 0.005,
        (down[:, 5] - targets.turned) / 0.01,
        (down[:, 0] - start.x - targets.travel) / 0.1,
        np.maximum(np.sign(-targets.turned) * rise[:, :, 4], 0.0).max(axis=1) / 3.0,
    ]


def _landing_rest_residuals(land: Array, feet: Array | float, targets: PlanTargets) -> list[Array]:
    """Residuals, each (V,), that are 0 if a landing ends at rest over x = `feet` (m) and never sinks too low."""
    end = land[:, -1]
    sunk = np.maximum(targets.end_height - 0.12 - land[:, :, 1].min(axis=1), 0.0)
    return [
        end[:, 4] / 0.2,
        end[:, 2] / 0.02,
        end[:, 3] / 0.02,
        (end[:, 0] - feet - targets.end_ahead) / 0.02,
        (end[:, 1] - targets.end_height) / 0.02,
        sunk / 0.02,
    ]


def _take_off_effort_residuals(knots: Array, *counts: int) -> list[Array]:
    """Residuals, each (V,): forces, and changes of force from knot to knot; `counts`: number of knots of each phase."""
    out, first = [], 0
    for count in counts:
        table = knots[:, first : first + 4 * count].reshape(len(knots), count, 4)
        out += list((table.reshape(len(knots), -1) / 2000.0).T)
        out += list((np.diff(table, axis=1).reshape(len(knots), -1) / 1000.0).T)
        first += 4 * count
    return out
