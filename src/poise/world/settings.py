"""How the world steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import get_args

from poise.contact.solver import Solver
from poise.errors import PoiseError, unknown


@dataclass(frozen=True)
class WorldSettings:
    """How the world steps."""

    step: float = 1 / 120
    """Duration of a step, s."""
    sides: int = 4
    """Sides of the friction polygon: 4, 6 or 8."""
    solver: Solver = "lemke"
    """lemke: exact and verified. sweeps: projected Gauss-Seidel, approximate."""
    touch: float = 1e-3
    """Points nearer than this to a surface carry friction, m. Friction in the air makes walkers fall."""
    recovery: float = 12.0
    """Rate at which a penetration is undone, 1/s: a tenth in a step of 1/120 s."""
    compliance: float = 1e-7
    """Softness of a contact relative to that of the bodies there; makes forces on many points unique."""
    fastest: float = 1e3
    """A DOF faster than this (rad/s, m/s) has blown up, and the run stops."""

    def __post_init__(self) -> None:
        if not 1e-5 <= self.step <= 0.05:
            raise PoiseError(f"step of {self.step} s: must be between 0.00001 and 0.05 s")
        if self.solver not in get_args(Solver):
            raise unknown("solver", self.solver, get_args(Solver))
        for name in ("touch", "recovery", "compliance", "fastest"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise PoiseError(f"{name} {value}: must be positive and finite")
        if self.recovery * self.step > 1:
            raise PoiseError(f"recovery {self.recovery} per s: undoes more than all in a step of {self.step} s")
        if self.sides not in (4, 6, 8):
            raise PoiseError(f"friction polygon of {self.sides} sides: must be 4, 6 or 8")
