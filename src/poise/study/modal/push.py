"""How hard may it be pushed? [Jain2011] section 7.2: walking, squatting and swinging, noticing at once or late."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array
from poise.control.modal.settings import ModalSettings
from poise.errors import PoiseError
from poise.reference.archive import spoken_name
from poise.study.experiment.plots import panels, share_map
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import column_values, grouped
from poise.study.experiment.trial import Trial, cast_once
from poise.study.modal.case import MOTIONS, OURS, TOLD, ModalCase, measure, performer, window_for
from poise.world.pushes import Push

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PUSHED_AT = 1.0
"""s."""
FRAME = 1 / 120
"""s, the paper's."""
EIGHT = tuple(range(0, 360, 45))
"""Degrees: forward, then to the left."""


@dataclass(frozen=True)
class ModalPushes:
    """Pushes of a kind: each force in each direction at each phase of the cycle."""

    forces: tuple[float, ...]  # N
    frames: int
    phases: tuple[float, ...]
    directions: tuple[int, ...] = EIGHT


WHOLE = {
    "walk": ModalPushes((100.0, 150.0, 175.0), 10, tuple(k / 8 for k in range(8))),
    "squat": ModalPushes((75.0, 100.0, 150.0, 200.0, 250.0), 20, (0.0, 0.5)),
    "swing": ModalPushes((175.0,), 20, (0.0, 0.25, 0.5, 0.75)),
}
COARSE = {
    "walk": ModalPushes((100.0,), 10, (0.0, 0.25), (0, 90, 180, 270)),
    "squat": ModalPushes((100.0, 200.0), 20, (0.0,), (0, 90, 180, 270)),
    "swing": ModalPushes((175.0,), 20, (0.0,), (0, 90, 180, 270)),
}
REACTIONS = {
    "at once": replace(OURS, latency=0.0),
    "late": OURS,
    "late, literally": replace(OURS, believed=0.0),
}
"""When a push is noticed, and what is believed until then; the last as the paper says it."""
FOOTHOLDS = {"moved": OURS.capture, "kept": 0.0}
STEPS = {"walk": ("moved", "kept"), "squat": ("kept", "caught"), "swing": ("kept",)}
"""Where feet step: to footholds that are moved or kept; or wherever the pendulum catches who stands and topples."""


def cases(scope: Scope) -> list[ModalCase]:
    """Each push with each reaction and each way to step."""
    return [
        case
        for motion in scope.motions
        for (reaction, settings), steps in product(REACTIONS.items(), STEPS.get(motion, STEPS["walk"]))
        for case in _cases(
            motion,
            blows_for(motion, scope.coarse),
            {"motion": spoken_name(motion), "reaction": reaction, "steps": steps},
            replace(settings, capture=FOOTHOLDS.get(steps, 0.0), window=window_for(motion)),
            scope,
        )
    ]


def blows_for(motion: str, coarse: bool = False) -> ModalPushes:
    """Those of a motion that the paper has; others are pushed as walks are."""
    table = COARSE if coarse else WHOLE
    return table.get(motion, table["walk"])


def push_to(degrees: int, force: float, frames: int) -> Push:
    """A push of so many newtons and frames."""
    way = math.radians(degrees)
    return Push(force, PUSHED_AT, frames * FRAME, (math.cos(way), math.sin(way), 0.0))


def _cases(motion: str, blows: ModalPushes, labels: Row, settings: ModalSettings, scope: Scope) -> Iterator[ModalCase]:
    for force, angle, phase, seed in product(blows.forces, blows.directions, blows.phases, range(scope.seeds)):
        yield ModalCase(
            {**labels, "force": force, "direction": angle, "phase": phase},
            pushed_trial(motion, phase, push_to(angle, force, blows.frames), scope.seconds, seed),
            settings,
            caught=labels["steps"] == "caught",
        )


def pushed_trial(motion: str, phase: float, push: Push, seconds: float, seed: int) -> Trial:
    """A motion that is pushed at a phase, and watched for so many seconds from then on."""
    begins = _beginning(motion, phase)
    return Trial(motion, performer(motion), seconds=PUSHED_AT + seconds, seed=seed, phase=begins, pushes=(push,))


def _beginning(motion: str, phase: float) -> float:
    """The phase at which to begin, to be pushed at another."""
    _, reference = cast_once(motion, performer(motion), True)
    cycle = next(iter(reference.motions.values())).clip
    if not cycle.cyclic:
        raise PoiseError(f"'{motion}' is no cycle: it has no phases at which to push")
    return (phase - PUSHED_AT / cycle.seconds) % 1.0


def summary(rows: Sequence[Row]) -> list[Row]:
    """By motion, reaction, steps and force, over all directions and phases."""
    columns = {name: TOLD[name] for name in ("trials", "survived", "share", "physical")}
    return grouped(rows, ("motion", "reaction", "steps", "force"), columns)


def plot(rows: Sequence[Row]) -> Figure:
    """A row for each motion, a panel for each reaction and way to step: force against direction."""
    motions = list(dict.fromkeys(str(row["motion"]) for row in rows))
    ways = {motion: _ways([row for row in rows if row["motion"] == motion]) for motion in motions}
    figure, axes = panels(len(motions), max(len(own) for own in ways.values()), share_rows=True)
    for above, motion in zip(axes, motions, strict=True):
        own = [row for row in rows if row["motion"] == motion]
        angles, forces = (sorted(set(column_values(own, column))) for column in ("direction", "force"))
        for axis in above[len(ways[motion]) :]:
            axis.remove()
        for axis, way in zip(above, ways[motion], strict=False):
            chosen = [row for row in own if (row["reaction"], row["steps"]) == way]
            shares = shares_at(chosen, "direction", angles, forces)
            share_map(axis, shares, [f"{angle:g}°" for angle in angles], [f"{force:g} N" for force in forces])
            axis.tick_params(axis="x", rotation=90, labelbottom=True)
            axis.set_title(f"{motion}, {way[0]},\nsteps {way[1]}", fontsize=8)
    return figure


def _ways(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The reactions and ways to step that there are."""
    return list(dict.fromkeys((str(row["reaction"]), str(row["steps"])) for row in rows))


def shares_at(rows: Sequence[Row], across: str, columns: Sequence[float], forces: Sequence[float]) -> Array:
    """(forces, columns) shares of trials that survive; not a number where none was made, so that panels compare."""
    shares = np.full((len(forces), len(columns)), np.nan)
    for row in grouped(rows, ("force", across), {"share": TOLD["share"]}):
        shares[forces.index(float(row["force"] or 0.0)), columns.index(float(row[across] or 0.0))] = row["share"]
    return shares


STUDY: Study[ModalCase] = Study(
    name="modal-push",
    title="survival of pushes while walking, squatting and swinging: force, direction, phase, reaction",
    reproduces="Jain and Liu 2011, section 7.2",
    whole=Scope(seeds=1, seconds=3.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=2.0, motions=MOTIONS, coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
