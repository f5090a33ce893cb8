"""Flight plans of an abstract model: centre of mass, excursion and momenta in the plane of a flip.

[Zordan2014] section VII and appendix B: take-off, ballistic flight and landing are planned together, so that the flight
ends as the landing needs it. The model is a mass with an inertia that changes in time as that of the poses does,
pushed by forces at heels and toes:

    c' = L / m,  L' = sum f + m g,  H' = sum (r - c) x f,  phi' = H / I.

Forces are straight lines between knots. All is shot from the first state for every knot moved a little, side by side in
one array, and the knots are found by Gauss-Newton steps whose bounds and friction cones a quadratic program keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

import daqp
import numpy as np

from poise.arrays import Array

# What flights are planned from, and what a plan says: states, phases on the ground, wishes and courses.


@dataclass(frozen=True)
class Planar:
    """A state of the model. Forward is x, up is z, and turns are about y: backward is negative."""

    x: float  # m
    z: float  # m, above the ground
    vx: float  # m/s
    vz: float  # m/s
    spin: float  # kg m^2/s: H
    turned: float  # rad: phi


@dataclass(frozen=True, eq=False)
class PlannedCourse:
    """What is planned, step by step: states at its N + 1 times and forces in its N steps."""

    step: float  # s
    state: Array  # (N + 1, 6) x, z, vx, vz, spin, turned
    push: Array  # (N, 2) N: x and z of all forces and of gravity: rate of linear momentum
    twist: Array  # (N,) N m: rate of angular momentum

    def at(self, time: float) -> tuple[Planar, Array, float]:
        """State between steps, and rates of momenta in the step."""
        last = len(self.push)
        where = min(max(time / self.step, 0.0), float(last))
        k = min(int(where), last - 1)
        share = where - k
        here = (1 - share) * self.state[k] + share * self.state[k + 1]
        return Planar(*here.tolist()), self.push[k], float(self.twist[k])


@dataclass(frozen=True, eq=False)
class Phase:
    """A time on the ground: where forces act, and what the model's inertia is."""

    inertia: Array  # (N,) kg m^2 at each step
    heel: float  # m: x of the heels; from the centre of mass at touch-down if it is a landing
    toe: float  # m
    knots: int
    strongest: float  # N of each force
    last: float = 1.0  # of that, at the end: legs that are nearly straight push no more
    heels: float = inf  # of its time, during which heels push; then toes alone
    twist: float = inf  # N m: the greatest rate of angular momentum


@dataclass(frozen=True)
class Wish:
    """What a plan should come to, and how much it matters."""

    take_off_height: float = 0.98  # m of the centre of mass
    touch_down_height: float = 0.80  # m
    turned: float = -6.13  # rad at touch-down
    travel: float = -0.1  # m of the centre of mass from the beginning to touch-down
    end_height: float = 0.70  # m at the end of the landing
    end_ahead: float = 0.05  # m of the centre of mass before the middle of the feet, there


@dataclass(frozen=True, eq=False)
class FlightPlan:
    """Take-off, how long the flight lasts, and landing."""

    take_off: PlannedCourse
    flight: float  # s
    landing: PlannedCourse
    off: float  # what is left of the hard wishes, in units of their tolerances


NUDGE = 1.0
"""N by which knots are moved to see what comes of it; all but excursions and moments are linear in them."""
TWISTS = 20.0
"""N m: so much more than the body can turn itself by weighs as one."""
SOFTEST = 1e-4
"""Of a Gauss-Newton matrix's largest entry: keeps it regular."""


@dataclass(frozen=True, eq=False)
class Planner:
    """Plans for a body of a mass, in steps of a duration."""

    mass: float  # kg
    step: float  # s
    gravity: float = 9.81  # m/s^2
    friction: float = 0.8
    iterations: int = 12

    def flip(self, start: Planar, push: Phase, flight: Array, landing: Phase, wish: Wish) -> FlightPlan:
        """From a state on the ground, through a flight with inertias (N,) at its steps, to rest on the ground."""
        size = 4 * (push.knots + landing.knots)

        def shoot(knots: Array) -> tuple[Array, Array, Array]:
            rise = self._shot(_columns(start, len(knots)), push, knots[:, : 4 * push.knots], 0.0)
            down = self._flown(rise[:, -1], flight)
            land = self._shot(down, landing, knots[:, 4 * push.knots :], down[:, 0])
            return rise, down, land

        def residual(knots: Array) -> Array:
            rise, down, land = shoot(knots)
            feet = down[:, 0] + 0.5 * (landing.heel + landing.toe)
            return np.column_stack(
                [
                    *_flight(rise, down, start, wish),
                    *_rest(land, feet, wish),
                    *_effort(knots, push.knots, landing.knots),
                    *self._twisted(rise, push),
                ]
            )

        first = np.zeros(size)
        first[1::2] = 0.5 * self.mass * self.gravity * 1.5
        knots = self._found(first, residual, push, landing)
        rise, _, land = (each[0] for each in shoot(knots[None]))
        off = float(np.abs(residual(knots[None])[0, [1, 2, 5, 6, 7]]).max())
        return FlightPlan(
            self._course(rise, push, knots[: 4 * push.knots]),
            len(flight) * self.step,
            self._course(land, landing, knots[4 * push.knots :]),
            off,
        )

    def leap(self, start: Planar, push: Phase, flight: Array, wish: Wish) -> PlannedCourse:
        """The push of a flight with inertias (N,) at its steps, whose landing is somebody else's."""

        def residual(knots: Array) -> Array:
            rise = self._shot(_columns(start, len(knots)), push, knots, 0.0)
            down = self._flown(rise[:, -1], flight)
            return np.column_stack([*_flight(rise, down, start, wish), *_effort(knots, push.knots)])

        return self._pushed(start, push, residual)

    def _pushed(self, start: Planar, phase: Phase, residual: Callable[[Array], Array]) -> PlannedCourse:
        """Of a push whose forces leave the least of a residual."""
        first = np.zeros(4 * phase.knots)
        first[1::2] = 0.5 * self.mass * self.gravity * 1.5
        knots = self._found(first, residual, phase)
        return self._course(self._shot(_columns(start, 1), phase, knots[None], 0.0)[0], phase, knots)

    def landing(self, start: Planar, phase: Phase, wish: Wish) -> PlannedCourse:
        """From a state at touch-down to rest."""
        placed = replace(phase, heel=phase.heel - start.x, toe=phase.toe - start.x)

        def residual(knots: Array) -> Array:
            land = self._shot(_columns(start, len(knots)), placed, knots, start.x)
            feet = np.full(len(knots), 0.5 * (phase.heel + phase.toe))
            return np.column_stack([*_rest(land, feet, wish), *_effort(knots, phase.knots)])

        first = np.zeros(4 * phase.knots)
        first[1::2] = 0.5 * self.mass * self.gravity * 1.5
        knots = self._found(first, residual, placed)
        land = self._shot(_columns(start, 1), placed, knots[None], start.x)[0]
        return self._course(land, placed, knots)

    def _shot(self, start: Array, phase: Phase, knots: Array, origin: Array | float) -> Array:
        """(V, N + 1, 6) states of V variants from start (V, 6), with knots (V, 4 K)."""
        steps, h = len(phase.inertia), self.step
        force = _forces(knots, phase.knots, steps)  # (V, N, 4)
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

    def _twisted(self, states: Array, phase: Phase) -> list[Array]:
        """Residuals (V,) of the steps: what the spin changes faster than the body can bring about."""
        twist = np.abs(np.diff(states[:, :, 4], axis=1)) / self.step
        return list(np.maximum(twist - phase.twist, 0.0).T / TWISTS)

    def _flown(self, start: Array, inertia: Array) -> Array:
        """(V, 6) states after a flight."""
        time = len(inertia) * self.step
        out = start.copy()
        out[:, 0] += time * start[:, 2]
        out[:, 1] += time * start[:, 3] - 0.5 * self.gravity * time**2
        out[:, 3] -= self.gravity * time
        out[:, 5] += start[:, 4] * self.step * np.sum(1.0 / inertia)
        return out

    def _found(self, knots: Array, residual: Callable[[Array], Array], *phases: Phase) -> Array:
        """Gauss-Newton within bounds and cones."""
        cone, upper, lower = self._bounds(phases)
        for _ in range(self.iterations):
            moved = np.vstack([knots, knots + NUDGE * np.eye(len(knots))])
            told = residual(moved)
            slope = (told[1:] - told[0]).T / NUDGE
            hessian = slope.T @ slope
            hessian[np.diag_indices(len(knots))] += SOFTEST * hessian.diagonal().mean()
            linear = slope.T @ told[0] - hessian @ knots
            knots, _, _, _ = daqp.solve(hessian, linear, cone, upper, lower)
        return np.asarray(knots)

    def _bounds(self, phases: tuple[Phase, ...]) -> tuple[Array, Array, Array]:
        """Of knots: each fx within friction of its fz, each fz from 0 to the strongest."""
        count = 2 * sum(phase.knots for phase in phases)
        strongest = np.concatenate([_strongest(phase) for phase in phases])
        cone = np.zeros((2 * count, 2 * count))
        k = np.arange(count)
        for side, sign in enumerate((1.0, -1.0)):
            cone[2 * k + side, 2 * k] = sign
            cone[2 * k + side, 2 * k + 1] = -self.friction
        upper, lower = np.zeros(4 * count), np.full(4 * count, -1e30)
        upper[0 : 2 * count : 2] = 1e30
        upper[1 : 2 * count : 2], lower[1 : 2 * count : 2] = strongest, 0.0
        return cone, upper, lower

    def _course(self, state: Array, phase: Phase, knots: Array) -> PlannedCourse:
        steps = len(phase.inertia)
        force = _forces(knots[None], phase.knots, steps)[0]
        push = np.column_stack([force[:, 0] + force[:, 2], force[:, 1] + force[:, 3] - self.mass * self.gravity])
        return PlannedCourse(self.step, state, push, np.diff(state[:, 4]) / self.step)


def _strongest(phase: Phase) -> Array:
    """(2 K,) N of heel and toe at each knot."""
    out = np.full((phase.knots, 2), phase.strongest)
    out[-1] *= phase.last
    next_knot = np.arange(1, phase.knots + 1) / (phase.knots - 1)  # of the time
    out[next_knot > phase.heels, 0] = 0.0
    return out.ravel()


def _columns(start: Planar, count: int) -> Array:
    one = [start.x, start.z, start.vx, start.vz, start.spin, start.turned]
    return np.tile(np.array(one), (count, 1))


def _forces(knots: Array, count: int, steps: int) -> Array:
    """(V, N, 4) heel x, heel z, toe x, toe z in the steps, from knots (V, 4 K)."""
    table = knots.reshape(len(knots), count, 4)
    where = (np.arange(steps) + 0.5) / steps * (count - 1)
    k = np.minimum(where.astype(int), count - 2)
    share = (where - k)[None, :, None]
    return np.asarray((1 - share) * table[:, k] + share * table[:, k + 1])


def _flight(rise: Array, down: Array, start: Planar, wish: Wish) -> list[Array]:
    """Residuals (V,) of a push and of how its flight ends; the push never turns the other way."""
    return [
        (rise[:, -1, 1] - wish.take_off_height) / 0.02,
        (down[:, 1] - wish.touch_down_height) / 0.005,
        (down[:, 5] - wish.turned) / 0.01,
        (down[:, 0] - start.x - wish.travel) / 0.1,
        np.maximum(np.sign(-wish.turned) * rise[:, :, 4], 0.0).max(axis=1) / 3.0,
    ]


def _rest(land: Array, feet: Array, wish: Wish) -> list[Array]:
    """Residuals (V,) of a landing that ends at rest over the feet, and does not sink on the way."""
    end = land[:, -1]
    sunk = np.maximum(wish.end_height - 0.12 - land[:, :, 1].min(axis=1), 0.0)
    return [
        end[:, 4] / 0.2,
        end[:, 2] / 0.02,
        end[:, 3] / 0.02,
        (end[:, 0] - feet - wish.end_ahead) / 0.02,
        (end[:, 1] - wish.end_height) / 0.02,
        sunk / 0.02,
    ]


def _effort(knots: Array, *counts: int) -> list[Array]:
    """Residuals (V,) of forces and of their changes from knot to knot."""
    out, first = [], 0
    for count in counts:
        table = knots[:, first : first + 4 * count].reshape(len(knots), count, 4)
        out += list((table.reshape(len(knots), -1) / 2000.0).T)
        out += list((np.diff(table, axis=1).reshape(len(knots), -1) / 1000.0).T)
        first += 4 * count
    return out
