"""A trial of the pendulum controller and its row: survival, the verdict, and the speed of the walk."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.control.commands import SteerCommand
from poise.control.controller import WorldView
from poise.control.pendulum.pendulum import Pendulum
from poise.reference.reference import Reference
from poise.study.experiment.study import Row
from poise.study.experiment.table import Gather, column_mean, column_means, column_total, row_count
from poise.study.experiment.trial import Trial, Verdict, judge_run, stage_trial, trial_row

BODY = "human58"  # The body of the paper's Table 1
STEP_RATE = 50.0  # The paper's rate of simulation, Hz
REST = 0.1  # Speed (m/s) of the centre of mass below which a body stands still
SETTLED = 0.5  # Time (s) at the end of a trial over which the speed at rest is averaged

SUMMARY: Mapping[str, Gather] = {
    "trials": row_count,
    "survived": column_total("survived"),
    "share": column_mean("survived"),
    **column_means("seconds", "speed"),
    "physical": column_total("physical"),
    "slip": column_mean("slip"),
}
"""Summary columns of a group of trials."""


@dataclass(frozen=True)
class PendulumCase:
    """A trial of the pendulum controller, the labels of its row, and what the body must achieve besides not falling."""

    labels: Row
    trial: Trial
    beyond: float | None = None  # distance (m) forward from the start that must be reached
    rests: bool = False  # whether the body must stand still at the end
    foresees: bool = True  # whether the controller knows the height of the ground ahead


def walk_trial(speed: float | None, seconds: float, seed: int, motion: str = "walk", **other: Any) -> Trial:
    """A trial straight ahead at a commanded speed (m/s) or (None) the motion's own; `other`: more fields of `Trial`."""
    commands = () if speed is None else (SteerCommand(0.0, 0.0, speed),)
    return Trial(motion, BODY, seconds=seconds, seed=seed, commands=commands, rate=STEP_RATE, **other)


def run_pendulum_trial(case: PendulumCase) -> Row:
    """Row of a trial: whether the body survives and achieves what the case demands, and how fast it walks."""
    trial = case.trial
    verdict, way = walk_path(trial, Pendulum() if case.foresees else UnforeseeingTrialPendulum())
    stayed_up = verdict.fell_at is None
    rest = rest_speed_of_trial(way, trial.rate)
    reached = float(way[:, 0].max() - way[0, 0])
    achieved = (case.beyond is None or reached >= case.beyond) and (not case.rests or rest < REST)
    speed = late_speed_of_trial(way, trial.rate) if stayed_up else None
    measured: Row = {"speed": speed, "rest_speed": rest, "reached": reached}
    # At 50 Hz a fall sinks so deep into the ground that auditing it says nothing.
    return trial_row(case.labels, trial.seed, stayed_up and achieved, verdict, measured, audit_falls=False)


def walk_path(trial: Trial, controller: Pendulum) -> tuple[Verdict, Array]:
    """Perform a trial; return its verdict and the path (T+1, 2) of the centre of mass on the ground plane, m."""
    run = stage_trial(trial, controller)
    root = run.world.scene.link_id(run.world.scene.body.links[0])
    path = [np.array(run.world.state.data.subtree_com[root, :2])]
    verdict = judge_run(run, trial.seconds, lambda _: path.append(np.array(run.world.state.data.subtree_com[root, :2])))
    return verdict, np.array(path)


def late_speed_of_trial(way: Array, rate: float) -> float:
    """The mean forward speed (m/s) over the second half of a path (T, 2), m, at a rate (Hz)."""
    half = len(way) // 2
    return float(way[-1, 0] - way[half, 0]) * rate / max(len(way) - 1 - half, 1)


def rest_speed_of_trial(way: Array, rate: float) -> float:
    """The mean speed (m/s) in any direction over the last SETTLED seconds of a path (T, 2), m, at a rate (Hz)."""
    last = way[-1 - round(SETTLED * rate) :]
    return float(np.mean(np.hypot(*np.diff(last, axis=0).T))) * rate


class UnforeseeingTrialPendulum(Pendulum):
    """The pendulum controller on ground that it takes to be level, so that every change of height is a surprise."""

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Prepare for a reference, with level ground instead of the terrain of the world."""
        scene = SimpleNamespace(body=world.scene.body, terrain=LevelGroundOfTrial(world), model=world.scene.model)
        level: Any = SimpleNamespace(scene=scene, torque_limit=world.torque_limit, state=world.state)
        super().reset(level, reference)


@dataclass(frozen=True)
class LevelGroundOfTrial:
    """Level ground, everywhere as high as the terrain under the root."""

    world: WorldView

    def height(self, x: float, y: float) -> float:  # noqa: ARG002
        """The height (m) under the root, whatever the place."""
        root = self.world.state.qpos
        return self.world.scene.terrain.height(float(root[0]), float(root[1]))

    def heights(self, x: Array, y: Array) -> Array:  # noqa: ARG002
        """(n,) the height (m) under the root, repeated for n places."""
        return np.full(len(x), self.height(0.0, 0.0))
