"""Planted points: low-frequency modes give way so that the points that bear stay at rest under the planned forces.

The paper keeps points planted by correcting the contact forces [Jain2011] Eqs. (24)-(28), with the least disturbance
of the rigid body and low-frequency modes. If the accelerations of all modes leave the points at rest, no correction is
needed, and the rigid body modes get the forces planned for them. So the low-frequency modes change their accelerations
by the least amount that achieves this.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Mask
from poise.control.modal.modes import ROOT, Modes
from poise.kernel import kernel


@kernel
def planted_point_drift(
    rows: tuple[Array, Array, Array], qvel: Array, place: Array, point: Array, frame: Array, own: Mask, out: Array
) -> None:
    """Write into out (3 c,) the accelerations (m/s^2) of a link's points, due to the velocities alone, in their frames.

    ``own`` (c,) tells which points (c, 3) m are on the link; ``frame`` (c, 3, 3) has normal and tangents in rows.
    ``rows`` are matrices (3, nv) of the link at its place (3,) m: the time derivatives of the Jacobians of translation
    and of rotation, and the Jacobian of rotation.
    """
    moving, turning, spinning = rows
    n = qvel.shape[0]
    away, twist, spin = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(3):
        for j in range(n):
            away[i] += moving[i, j] * qvel[j]
            twist[i] += turning[i, j] * qvel[j]
            spin[i] += spinning[i, j] * qvel[j]
    for c in range(point.shape[0]):
        if own[c]:
            arm = point[c] - place
            found = away + np.cross(twist, arm) + np.cross(spin, np.cross(spin, arm))
            out[3 * c : 3 * c + 3] = frame[c] @ found


@kernel
def rigid_mode_acceleration(
    bias: Array, force: Array, point: Array, place: Array, turn: Array, mass: Array, basis: Array
) -> Array:
    """(6,) accelerations of the rigid body modes by bias forces (nv,) and contact forces (C, 3) N at points (C, 3) m.

    ``place`` (3,) m and ``turn`` (3, 3) are position and orientation of the root; ``basis`` is `Modes.basis`.
    """
    pull, twist = np.zeros(3), np.zeros(3)
    for c in range(force.shape[0]):
        arm, given = point[c] - place, force[c]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            pull[i] += given[i]
            twist[i] += arm[j] * given[k] - arm[k] * given[j]
    root = -bias[:ROOT].copy()
    root[:3] += pull
    root[3:] += turn.T @ twist
    whole = basis.T @ np.ascontiguousarray(mass[:ROOT, :ROOT]) @ basis
    found: NDArray[Any] = np.linalg.solve(whole, basis.T @ root)
    return found


@kernel
def yielding_modes(modes: Modes, slow: int, rigid: Array, bend: Array, rows: Array, drift: Array, soft: float) -> Array:
    """(slow,) least change of the low-frequency modes' accelerations that leaves planted points at rest.

    ``rigid`` (6,) and ``bend`` (n,) are the planned accelerations of rigid body modes and deformations. ``rows``
    (3 c, nv) are the points' Jacobians along normals and tangents, ``drift`` (3 c,) m/s^2 are their accelerations due
    to the velocities alone. ``soft`` weighs the change against the points' accelerations.
    """
    shape, basis, carried = modes.shape, modes.basis, modes.carried
    n = shape.shape[0]
    some = np.ascontiguousarray(shape[:, :slow])
    joints = shape @ bend
    whole = np.empty(ROOT + n)
    whole[:ROOT] = basis @ (rigid - carried @ joints)
    whole[ROOT:] = joints
    moved = np.ascontiguousarray(rows[:, ROOT:]) @ some
    moved -= np.ascontiguousarray(rows[:, :ROOT]) @ (basis @ (carried @ some))
    bottom = moved.T @ moved
    for m in range(slow):
        bottom[m, m] += soft
    change: NDArray[Any] = -np.linalg.solve(bottom, moved.T @ (rows @ whole + drift))
    return change
