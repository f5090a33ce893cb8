"""How long steps of control and simulation take, beside MuJoCo's own: processor time."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.control import Controller
from poise.frozen import Array
from poise.measure.mujocos import BATCH, MujocoStep
from poise.world.world import World


@dataclass(frozen=True)
class Pace:
    """The times of T steps."""

    control: Array  # (T,) s
    simulation: Array  # (T,) s
    mujoco: Array  # (K,) s, of MuJoCo's own steps from states on the way
    contacts: NDArray[np.int64]  # (T,) that touch

    @property
    def whole(self) -> Array:
        """(T,) s, control and simulation."""
        return self.control + self.simulation


def paced(world: World, controller: Controller, steps: int) -> Pace:
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
    return Pace(control, simulation, np.array(theirs), contacts)
