"""Survival from noisy starts on level and uneven ground, at two rates, with short look-aheads; survival of pushes."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import curves, dots, drawn_of, picture, share_circle, share_map
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.table import summary_by
from poise.study.experiment.trial import Trial, horizontal_push, pushed_trial
from poise.study.nqr.case import LAWS, MOTIONS, SUMMARY, VARIANTS, NqrCase, run_nqr_trial

STEADY = ("stand", "walk-slow", "walk-fast", *MOTIONS)


def survival_cases(scope: Scope) -> list[NqrCase]:
    """A case for each motion and seed."""
    return [
        NqrCase({"motion": motion_display_name(motion)}, Trial(motion, seconds=scope.seconds, seed=seed))
        for motion in scope.motions
        for seed in range(scope.seeds)
    ]


SURVIVAL: Study[NqrCase] = Study(
    name="nqr-survival",
    title="how long motions go on, on level ground from noisy starts",
    reproduces="how reliable nqr is",
    whole=Scope(seeds=10, seconds=120.0, motions=STEADY),
    quick=Scope(seeds=1, seconds=20.0, motions=STEADY),
    cases=survival_cases,
    run_case=run_nqr_trial,
    summary=summary_by(("motion",), **SUMMARY),
    plot=picture(dots("seconds", ("motion",), xlabel="s until a fall (red) or the end")),
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
    summary=summary_by(("motion", "controller"), **SUMMARY),
    plot=picture(share_map("controller", "motion")),
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
    summary=summary_by(("motion", "cycles"), **SUMMARY),
    plot=picture(share_map("cycles", "motion")),
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
    summary=summary_by(("ground", "height_cm"), **SUMMARY),
    plot=picture(share_map("height_cm", "ground")),
)


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


PUSHES: Study[NqrCase] = Study(
    name="nqr-push",
    title="survival of pushes of a tenth of a second on the torso: force, direction, phase of the cycle",
    reproduces="how robust nqr is against pushes",
    whole=Scope(seeds=1, seconds=6.0, motions=("walk",)),
    quick=Scope(seeds=1, seconds=4.0, motions=("walk",), coarse=True),
    cases=nqr_push_cases,
    run_case=run_nqr_trial,
    summary=summary_by(("motion", "direction", "force"), **SUMMARY),
    plot=picture(share_circle(("motion",)), share_map("phase", "force", ("motion", "direction"), ylabel="N")),
)


GAMMAS = (0.0, *np.logspace(-4, 0, 9).tolist())
FEW_GAMMAS = (0.0, 1e-3, 1e-2, 1e-1)
DESCENDING = "turn-45"  # The motion that also descends a spiral staircase
DESCENTS = (0.02, 0.04)  # Descents (m) in each cycle of the turn
SPIRAL = "spiral:{}:45:3.4:6"  # Six steps down, one per cycle of the turn, before the spiral returns to the first step
_AT_ZERO = 3e-5  # where gamma = 0 is drawn on the logarithmic axis
_GAMMA = f"gamma ({_AT_ZERO:g} stands for 0)"
_LOGARITHMIC: dict[str, Any] = {"xscale": "log", "yscale": "log", "ylim": (0.01, 10.0)}
"""Settings of the axes; the cost of a fall has no bound."""


def endurance_cases(scope: Scope) -> list[NqrCase]:
    """A case for each motion and ground, law, gamma and seed, with the paper's settings and with ours."""
    return [
        NqrCase(
            {"variant": variant, "ground": ground, "law": law, "gamma": gamma},
            Trial(motion, seconds=scope.seconds, seed=seed, terrain=terrain),
            replace(settings, law=LAWS[law], gamma=gamma),
        )
        for (variant, settings), (ground, motion, terrain) in product(VARIANTS.items(), _endurance_grounds(scope))
        for law, gamma, seed in product(LAWS, FEW_GAMMAS if scope.coarse else GAMMAS, range(scope.seeds))
    ]


def _endurance_grounds(scope: Scope) -> Iterator[tuple[str, str, str]]:
    """Name, motion and terrain of each panel of the figure."""
    for motion in scope.motions:
        yield motion_display_name(motion), motion, "flat"
        for height in DESCENTS if motion == DESCENDING else ():
            yield f"{motion}, {100 * height:g} cm down", motion, SPIRAL.format(height)


ENDURANCE: Study[NqrCase] = Study(
    name="nqr-endurance",
    title="cost and survival against the strength of adaptation to contacts, nonlinear and linear",
    reproduces="Muico et al. 2009, Fig. 3",
    whole=Scope(seeds=3, seconds=30.0, motions=("walk", "run", "turn-180", DESCENDING)),
    quick=Scope(seeds=1, seconds=5.0, motions=("walk", "turn-180"), coarse=True),
    cases=endurance_cases,
    run_case=run_nqr_trial,
    summary=summary_by(("variant", "ground", "law", "gamma"), **SUMMARY),
    plot=picture(
        drawn_of(
            lambda rows: [{**row, "gamma": row["gamma"] or _AT_ZERO} for row in rows],
            curves("gamma", ("cost",), ("law",), ("ground", "variant"), xlabel=_GAMMA, **_LOGARITHMIC),
        )
    ),
)
