"""Settings of the simulator."""

import math
from dataclasses import dataclass
from typing import get_args

from poise.contact.solver import Solver
from poise.errors import PoiseError, known_name


@dataclass(frozen=True)
class WorldSettings:
    """Settings of the simulator."""

    step: float = 1 / 120
    """Duration of a step, s."""
    sides: int = 4
    """Sides of the friction polygon: 4, 6 or 8."""
    solver: Solver = "lemke"
    """lemke: exact and verified. sweeps: projected Gauss-Seidel, approximate."""
    touch: float = 1e-3
    """Gap (m) up to which a contact carries friction. A larger one makes walkers fall: friction acts in the air."""
    recovery: float = 12.0
    """Rate (1/s) at which penetration is corrected: a tenth in a step of 1/120 s."""
    compliance: float = 1e-7
    """Compliance of contacts relative to the inverse effective mass there; makes forces at redundant points unique."""
    fastest: float = 1e3
    """Velocity of a DOF (rad/s, m/s) beyond which the run stops as diverged."""

    def __post_init__(self) -> None:
        if not 1e-5 <= self.step <= 0.05:
            raise PoiseError(f"step of {self.step} s: must be between 0.00001 and 0.05 s")
        known_name("solver", self.solver, get_args(Solver))
        for name in ("touch", "recovery", "compliance", "fastest"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise PoiseError(f"{name} {value}: must be positive and finite")
        if self.recovery * self.step > 1:
            raise PoiseError(f"recovery {self.recovery} per s: must be at most 1 / step, {1 / self.step:g} per s")
        if self.sides not in (4, 6, 8):
            raise PoiseError(f"friction polygon of {self.sides} sides: must be 4, 6 or 8")
