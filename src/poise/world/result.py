"""What comes out of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Ints
from poise.contact.problem import ContactSolution
from poise.world.grips import Grip

# The state of a world, to go back to: what follows is the same to the last bit.


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that the next step depends on, besides what is done in it."""

    time: float  # s
    steps: int
    data: mujoco.MjData  # pose, velocity, and kinematics as the step left them, rounding included
    grips: tuple[Grip, ...]
    touched: NDArray[np.int32]  # (k, 2) pairs of geoms that touched in the last step
    modes: NDArray[np.int64]  # (k,) how: where the contact solver begins


class BlowUp(Exception):
    """A step gave numbers that are not finite or absurd; the world still holds the last good state."""

    def __init__(self, step: int, culprit: str, value: float) -> None:
        self.step, self.culprit, self.value = step, culprit, value
        super().__init__(f"blew up in step {step}: velocity of {culprit} is {value:.3g}")


class StepResult(NamedTuple):
    """What happened in a step."""

    torque: Array  # (nv,) N m, joint actuation that was applied
    external: Array  # (nv,) all other applied forces
    body: Ints  # (c,) candidate contacts; the force acts on this body
    other: Ints  # (c,)
    point: Array  # (c, 3) m, world, at the start of the step
    frame: Array  # (c, 3, 3) rows n, t1, t2
    friction: Array  # (c,)
    impulse: Array  # (c, 3) N s along n, t1, t2
    grips: tuple[Grip, ...]
    grip_point: Array  # (g, 3) m, world
    grip_impulse: Array  # (g, 3) N s, world
    solution: ContactSolution
    weakest: float  # least share of its actuation that a joint kept: below 1 where torque limits did not settle
    feedback_kept: float  # share of the contact feedback that was used: 1, unless the problem had no solution
    looked_ahead: float  # m: how far apart contacts may have been at the start of the step
