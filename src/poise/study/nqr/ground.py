"""Survival on uneven ground [Muico2009] section 5.4: steps, stairs and slopes, up and down, and rough ground."""

from __future__ import annotations

import math
from collections.abc import Callable

from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import share_map_plot
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.table import summary_by
from poise.study.experiment.trial import Trial
from poise.study.nqr.case import SUMMARY, NqrCase, run_nqr_trial

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


STUDY: Study[NqrCase] = Study(
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
