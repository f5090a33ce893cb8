"""Survival of motions from noisy starts: on level ground, at two rates, with shorter look-aheads, on uneven ground.

[Muico2009] sections 5.2 (look-ahead), 5.3 (at 60 Hz the paper's walk succeeds and its turns fail) and 5.4 (steps, stairs
and slopes, up and down, and rough ground).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import figure_panels, share_map_plot
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import column_values, distinct_names, rows_where, summary_by
from poise.study.experiment.trial import Trial
from poise.study.nqr.case import COLOURS, LAWS, MOTIONS, SUMMARY, VARIANTS, NqrCase, run_nqr_trial

STEADY = ("stand", "walk-slow", "walk-fast", *MOTIONS)


def survival_cases(scope: Scope) -> list[NqrCase]:
    """A case for each motion and seed."""
    return [
        NqrCase({"motion": motion_display_name(motion)}, Trial(motion, seconds=scope.seconds, seed=seed))
        for motion in scope.motions
        for seed in range(scope.seeds)
    ]


def plot_survival(rows: Sequence[Row]) -> Figure:
    """The number of trials that have not yet fallen, over time."""
    names = distinct_names(rows, "motion")
    figure, axes = figure_panels(len(names), 1, size=(6.0, 0.5 * len(names) + 0.8))
    longest = max(float(row["seconds"] or 0.0) for row in rows)
    for axis, name in zip(axes[:, 0], names, strict=True):
        own = rows_where(rows, motion=name)
        falls = np.sort(column_values(own, "fell_at"))
        up = len(own) - np.arange(len(falls) + 2.0)
        up[-1] = up[-2]
        axis.step([0.0, *falls, longest], up, where="post", color=COLOURS["nqr"])
        axis.set_ylim(0, 1.15 * len(own))
        axis.set_yticks([0, len(own)])
        axis.set_ylabel(name, rotation=0, ha="right", va="center")
    axes[-1, 0].set_xlabel("s")
    axes[0, 0].set_title(f"still up, of {len(rows) // len(names)}")
    return figure


SURVIVAL: Study[NqrCase] = Study(
    name="nqr-survival",
    title="how long motions go on, on level ground from noisy starts",
    reproduces="how reliable nqr is",
    whole=Scope(seeds=10, seconds=120.0, motions=STEADY),
    quick=Scope(seeds=1, seconds=20.0, motions=STEADY),
    cases=survival_cases,
    run_case=run_nqr_trial,
    summary=summary_by(("motion",), SUMMARY),
    plot=plot_survival,
)


RATES = (120.0, 60.0)  # Rates of simulation and control, Hz


def rate_cases(scope: Scope) -> list[NqrCase]:
    """A case for each motion, law, rate and seed, with the paper's settings and with ours."""
    return [
        NqrCase(
            {"motion": f"{motion_display_name(motion)} ({variant})", "controller": f"{law} {rate:g} Hz"},
            Trial(motion, seconds=scope.seconds, seed=seed, rate=rate),
            replace(settings, law=LAWS[law]),
        )
        for (variant, settings), motion in product(VARIANTS.items(), scope.motions)
        for rate, law, seed in product(RATES, LAWS, range(scope.seeds))
    ]


RATE: Study[NqrCase] = Study(
    name="nqr-rate",
    title="survival at 60 and 120 steps a second, nonlinear and linear",
    reproduces="Muico et al. 2009, section 5.3",
    whole=Scope(seeds=5, seconds=30.0, motions=("walk-slow", *MOTIONS)),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk", "run", "turn-180")),
    cases=rate_cases,
    run_case=run_nqr_trial,
    summary=summary_by(("motion", "controller"), SUMMARY),
    plot=share_map_plot("controller", "motion"),
)


CYCLES = (1, 2, 3, 4, 6, 0)  # Cycles of look-ahead; 0 stands for all cycles that have an effect
FEW_CYCLES = (1, 2, 0)


def horizon_cases(scope: Scope) -> list[NqrCase]:
    """A case for each motion, number of cycles of look-ahead and seed, with the paper's settings and with ours."""
    return [
        NqrCase(
            {"motion": f"{motion_display_name(motion)} ({variant})", "cycles": str(cycles or "all")},
            Trial(motion, seconds=scope.seconds, seed=seed),
            replace(settings, cycles=cycles),
        )
        for (variant, settings), motion in product(VARIANTS.items(), scope.motions)
        for cycles, seed in product(FEW_CYCLES if scope.coarse else CYCLES, range(scope.seeds))
    ]


HORIZON: Study[NqrCase] = Study(
    name="nqr-horizon",
    title="survival against the number of cycles looked ahead",
    reproduces="Muico et al. 2009, section 5.2",
    whole=Scope(seeds=5, seconds=30.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk", "run", "turn-180"), coarse=True),
    cases=horizon_cases,
    run_case=run_nqr_trial,
    summary=summary_by(("motion", "cycles"), SUMMARY),
    plot=share_map_plot("cycles", "motion"),
)


HEIGHTS = (0.02, 0.04, 0.06, 0.08)
"""Heights (m): of a step, of the highest bump above the mean ground, or of the rise of a slope within a metre."""


def _slope_terrain(rise: float) -> str:
    return f"slope:{math.degrees(math.atan(rise)):.4f}"


GROUNDS: dict[str, dict[str, Callable[[float, int], str]]] = {
    "walk": {
        "once down": "drop:{}".format,
        "stairs down": "stairs:-{}:0.7:12".format,
        "stairs down, long treads": "stairs:-{}:1:12".format,
        "slope down": lambda rise, _: _slope_terrain(-rise),
        "once up": "drop:-{}".format,
        "stairs up": "stairs:{}:0.7:12".format,
        "slope up": lambda rise, _: _slope_terrain(rise),
        "rough": "rough:{}:{}".format,
    },
    "run": {"down every 5 m": "drop:{}:5".format, "up every 5 m": "drop:-{}:5".format},
    "turn-45": {"down with each cycle": "spiral:{}:45:3.4:6".format},
}
"""Motion: {kind of ground: function from a height and a seed to a terrain}. Only rough ground uses the seed."""


def nqr_ground_cases(scope: Scope) -> list[NqrCase]:
    """A case for each motion, ground in GROUNDS, height and seed; motions not in GROUNDS use grounds of the walk."""
    return [
        NqrCase(
            {"ground": f"{motion_display_name(motion)}: {what}", "height_cm": 100 * height},
            Trial(motion, seconds=scope.seconds, seed=seed, terrain=terrain(height, seed)),
        )
        for motion in scope.motions
        for what, terrain in GROUNDS.get(motion, GROUNDS["walk"]).items()
        for height in (HEIGHTS[1:2] if scope.coarse else HEIGHTS)
        for seed in range(scope.seeds)
    ]


GROUND: Study[NqrCase] = Study(
    name="nqr-ground",
    title="survival of steps, stairs and slopes, up and down, and of bumps",
    reproduces="Muico et al. 2009, section 5.4",
    whole=Scope(seeds=10, seconds=12.0, motions=tuple(GROUNDS)),
    quick=Scope(seeds=1, seconds=8.0, motions=tuple(GROUNDS), coarse=True),
    cases=nqr_ground_cases,
    run_case=run_nqr_trial,
    summary=summary_by(("ground", "height_cm"), SUMMARY),
    plot=share_map_plot("height_cm", "ground"),
)
