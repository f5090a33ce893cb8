"""The state of the world as controllers receive it."""

from typing import Any, NamedTuple

from poise.arrays import Array, Ints, Mask, brief_repr


class Contacts(NamedTuple):
    """Pairs of surface points that touch or may touch within the step. Each force acts on `body`."""

    body: Ints  # (c,) body id
    other: Ints  # (c,) body id; 0 is the ground
    point: Array  # (c, 3) m, world
    frame: Array  # (c, 3, 3) rows n, t1, t2; n points out of `other`
    gap: Array  # (c,) m; negative when the surfaces overlap
    friction: Array  # (c,) coefficient
    jacobian: Array  # (3 c, nv) velocity of `body` relative to `other` along n, t1, t2; t1 and t2 only if touching
    touching: Mask  # (c,) close enough to carry friction in this step

    def __repr__(self) -> str:
        return brief_repr(self)


class State(NamedTuple):
    """Pose, velocity and terms of the equations of motion; arrays are views that change with the next step."""

    time: float  # s
    step: float  # s, duration of the coming step
    qpos: Array  # (nq,)
    qvel: Array  # (nv,)
    mass: Array  # (nv, nv) kg, kg m, kg m^2
    bias: Array  # (nv,) Coriolis, centrifugal and gravity forces
    contacts: Contacts
    data: Any  # mujoco.MjData with kinematics, cdof, cvel at (qpos, qvel); read only

    def __repr__(self) -> str:
        return brief_repr(self)
