"""A trial of the pendulum, and the row that becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.commands import Command
from poise.control.controller import Controller, Ground, Setting, Stage
from poise.control.pendulum.pendulum import Pendulum
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.reference.reference import Reference
from poise.study.experiment.study import Row
from poise.study.experiment.table import Gather, count, grouped, mean, total
from poise.study.experiment.trial import Trial, judge, staged
from poise.world.world import World

# A walker that does not look where it steps.


class Unforeseeing:
    """The pendulum, believing that all ground is as high as where it is: every change of level surprises a foot."""

    def __init__(self, pendulum: Pendulum) -> None:
        self._pendulum = pendulum
        self.name, self.settings, self.needs_physics = pendulum.name, pendulum.settings, pendulum.needs_physics

    def reset(self, world: Stage, reference: Reference) -> None:
        """Get ready, with wrong beliefs."""
        scene = _Scene(world.scene.body, _Level(world), world.scene.model)
        self._pendulum.reset(_World(scene, world.torque_limit, world.state), reference)

    def act(self, state: State) -> Actuation:
        """What the pendulum does."""
        return self._pendulum.act(state)

    def target(self, time: float) -> Array:
        """What the pendulum tracks."""
        return self._pendulum.target(time)

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Steer the pendulum."""
        self._pendulum.steer(heading, speed)


@dataclass(frozen=True)
class _Level:
    """Ground that is as high everywhere as under the root."""

    world: Stage

    def height(self, x: float, y: float) -> float:  # noqa: ARG002
        """There, wherever it is asked for."""
        here = self.world.state.qpos
        return self.world.scene.terrain.height(float(here[0]), float(here[1]))

    def heights(self, x: Array, y: Array) -> Array:  # noqa: ARG002
        """There, at as many places."""
        return np.full(len(x), self.height(0.0, 0.0))


@dataclass(frozen=True)
class _Scene:
    body: Body
    terrain: Ground
    model: Any


@dataclass(frozen=True)
class _World:
    scene: Setting
    torque_limit: Array
    state: State


BODY = "human58"
"""That of the paper's Table 1."""
STEP_RATE = 50.0
"""Hz, the paper's."""
COLOUR = "#7a3b9a"
REST = 0.1
"""m/s: a centre of mass that is slower stands still."""
SETTLED = 0.5
"""s at the end over which that is judged."""

TOLD: Mapping[str, Gather] = {
    "trials": count,
    "survived": total("survived"),
    "share": mean("survived"),
    "seconds": mean("seconds"),
    "speed": mean("speed"),
    "physical": total("physical"),
    "slip": mean("slip"),
}
"""What is told of many trials."""


@dataclass(frozen=True)
class PendulumCase:
    """A trial, with what tells it from the others and what it must achieve besides staying up."""

    labels: Row
    trial: Trial
    beyond: float | None = None  # m ahead of its start that it must get to
    rests: bool = False  # whether it must stand still in the end
    foresees: bool = True  # whether it knows the ground where its feet will land


def walking(speed: float) -> tuple[Command, ...]:
    """The commands to walk straight on at a speed, m/s, from the start."""
    return (Command(0.0, 0.0, speed),)


def measure(case: PendulumCase) -> Row:
    """Perform it: its labels, whether it survived and achieved what it must, and how it walked."""
    trial = case.trial
    run, world, reference = staged(trial, _controller(case))
    path = [com_of(world)]
    verdict = asdict(judge(run, world, reference, trial.seconds, lambda _: path.append(com_of(world))))
    failed = verdict.pop("failed")
    way = np.array(path)  # (T+1, 2) m
    stayed_up = verdict["fell_at"] is None
    rest = rest_speed(way, trial.rate)
    reached = float(way[:, 0].max() - way[0, 0])
    achieved = (case.beyond is None or reached >= case.beyond) and (not case.rests or rest < REST)
    return {
        **case.labels,
        "seed": trial.seed,
        "survived": stayed_up and achieved,
        **verdict,
        "speed": late_speed(way, trial.rate) if stayed_up else None,
        "rest_speed": rest,
        "reached": reached,
        "physical": not failed if stayed_up else None,  # with 20 ms a body falls rather deep into the ground
        "failed_checks": " ".join(failed),
    }


def _controller(case: PendulumCase) -> Controller:
    return Pendulum() if case.foresees else Unforeseeing(Pendulum())


def com_of(world: World) -> Array:
    """(2,) m: where the centre of mass is, along the ground."""
    root = world.scene.link_id(world.scene.body.links[0])
    return np.array(world.state.data.subtree_com[root, :2])


def late_speed(way: Array, rate: float) -> float:
    """m/s forward, the mean over the later half of a way (T, 2) along the ground."""
    half = len(way) // 2
    return float(way[-1, 0] - way[half, 0]) * rate / max(len(way) - 1 - half, 1)


def rest_speed(way: Array, rate: float) -> float:
    """m/s in any direction, the mean over the last moments of a way (T, 2)."""
    last = way[-1 - round(SETTLED * rate) :]
    return float(np.mean(np.hypot(*np.diff(last, axis=0).T))) * rate


def summary_by(*columns: str) -> Callable[[Sequence[Row]], list[Row]]:
    """A summary with a row for each combination of some columns."""
    return lambda rows: grouped(rows, columns, TOLD)
