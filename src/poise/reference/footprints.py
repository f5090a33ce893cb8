"""Footprints: where a foot stands during one contact, as one rigid print on level or sloping ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.body import Body
from poise.body.parts import Foot
from poise.frozen import readonly
from poise.reference.bodyclip import BodyClip
from poise.reference.contacts_runs import Mask, runs
from poise.reference.ik_kinematics import Kinematics
from poise.spatial import Array, matrix_to_quat, quat_rotate


@dataclass(frozen=True)
class GroundSettings:
    """What ground may be like."""

    near: float = 0.05  # m: soles this close to the floor stand on it
    level: float = 0.14  # rad: less is no slope


@dataclass(frozen=True, eq=False)
class Footprint:
    """The pose of a foot's link, sole on the ground, from frame `start` to before `stop`."""

    foot: Foot
    start: int
    stop: int
    place: Array  # (3,) m
    turn: Array  # (4,)

    def points(self, in_link: Array) -> Array:
        """(k, 3) m: points of the link as the print has them in the world."""
        return np.asarray(self.place + quat_rotate(self.turn, in_link))

    @property
    def height(self) -> float:
        """m, of the lowest point of the sole."""
        return float(self.points(self.foot.points)[:, 2].min())


def footprints(clip: BodyClip, settings: GroundSettings | None = None) -> list[Footprint]:
    """All of a clip whose contacts are known, foot by foot in order of time."""
    chosen = settings or GroundSettings()
    names = [part.name for part in clip.parts]
    assert clip.down is not None
    out = []
    for foot in clip.body.feet:
        places, _ = Kinematics(clip.body, [(foot.link, point) for point in foot.points]).at(clip.qpos)
        ends = clip.down[:, [names.index(f"{foot.name}_{end}") for end in ("heel", "ball")]]  # (T, 2)
        sole = _sole(clip.body, foot)
        for start, stop in runs(np.asarray(ends.any(axis=1))):
            span = slice(start, stop)
            place, turn = _print(foot, sole, places[span], ends[span], chosen)
            out.append(Footprint(foot, start, stop, readonly(place), readonly(turn)))
    return out


def _sole(body: Body, foot: Foot) -> Array:
    """(3, 3) axes of the sole in the link frame, as columns: forward, left, up."""
    _, turns = Kinematics(body, (), [foot.link]).at(body.standing[None])
    matrix = quat_rotate(turns[0, 0] * np.array([1.0, -1.0, -1.0, -1.0]), np.eye(3))  # world axes in the link frame
    forward = foot.points[2:].mean(axis=0) - foot.points[:2].mean(axis=0)
    forward = forward / np.linalg.norm(forward)
    left = np.cross(matrix[2], forward)
    left = left / np.linalg.norm(left)
    return np.stack([forward, left, np.cross(forward, left)], axis=1)


def _print(
    foot: Foot, sole: Array, places: Array, ends: Mask, settings: GroundSettings
) -> tuple[Array, Array]:  # fmt: skip
    """Place and turn of the link for corners (n, 4, 3) and which end is down (n, 2) in the frames of a contact."""
    middles = np.stack([places[:, :2].mean(axis=1), places[:, 2:].mean(axis=1)], axis=1)  # (n, 2, 3)
    yaw = _heading(foot, sole, places)
    levels = [float(np.median(middles[ends[:, k], k, 2])) if ends[:, k].any() else None for k in range(2)]
    height, slope = _ground(levels, float(np.linalg.norm(np.mean(foot.points[2:] - foot.points[:2], axis=0))), settings)
    forward = np.array([np.cos(yaw) * np.cos(slope), np.sin(yaw) * np.cos(slope), np.sin(slope)])
    left = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    axes = np.stack([forward, left, np.cross(forward, left)], axis=1)
    matrix = axes @ sole.T
    own = np.stack([foot.points[:2].mean(axis=0), foot.points[2:].mean(axis=0)]) @ matrix.T  # (2, 3)
    place = np.mean((middles - own)[ends], axis=0)
    place[2] = height - own[:, 2].mean()
    return place, matrix_to_quat(matrix)


def _heading(foot: Foot, sole: Array, places: Array) -> float:
    """rad: where a foot points; by its own forward and left axes, each as far as it is level."""
    own = foot.points - foot.points.mean(axis=0)
    seen = places - places.mean(axis=1, keepdims=True)
    forward, left = (np.mean(np.einsum("k,nkj->nj", own @ sole[:, k], seen), axis=0) for k in (0, 1))
    spread = [float(np.sum((own @ sole[:, k]) ** 2)) for k in (0, 1)]
    ahead, aside = forward / spread[0], left / spread[1]
    return float(np.arctan2(ahead[1] - aside[0], ahead[0] + aside[1]))


def _ground(levels: list[float | None], length: float, settings: GroundSettings) -> tuple[float, float]:
    """Height (m) under the middle of the sole and slope (rad, up in front is positive)."""
    known = [level for level in levels if level is not None]
    height = float(np.mean(known))
    if abs(height) < settings.near:
        return 0.0, 0.0
    slope = float(np.arctan2(known[1] - known[0], length)) if len(known) == 2 else 0.0
    return height, slope if abs(slope) > settings.level else 0.0
