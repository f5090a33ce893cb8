"""Does it help who is pushed back hard to slow the motion down? [Jain2011] section 7.3: by 25 % for a second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from poise.reference.archive import spoken_name
from poise.study.experiment.plots import panels, share_map
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import column_values, grouped
from poise.study.modal.case import TOLD, ModalCase, measure, window_for
from poise.study.modal.push import FOOTHOLDS, PUSHED_AT, REACTIONS, push_to, pushed_trial, shares_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORCES = (200.0, 250.0, 300.0, 350.0, 400.0, 450.0)
"""N."""
COARSE = (300.0, 400.0)
BACK, FRAMES, PHASES = 180, 10, 8
SLOWER = f"warp:0.75@{PUSHED_AT:g}-{PUSHED_AT + 1.0:g},ease=0.1"
"""As soon as the push begins, and not much more slowly than it takes speed away."""
WARPS: dict[str, tuple[tuple[float, str], ...]] = {"without": (), "with": ((PUSHED_AT, SLOWER),)}
WAYS = [
    {"reaction": reaction, "footholds": footholds, "warp": warp}
    for reaction, footholds, warp in product(("at once", "late"), ("kept", "moved"), WARPS)
]


def cases(scope: Scope) -> list[ModalCase]:
    """Each force at each phase, noticed at once and late, footholds kept and moved, without and with the warp."""
    return [
        ModalCase(
            {"motion": spoken_name(motion), **way, "force": force, "phase": phase},
            replace(
                pushed_trial(motion, phase, push_to(BACK, force, FRAMES), scope.seconds, seed),
                meanwhile=WARPS[way["warp"]],
            ),
            replace(REACTIONS[way["reaction"]], capture=FOOTHOLDS[way["footholds"]], window=window_for(motion)),
        )
        for motion in scope.motions
        for way in WAYS
        for force in (COARSE if scope.coarse else FORCES)
        for phase in (k / PHASES for k in range(0, PHASES, 4 if scope.coarse else 1))
        for seed in range(scope.seeds)
    ]


def summary(rows: Sequence[Row]) -> list[Row]:
    """By reaction, footholds, force and warp, over all phases."""
    columns = {name: TOLD[name] for name in ("trials", "survived", "share", "physical")}
    return grouped(rows, ("motion", "reaction", "footholds", "force", "warp"), columns)


def plot(rows: Sequence[Row]) -> Figure:
    """Force against phase: above without the warp, below with it."""
    ways = list(dict.fromkeys((str(row["reaction"]), str(row["footholds"])) for row in rows))
    phases, forces = (sorted(set(column_values(rows, column))) for column in ("phase", "force"))
    figure, axes = panels(len(WARPS), len(ways), share_rows=True)
    for above, warp in zip(axes, WARPS, strict=True):
        for axis, way in zip(above, ways, strict=True):
            chosen = [row for row in rows if (row["reaction"], row["footholds"], row["warp"]) == (*way, warp)]
            shares = shares_at(chosen, "phase", phases, forces)
            share_map(axis, shares, [f"{phase:g}" for phase in phases], [f"{force:g} N" for force in forces])
            axis.tick_params(axis="x", rotation=90)
            axis.set_title(f"{warp} warp, {way[0]},\nfootholds {way[1]}", fontsize=8)
    return figure


STUDY: Study[ModalCase] = Study(
    name="modal-warp",
    title="survival of strong pushes backward, without and with a motion that goes on more slowly",
    reproduces="Jain and Liu 2011, section 7.3",
    whole=Scope(seeds=1, seconds=3.5, motions=("walk",)),
    quick=Scope(seeds=1, seconds=2.5, motions=("walk",), coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
