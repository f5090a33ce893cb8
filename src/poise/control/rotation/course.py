"""What flights are planned from, and what a plan says: states, phases on the ground, wishes and courses."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from poise.frozen import Array


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
class Course:
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

    take_off: Course
    flight: float  # s
    landing: Course
    off: float  # what is left of the hard wishes, in units of their tolerances
