"""Results of steps, and snapshots of a world."""

from dataclasses import dataclass
from typing import NamedTuple

import mujoco

from poise.arrays import Array, Ints, brief_repr
from poise.contact.problem import ContactSolution
from poise.dynamics.workspace import Pairs
from poise.world.grips import Grip


@dataclass(frozen=True, eq=False)
class Snapshot:
    """State of a world to return to: steps from it are reproduced to the last bit."""

    time: float  # s
    steps: int
    data: mujoco.MjData  # pose, velocity and kinematics, including rounding errors
    grips: tuple[Grip, ...]
    touched: Pairs  # (k, 2) geom pairs that touched in the last step
    modes: Ints  # (k,) their contact modes, from which the solver starts

    __repr__ = brief_repr


class BlowUp(Exception):
    """A step diverged: a velocity is not finite or too fast. The world still holds the last good state."""

    def __init__(self, step: int, culprit: str, value: float) -> None:
        self.step, self.culprit, self.value = step, culprit, value
        super().__init__(f"blew up in step {step}: velocity of {culprit} is {value:.3g}")


class ContactForces(NamedTuple):
    """Contact candidates of a step with their impulses."""

    body: Ints  # (c,) the force acts on this body
    other: Ints  # (c,)
    point: Array  # (c, 3) m, world, at the start of the step
    frame: Array  # (c, 3, 3) rows n, t1, t2
    friction: Array  # (c,)
    impulse: Array  # (c, 3) N s along n, t1, t2

    def __repr__(self) -> str:
        return brief_repr(self)


class StepResult(NamedTuple):
    """Forces and impulses of a step: first the fields of `ContactForces` for the contacts with the surroundings."""

    body: Ints
    other: Ints
    point: Array
    frame: Array
    friction: Array
    impulse: Array
    torque: Array  # (nv,) N m, applied joint actuation
    external: Array  # (nv,) all other applied forces
    limit_impulse: Array  # (nv,) N m s, impulses of joint limits
    grips: tuple[Grip, ...]
    grip_point: Array  # (g, 3) m, world
    grip_impulse: Array  # (g, 3) N s, world
    solution: ContactSolution
    weakest: float  # smallest share of actuation that a joint kept: below 1 if the torque limits did not settle
    feedback_kept: float  # share of the contact feedback that was used: below 1 if the problem had no solution
    looked_ahead: float  # m: look-ahead distance of the contact candidates
    self_contacts: ContactForces  # between links of one body

    def __repr__(self) -> str:
        return brief_repr(self)
