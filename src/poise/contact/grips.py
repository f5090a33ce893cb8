"""Rows of grips: points at which two bodies are held together."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.contact.rows import point_rows
from poise.dynamics.workspace import (
    CONTACT_BODY,
    CONTACT_KIND,
    CONTACT_OTHER,
    CONTACTS,
    COUNTS,
    GRIP_JACOBIAN,
    GRIP_OFFSET,
    GRIP_ROWS,
    IGNORED,
    RECOVERY,
    SETTINGS,
    STEP,
    XMAT,
    XPOS,
)
from poise.kernel import floats, floats2, ints, kernel


@kernel
def grip_rows(table: Any, body: Any, other: Any, point: Any, apart: Any) -> None:
    """Rows along the world axes of points where two bodies are held together; apart (g, 3) is closed in time."""
    settings = floats(table, SETTINGS)
    h, recovery = settings[STEP], settings[RECOVERY]
    jacobian, offset = floats2(table, GRIP_JACOBIAN), floats(table, GRIP_OFFSET)
    axes = np.zeros(9)
    axes[0] = axes[4] = axes[8] = 1.0
    for g in range(body.shape[0]):
        own, curve = jacobian[3 * g : 3 * g + 3], offset[3 * g : 3 * g + 3]
        own[:] = 0.0
        curve[:] = 0.0
        point_rows(table, 1.0, body[g], True, point[g], axes, 3, own, curve)
        point_rows(table, -1.0, other[g], True, point[g], axes, 3, own, curve)
        for k in range(3):
            curve[k] = 0.5 * h * curve[k] + 2.0 * recovery * apart[g, k]
    ints(table, COUNTS)[GRIP_ROWS] = 3 * body.shape[0]


@kernel
def hold(table: Any, body: Any, other: Any, local: Any, other_local: Any, point: Any) -> None:
    """Rows of grips at points given in the frames of both bodies; fills their places (g, 3) in the world.

    A hand does not collide with what it holds: contacts between the two are left out.
    """
    xpos, xmat = floats2(table, XPOS), floats2(table, XMAT)
    apart = np.empty(point.shape)
    for g in range(body.shape[0]):
        own, its = xmat[body[g]], xmat[other[g]]
        for i in range(3):
            point[g, i], there = xpos[body[g], i], xpos[other[g], i]
            for j in range(3):
                point[g, i] += own[3 * i + j] * local[g, j]
                there += its[3 * i + j] * other_local[g, j]
            apart[g, i] = point[g, i] - there
    grip_rows(table, body, other, point, apart)
    kind, first, second = ints(table, CONTACT_KIND), ints(table, CONTACT_BODY), ints(table, CONTACT_OTHER)
    for c in range(ints(table, COUNTS)[CONTACTS]):
        for g in range(body.shape[0]):
            same = first[c] == body[g] and second[c] == other[g]
            if same or (first[c] == other[g] and second[c] == body[g]):
                kind[c] = IGNORED
