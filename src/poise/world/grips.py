"""Grips: points where two bodies hold each other, made and released during a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Grip:
    """A point of one body held at a point of another. Two or three grips hold an object rigidly."""

    body: int  # id of the body that holds
    point: tuple[float, float, float]  # m, in its frame
    other: int  # id of the body that is held; 0 is the world
    other_point: tuple[float, float, float]  # m, in its frame
