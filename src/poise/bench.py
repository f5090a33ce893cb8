"""Speed of a step, as a ratio to MuJoCo's own step on the same model in the same run.

Processor time is measured: what else runs on the machine does not count.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import mujoco
import numpy as np

from poise.body import Body
from poise.control import named_controller
from poise.errors import PoiseError
from poise.performance import Run, start
from poise.reference import named_motion
from poise.spatial import Array
from poise.world.scene import Scene
from poise.world.world import World

BATCH = 10
"""Steps of one simulator before the other has its turn."""


@dataclass(frozen=True)
class Row:
    """One case."""

    case: str
    contacts: int  # that touch, in Poise
    poise_us: float
    mujoco_us: float
    bound: float  # what the ratio is meant to stay below

    @property
    def ratio(self) -> float:
        """How many of MuJoCo's steps one of ours costs."""
        return self.poise_us / self.mujoco_us

    def as_dict(self) -> dict[str, float | str]:
        """For JSON."""
        return {**asdict(self), "ratio": self.ratio}


def bench(steps: int) -> list[Row]:
    """Standing, flying free, and walking under control, for the bodies of the nqr and pendulum papers."""
    if not 10 <= steps <= 1_000_000:
        raise PoiseError(f"{steps} steps: must be between 10 and 1000000")
    return [
        _case("biped29", True, steps, 6.0),
        _case("biped29", False, steps, 3.0),
        _case("human58", True, steps, 5.0),
        _case("human58", False, steps, 3.0),
        *_walking(steps),
    ]


def walking_speed(steps: int) -> float:
    """Simulated seconds per second of a walk of biped29 under nqr, with all that is recorded of it."""
    body = Body.named("biped29")
    world = World(Scene.of(body))
    run = Run(world, named_controller("nqr"), named_motion("walk", body))
    return 1e6 * world.settings.step / _time(run.step, steps)


def _walking(steps: int) -> list[Row]:
    """Control and simulation of a walk: the median, and what one step in a hundred passes."""
    body = Body.named("biped29")
    world, controller, reference = World(Scene.of(body)), named_controller("nqr"), named_motion("walk", body)
    start(world, reference, 0, 0.0)
    controller.reset(world, reference)
    world.load()
    theirs = _MuJoCo(world)
    ours, contacts = [], []
    for step in range(steps):
        if step % BATCH == 0:
            theirs.run(world.qpos, world.qvel)
        ours.append(_time(lambda: world.step(controller.act(world.state)), 1))
        contacts.append(int(world.contacts.touching.sum()))
    median, slow = np.percentile(ours, (50, 99))
    usual = int(np.median(contacts))
    return [
        Row("biped29 walking, nqr", usual, float(median), theirs.us, 12.0),
        Row("biped29 walking, nqr, p99", usual, float(slow), theirs.us, 30.0),
    ]


def _case(name: str, standing: bool, steps: int, bound: float) -> Row:
    body = Body.named(name)
    world = World(Scene.of(body))
    reference = named_motion("stand", body)
    start(world, reference, 0, 0.0)
    qpos = world.qpos.copy()
    if not standing:
        qpos[2] += 1000.0  # far from the ground, so that it does not land while it is timed
    controller = named_controller("hold")
    controller.reset(world, reference)
    world.reset(qpos, np.zeros(body.nv))
    actuation = controller.act(world.state)
    theirs = _MuJoCo(world)
    ours = []
    contacts = 0
    for _ in range(max(1, steps // BATCH)):
        world.reset(qpos, np.zeros(body.nv))
        ours.append(_time(lambda: world.step(actuation), BATCH))
        contacts = int(world.contacts.touching.sum())
        theirs.run(qpos, np.zeros(body.nv))
    case = f"{name} {'standing' if standing else 'flying'}"
    return Row(case, contacts, float(np.median(ours)), theirs.us, bound)


class _MuJoCo:
    """MuJoCo's own step on a world's model."""

    def __init__(self, world: World) -> None:
        # MuJoCo's contacts are springs that act within the margin: our look-ahead would throw its body up.
        self._model = copy.copy(world.model)
        self._model.geom_margin[:] = 0.0
        self._model.opt.timestep = world.settings.step
        self._data = mujoco.MjData(self._model)
        self._spent: list[float] = []

    def run(self, qpos: Array, qvel: Array) -> None:
        """Time a batch of steps from a state. Its soft contacts let a body sink and fall: no more than a batch."""
        self._data.qpos[:], self._data.qvel[:] = qpos, qvel
        self._spent.append(_time(lambda: mujoco.mj_step(self._model, self._data), BATCH))

    @property
    def us(self) -> float:
        """Microseconds of a step."""
        return float(np.median(self._spent))


def _time(step: Callable[[], object], count: int) -> float:
    """Microseconds of processor time of one call, the mean of a few."""
    began = time.thread_time()
    for _ in range(count):
        step()
    return 1e6 * (time.thread_time() - began) / count
