"""The unit of length that makes a person of the figure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.motion.repair.finding import Finding
from poise.motion.repair.settings import UNITS, ImportSettings

LEG, SMALLER, LARGER = 0.85, 0.35, 0.2  # m, hip to ankle of an adult; natural logarithms: children, but no giants
SIZE, ANY = 1.0, 1.0  # m, of whatever is no person, give or take a natural logarithm
METRIC = ("m", "cm", "mm")
ODD = 3.0  # from where on a figure is of no usual size in any unit
RARE = {"m": 0.0, "cm": 0.0, "cmu": 0.5, "mm": 0.5, "inch": 1.2, "foot": 1.5}  # logarithms of odds, beforehand


@dataclass(frozen=True)
class UnitVerdict:
    """The likeliest unit."""

    name: str
    metres: float
    confidence: float


def likely_unit(length: float, person: bool) -> UnitVerdict:
    """The unit in which a person's leg, or something else's whole size, is nearest to the usual."""
    usual, smaller, larger = (LEG, SMALLER, LARGER) if person else (SIZE, ANY, ANY)
    names = list(UNITS if person else METRIC)
    off = np.log([length * UNITS[name] / usual for name in names])
    against = np.array([RARE[name] for name in names]) + (off / np.where(off < 0, smaller, larger)) ** 2 / 2
    best = int(np.argmin(against))
    among = float(1 / np.exp(against[best] - against).sum())
    odd = float(np.exp(-max(0.0, against[best] - ODD)))
    return UnitVerdict(names[best], UNITS[names[best]], among * odd)


def find_unit(length: float, person: bool, declared: float | None, settings: ImportSettings) -> Finding:
    """The unit of a file in which a person's leg, or something else's whole size, has a length."""
    usual, what = (LEG, "the leg (hip to ankle)") if person else (SIZE, "the figure")
    likely = likely_unit(length, person) if length > 0 else UnitVerdict("cm", UNITS["cm"], 0.0)
    if settings.metres is not None:
        found = f"{what} measures {length:.4g} units: {length * settings.metres:.2f} m"
        return _finding(found, settings.metres, "as asked", None)
    if declared is not None:
        odd = ", which is odd" if not 0.3 < length * declared / usual < 3 else ""
        found = f"the file states {_spelled(declared)} ({what}: {length * declared:.2f} m{odd})"
        return _finding(found, declared, "as stated", None)
    found = f"{what} measures {length:.4g} units: {length * likely.metres:.2f} m in {likely.name}"
    return _finding(found, likely.metres, "by size", likely.confidence)


def _finding(found: str, metres: float, why: str, confidence: float | None) -> Finding:
    return Finding("unit", found, f"1 unit = {_spelled(metres)}, {why}", "unit=NAME or METRES", metres, confidence)


def _spelled(metres: float) -> str:
    name = next((name for name, value in UNITS.items() if np.isclose(value, metres, rtol=1e-4)), None)
    return f"{metres:.6g} m" + (f" ({name})" if name else "")
