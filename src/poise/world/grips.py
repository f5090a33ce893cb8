"""Grips: points where two bodies are held together, made and released during a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Ints
from poise.body.surface import distance_to_body
from poise.errors import PoiseError

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
        away = distance_to_body(model, each, own)
        if each and REACH < away < np.inf:
            raise PoiseError(f"cannot grip at {place.tolist()}: '{called}' is {away:.2f} m away (at most {REACH} m)")
    return Grip(body, tuple(local[0]), other, tuple(local[1]))


@lru_cache(maxsize=8)
def grip_columns(grips: tuple[Grip, ...]) -> tuple[Ints, Ints, Array, Array]:
    """Bodies (g,), other bodies (g,), and points (g, 3) in the frames of both."""
    columns = zip(*((grip.body, grip.other, grip.point, grip.other_point) for grip in grips), strict=True)
    body, other, point, other_point = map(np.array, columns)
    return body, other, point, other_point
