"""Survival of pushes against force, direction and phase of the cycle."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from poise.errors import PoiseError
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import SIDES, draw_force_circle, draw_force_map, figure_panels
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import rows_where, summary_by
from poise.study.experiment.trial import horizontal_push, pushed_trial
from poise.study.nqr.case import SUMMARY, NqrCase, run_nqr_trial

FORCES = (50.0, 100.0, 150.0, 200.0, 250.0, 300.0)  # Forces (N) on the torso
ANGLES = tuple(range(0, 360, 30))  # Directions (degrees, counter-clockwise from forward)
PHASES = 16  # Number of phases of the cycle at which a push begins
COARSE = ((100.0, 200.0), (0, 90, 180, 270), 4)  # Forces, directions and number of phases of the coarse scope
PUSHED_AT = 1.0  # Time (s) at which a push begins
DURATION = 0.1  # Duration (s) of a push


def nqr_push_cases(scope: Scope) -> list[NqrCase]:
    """A case for each motion, direction, force, phase and seed."""
    if scope.seconds <= PUSHED_AT:
        raise PoiseError(f"{scope.seconds:g} seconds: pushes come after {PUSHED_AT:g} s; choose more --seconds")
    forces, angles, phases = COARSE if scope.coarse else (FORCES, ANGLES, PHASES)
    return [
        NqrCase(
            {"motion": motion_display_name(motion), "direction": angle, "force": force, "phase": phase / phases},
            pushed_trial(motion, None, push, phase / phases, scope.seconds, seed),
        )
        for motion, angle, force in product(scope.motions, angles, forces)
        for push in (horizontal_push(angle, force, PUSHED_AT, DURATION),)
        for phase, seed in product(range(phases), range(scope.seeds))
    ]


def plot_nqr_pushes(rows: Sequence[Row]) -> Figure:
    """For the first motion: a circle of all directions, and force against phase for each of four directions."""
    own = rows_where(rows, motion=rows[0]["motion"])
    sides = [angle for angle in SIDES if rows_where(own, direction=angle)]
    figure, axes = figure_panels(1, 1 + len(sides))
    axes[0, 0].remove()
    circle = figure.add_subplot(1, 1 + len(sides), 1, projection="polar")
    draw_force_circle(circle, own, f"{own[0]['motion']}, all phases", "{:g} N".format, 45.0)
    for axis, angle in zip(axes[0, 1:], sides, strict=True):
        draw_force_map(axis, rows_where(own, direction=angle), "phase", force_label="{:g}".format)
        axis.set(title=SIDES[angle], xlabel="phase", ylabel="N")
    return figure


STUDY: Study[NqrCase] = Study(
    name="nqr-push",
    title="survival of pushes of a tenth of a second on the torso: force, direction, phase of the cycle",
    reproduces="how robust nqr is against pushes",
    whole=Scope(seeds=1, seconds=6.0, motions=("walk",)),
    quick=Scope(seeds=1, seconds=4.0, motions=("walk",), coarse=True),
    cases=nqr_push_cases,
    run_case=run_nqr_trial,
    summary=summary_by(("motion", "direction", "force"), SUMMARY),
    plot=plot_nqr_pushes,
)
