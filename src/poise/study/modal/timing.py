"""How long does a step take, and what in it? [Jain2011] section 7.1, and as a ratio to MuJoCo's own step.

Time of the processor, which is that of the clock on a machine that does nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.arrays import Array
from poise.control.modal.law import BodyView, ModalDeviation
from poise.control.modal.modal import Modal
from poise.control.modal.modes import Modes
from poise.control.modal.settings import ModalSettings
from poise.measure.speed import timed_steps
from poise.reference.archive import spoken_name
from poise.study.experiment.plots import panels
from poise.study.experiment.study import MotionCase, Row, Scope, Study, each_motion
from poise.study.experiment.table import column_values, grouped, mean
from poise.study.experiment.trial import Trial, staged
from poise.study.modal.case import COLOUR, MOTIONS, performer, window_for

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Modal-space control that looks at the clock between its stages.

STAGES = ("modes", "footholds", "window forces", "slow modes", "giving way")


class Clocked(Modal):
    """The same to the last bit; it keeps how much of the processor's time each stage took."""

    def __init__(self, settings: ModalSettings) -> None:
        super().__init__(settings)
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.spent = dict.fromkeys(STAGES, 0.0)  # s

    @contextmanager
    def _clock(self, stage: str) -> Iterator[None]:
        began = time.thread_time()
        yield
        self.spent[stage] += time.thread_time() - began

    def _analysed(self, view: BodyView) -> Modes:
        with self._clock("modes"):
            return super()._analysed(view)

    def _deviation(self, *given: Any) -> ModalDeviation:
        with self._clock("footholds"):
            return super()._deviation(*given)

    def _planned_forces(self, *given: Any) -> Array:
        with self._clock("window forces"):
            return super()._planned_forces(*given)

    def _slow_drive(self, *given: Any) -> Array:
        with self._clock("slow modes"):
            return super()._slow_drive(*given)

    def _giving_way(self, *given: Any) -> Array:
        with self._clock("giving way"):
            return super()._giving_way(*given)


PAPER = {"walk": (4.0, 10.0), "squat": (30.0, 40.0), "swing": (30.0, 40.0)}
"""Frames per second on a computer of 2006 (Intel Core 2 Duo, 2.8 GHz)."""
FIRST = 12
"""Steps that do not count, in which hands take hold and what was not yet needed is loaded."""
PARTS = {**{stage: f"{stage}_ms" for stage in STAGES}, "the rest": "rest_ms", "world": "world_ms"}
_TIMES = (*PARTS.values(), "step_ms", "median_ms", "p99_ms", "mj_step_ms", "ratio", "real_time_factor", "fps")


def measure(case: MotionCase) -> Row:
    """Means of the stages of control and of the world's steps, and MuJoCo's own steps on the way."""
    controller = Clocked(ModalSettings(window=window_for(case.motion)))
    trial = Trial(case.motion, performer(case.motion), seconds=case.seconds, seed=case.seed)
    run, world, _ = staged(trial, controller)
    for _ in range(FIRST):
        run.step()
    controller.forget()
    steps, step = max(1, round(case.seconds * trial.rate)), world.settings.step
    pace = timed_steps(world, controller, steps)
    stages = {PARTS[stage]: 1e3 * spent / steps for stage, spent in controller.spent.items()}
    whole, mujocos = 1e3 * pace.whole, 1e3 * float(np.median(pace.mujoco))
    low, high = (float(value) for value in np.percentile(whole, (50, 99)))
    return {
        "motion": spoken_name(case.motion),
        "window": controller.window,
        "seed": case.seed,
        "contacts": float(pace.contacts.mean()),
        **stages,
        "rest_ms": 1e3 * float(pace.control.mean()) - sum(stages.values()),
        "world_ms": 1e3 * float(pace.simulation.mean()),
        "step_ms": float(whole.mean()),
        "median_ms": low,
        "p99_ms": high,
        "mj_step_ms": mujocos,
        "ratio": low / mujocos,
        "real_time_factor": 1e3 * step / float(whole.mean()),
        "fps": 1e3 / float(whole.mean()),
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """By motion, the means of all seeds."""
    return grouped(rows, ("motion", "window"), {name: mean(name) for name in ("contacts", *_TIMES)})


def plot(rows: Sequence[Row]) -> Figure:
    """The parts of a step one upon the other, and the paper's and MuJoCo's steps."""
    from matplotlib import colormaps

    found = summary(rows)
    names = [str(row["motion"]) for row in found]
    figure, ((parts, beside),) = panels(1, 2, size=(8.5, 3.2))
    bottom = np.zeros(len(found))
    for k, (part, column) in enumerate(PARTS.items()):
        height = np.array(column_values(found, column))
        parts.bar(names, height, bottom=bottom, color=colormaps["viridis"](k / (len(PARTS) - 1)), label=part)
        bottom += height
    parts.set_ylabel("ms")
    parts.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    beside.bar(names, column_values(found, "step_ms"), color=COLOUR)
    for place, row in enumerate(found):
        beside.plot(place, float(row["mj_step_ms"] or 0.0), "_k", ms=20, label=None if place else "mj_step")
        if row["motion"] in PAPER:
            slow, fast = (1e3 / rate for rate in PAPER[str(row["motion"])])
            beside.plot([place, place], [fast, slow], "-", color="grey", lw=6, label=None if place else "paper")
    beside.axhline(1e3 / 120, color="grey", lw=0.8)
    beside.set_yscale("log")
    beside.set_ylabel("ms")
    beside.legend(frameon=False, fontsize=7)
    return figure


STUDY: Study[MotionCase] = Study(
    name="modal-timing",
    title="time of a step of control and simulation, by stages",
    reproduces="Jain and Liu 2011, section 7.1",
    whole=Scope(seeds=3, seconds=30.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=5.0, motions=MOTIONS),
    cases=each_motion,
    measure=measure,
    summary=summary,
    plot=plot,
    alone=True,
)
