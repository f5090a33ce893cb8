"""Grips: points where two bodies are held together, made and released during a run."""

from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Ints
from poise.body.surface import distance_to_link
from poise.contact.rows import add_point_rows
from poise.dynamics import workspace as at
from poise.errors import PoiseError
from poise.kernel import Table, float_matrix, floats, ints, kernel

REACH = 0.1  # Largest distance (m) of a grip from a body's surface: about the length of fingers


@dataclass(frozen=True)
class Grip:
    """A point of one body held at a point of another. Two or three grips hold an object rigidly."""

    body: int  # id of the body that holds
    point: tuple[float, float, float]  # m, in the frame of `body`
    other: int  # id of the body that is held; 0 is the world
    other_point: tuple[float, float, float]  # m, in the frame of `other`


def make_grip(model: mujoco.MjModel, data: mujoco.MjData, body: int, other: int, point: ArrayLike) -> Grip:
    """A grip of one body on another at a world point (m); raises unless both bodies are near and one can move."""
    name, its = model.body(body).name, model.body(other).name
    fixed = model.body_weldid[[body, other]] == 0
    if fixed.all() or body == other:
        raise PoiseError(f"cannot grip '{its}' with '{name}': they must differ, and one of them must be able to move")
    place = np.asarray(point, float)
    if place.shape != (3,) or not np.all(np.isfinite(place)):
        raise PoiseError(f"cannot grip with '{name}' at {point!r}: a point is three finite numbers")
    local = [data.xmat[i].reshape(3, 3).T @ (place - data.xpos[i]) for i in (body, other)]
    for each, called, own in zip((body, other), (name, its), local, strict=True):
        away = distance_to_link(model, each, own)
        if each and REACH < away < np.inf:
            raise PoiseError(f"cannot grip at {place.tolist()}: '{called}' is {away:.2f} m away (at most {REACH} m)")
    return Grip(body, tuple(local[0]), other, tuple(local[1]))


@lru_cache(maxsize=8)
def grip_columns(grips: tuple[Grip, ...]) -> tuple[Ints, Ints, Array, Array]:
    """Bodies (g,), other bodies (g,), and points (g, 3) in the frames of both."""
    columns = zip(*((grip.body, grip.other, grip.point, grip.other_point) for grip in grips), strict=True)
    body, other, point, other_point = map(np.array, columns)
    return body, other, point, other_point


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
    """Write rows of grips at points given in both frames; fills `point` (g, 3) m; bodies that grip do not collide."""
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
