"""Does the excursion tell better than the root how a body as a whole turns? [Zordan2014] Fig. 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from poise.errors import PoiseError
from poise.frozen import Array
from poise.measure.rotation import Rotations, rotations_of_clip
from poise.reference.archive import spoken_name
from poise.reference.played import Played
from poise.study.plots import panels
from poise.study.study import Row, Scope, Study
from poise.study.trial import cast_once

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOTIONS = ("backflip", "roll", "log-roll", "jump", "walk", "run", "turn-180")


@dataclass(frozen=True)
class Case:
    """A motion as it was captured or made: nothing is simulated."""

    motion: str


def cases(scope: Scope) -> list[Case]:
    """One of each."""
    return [Case(motion) for motion in scope.motions]


@lru_cache(maxsize=32)
def rotations(motion: str) -> Rotations:
    """Of a clip by name or file."""
    _, reference = cast_once(motion, None, False)
    if not isinstance(reference, Played):
        raise PoiseError(f"motion '{motion}' is a pose, which does not turn: take one that moves")
    return rotations_of_clip(reference.clip)


def measure(case: Case) -> Row:
    """How far excursion and root leave the axis of the turn, and how much they wobble about it."""
    found = rotations(case.motion)
    excursion, root = (np.degrees(found.off_axis(turn)) for turn in (found.excursion, found.root_turn))
    return {
        "motion": case.motion,
        "seconds": float(found.time[-1]),
        "turns": found.turns,
        "peak_momentum": float(np.linalg.norm(found.angular_momentum, axis=1).max()),
        "excursion_off_deg": float(excursion.max()),
        "root_off_deg": float(root.max()),
        "excursion_wobble_deg": _wobble(excursion),
        "root_wobble_deg": _wobble(root),
    }


def _wobble(angle: Array) -> float:
    """Degrees that an angle goes up and down in all, beyond the way from its first to its last value."""
    return float(np.abs(np.diff(angle)).sum() - abs(angle[-1] - angle[0]))


def summary(rows: Sequence[Row]) -> list[Row]:
    """All rows by short names."""
    return [{**row, "motion": spoken_name(str(row["motion"]))} for row in rows]


def plot(rows: Sequence[Row]) -> Figure:
    """How far excursion and root tilt the axis, against time."""
    columns = min(4, len(rows))
    figure, axes = panels(-(-len(rows) // columns), columns)
    for axis, row in zip(axes.ravel(), rows, strict=False):
        found = rotations(str(row["motion"]))
        for name, turn, style in (("root", found.root_turn, "0.6"), ("excursion", found.excursion, "C0")):
            axis.plot(found.time, np.degrees(found.off_axis(turn)), color=style, label=name)
        axis.set_title(f"{spoken_name(str(row['motion']))}: {found.turns:.2f} turns", fontsize=8)
        axis.set_xlabel("s")
    for axis in axes.ravel()[len(rows) :]:
        axis.set_axis_off()
    axes[0, 0].set_ylabel("off the axis, degrees")
    axes[0, 0].legend(fontsize=7)
    return figure


STUDY: Study[Case] = Study(
    name="rotation-indices",
    title="excursion and root: how far they leave the axis of a turn",
    reproduces="Zordan et al. 2014, Fig. 1",
    whole=Scope(seeds=1, seconds=1.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=1.0, motions=("backflip", "roll", "walk")),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
