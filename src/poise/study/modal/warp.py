"""Survival of strong pushes backward if the motion is slowed down by 25 % for a second: [Jain2011] section 7.3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import draw_force_map, figure_panels
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import rows_where, summary_by
from poise.study.experiment.trial import pushed_trial
from poise.study.modal.case import ModalCase, paper_window, run_modal_trial, study_body, summary_columns
from poise.study.modal.push import FOOTHOLDS, PUSHED_AT, REACTIONS, push_for_frames

FORCES = (200.0, 250.0, 300.0, 350.0, 400.0, 450.0)  # Forces (N)
COARSE = (300.0, 400.0)
BACK, FRAMES, PHASES = 180, 10, 8  # Direction (degrees), duration (frames) and number of phases of the pushes
SLOWER = f"warp:0.75@{PUSHED_AT:g}-{PUSHED_AT + 1.0:g},ease=0.1"
"""The edit that slows the motion down when the push begins, eased about as fast as the push takes speed away."""
WARPS: dict[str, tuple[tuple[float, str], ...]] = {"without": (), "with": ((PUSHED_AT, SLOWER),)}
WAYS = [
    {"reaction": reaction, "footholds": footholds, "warp": warp}
    for reaction, footholds, warp in product(("at once", "late"), ("kept", "moved"), WARPS)
]


def warp_cases(scope: Scope) -> list[ModalCase]:
    """A case for each motion, force, phase and seed, with and without latency, moved footholds and the warp."""
    return [
        ModalCase(
            {"motion": motion_display_name(motion), **way, "force": force, "phase": phase},
            replace(
                pushed_trial(motion, study_body(motion), push, phase, PUSHED_AT + scope.seconds, seed),
                meanwhile=WARPS[way["warp"]],
            ),
            replace(REACTIONS[way["reaction"]], capture=FOOTHOLDS[way["footholds"]], window=paper_window(motion)),
        )
        for motion, way, force in product(scope.motions, WAYS, COARSE if scope.coarse else FORCES)
        for push in (push_for_frames(BACK, force, FRAMES),)
        for phase in (k / PHASES for k in range(0, PHASES, 4 if scope.coarse else 1))
        for seed in range(scope.seeds)
    ]


def plot_warps(rows: Sequence[Row]) -> Figure:
    """Survival by force and phase: panels without the warp above, panels with the warp below."""
    ways = list(dict.fromkeys((str(row["reaction"]), str(row["footholds"])) for row in rows))
    figure, axes = figure_panels(len(WARPS), len(ways), share_rows=True)
    for above, warp in zip(axes, WARPS, strict=True):
        for axis, (reaction, footholds) in zip(above, ways, strict=True):
            own = rows_where(rows, reaction=reaction, footholds=footholds, warp=warp)
            draw_force_map(axis, own, "phase", "{:g}".format, within=rows)
            axis.set_title(f"{warp} warp, {reaction},\nfootholds {footholds}", fontsize=8)
    return figure


STUDY: Study[ModalCase] = Study(
    name="modal-warp",
    title="survival of strong pushes backward, without and with a slower motion",
    reproduces="Jain and Liu 2011, section 7.3",
    whole=Scope(seeds=1, seconds=3.5, motions=("walk",)),
    quick=Scope(seeds=1, seconds=2.5, motions=("walk",), coarse=True),
    cases=warp_cases,
    run_case=run_modal_trial,
    summary=summary_by(
        ("motion", "reaction", "footholds", "force", "warp"), summary_columns("trials", "survived", "share", "physical")
    ),
    plot=plot_warps,
)
