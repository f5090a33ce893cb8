"""Rows of grips: bilateral constraints that hold a point of one body at a point of another."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Ints
from poise.contact.rows import add_point_rows
from poise.dynamics import workspace as at
from poise.kernel import Table, float_matrix, floats, ints, kernel


@kernel
def write_grip_rows_at(table: Table, body: Ints, other: Ints, point: Array, apart: Array) -> None:
    """Write rows along the world axes for grips at points (g, 3); their separation `apart` (g, 3) m is corrected."""
    settings = floats(table, at.SETTINGS)
    h, recovery = settings[at.STEP], settings[at.RECOVERY]
    jacobian, offset = float_matrix(table, at.GRIP_JACOBIAN), floats(table, at.GRIP_OFFSET)
    axes = np.zeros(9)
    axes[0] = axes[4] = axes[8] = 1.0
    for g in range(body.shape[0]):
        own, curve = jacobian[3 * g : 3 * g + 3], offset[3 * g : 3 * g + 3]
        own[:] = 0.0
        curve[:] = 0.0
        add_point_rows(table, 1.0, body[g], True, point[g], axes, 3, own, curve)
        add_point_rows(table, -1.0, other[g], True, point[g], axes, 3, own, curve)
        for k in range(3):
            curve[k] = 0.5 * h * curve[k] + 2.0 * recovery * apart[g, k]
    ints(table, at.COUNTS)[at.GRIP_ROWS] = 3 * body.shape[0]


@kernel
def write_grip_rows(table: Table, body: Ints, other: Ints, local: Array, other_local: Array, point: Array) -> None:
    """Write rows of grips at points (g, 3) given in the frames of both bodies; fills `point` (g, 3) in the world.

    Contacts between two bodies that grip each other are left out: a hand does not collide with what it holds.
    """
    xpos, xmat = float_matrix(table, at.XPOS), float_matrix(table, at.XMAT)
    apart = np.empty(point.shape)
    for g in range(body.shape[0]):
        own, its = xmat[body[g]], xmat[other[g]]
        for i in range(3):
            point[g, i], there = xpos[body[g], i], xpos[other[g], i]
            for j in range(3):
                point[g, i] += own[3 * i + j] * local[g, j]
                there += its[3 * i + j] * other_local[g, j]
            apart[g, i] = point[g, i] - there
    write_grip_rows_at(table, body, other, point, apart)
    kind, first, second = ints(table, at.CONTACT_KIND), ints(table, at.CONTACT_BODY), ints(table, at.CONTACT_OTHER)
    for c in range(ints(table, at.COUNTS)[at.CONTACTS]):
        for g in range(body.shape[0]):
            same = first[c] == body[g] and second[c] == other[g]
            if same or (first[c] == other[g] and second[c] == body[g]):
                kind[c] = at.IGNORED
