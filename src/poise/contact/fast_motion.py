"""Whether a step is so fast that its rows may be wrong about where surfaces end.

A row foresees a gap by its normal and the bend of its path at the start. What it may miss: the bend changes with the
velocity, the normal turns where a surface is not a plane, and who is far away has no row at all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.dynamics.workspace import (
    BODY_LAST_DOF,
    BODY_ROOT,
    BODY_TREE,
    CDOF,
    CONTACT_BODY,
    CONTACT_JACOBIAN,
    CONTACT_KIND,
    CONTACT_OFFSET,
    CONTACT_OTHER,
    CONTACT_POINT,
    CONTACTS,
    COUNTS,
    DOF_PARENT,
    GEOM_BODY,
    GEOM_REACH,
    GEOM_XPOS,
    IGNORED,
    QVEL,
    SETTINGS,
    STEP,
    SUBTREE_COM,
    TREE_DOF,
    VELOCITY,
)
from poise.kernel import floats, floats2, ints, kernel

DOUBT = 3e-3
"""m: a row is doubtful if its surfaces may sink in by more than this for what it misses."""
ROUND = 0.05
"""m: normals turn as those of a surface of this radius, wherever it is not a plane."""


@kernel
def _twists(table: Any, velocity: Any) -> Any:
    """(nbody, 6) angular and linear velocity of each body, the latter at its tree's centre of mass."""
    last, parent, cdof = ints(table, BODY_LAST_DOF), ints(table, DOF_PARENT), floats2(table, CDOF)
    twist = np.zeros((last.shape[0], 6))
    for b in range(last.shape[0]):
        i = last[b]
        while i >= 0:
            for k in range(6):
                twist[b, k] += cdof[i, k] * velocity[i]
            i = parent[i]
    return twist


@kernel
def _motion_at(table: Any, twist: Any, body: int, point: Any, sign: float, moved: Any, bent: Any) -> None:
    """Add sign times the velocity u of a body's point to moved, and omega x u to bent."""
    origin = floats2(table, SUBTREE_COM)[ints(table, BODY_ROOT)[body]]
    rx, ry, rz = point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]
    wx, wy, wz = twist[body, 0], twist[body, 1], twist[body, 2]
    ux = twist[body, 3] + wy * rz - wz * ry
    uy = twist[body, 4] + wz * rx - wx * rz
    uz = twist[body, 5] + wx * ry - wy * rx
    moved[0] += sign * ux
    moved[1] += sign * uy
    moved[2] += sign * uz
    bent[0] += sign * (wy * uz - wz * uy)
    bent[1] += sign * (wz * ux - wx * uz)
    bent[2] += sign * (wx * uy - wy * ux)


@kernel
def _size(vector: Any) -> float:
    return float(np.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2))


@kernel
def _outruns(table: Any, twist: Any, look_ahead: float) -> bool:
    """Whether two surfaces may meet in the step that are further apart than the world looks ahead."""
    h, reach, owner = floats(table, SETTINGS)[STEP], floats(table, GEOM_REACH), ints(table, GEOM_BODY)
    tree, centre = ints(table, BODY_TREE), floats2(table, GEOM_XPOS)
    fastest = np.zeros(ints(table, TREE_DOF).shape[0] + 1)  # m/s, of each tree; fixed ones are last
    moved, unused = np.zeros(3), np.zeros(3)
    for g in range(reach.shape[0]):
        if reach[g] > 0.0:
            moved[:] = 0.0
            _motion_at(table, twist, owner[g], centre[g], 1.0, moved, unused)
            speed = _size(moved) + reach[g] * _size(twist[owner[g]])
            fastest[tree[owner[g]]] = max(fastest[tree[owner[g]]], speed)
    first = second = 0.0
    for speed in fastest:
        if speed > first:
            first, second = speed, first
        elif speed > second:
            second = speed
    return bool(h * (first + second) > look_ahead)


@kernel
def doubtful(table: Any, geom: Any, look_ahead: float) -> bool:
    """Whether rows may be wrong about where the solved velocity (VELOCITY) brings surfaces by the end of the step."""
    h, velocity = floats(table, SETTINGS)[STEP], floats(table, VELOCITY)
    twist = _twists(table, velocity)
    if _outruns(table, twist, look_ahead):
        return True
    first = _twists(table, floats(table, QVEL))
    body, other, point = ints(table, CONTACT_BODY), ints(table, CONTACT_OTHER), floats2(table, CONTACT_POINT)
    jacobian, offset = floats2(table, CONTACT_JACOBIAN), floats(table, CONTACT_OFFSET)
    kind, reach, owner = ints(table, CONTACT_KIND), floats(table, GEOM_REACH), ints(table, GEOM_BODY)
    moved, unused, bent = np.zeros(3), np.zeros(3), np.zeros(3)
    for c in range(ints(table, COUNTS)[CONTACTS]):
        if kind[c] == IGNORED:
            continue
        ends = offset[3 * c]
        for i in range(velocity.shape[0]):
            ends += jacobian[3 * c, i] * velocity[i]
        moved[:] = 0.0
        bent[:] = 0.0
        for sign, what in ((1.0, body[c]), (-1.0, other[c])):
            _motion_at(table, first, what, point[c], -sign, unused, bent)
            _motion_at(table, twist, what, point[c], sign, moved, bent)
        missed = 0.5 * h * h * _size(bent)
        if reach[geom[c, 0]] > 0.0 and reach[geom[c, 1]] > 0.0:
            speed = _size(moved)
            for k in range(2):
                speed += reach[geom[c, k]] * _size(twist[owner[geom[c, k]]])
            missed += (h * speed) ** 2 / (2.0 * ROUND)
        if h * ends - missed < -DOUBT:
            return True
    return False
