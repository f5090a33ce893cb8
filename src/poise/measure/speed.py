"""How long steps of control and simulation take, beside MuJoCo's own: processor time."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.control.controller import Controller
from poise.world.world import World

# What MuJoCo's own step costs, to measure ours by: processor time, so that what else runs does not count.

BATCH = 10
"""Steps from a state that are timed. In the first one its soft contacts carry nothing yet, which would be too easy;
with no controller, after many more its body would lie on the ground."""


class MujocoStep:
    """MuJoCo's own step of a world's scene.

    Its contacts are springs that act within the margin: it has none, or our look-ahead would throw its body up.
    """

    def __init__(self, world: World) -> None:
        self._model = copy.copy(world.model)
        self._model.geom_margin[:] = 0.0
        self._model.opt.timestep = world.settings.step
        self._data = mujoco.MjData(self._model)

    def seconds(self, qpos: Array, qvel: Array) -> float:
        """Of a step, the mean of a batch from a state."""
        self._data.qpos[:], self._data.qvel[:] = qpos, qvel
        return seconds_of(lambda: mujoco.mj_step(self._model, self._data), BATCH)


def seconds_of(work: Callable[[], object], count: int = 1) -> float:
    """Processor time of a call, s, the mean of a few."""
    began = time.thread_time()
    for _ in range(count):
        work()
    return (time.thread_time() - began) / count


@dataclass(frozen=True)
class StepTimes:
    """The times of T steps."""

    control: Array  # (T,) s
    simulation: Array  # (T,) s
    mujoco: Array  # (K,) s, of MuJoCo's own steps from states on the way
    contacts: NDArray[np.int64]  # (T,) that touch

    @property
    def whole(self) -> Array:
        """(T,) s, control and simulation."""
        return self.control + self.simulation


def timed_steps(world: World, controller: Controller, steps: int) -> StepTimes:
    """Steps of a controller that is ready to act, in its world."""
    world.load()
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
