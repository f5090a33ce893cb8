"""Times of steps and of flight plans: [Zordan2014] section VIII-B."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from poise.control.rotation.flight_plan import FlightPlanner, GroundPhase, PlanarState, PlanTargets
from poise.library.behaviours.files import read_behaviour
from poise.measure.speed import timed_steps
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, NamedCase, Row, Scope, Study, named_cases
from poise.study.experiment.table import column_means, column_values, summary_by
from poise.study.rotation.stage import BehaviourTrial, stage_behaviour

BEHAVIOURS = ("forward-roll", "back-flip")
PLANS = ("plan of a flip", "plan of a landing")
_TIMES = ("control_ms", "simulation_ms", "step_ms", "p99_ms", "ratio", "real_time_factor")
_PUSH = GroundPhase(np.linspace(7.0, 13.0, 40), -0.05, 0.13, 6, 1600.0, 0.3)
_FLIGHT = np.concatenate([np.linspace(12.0, 4.0, 20), np.full(32, 4.0), np.linspace(4.0, 9.0, 20)])
_LANDING = GroundPhase(np.linspace(9.0, 6.0, 60), -0.2, -0.02, 8, 2500.0)


def run_rotation_timing(case: NamedCase) -> Row:
    """For a plan: its time. Otherwise: median times of control and simulation, and the mean step time divided by
    MuJoCo's mean step time."""
    row: Row = {"what": case.name, "seed": case.seed, "contacts": None, **dict.fromkeys(_TIMES)}
    if case.name in PLANS:
        return {**row, "plan_ms": 1e3 * _planning_time(case.name)}
    seconds = min(case.seconds, 4.0) if case.name == "back-flip" else case.seconds
    trial = BehaviourTrial(read_behaviour(case.name), seconds=seconds, seed=case.seed)
    _, world, controller = stage_behaviour(trial)
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


def _planning_time(what: str) -> float:
    """Processor time (s) of making a plan, which is one of PLANS."""
    planner, began = FlightPlanner(73.5, 1 / 120), time.process_time()
    if what == "plan of a flip":
        start, targets = PlanarState(-0.02, 0.62, 0.0, 0.0, 0.0, 0.0), PlanTargets(0.95, 0.8, -6.1, -0.2)
        planner.plan_flip(start, _PUSH, _FLIGHT, _LANDING, targets)
    else:
        planner.plan_landing(PlanarState(0.2, 0.82, -0.2, -2.6, -40.0, 0.0), _LANDING, PlanTargets())
    return time.process_time() - began


rotation_timing_summary = summary_by(("what",), column_means("contacts", *_TIMES, "plan_ms"))


def plot_rotation_timing(rows: Sequence[Row]) -> Figure:
    """Control and simulation of a step as stacked bars."""
    found = [row for row in rotation_timing_summary(rows) if row["step_ms"] is not None]
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


STUDY: Study[NamedCase] = Study(
    name="rotation-timing",
    title="time of steps and plans",
    reproduces="Zordan et al. 2014, section VIII-B",
    whole=Scope(seeds=3, seconds=10.0),
    quick=Scope(seeds=1, seconds=4.0),
    cases=lambda scope: named_cases((*BEHAVIOURS, *PLANS), scope),
    run_case=run_rotation_timing,
    summary=rotation_timing_summary,
    plot=plot_rotation_timing,
    alone=True,
)
