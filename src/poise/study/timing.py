"""Time of a step of control and simulation, also as a ratio to MuJoCo's own step, for each controller."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from poise.control.modal.modal import Modal, ModalSettings
from poise.control.nqr.nqr import Nqr
from poise.control.pendulum.pendulum import Pendulum
from poise.control.rotation.flight_plan import GroundPhase, PlanarState, PlanTargets, RotationFlightPlanner
from poise.library.behaviours.files import read_behaviour
from poise.measure.speed import timed_steps
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import bars, drawn_of, picture
from poise.study.experiment.study import NamedCase, Row, Scope, Study, motion_cases, named_cases
from poise.study.experiment.table import column_means, summary_by
from poise.study.experiment.trial import Trial, stage_trial, time_motion
from poise.study.modal.case import MOTIONS, paper_window, study_body
from poise.study.pendulum.case import BODY, STEP_RATE
from poise.study.rotation.stage import BehaviourTrial, stage_behaviour_trial

_NQR_TIMES = ("low_ms", "high_ms", "average_ms", "mj_step_ms", "ratio", "ratio_p99", "real_time_factor")
_RATE = 120.0  # Hz


def run_nqr_timing(case: NamedCase) -> Row:
    """Row of step times; low and high are the 1st and 99th percentiles, ratios are relative to MuJoCo's median step."""
    times = time_motion(case, Nqr(), None, _RATE)
    whole, mujoco_ms = 1e3 * times.whole, float(np.median(1e3 * times.mujoco))
    low, middle, high = np.percentile(whole, (1, 50, 99))
    return {
        "motion": motion_display_name(case.name),
        "seed": case.seed,
        "contacts": float(times.contacts.mean()),
        "low_ms": float(low),
        "high_ms": float(high),
        "average_ms": float(whole.mean()),
        "mj_step_ms": mujoco_ms,
        "ratio": float(middle) / mujoco_ms,
        "ratio_p99": float(high) / mujoco_ms,
        "real_time_factor": 1e3 / _RATE / float(whole.mean()),
    }


NQR: Study[NamedCase] = Study(
    name="nqr-timing",
    title="time of a step of control and simulation",
    reproduces="Muico et al. 2009, Table 4",
    whole=Scope(seeds=3, seconds=30.0, motions=("walk", "run", "stand")),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk", "run", "stand")),
    cases=motion_cases,
    run_case=run_nqr_timing,
    summary=summary_by(("motion",), **column_means("contacts", *_NQR_TIMES)),
    plot=picture(bars(("low_ms", "average_ms", "high_ms", "mj_step_ms"), ("motion",), xscale="log")),
    alone=True,
)


PENDULUM_PAPER = {"filter_ms": 5.10, "simulation_ms": 8.45}  # The paper's times, on a computer of 2008 (Intel E8400)
_PENDULUM_TIMES = (*PENDULUM_PAPER, "step_ms", "p99_ms", "mj_step_ms", "ratio", "ratio_p99", "real_time_factor")


def run_pendulum_timing(case: NamedCase) -> Row:
    """Row of mean times and 99th percentile, relative to the mean of MuJoCo's; `filter_ms` includes target postures."""
    times = time_motion(case, Pendulum(), BODY, STEP_RATE)
    whole, mujoco_s = times.whole, float(times.mujoco.mean())
    slow = float(np.percentile(whole, 99))
    return {
        "motion": motion_display_name(case.name),
        "seed": case.seed,
        "contacts": float(times.contacts.mean()),
        "filter_ms": 1e3 * float(times.control.mean()),
        "simulation_ms": 1e3 * float(times.simulation.mean()),
        "step_ms": 1e3 * float(whole.mean()),
        "p99_ms": 1e3 * slow,
        "mj_step_ms": 1e3 * mujoco_s,
        "ratio": float(whole.mean()) / mujoco_s,
        "ratio_p99": slow / mujoco_s,
        "real_time_factor": 1.0 / STEP_RATE / float(whole.mean()),
    }


PENDULUM: Study[NamedCase] = Study(
    name="pendulum-timing",
    title="time of a step of filter, tracking and simulation",
    reproduces="Tsai et al. 2010, section 5",
    whole=Scope(seeds=3, seconds=30.0, motions=("walk", "walk-slow", "walk-fast")),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk",)),
    cases=motion_cases,
    run_case=run_pendulum_timing,
    summary=summary_by(("motion",), **column_means("contacts", *_PENDULUM_TIMES)),
    plot=picture(
        drawn_of(
            lambda rows: [*rows, {"motion": "paper", **PENDULUM_PAPER, "mj_step_ms": None}],
            bars(("filter_ms", "simulation_ms"), ("motion",), stacked=True, lines={"real time": 1e3 / STEP_RATE}),
            bars(("mj_step_ms",), ("motion",)),
        )
    ),
    alone=True,
)


STAGES = {
    "modes": "_modes",
    "footholds": "_deviation",
    "window forces": "_planned_forces",
    "slow modes": "_slow_drive",
    "giving way": "_giving_way",
}
"""Stages of a control step, and the methods of `Modal` that perform them."""
MODAL_PAPER = {"walk": (4.0, 10.0), "squat": (30.0, 40.0), "swing": (30.0, 40.0)}
"""The paper's range of frames per second, on a computer of 2006 (Intel Core 2 Duo, 2.8 GHz)."""
FIRST = 12  # Number of first steps that are not timed: in them hands take hold, and code is loaded
PARTS = {**{stage: f"{stage}_ms" for stage in STAGES}, "the rest": "rest_ms", "world": "world_ms"}
"""Name of the column for each part of a step."""
_MODAL_TIMES = (*PARTS.values(), "step_ms", "median_ms", "p99_ms", "mj_step_ms", "ratio", "real_time_factor", "fps")


class TimedModal(Modal):
    """Modal-space control that sums up the processor time of each stage; it actuates exactly as `Modal` does."""

    def __init__(self, settings: ModalSettings) -> None:
        super().__init__(settings)
        self.reset_times()
        for stage, method in STAGES.items():
            setattr(self, method, self._timed_stage(stage, getattr(self, method)))

    def reset_times(self) -> None:
        """Set the time sum of each stage to zero."""
        self.spent = dict.fromkeys(STAGES, 0.0)  # s

    def _timed_stage(self, stage: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def timed_stage(*given: Any) -> Any:
            began = time.thread_time()
            out = method(*given)
            self.spent[stage] += time.thread_time() - began
            return out

        return timed_stage


def run_modal_timing(case: NamedCase) -> Row:
    """Row of mean times of control stages and simulation; `ratio`: median step time over MuJoCo's median step time."""
    controller = TimedModal(ModalSettings(window=paper_window(case.name)))
    trial = Trial(case.name, study_body(case.name), seconds=case.seconds, seed=case.seed)
    run = stage_trial(trial, controller)
    for _ in range(FIRST):
        run.step()
    controller.reset_times()
    steps, step = max(1, round(case.seconds * trial.rate)), run.step_s
    times = timed_steps(run.world, controller, steps)
    stages = {PARTS[stage]: 1e3 * spent / steps for stage, spent in controller.spent.items()}
    whole, mujoco_ms = 1e3 * times.whole, 1e3 * float(np.median(times.mujoco))
    middle, high = (float(value) for value in np.percentile(whole, (50, 99)))
    return {
        "motion": motion_display_name(case.name),
        "window": controller.window,
        "seed": case.seed,
        "contacts": float(times.contacts.mean()),
        **stages,
        "rest_ms": 1e3 * float(times.control.mean()) - sum(stages.values()),
        "world_ms": 1e3 * float(times.simulation.mean()),
        "step_ms": float(whole.mean()),
        "median_ms": middle,
        "p99_ms": high,
        "mj_step_ms": mujoco_ms,
        "ratio": middle / mujoco_ms,
        "real_time_factor": 1e3 * step / float(whole.mean()),
        "fps": 1e3 / float(whole.mean()),
    }


def with_paper(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows with the paper's shortest and longest time of a frame of their motion, if known."""
    for row in rows:
        slow, fast = MODAL_PAPER.get(str(row["motion"]), (np.nan, np.nan))
        yield {**row, "paper_low_ms": 1e3 / fast, "paper_high_ms": 1e3 / slow}


MODAL: Study[NamedCase] = Study(
    name="modal-timing",
    title="time of a step of control and simulation, by stages",
    reproduces="Jain and Liu 2011, section 7.1",
    whole=Scope(seeds=3, seconds=30.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=5.0, motions=MOTIONS),
    cases=motion_cases,
    run_case=run_modal_timing,
    summary=summary_by(("motion", "window"), **column_means("contacts", *_MODAL_TIMES)),
    plot=picture(
        bars(tuple(PARTS.values()), ("motion",), stacked=True),
        drawn_of(
            with_paper, bars(("step_ms", "paper_low_ms", "paper_high_ms", "mj_step_ms"), ("motion",), xscale="log")
        ),
    ),
    alone=True,
)


BEHAVIOURS = ("forward-roll", "back-flip")
PLANS = ("plan of a flip", "plan of a landing")
_ROTATION_TIMES = ("control_ms", "simulation_ms", "step_ms", "p99_ms", "ratio", "real_time_factor")
_PUSH = GroundPhase(np.linspace(7.0, 13.0, 40), -0.05, 0.13, 6, 1600.0, 0.3)
_FLIGHT = np.concatenate([np.linspace(12.0, 4.0, 20), np.full(32, 4.0), np.linspace(4.0, 9.0, 20)])
_LANDING = GroundPhase(np.linspace(9.0, 6.0, 60), -0.2, -0.02, 8, 2500.0)


def run_rotation_timing(case: NamedCase) -> Row:
    """For a plan: its time. Otherwise: median times of control and simulation, and the mean step time divided by
    MuJoCo's mean step time."""
    row: Row = {"what": case.name, "seed": case.seed, "contacts": None, **dict.fromkeys(_ROTATION_TIMES)}
    if case.name in PLANS:
        return {**row, "plan_ms": 1e3 * _planning_time_of_case(case.name)}
    seconds = min(case.seconds, 4.0) if case.name == "back-flip" else case.seconds
    trial = BehaviourTrial(read_behaviour(case.name), seconds=seconds, seed=case.seed)
    _, world, controller = stage_behaviour_trial(trial)
    times = timed_steps(world, controller, round(seconds * trial.hertz))
    whole = times.whole
    return {
        **row,
        "contacts": float(times.contacts.mean()),
        "control_ms": 1e3 * float(np.median(times.control)),
        "simulation_ms": 1e3 * float(np.median(times.simulation)),
        "step_ms": 1e3 * float(np.median(whole)),
        "p99_ms": 1e3 * float(np.percentile(whole, 99)),
        "ratio": float(whole.mean() / times.mujoco.mean()),
        "real_time_factor": 1.0 / trial.hertz / float(whole.mean()),
        "plan_ms": None,
    }


def _planning_time_of_case(what: str) -> float:
    """Processor time (s) of making a plan, which is one of PLANS."""
    planner, began = RotationFlightPlanner(73.5, 1 / 120), time.process_time()
    if what == "plan of a flip":
        start, targets = PlanarState(-0.02, 0.62, 0.0, 0.0, 0.0, 0.0), PlanTargets(0.95, 0.8, -6.1, -0.2)
        planner.plan_flip(start, _PUSH, _FLIGHT, _LANDING, targets)
    else:
        planner.plan_landing(PlanarState(0.2, 0.82, -0.2, -2.6, -40.0, 0.0), _LANDING, PlanTargets())
    return time.process_time() - began


ROTATION: Study[NamedCase] = Study(
    name="rotation-timing",
    title="time of steps and plans",
    reproduces="Zordan et al. 2014, section VIII-B",
    whole=Scope(seeds=3, seconds=10.0),
    quick=Scope(seeds=1, seconds=4.0),
    cases=lambda scope: named_cases((*BEHAVIOURS, *PLANS), scope),
    run_case=run_rotation_timing,
    summary=summary_by(("what",), **column_means("contacts", *_ROTATION_TIMES, "plan_ms")),
    plot=picture(bars(("control_ms", "simulation_ms"), ("what",), stacked=True, lines={"goal, ms": 2.0})),
    alone=True,
)
