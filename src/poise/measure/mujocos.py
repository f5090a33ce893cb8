"""What MuJoCo's own step costs, to measure ours by: processor time, so that what else runs does not count."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable

import mujoco

from poise.frozen import Array
from poise.world.world import World

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
