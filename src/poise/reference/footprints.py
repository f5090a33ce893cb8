"""Footprints: where a foot stands during one contact, as one rigid print on level or sloping ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.body import Body
from poise.body.parts import Foot
from poise.frozen import Array, readonly
from poise.reference.bodyclip import BodyClip
from poise.reference.contacts_runs import Mask, runs
from poise.reference.ik_kinematics import Kinematics
from poise.spatial import matrix_to_quat, quat_rotate


@dataclass(frozen=True)
class GroundSettings:
    """What ground may be like."""

    near: float = 0.05  # m: soles this close to the floor stand on it
    level: float = 0.14  # rad: less is no slope
    lean: float = 0.03  # rad: so much the whole captured floor may lean
    doubtful: float = 0.12  # m: steps this close to the floor may be on it, if it leans


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


@dataclass(frozen=True, eq=False)
class _Stance:
    """One contact of a foot as it was captured."""

    foot: Foot
    start: int
    stop: int
    middles: Array  # (n, 2, 3) m: between the corners of the heel, and of the ball
    ends: Mask  # (n, 2) which of the two is down
    yaw: float  # rad, where the foot points

    @property
    def levels(self) -> list[float]:
        """m: heights of heel and ball, of those that are ever down."""
        return [float(np.median(self.middles[down, k, 2])) for k, down in enumerate(self.ends.T) if down.any()]

    @property
    def centre(self) -> Array:
        """(3,) m: the middle of what is down, at the height of the ground."""
        return np.append(self.middles[self.ends].mean(axis=0)[:2], np.mean(self.levels))


def footprints(clip: BodyClip, settings: GroundSettings | None = None) -> list[Footprint]:
    """All of a clip whose contacts are known, foot by foot in order of time."""
    chosen = settings or GroundSettings()
    stances = _stances(clip)
    leaning = _lean([stance.centre for stance in stances], chosen)
    soles = {foot.name: _sole(clip.body, foot) for foot in clip.body.feet}
    return [_print(stance, soles[stance.foot.name], leaning, chosen) for stance in stances]


def _stances(clip: BodyClip) -> list[_Stance]:
    names = [part.name for part in clip.parts]
    assert clip.down is not None
    out = []
    for foot in clip.body.feet:
        places, _ = Kinematics(clip.body, [(foot.link, point) for point in foot.points]).at(clip.qpos)
        middles = np.stack([places[:, :2].mean(axis=1), places[:, 2:].mean(axis=1)], axis=1)
        ends = clip.down[:, [names.index(f"{foot.name}_{end}") for end in ("heel", "ball")]]  # (T, 2)
        sole = _sole(clip.body, foot)
        for start, stop in runs(np.asarray(ends.any(axis=1))):
            span = slice(start, stop)
            out.append(_Stance(foot, start, stop, middles[span], ends[span], _heading(foot, sole, places[span])))
    return out


def _lean(centres: list[Array], settings: GroundSettings) -> Array:
    """(3,) a, b, c of the captured floor's height a x + b y + c: capture volumes lean a little against gravity.

    Told from the steps near the floor, if they are enough and far enough apart; otherwise the floor is level at 0.
    """
    level = np.zeros(3)
    low = np.array([centre for centre in centres if abs(centre[2]) < settings.doubtful])
    if len(low) < 4 or np.ptp(low[:, :2], axis=0).max() < 1.0:
        return level
    rows = np.append(low[:, :2], np.ones((len(low), 1)), axis=1)
    thin = np.eye(3)[:2]  # where steps are in a line, nothing tells how it leans across
    found = np.linalg.lstsq(np.append(rows, thin, axis=0), np.append(low[:, 2], [0.0, 0.0]), rcond=None)[0]
    fits = np.abs(rows @ found - low[:, 2]).max() < settings.near
    return found if fits and np.hypot(*found[:2]) < settings.lean else level


def _sole(body: Body, foot: Foot) -> Array:
    """(3, 3) axes of the sole in the link frame, as columns: forward, left, up."""
    _, turns = Kinematics(body, (), [foot.link]).at(body.standing[None])
    matrix = quat_rotate(turns[0, 0] * np.array([1.0, -1.0, -1.0, -1.0]), np.eye(3))  # world axes in the link frame
    forward = foot.points[2:].mean(axis=0) - foot.points[:2].mean(axis=0)
    forward = forward / np.linalg.norm(forward)
    left = np.cross(matrix[2], forward)
    left = left / np.linalg.norm(left)
    return np.stack([forward, left, np.cross(forward, left)], axis=1)


def _print(stance: _Stance, sole: Array, leaning: Array, settings: GroundSettings) -> Footprint:
    """The rigid print of a contact: flat on the floor, or as high and as steep as it was captured."""
    foot = stance.foot
    height, slope = _ground(stance, leaning, settings)
    yaw = stance.yaw
    forward = np.array([np.cos(yaw) * np.cos(slope), np.sin(yaw) * np.cos(slope), np.sin(slope)])
    left = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    axes = np.stack([forward, left, np.cross(forward, left)], axis=1)
    matrix = axes @ sole.T
    own = np.stack([foot.points[:2].mean(axis=0), foot.points[2:].mean(axis=0)]) @ matrix.T  # (2, 3)
    place = np.mean((stance.middles - own)[stance.ends], axis=0)
    place[2] = height - own[:, 2].mean()
    return Footprint(foot, stance.start, stance.stop, readonly(place), readonly(matrix_to_quat(matrix)))


def _heading(foot: Foot, sole: Array, places: Array) -> float:
    """rad: where a foot points; by its own forward and left axes, each as far as it is level."""
    own = foot.points - foot.points.mean(axis=0)
    seen = places - places.mean(axis=1, keepdims=True)
    forward, left = (np.mean(np.einsum("k,nkj->nj", own @ sole[:, k], seen), axis=0) for k in (0, 1))
    spread = [float(np.sum((own @ sole[:, k]) ** 2)) for k in (0, 1)]
    ahead, aside = forward / spread[0], left / spread[1]
    return float(np.arctan2(ahead[1] - aside[0], ahead[0] + aside[1]))


def _ground(stance: _Stance, leaning: Array, settings: GroundSettings) -> tuple[float, float]:
    """Height (m) under the middle of the sole and slope (rad, up in front is positive)."""
    x, y, captured = stance.centre
    height = float(captured - leaning @ [x, y, 1.0])
    if abs(height) < settings.near:
        return 0.0, 0.0
    foot, known = stance.foot, stance.levels
    length = float(np.linalg.norm(np.mean(foot.points[2:] - foot.points[:2], axis=0)))
    slope = float(np.arctan2(known[1] - known[0], length)) if len(known) == 2 else 0.0
    return height, slope if abs(slope) > settings.level else 0.0
