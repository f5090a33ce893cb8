"""Processor time of steps of control and simulation, compared with MuJoCo's own step."""

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from poise.arrays import Array, Ints
from poise.control.controller import Controller
from poise.world.world import World

BATCH = 10
"""MuJoCo steps timed from each state. In a first step its soft contacts carry no load yet, which is too cheap; over
many more steps the body, without a controller, would fall."""


class MujocoStep:
    """MuJoCo's own step of a world's scene.

    The contact margins are 0: MuJoCo's contacts act as springs within the margin, so Poise's look-ahead margin would
    throw the body up.
    """

    def __init__(self, world: World) -> None:
        self._model = copy.copy(world.model)
        self._model.geom_margin[:] = 0.0
        self._model.opt.timestep = world.settings.step
        self._data = mujoco.MjData(self._model)

    def seconds(self, qpos: Array, qvel: Array) -> float:
        """Mean processor time (s) of a step over a batch from a state."""
        self._data.qpos[:], self._data.qvel[:] = qpos, qvel
        return processor_seconds(lambda: mujoco.mj_step(self._model, self._data), BATCH)


def processor_seconds(work: Callable[[], object], count: int = 1) -> float:
    """Mean processor time (s) of `count` calls in this thread."""
    began = time.thread_time()
    for _ in range(count):
        work()
    return (time.thread_time() - began) / count


@dataclass(frozen=True)
class StepTimes:
    """Processor times of T steps."""

    control: Array  # (T,) s
    simulation: Array  # (T,) s
    mujoco: Array  # (K,) s, of MuJoCo's own steps from every BATCH-th state
    contacts: Ints  # (T,) number of touching contacts

    @property
    def whole(self) -> Array:
        """Control and simulation together (T,) in s."""
        return self.control + self.simulation


def timed_steps(world: World, controller: Controller, steps: int) -> StepTimes:
    """Run and time steps of a controller that has been reset in its world."""
    world.warm_up()
    mujocos = MujocoStep(world)
    times, theirs, contacts = np.zeros((steps, 3)), [], np.zeros(steps, np.int64)
    for step in range(steps):
        if step % BATCH == 0:
            theirs.append(mujocos.seconds(world.qpos, world.qvel))
        times[step, 0] = time.thread_time()
        actuation = controller.act(world.state)
        times[step, 1] = time.thread_time()
        world.step(actuation)
        times[step, 2] = time.thread_time()
        contacts[step] = world.contacts.touching.sum()
    control, simulation = np.diff(times).T
    return StepTimes(control, simulation, np.array(theirs), contacts)
