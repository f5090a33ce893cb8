"""What bears stays where it is: slow modes give way until planned contact forces and planted points go together.

The paper leaves it to corrections of the contact forces [Jain2011] Eqs. (24)-(28) to keep points planted, and wants
them to disturb rigid and slow modes as little as they can. Corrections vanish, and rigid modes get what was planned
for them, where the accelerations of all modes leave the points at rest. So slow modes take the least change of theirs
that does this.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.control.modal.modes import ROOT
from poise.kernel import kernel


class Planted(NamedTuple):
    """Points that bear now."""

    rows: Array  # (3 c, nv) their Jacobians, along normals and tangents
    curve: Array  # (3 c,) m/s^2 along these: how they accelerate by the present velocities alone


@kernel
def curves(
    moving: Any, turning: Any, spinning: Any, qvel: Any, place: Any, point: Any, frame: Any, own: Any, out: Any
) -> None:
    """Put in how a link's own points (c, 3) accelerate by the velocities (n,) alone, along their frames, (3 c,).

    ``moving`` and ``turning`` (3, nv) are rates of the link's Jacobians at its place (3,), ``spinning`` the latter's.
    """
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
def rigid_acceleration(bias: Any, force: Any, point: Any, place: Any, turn: Any, mass: Any, basis: Any) -> Any:
    """(6,) of the rigid modes, by bias forces (nv,) and contact forces (C, 3) N at points (C, 3) m."""
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
    return np.linalg.solve(whole, basis.T @ root)


@kernel
def giving_way(modes: Any, slow: int, rigid: Any, bend: Any, rows: Any, curve: Any, soft: float) -> Any:
    """(slow,) least change of slow modes' accelerations that leaves points at rest.

    ``rigid`` (6,) and ``bend`` (n,) are the accelerations of rigid modes and deformations as planned. ``soft`` is how
    little rest counts: against it changes are weighed.
    """
    shape, basis, carried = modes[1], modes[4], modes[6]
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
    return -np.linalg.solve(bottom, moved.T @ (rows @ whole + curve))
