"""Rotation indices of a whole body: momentum, composite inertia, angular velocity, excursion [Zordan2014].

All are about the centre of mass, in the world frame. They follow from the mass-matrix rows of the free root (see
`poise.dynamics.momentum`), without a sum over links.
"""

from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.rotations import cross_matrix, quat_exp, quat_multiply


class RotationIndices(NamedTuple):
    """Translation and rotation of a body as a whole."""

    mass: float  # kg
    com: Array  # (3,) m
    velocity: Array  # (3,) m/s, of the centre of mass
    angular_momentum: Array  # (3,) kg m^2/s
    inertia: Array  # (3, 3) kg m^2, composite: of all links as one rigid body
    spin: Array  # (3,) rad/s, inertia^-1 angular_momentum: angular velocity of the composite body


def whole_body_rotation(mass: Array, qvel: Array, data: Any, root: int = 1, first: int = 0) -> RotationIndices:
    """Rotation indices at a state with mass matrix (nv, nv) and kinematics [Zordan2014] section III-A.

    `data` is the mujoco.MjData of the state, `root` the body of the free root, `first` its first DOF.
    """
    total = float(mass[first, first])
    com = np.array(data.subtree_com[root])
    lever = com - data.xpos[root]
    turn = data.xmat[root].reshape(3, 3)
    linear, about_root = mass[first : first + 3] @ qvel, turn @ (mass[first + 3 : first + 6] @ qvel)
    arm = cross_matrix(lever)
    momentum = about_root - arm @ linear
    inertia = turn @ mass[first + 3 : first + 6, first + 3 : first + 6] @ turn.T + total * arm @ arm
    return RotationIndices(total, com, linear / total, momentum, inertia, np.linalg.solve(inertia, momentum))


def integrate_excursion(excursion: Array, spin: Array, seconds: float) -> Array:
    """Excursion (4,) after `seconds` of a spin (3,) in the world frame: exp(spin t) excursion.

    A factor of the product in [Zordan2014] section V-A, which integrates Eq. (1) on the rotation group.
    """
    return quat_multiply(quat_exp(spin * seconds), excursion)
