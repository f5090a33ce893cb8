"""Does it walk for long, at whatever speeds it is told? [Tsai2010] section 5.1: one speed after another, by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array
from poise.control.commands import Command
from poise.control.pendulum.pendulum import Pendulum
from poise.reference.archive import spoken_name
from poise.study.experiment.plots import panels
from poise.study.experiment.study import MotionCase, Row, Scope, Study, each_motion
from poise.study.experiment.table import count, grouped, most, total
from poise.study.experiment.trial import Trial, judge, staged
from poise.study.pendulum.case import BODY, COLOUR, STEP_RATE, com_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SLOWEST, FASTEST = -0.6, 1.6
"""m/s."""
HELD, SETTLING = 12.0, 5.0
"""s for which a speed is wanted; s of it until it should be held."""
_SPEEDS = 7  # tells the draw of the speeds from those of noise and phase, which have the same seed


def commanded_speeds(case: MotionCase) -> Array:
    """(N,) m/s, one after the other."""
    spans = math.ceil(case.seconds / HELD)
    return np.random.default_rng([case.seed, _SPEEDS]).uniform(SLOWEST, FASTEST, spans)


def measure(case: MotionCase) -> Row:
    """Let it walk straight on, and compare the means of its speed with what was wanted."""
    speeds = commanded_speeds(case)
    commands = tuple(Command(HELD * k, 0.0, float(speed)) for k, speed in enumerate(speeds))
    trial = Trial(case.motion, BODY, seconds=case.seconds, seed=case.seed, commands=commands, rate=STEP_RATE)
    run, world, reference = staged(trial, Pendulum())
    path = [com_of(world)]
    verdict = judge(run, world, reference, case.seconds, lambda _: path.append(com_of(world)))
    errors = held_speeds(np.array(path), len(speeds)) - speeds
    off = np.abs(errors[np.isfinite(errors)])
    survived = verdict.fell_at is None
    return {
        "motion": spoken_name(case.motion),
        "seed": case.seed,
        "survived": survived,
        "seconds": verdict.seconds,
        "physical": not verdict.failed if survived else None,  # a fall is no walk to judge
        "failed_checks": " ".join(verdict.failed),
        "speed_error": float(off.max()) if len(off) else None,
        "slip": verdict.slip,
        "penetration": verdict.penetration,
    }


def held_speeds(way: Array, spans: int) -> Array:
    """(N,) m/s on a way (T, 2) m: the mean over each span once it should be held, negative where that is backward along
    x; nan of spans cut short. A clip may head a little aside of x, and who performs it does.
    """
    begin = np.rint((HELD * np.arange(spans) + SETTLING) * STEP_RATE).astype(int)
    end = np.rint(HELD * np.arange(1, spans + 1) * STEP_RATE).astype(int)
    whole = end < len(way)
    speeds = np.full(spans, np.nan)
    gone = way[end[whole]] - way[begin[whole]]
    speeds[whole] = np.copysign(np.hypot(*gone.T), gone[:, 0]) * STEP_RATE / (end - begin)[whole]
    return speeds


def summary(rows: Sequence[Row]) -> list[Row]:
    """By motion."""
    columns = {
        "trials": count,
        "survived": total("survived"),
        "physical": total("physical"),
        "speed_error": most("speed_error"),
        "slip": most("slip"),
        "penetration": most("penetration"),
    }
    return grouped(rows, ("motion",), columns)


def plot(rows: Sequence[Row]) -> Figure:
    """The largest error of speed in each trial, by motion."""
    names = list(dict.fromkeys(str(row["motion"]) for row in rows))
    figure, ((axis,),) = panels(1, 1, size=(1.5 + 0.9 * len(names), 2.6))
    for row in rows:
        if row["speed_error"] is not None:
            marker = "o" if row["survived"] else "x"
            axis.plot(names.index(str(row["motion"])), row["speed_error"], marker, color=COLOUR, ms=4)
    axis.set_xticks(range(len(names)), names, rotation=30)
    axis.set_ylim(bottom=0.0)
    axis.set_ylabel("m/s off, at most")
    axis.set_title("speeds that are held (x: fell)")
    return figure


STUDY: Study[MotionCase] = Study(
    name="pendulum-speeds",
    title="long walks at speeds that change by chance: falls, speeds that are held, the audit",
    reproduces="Tsai et al. 2010, section 5.1",
    whole=Scope(seeds=10, seconds=300.0, motions=("walk", "walk-slow", "walk-fast")),
    quick=Scope(seeds=1, seconds=24.0, motions=("walk",)),
    cases=each_motion,
    measure=measure,
    summary=summary,
    plot=plot,
)
