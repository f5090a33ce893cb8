"""Springs of all degrees of freedom in a step: what poses and objectives add up to."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array, Ints
from poise.dynamics.state import State
from poise.kernel import kernel

# Damping that gives way far from the target, so that a limb gathers momentum [Fattal2006] Eq. (3).


@kernel
def damping_kept(error: float, way: float, reach: float, rate: float) -> float:
    """The share f of the damping that is left, as the mean over a step.

    A joint that is off by ``error`` rad is led by ``way`` rad nearer to its target in the step. Fast limbs cross the
    narrow zone of full damping (``reach``, a degree) within a step, so f is averaged along the way:
    (F(e1) - F(e0)) / (e1 - e0), with F' = f. ``rate`` is how much damping is left just beyond that zone.
    """
    after = error - way
    if abs(way) < 1e-9:
        return 1.0 if abs(error) < reach else rate * reach / abs(error)
    return (_total(after, reach, rate) - _total(error, reach, rate)) / (after - error)


@kernel
def _total(error: float, reach: float, rate: float) -> float:
    """The integral of f from 0 to an error."""
    size = abs(error)
    if size < reach:
        return float(error)
    return float(np.sign(error)) * reach * (1.0 + rate * float(np.log(size / reach)))


class Springs(NamedTuple):
    """The torque of a degree of freedom is ``push - gain v``, v its velocity at the end of the step.

    Push and gain are the step's own: poses fill them, and objectives change them in place.
    """

    push: Array  # (nv,) N m
    gain: Array  # (nv,) N m s/rad
    stiffness: Array  # (nv,) N m/rad, of the pose springs
    damping: Array  # (nv,) N m s/rad, of the pose springs near their targets


class Joints(NamedTuple):
    """Freedoms that serve an aim."""

    dofs: Ints  # (k,)
    weight: Array  # (k,)


class Pull(NamedTuple):
    """A spring in space that acts through some joints: on a point, or on the direction of a link."""

    error: Array  # (3,) m or rad, from what is to what is wanted
    rate: Array  # (3,) m/s or rad/s, of what is, as seen from what is wanted
    jacobian: Array  # (3, nv) of the rate, by velocities
    stiffness: float  # N/m or N m/rad
    damping: float  # N s/m or N m s/rad


@kernel
def draw_to_pose(
    error: Any, velocity: Any, stiffness: Any, damping: Any, step: float, reach: float, rate: float,
    push: Any, gain: Any,
) -> None:  # fmt: skip
    """Push and gain (nv,) of springs to a pose that is off by ``error`` (nv,) rad [Fattal2006] Eq. (3).

    Springs are those of the end of the step; ``reach`` and ``rate`` are those of `damping_kept`.
    """
    for i in range(push.shape[0]):
        push[i] = stiffness[i] * error[i]
        gain[i] = damping_kept(error[i], step * velocity[i], reach, rate) * damping[i] + step * stiffness[i]


@kernel
def as_motors(push: Any, gain: Any, first: int, last: int, velocity_out: Any, gain_out: Any) -> None:
    """Springs at some freedoms as motors: the velocity that each drives at, and its gain."""
    for i in range(first, last):
        gain_out[i] = gain[i]
        if gain[i] > 0.0:
            velocity_out[i] = push[i] / gain[i]


def pull_joints(springs: Springs, through: Joints, kept: float, pull: Pull, state: State) -> None:
    """Leave a share of the springs of some joints, and add a pull through them."""
    stiff = pull.damping + state.step * pull.stiffness
    _pull(
        springs.push, springs.gain, through.dofs, through.weight, kept,
        pull.jacobian, pull.error, pull.rate, state.qvel, pull.stiffness, stiff,
    )  # fmt: skip


@kernel
def _pull(
    push: Any, gain: Any, dofs: Any, weight: Any, kept: float, jacobian: Any, error: Any, rate: Any, velocity: Any,
    stiffness: float, stiff: float,
) -> None:  # fmt: skip
    """Each joint is implicit in its own velocity, and takes the others as they are."""
    for k in range(dofs.shape[0]):
        i = dofs[k]
        own = drive = 0.0
        for axis in range(3):
            lever = jacobian[axis, i]
            own += lever * lever
            drive += lever * (stiffness * error[axis] - stiff * rate[axis])
        push[i] = kept * push[i] + weight[k] * (drive + stiff * own * velocity[i])
        gain[i] = kept * gain[i] + weight[k] * stiff * own
