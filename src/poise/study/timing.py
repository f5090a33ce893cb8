"""Time of a step of control and simulation, also as a ratio to MuJoCo's own step, for each controller."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from poise.control.modal.modal import Modal, ModalSettings
from poise.control.nqr.nqr import Nqr
from poise.control.pendulum.pendulum import Pendulum
from poise.control.rotation.flight_plan import GroundPhase, PlanarState, PlanTargets, RotationFlightPlanner
from poise.library.behaviours.files import read_behaviour
from poise.measure.speed import timed_steps
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, NamedCase, Row, Scope, Study, motion_cases, named_cases
from poise.study.experiment.table import column_means, column_values, summary_by
from poise.study.experiment.trial import Trial, stage_trial, time_motion
from poise.study.modal.case import COLOUR as MODAL_COLOUR, MOTIONS, paper_window, study_body
from poise.study.nqr.case import COLOURS as NQR_COLOURS
from poise.study.pendulum.case import BODY, COLOUR as PENDULUM_COLOUR, STEP_RATE
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


def plot_nqr_timing(rows: Sequence[Row]) -> Figure:
    """Low, average and high step times of each motion, and the time of MuJoCo's step."""
    found = NQR.summary(rows)
    figure, ((axis,),) = figure_panels(1, 1, size=(1.5 + 1.2 * len(found), 2.6))
    for place, row in enumerate(found):
        low, high, average, mujoco_ms = (float(row[name] or 0.0) for name in _NQR_TIMES[:4])
        axis.plot([place, place], [low, high], "-", color=NQR_COLOURS["nqr"], lw=6, alpha=0.35, solid_capstyle="butt")
        axis.plot(place, average, "o", color=NQR_COLOURS["nqr"], label="nqr and its world" if not place else None)
        axis.plot(place, mujoco_ms, "_", color="black", ms=16, label="mj_step" if not place else None)
    axis.set_xticks(range(len(found)), [f"{row['motion']}\n{row['contacts']:.1f} contacts" for row in found])
    axis.set(xlim=(-0.6, len(found) - 0.4), yscale="log", ylabel="ms")
    axis.legend(frameon=False)
    return figure


NQR: Study[NamedCase] = Study(
    name="nqr-timing",
    title="time of a step of control and simulation",
    reproduces="Muico et al. 2009, Table 4",
    whole=Scope(seeds=3, seconds=30.0, motions=("walk", "run", "stand")),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk", "run", "stand")),
    cases=motion_cases,
    run_case=run_nqr_timing,
    summary=summary_by(("motion",), **column_means("contacts", *_NQR_TIMES)),
    plot=plot_nqr_timing,
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


def plot_pendulum_timing(rows: Sequence[Row]) -> Figure:
    """Filter and simulation of each motion as stacked bars, beside the paper's times and MuJoCo's step."""
    found = PENDULUM.summary(rows)
    names = [*(str(row["motion"]) for row in found), "paper", "mj_step"]
    filters = np.array([*column_values(found, "filter_ms"), PENDULUM_PAPER["filter_ms"], 0.0])
    own, mujoco_ms = (column_values(found, name) for name in ("simulation_ms", "mj_step_ms"))
    simulations = np.array([*own, PENDULUM_PAPER["simulation_ms"], mujoco_ms[0]])
    figure, ((axis,),) = figure_panels(1, 1, size=(1.5 + 0.9 * len(names), 2.8))
    axis.bar(names, filters, color=PENDULUM_COLOUR, label="filter, postures")
    tops = axis.bar(names, simulations, bottom=filters, color=PENDULUM_COLOUR, alpha=0.4, label="tracking, simulation")
    axis.bar_label(tops, [f"{whole:.2f}" for whole in filters + simulations], fontsize=8)
    axis.axhline(1e3 / STEP_RATE, color="grey", lw=0.8, label="real time")
    axis.set(ylim=(0.0, 1.6e3 / STEP_RATE), ylabel="ms")
    axis.legend(frameon=False, fontsize=7)
    return figure


PENDULUM: Study[NamedCase] = Study(
    name="pendulum-timing",
    title="time of a step of filter, tracking and simulation",
    reproduces="Tsai et al. 2010, section 5",
    whole=Scope(seeds=3, seconds=30.0, motions=("walk", "walk-slow", "walk-fast")),
    quick=Scope(seeds=1, seconds=10.0, motions=("walk",)),
    cases=motion_cases,
    run_case=run_pendulum_timing,
    summary=summary_by(("motion",), **column_means("contacts", *_PENDULUM_TIMES)),
    plot=plot_pendulum_timing,
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


def plot_modal_timing(rows: Sequence[Row]) -> Figure:
    """The parts of a step as stacked bars, and the time of a whole step beside the times of the paper and MuJoCo."""
    from matplotlib import colormaps

    found = MODAL.summary(rows)
    names = [str(row["motion"]) for row in found]
    figure, ((parts, beside),) = figure_panels(1, 2, size=(8.5, 3.2))
    bottom = np.zeros(len(found))
    for k, (part, column) in enumerate(PARTS.items()):
        height = np.array(column_values(found, column))
        parts.bar(names, height, bottom=bottom, color=colormaps["viridis"](k / (len(PARTS) - 1)), label=part)
        bottom += height
    parts.set_ylabel("ms")
    parts.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    beside.bar(names, column_values(found, "step_ms"), color=MODAL_COLOUR)
    for place, row in enumerate(found):
        beside.plot(place, float(row["mj_step_ms"] or 0.0), "_k", ms=20, label=None if place else "mj_step")
        if row["motion"] in MODAL_PAPER:
            slow, fast = (1e3 / rate for rate in MODAL_PAPER[str(row["motion"])])
            beside.plot([place, place], [fast, slow], "-", color="grey", lw=6, label=None if place else "paper")
    beside.axhline(1e3 / 120, color="grey", lw=0.8)
    beside.set(yscale="log", ylabel="ms")
    beside.legend(frameon=False, fontsize=7)
    return figure


MODAL: Study[NamedCase] = Study(
    name="modal-timing",
    title="time of a step of control and simulation, by stages",
    reproduces="Jain and Liu 2011, section 7.1",
    whole=Scope(seeds=3, seconds=30.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=5.0, motions=MOTIONS),
    cases=motion_cases,
    run_case=run_modal_timing,
    summary=summary_by(("motion", "window"), **column_means("contacts", *_MODAL_TIMES)),
    plot=plot_modal_timing,
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


def plot_rotation_timing(rows: Sequence[Row]) -> Figure:
    """Control and simulation of a step as stacked bars."""
    found = [row for row in ROTATION.summary(rows) if row["step_ms"] is not None]
    figure, ((axis,),) = figure_panels(1, 1, size=(4.5, 2.2))
    places = np.arange(len(found))
    control, simulation = (np.array(column_values(found, name)) for name in ("control_ms", "simulation_ms"))
    axis.barh(places, control, color="C0", label="control")
    axis.barh(places, simulation, left=control, color="0.7", label="simulation")
    axis.axvline(2.0, color="black", lw=0.8)
    axis.set_yticks(places, [str(row["what"]) for row in found])
    axis.set_xlabel("ms of a step; the line is the goal")
    axis.legend(fontsize=7)
    return figure


ROTATION: Study[NamedCase] = Study(
    name="rotation-timing",
    title="time of steps and plans",
    reproduces="Zordan et al. 2014, section VIII-B",
    whole=Scope(seeds=3, seconds=10.0),
    quick=Scope(seeds=1, seconds=4.0),
    cases=lambda scope: named_cases((*BEHAVIOURS, *PLANS), scope),
    run_case=run_rotation_timing,
    summary=summary_by(("what",), **column_means("contacts", *_ROTATION_TIMES, "plan_ms")),
    plot=plot_rotation_timing,
    alone=True,
)
