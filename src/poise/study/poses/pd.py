"""What nonlinear damping does to a single joint: [Fattal2006] Fig. 1, by our controller.

The paper tells gains without units, neither inertia nor angle. In frames of 1/30 s and kg m^2 its gains are those of a
strong arm, and an inertia and an angle for which the peak of (c) is three times that of (b), (c) overshoots a little
and (d) does not, are those below. Other angles show how the ratio depends on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poise.frozen import Array
from poise.study.plots import panels
from poise.study.poses.joint import Swing, exact, simulated
from poise.study.study import Row, Scope, Study
from poise.study.table import numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FRAME = 1.0 / 30.0
"""s: the paper's unit of time, as we read it."""
INERTIA = 1.5
"""kg m^2."""
STIFFNESS = 0.15
"""kg m^2 per square frame."""
SHOWN = 20.0
"""degrees: how far the joint of the figure turns."""
DEGREES = (10.0, SHOWN, 45.0, 90.0)
PANELS = {"a": (0.25, True), "b": (1.5, True), "c": (1.5, False), "d": (3.0, False)}
"""Damping, kg m^2 per frame, and whether it is linear."""


@dataclass(frozen=True)
class Case:
    """A panel of the figure, for an angle and a rate of simulation."""

    panel: str
    degrees: float
    rate: float  # Hz
    seconds: float

    @property
    def swing(self) -> Swing:
        """In SI units."""
        damping, linear = PANELS[self.panel]
        gains = STIFFNESS / FRAME**2, damping / FRAME
        return Swing(INERTIA, *gains, linear, self.degrees, self.seconds, self.rate)


def cases(scope: Scope) -> list[Case]:
    """All panels; of other angles and rates if there is time."""
    kinds = [(SHOWN, 120.0)] if scope.coarse else [*((degrees, 120.0) for degrees in DEGREES), (SHOWN, 60.0)]
    return [Case(panel, degrees, rate, scope.seconds) for degrees, rate in kinds for panel in PANELS]


def measure(case: Case) -> Row:
    """Peak and overshoot, beside those of the exact solution."""
    ours, true = simulated(case.swing), exact(case.swing)
    damping, linear = PANELS[case.panel]
    return {
        "panel": case.panel,
        "degrees": case.degrees,
        "rate": case.rate,
        "seconds": case.seconds,
        "damping": damping,
        "linear": linear,
        "peak_deg_s": _peak(ours.velocity),
        "exact_peak_deg_s": _peak(true.velocity),
        "overshoot_deg": _over(ours.angle, case.degrees),
        "exact_overshoot_deg": _over(true.angle, case.degrees),
        "off_deg": float(np.degrees(np.sqrt(np.mean((ours.angle - true.angle) ** 2)))),
    }


def _peak(velocity: Array) -> float:
    return float(np.degrees(velocity.max()))


def _over(angle: Array, degrees: float) -> float:
    return max(float(np.degrees(angle.max())) - degrees, 0.0)


def summary(rows: Sequence[Row]) -> list[Row]:
    """All rows, with the peak against that of high linear damping (b)."""
    return [{**row, **_ratios(row, rows)} for row in rows]


def _ratios(row: Row, rows: Sequence[Row]) -> Row:
    alike = [b for b in rows if b["panel"] == "b" and all(b[key] == row[key] for key in ("degrees", "rate"))]
    return {
        name: numbers([row], peak)[0] / numbers(alike, peak)[0] if alike else None
        for name, peak in (("peak_ratio", "peak_deg_s"), ("exact_peak_ratio", "exact_peak_deg_s"))
    }


def plot(rows: Sequence[Row]) -> Figure:
    """Angle and velocity of each panel against time, ours and the exact ones, as in the figure."""
    shown = [row for row in rows if row["degrees"] == SHOWN and row["rate"] == 120.0]
    figure, axes = panels(2, len(shown), share_rows=True)
    for (above, below), row in zip(axes.T, shown, strict=True):
        case = Case(str(row["panel"]), SHOWN, 120.0, numbers([row], "seconds")[0])
        for swung, style in ((exact(case.swing), {"color": "0.7", "lw": 3}), (simulated(case.swing), {"color": "C0"})):
            above.plot(swung.time, np.degrees(swung.angle), **style)
            below.plot(swung.time, np.degrees(swung.velocity), **style)
        above.axhline(SHOWN, color="black", lw=0.5)
        kind = "linear" if row["linear"] else "nonlinear"
        above.set_title(f"({row['panel']}) {kind}, $k_d$ = {row['damping']:g}")
        below.set_xlabel("s")
    axes[0, 0].set_ylabel("degrees")
    axes[1, 0].set_ylabel("degrees/s")
    return figure


STUDY: Study[Case] = Study(
    name="poses-pd",
    title="linear and nonlinear damping of a joint",
    reproduces="Fattal & Lischinski 2006, Fig. 1",
    whole=Scope(seeds=1, seconds=2.0),
    quick=Scope(seeds=1, seconds=2.0, coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
