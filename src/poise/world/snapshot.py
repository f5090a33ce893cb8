"""The state of a world, to go back to: what follows is the same to the last bit."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.world.grips import Grip


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that the next step depends on, besides what is done in it."""

    time: float  # s
    steps: int
    data: mujoco.MjData  # pose, velocity, and kinematics as the step left them, rounding included
    grips: tuple[Grip, ...]
    touched: NDArray[np.int32]  # (k, 2) pairs of geoms that touched in the last step
    modes: NDArray[np.int64]  # (k,) how: where the contact solver begins
