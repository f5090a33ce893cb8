"""How hard may it be pushed? Force, direction and phase of the cycle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from poise.errors import PoiseError
from poise.reference.archive import spoken_name
from poise.study.experiment.plots import panels, share_circle, share_map, shares_over
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.trial import Trial, cast_once
from poise.study.nqr.case import NqrCase, measure, summary_by
from poise.world.pushes import Push

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORCES = (50.0, 100.0, 150.0, 200.0, 250.0, 300.0)
"""N, for a tenth of a second on the torso."""
ANGLES = tuple(range(0, 360, 30))
"""Degrees: forward, then to the left."""
PHASES = 16
COARSE = ((100.0, 200.0), (0, 90, 180, 270), 4)
PUSHED_AT = 1.0
"""s."""
DURATION = 0.1
"""s."""
SIDES = {0: "forward", 90: "left", 180: "backward", 270: "right"}


def cases(scope: Scope) -> list[NqrCase]:
    """Each push at each phase."""
    if scope.seconds <= PUSHED_AT:
        raise PoiseError(f"{scope.seconds:g} seconds: pushes come after {PUSHED_AT:g} s")
    forces, angles, phases = COARSE if scope.coarse else (FORCES, ANGLES, PHASES)
    return [
        NqrCase(
            {"motion": spoken_name(motion), "direction": angle, "force": force, "phase": phase / phases},
            Trial(
                motion,
                seconds=scope.seconds,
                seed=seed,
                phase=_beginning(motion, phase / phases),
                pushes=(_push(force, angle),),
            ),
        )
        for motion in scope.motions
        for angle in angles
        for force in forces
        for phase in range(phases)
        for seed in range(scope.seeds)
    ]


def _push(force: float, angle: int) -> Push:
    way = math.radians(angle)
    return Push(force, PUSHED_AT, DURATION, (math.cos(way), math.sin(way), 0.0))


def _beginning(motion: str, phase: float) -> float:
    """The phase at which to begin, to be pushed at another."""
    _, reference = cast_once(motion, None, True)
    cycle = next(iter(reference.motions.values())).clip
    if not cycle.cyclic:
        raise PoiseError(f"'{motion}' is no cycle: it has no phases at which to push")
    return (phase - PUSHED_AT / cycle.seconds) % 1.0


def plot(rows: Sequence[Row]) -> Figure:
    """Of the first motion: all directions in a circle, and force against phase to four sides."""
    here = [row for row in rows if row["motion"] == rows[0]["motion"]]
    sides = [angle for angle in SIDES if any(row["direction"] == angle for row in here)]
    figure, axes = panels(1, 1 + len(sides))
    axes[0, 0].remove()
    _circle(figure.add_subplot(1, 1 + len(sides), 1, projection="polar"), here)
    for axis, angle in zip(axes[0, 1:], sides, strict=True):
        phases, forces, shares = shares_over([row for row in here if row["direction"] == angle], "phase", "force")
        share_map(axis, shares, [f"{phase:.2g}" for phase in phases], [f"{force:g}" for force in forces])
        axis.tick_params(axis="x", rotation=90)
        axis.set_title(SIDES[angle])
        axis.set_xlabel("phase")
        axis.set_ylabel("N")
    return figure


def _circle(axis: Any, rows: Sequence[Row]) -> None:
    angles, forces, shares = shares_over(rows, "direction", "force")
    share_circle(axis, shares, angles, forces)
    axis.set_thetagrids(list(SIDES), SIDES.values())
    axis.set_rgrids(forces, [f"{force:g} N" for force in forces], angle=45.0, fontsize=6)
    axis.set_title(f"{rows[0]['motion']}, all phases")


STUDY: Study[NqrCase] = Study(
    name="nqr-push",
    title="survival of pushes of a tenth of a second on the torso: force, direction, phase of the cycle",
    reproduces="how robust it is",
    whole=Scope(seeds=1, seconds=6.0, motions=("walk",)),
    quick=Scope(seeds=1, seconds=4.0, motions=("walk",), coarse=True),
    cases=cases,
    measure=measure,
    summary=summary_by("motion", "direction", "force"),
    plot=plot,
)
