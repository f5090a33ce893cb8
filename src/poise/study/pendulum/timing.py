"""How long does a step take? [Tsai2010] section 5, and as a ratio to MuJoCo's own step.

Time of the processor, which is that of the clock on a machine that does nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from poise.control.pendulum.pendulum import Pendulum
from poise.measure.speed import StepTimes, timed_steps
from poise.performance.start import PlacedReference, start
from poise.reference.archive import spoken_name
from poise.study.experiment.plots import panels
from poise.study.experiment.study import MotionCase, Row, Scope, Study, each_motion
from poise.study.experiment.table import column_values, grouped, mean
from poise.study.experiment.trial import NOISE, cast_once
from poise.study.pendulum.case import BODY, COLOUR, STEP_RATE
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = {"filter_ms": 5.10, "simulation_ms": 8.45}
"""On a computer of 2008 (Intel E8400)."""
_TIMES = ("filter_ms", "simulation_ms", "step_ms", "p99_ms", "mj_step_ms", "ratio", "ratio_p99", "real_time_factor")


def measure(case: MotionCase) -> Row:
    """The filter with the postures it asks for, tracking with simulation, and MuJoCo's own steps on the way."""
    body, reference = cast_once(case.motion, BODY, False)
    world, controller = World(Scene.of(body), WorldSettings(step=1.0 / STEP_RATE)), Pendulum()
    controller.reset(world, PlacedReference(reference, start(world, reference, case.seed, NOISE)))
    pace = timed_steps(world, controller, max(1, round(case.seconds * STEP_RATE)))
    return {
        "motion": spoken_name(case.motion),
        "seed": case.seed,
        "contacts": float(pace.contacts.mean()),
        **_told(pace, world.settings.step),
    }


def _told(pace: StepTimes, step: float) -> Row:
    """Means in ms; the ratio is that of the means as well."""
    whole, mujocos = pace.whole, float(pace.mujoco.mean())
    slow = float(np.percentile(whole, 99))
    return {
        "filter_ms": 1e3 * float(pace.control.mean()),
        "simulation_ms": 1e3 * float(pace.simulation.mean()),
        "step_ms": 1e3 * float(whole.mean()),
        "p99_ms": 1e3 * slow,
        "mj_step_ms": 1e3 * mujocos,
        "ratio": float(whole.mean()) / mujocos,
        "ratio_p99": slow / mujocos,
        "real_time_factor": step / float(whole.mean()),
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """By motion, the means of all seeds."""
    return grouped(rows, ("motion",), {name: mean(name) for name in ("contacts", *_TIMES)})


def plot(rows: Sequence[Row]) -> Figure:
    """Filter and simulation of each motion one upon the other, beside the paper's and MuJoCo's step."""
    found = summary(rows)
    names = [*(str(row["motion"]) for row in found), "paper", "mj_step"]
    filters = np.array([*column_values(found, "filter_ms"), PAPER["filter_ms"], 0.0])
    simulations = np.array(
        [*column_values(found, "simulation_ms"), PAPER["simulation_ms"], column_values(found, "mj_step_ms")[0]]
    )
    figure, ((axis,),) = panels(1, 1, size=(1.5 + 0.9 * len(names), 2.8))
    axis.bar(names, filters, color=COLOUR, label="filter, postures")
    tops = axis.bar(names, simulations, bottom=filters, color=COLOUR, alpha=0.4, label="tracking, simulation")
    axis.bar_label(tops, [f"{whole:.2f}" for whole in filters + simulations], fontsize=8)
    axis.axhline(1e3 / STEP_RATE, color="grey", lw=0.8, label="real time")
    axis.set_ylim(0.0, 1.6e3 / STEP_RATE)
    axis.set_ylabel("ms")
    axis.legend(frameon=False, fontsize=7)
    return figure


STUDY: Study[MotionCase] = Study(
    name="pendulum-timing",
    title="time of a step of filter, tracking and simulation",
    reproduces="Tsai et al. 2010, section 5",
    whole=Scope(seeds=3, seconds=30.0, motions=("walk", "walk-slow", "walk-fast")),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk",)),
    cases=each_motion,
    measure=measure,
    summary=summary,
    plot=plot,
    alone=True,
)
