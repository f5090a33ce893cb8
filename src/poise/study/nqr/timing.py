"""How long does a step take? [Muico2009] Table 4, and as a ratio to MuJoCo's own step.

Time of the processor, which is that of the clock on a machine that does nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array
from poise.control.nqr.nqr import Nqr
from poise.measure.speed import timed_steps
from poise.performance.start import PlacedReference, start
from poise.reference.archive import spoken_name
from poise.study.experiment.plots import panels
from poise.study.experiment.study import MotionCase, Row, Scope, Study, each_motion
from poise.study.experiment.table import grouped, mean
from poise.study.experiment.trial import NOISE, cast_once
from poise.study.nqr.case import COLOURS
from poise.world.scene import Scene
from poise.world.world import World

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TIMES = ("low_ms", "high_ms", "average_ms", "mj_step_ms", "ratio", "ratio_p99", "real_time_factor")


def measure(case: MotionCase) -> Row:
    """Control and simulation of each step, and MuJoCo's own steps from states on the way."""
    body, reference = cast_once(case.motion, None, True)
    world, controller = World(Scene.of(body)), Nqr()
    controller.reset(world, PlacedReference(reference, start(world, reference, case.seed, NOISE)))
    pace = timed_steps(world, controller, max(1, round(case.seconds / world.settings.step)))
    return {
        "motion": spoken_name(case.motion),
        "seed": case.seed,
        "contacts": float(pace.contacts.mean()),
        **_told(1e3 * pace.whole, 1e3 * pace.mujoco, 1e3 * world.settings.step),
    }


def _told(ours: Array, theirs: Array, step: float) -> Row:
    """In ms; low and high are the 1st and 99th percentiles."""
    low, middle, high = np.percentile(ours, (1, 50, 99))
    mujocos = float(np.median(theirs))
    return {
        "low_ms": float(low),
        "high_ms": float(high),
        "average_ms": float(ours.mean()),
        "mj_step_ms": mujocos,
        "ratio": float(middle) / mujocos,
        "ratio_p99": float(high) / mujocos,
        "real_time_factor": step / float(ours.mean()),
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """By motion, the means of all seeds."""
    return grouped(rows, ("motion",), {name: mean(name) for name in ("contacts", *_TIMES)})


def plot(rows: Sequence[Row]) -> Figure:
    """Low, average and high of each motion, and MuJoCo's step."""
    found = summary(rows)
    figure, ((axis,),) = panels(1, 1, size=(1.5 + 1.2 * len(found), 2.6))
    for place, row in enumerate(found):
        low, high, average, mujocos = (float(row[name] or 0.0) for name in _TIMES[:4])
        axis.plot([place, place], [low, high], "-", color=COLOURS["nqr"], lw=6, alpha=0.35, solid_capstyle="butt")
        axis.plot(place, average, "o", color=COLOURS["nqr"], label="nqr and its world" if not place else None)
        axis.plot(place, mujocos, "_", color="black", ms=16, label="mj_step" if not place else None)
    axis.set_xticks(range(len(found)), [f"{row['motion']}\n{row['contacts']:.1f} contacts" for row in found])
    axis.set_xlim(-0.6, len(found) - 0.4)
    axis.set_yscale("log")
    axis.set_ylabel("ms")
    axis.legend(frameon=False)
    return figure


STUDY: Study[MotionCase] = Study(
    name="nqr-timing",
    title="time of a step of control and simulation",
    reproduces="Muico et al. 2009, Table 4",
    whole=Scope(seeds=3, seconds=30.0, motions=("walk", "run", "stand")),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk", "run", "stand")),
    cases=each_motion,
    measure=measure,
    summary=summary,
    plot=plot,
    alone=True,
)
