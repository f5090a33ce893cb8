"""Springs of all degrees of freedom in a step: what poses and objectives add up to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.spatial import Array

Ints = NDArray[np.int64]


class Springs(NamedTuple):
    """The torque of a degree of freedom is ``push - gain v``, v its velocity at the end of the step."""

    push: Array  # (nv,) N m
    gain: Array  # (nv,) N m s/rad
    stiffness: Array  # (nv,) N m/rad, of the pose springs
    damping: Array  # (nv,) N m s/rad, of the pose springs near their targets

    def kept(self, dofs: Ints, share: float) -> Springs:
        """With only a share of those at some freedoms."""
        push, gain = np.array(self.push), np.array(self.gain)
        push[dofs] *= share
        gain[dofs] *= share
        return self._replace(push=push, gain=gain)


class Pull(NamedTuple):
    """A spring in space that acts through some joints: on a point, or on the direction of a link."""

    error: Array  # (3,) m or rad, from what is to what is wanted
    rate: Array  # (3,) m/s or rad/s, of what is, as seen from what is wanted
    jacobian: Array  # (3, k) of the rate, by the velocities of the joints
    stiffness: float  # N/m or N m/rad
    damping: float  # N s/m or N m s/rad


def pulled(springs: Springs, dofs: Ints, weight: Array, pull: Pull, velocity: Array, step: float) -> Springs:
    """Springs with a pull added. Each joint is implicit in its own velocity (k,), and takes the others as they are."""
    stiff = pull.damping + step * pull.stiffness
    lever = pull.jacobian
    push, gain = np.array(springs.push), np.array(springs.gain)
    own = np.einsum("ik,ik->k", lever, lever)
    drive = lever.T @ (pull.stiffness * pull.error - stiff * pull.rate)
    push[dofs] += weight * (drive + stiff * own * velocity)
    gain[dofs] += weight * stiff * own
    return springs._replace(push=push, gain=gain)
