"""Feedback controllers (springs and dampers) of all degrees of freedom in one step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Ints
from poise.dynamics.state import State
from poise.kernel import kernel


class Springs(NamedTuple):
    """Torques of the form ``push - gain v``, where v is the velocity of a DOF at the end of the step.

    The pose controllers fill push and gain at each step; objectives then change them in place.
    """

    push: Array  # (nv,) N m
    gain: Array  # (nv,) N m s/rad
    stiffness: Array  # (nv,) N m/rad, of the pose controllers: k_s
    damping: Array  # (nv,) N m s/rad, of the pose controllers near their targets: k_d


class WeightedDofs(NamedTuple):
    """Degrees of freedom that serve an objective, each with a weight."""

    dofs: Ints  # (k,)
    weight: Array  # (k,)


class SpringPull(NamedTuple):
    """A spring and damper on a point or on the direction of a link; its force or torque acts through some joints."""

    error: Array  # (3,) m or rad, from the actual to the target value
    rate: Array  # (3,) m/s or rad/s, of the actual relative to the target value
    jacobian: Array  # (3, nv) of the rate
    stiffness: float  # N/m or N m/rad
    damping: float  # N s/m or N m s/rad


@kernel
def fill_pose_springs(
    error: Array, velocity: Array, stiffness: Array, damping: Array, step: float, reach: float, rate: float,
    push: Array, gain: Array,
) -> None:  # fmt: skip
    """Write push and gain (nv,) of the pose controllers for errors (nv,) rad, [Fattal2006] Eq. (3).

    The spring acts on the error at the end of the step. ``reach`` (rad) and ``rate`` go to `mean_damping_share`.
    """
    for i in range(push.shape[0]):
        push[i] = stiffness[i] * error[i]
        gain[i] = mean_damping_share(error[i], step * velocity[i], reach, rate) * damping[i] + step * stiffness[i]


@kernel
def mean_damping_share(error: float, way: float, reach: float, rate: float) -> float:
    """Damping reduction f of [Fattal2006] Eq. (3), averaged over a step.

    ``error`` (rad) holds at the start of the step; ``way`` (rad) is the displacement towards the target in the step.
    ``reach`` is the paper's lambda (rad), ``rate`` is alpha. Fast limbs cross the narrow zone of full damping within a
    step, so f is averaged along the way: (F(e1) - F(e0)) / (e1 - e0), with F' = f.
    """
    after = error - way
    if abs(way) < 1e-9:
        return 1.0 if abs(error) < reach else rate * reach / abs(error)
    return (_damping_integral(after, reach, rate) - _damping_integral(error, reach, rate)) / (after - error)


@kernel
def _damping_integral(error: float, reach: float, rate: float) -> float:
    """Integral F, from 0 to an error (rad), of the damping reduction f."""
    size = abs(error)
    if size < reach:
        return float(error)
    return float(np.sign(error)) * reach * (1.0 + rate * float(np.log(size / reach)))


@kernel
def springs_to_motors(push: Array, gain: Array, first: int, last: int, velocity_out: Array, gain_out: Array) -> None:
    """Write the springs of DOFs ``first`` to ``last`` - 1 as target velocity and gain of a motor for each DOF."""
    for i in range(first, last):
        gain_out[i] = gain[i]
        if gain[i] > 0.0:
            velocity_out[i] = push[i] / gain[i]


def add_spring_pull(springs: Springs, through: WeightedDofs, kept: float, pull: SpringPull, state: State) -> None:
    """Scale the springs of the DOFs ``through`` by ``kept``, and add the torques of a pull on these DOFs."""
    gain = pull.damping + state.step * pull.stiffness
    _add_pull_to_springs(
        springs.push, springs.gain, through.dofs, through.weight, kept,
        pull.jacobian, pull.error, pull.rate, state.qvel, pull.stiffness, gain,
    )  # fmt: skip


@kernel
def _add_pull_to_springs(
    push: Array, gain: Array, dofs: Ints, weight: Array, kept: float, jacobian: Array, error: Array, rate: Array,
    velocity: Array, stiffness: float, pull_gain: float,
) -> None:  # fmt: skip
    """As `add_spring_pull`; implicit in the velocity of the DOF itself, explicit in the velocities of the others."""
    for k in range(dofs.shape[0]):
        i = dofs[k]
        own = drive = 0.0
        for axis in range(3):
            lever = jacobian[axis, i]
            own += lever * lever
            drive += lever * (stiffness * error[axis] - pull_gain * rate[axis])
        push[i] = kept * push[i] + weight[k] * (drive + pull_gain * own * velocity[i])
        gain[i] = kept * gain[i] + weight[k] * pull_gain * own
