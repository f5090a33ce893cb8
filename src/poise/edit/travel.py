"""Edits of a walk's path: stride length, turns, and paths through points."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from poise.arrays import Array
from poise.ease import quintic_ease
from poise.edit import walk
from poise.edit.take import Span, Take, edit_text, edit_text_of_numbers, number_text
from poise.edit.track import TakeFootTrack
from poise.errors import PoiseError

USUAL_TURN = math.radians(50.0)  # rad/s, of a turn without an end time
SLOW = 0.15  # m/s: below this speed a path has no direction of its own


@dataclass(frozen=True)
class StrideEdit:
    """Edit that makes each step longer (shorter if negative) by `metres`, or multiplies step lengths by `factor`."""

    eases: ClassVar[bool] = True
    metres: float | None = None
    factor: float | None = None
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if (self.metres is None) == (self.factor is None):
            raise PoiseError("a stride edit takes either metres or a factor")

    def __str__(self) -> str:
        amount = f"x{number_text(self.factor)}" if self.factor is not None else f"{self.metres:+}".removesuffix(".0")
        return edit_text("stride", amount, self.span)

    def on(self, take: Take) -> Take:
        """The walk with the changed step lengths; contacts keep their times."""
        return walk.take_on_course(take, self.span.start, self._prepare)

    def _prepare(self, track: TakeFootTrack) -> walk.Course:
        change = (
            self.factor - 1.0 if self.factor is not None else (self.metres or 0.0) / mean_step_length_of_take(track)
        )

        def course(track: TakeFootTrack) -> walk.CourseMoves:
            share = change * self.span.weight(track.time)
            shift = np.cumsum(share[:, None] * _edited_path_increments(track.path), axis=0)
            root = walk.path_moves(track.path, track.path + shift, np.zeros(track.frames))
            return walk.CourseMoves(root, walk.edit_moves_of_footprints(track, root, self.span.start))

        return course


@dataclass(frozen=True)
class TurnEdit:
    """Edit that bends the path by `degrees` to the left, gradually over the span."""

    degrees: float
    span: Span = field(default_factory=Span)

    def __str__(self) -> str:
        return edit_text("turn", number_text(self.degrees), self.span)

    def on(self, take: Take) -> Take:
        """The walk on the bent path."""
        start = self.span.start or 0.0
        end = self.span.end or (start + max(abs(math.radians(self.degrees)) / USUAL_TURN, 0.5))

        def prepare(track: TakeFootTrack) -> walk.Course:
            walk.require_walk(track, self.span.start, self)
            return course

        def course(track: TakeFootTrack) -> walk.CourseMoves:
            yaw = math.radians(self.degrees) * quintic_ease((track.time - start) / (end - start))
            root = turned_path_moves(track, yaw)
            return walk.CourseMoves(root, walk.edit_moves_of_footprints(track, root, self.span.start))

        return walk.take_on_course(take, self.span.start, prepare)


@dataclass(frozen=True)
class PathEdit:
    """Edit that leads a walk through `points` on the ground, from the figure's position at the span's start."""

    points: tuple[tuple[float, float], ...]  # m, in the world
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if not self.points:
            raise PoiseError("a path needs at least one point")

    def __str__(self) -> str:
        return edit_text("path", "/".join(edit_text_of_numbers(p) for p in self.points), self.span)

    def on(self, take: Take) -> Take:
        """The walk along the path, as far as the original steps reach; straight on after the end of the path."""
        return walk.take_on_course(take, self.span.start, self._prepare)

    def _prepare(self, track: TakeFootTrack) -> walk.Course:
        walk.require_walk(track, self.span.start, self)
        begin = max(round((self.span.start or 0.0) * track.rate) - track.first, 0)
        origin, heading = track.path[begin], _path_headings(track.path, track.rate)[begin]
        curve = curve_through_points(origin, heading, np.array(self.points, float))
        run = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
        angles = np.unwrap(np.arctan2(*np.diff(curve, axis=0).T[::-1]))
        middles = 0.5 * (run[1:] + run[:-1])

        def course(track: TakeFootTrack) -> walk.CourseMoves:
            far = np.cumsum(np.linalg.norm(_edited_path_increments(track.path), axis=1))
            far = np.maximum(far - far[begin], 0.0)
            wanted = np.interp(far, middles, angles)
            yaw = wanted - _path_headings(track.path, track.rate)
            yaw -= 2 * np.pi * np.round(yaw[begin] / (2 * np.pi))
            yaw[:begin] = 0.0
            beyond = np.maximum(far - run[-1], 0.0)[:, None] * [math.cos(angles[-1]), math.sin(angles[-1])]
            target = np.stack([np.interp(far, run, curve[:, i]) for i in (0, 1)], axis=1) + beyond
            target[:begin] = track.path[:begin]
            root = walk.path_moves(track.path, target, yaw)
            return walk.CourseMoves(root, walk.edit_moves_of_footprints(track, root, self.span.start))

        return course


def mean_step_length_of_take(track: TakeFootTrack) -> float:
    """Mean distance (m) that the root travels along the ground between successive footfalls."""
    falls = [s.begin for s in track.stances if s.begin > 0]
    ways = np.linalg.norm(np.diff(track.path[falls], axis=0), axis=1) if len(falls) > 1 else np.zeros(0)
    if not len(ways) or ways.mean() < 0.05:
        raise PoiseError("a stride edit in metres needs a walk: no two footfalls near the edit's start are apart")
    return float(ways.mean())


def curve_through_points(origin: Array, heading: float, points: Array) -> Array:
    """(n, 2) m: dense curve of Hermite splines from `origin` in direction `heading` (rad) through `points` (K, 2) m."""
    knots = np.vstack([origin, points])
    chords = np.diff(knots, axis=0)
    lengths = np.maximum(np.linalg.norm(chords, axis=1, keepdims=True), 1e-9)
    units = chords / lengths
    tangents = np.vstack([[math.cos(heading), math.sin(heading)], units[:-1] + units[1:], units[-1:]])
    tangents /= np.maximum(np.linalg.norm(tangents, axis=1, keepdims=True), 1e-9)
    s = np.linspace(0.0, 1.0, 100)[:, None]
    at_knots = (2 * s**3 - 3 * s**2 + 1, 3 * s**2 - 2 * s**3)
    at_tangents = (s**3 - 2 * s**2 + s, s**3 - s**2)
    pieces = [
        at_knots[0] * knots[i]
        + at_knots[1] * knots[i + 1]
        + lengths[i] * (at_tangents[0] * tangents[i] + at_tangents[1] * tangents[i + 1])
        for i in range(len(chords))
    ]
    return np.vstack([pieces[0][:1], *(piece[1:] for piece in pieces)])


def turned_path_moves(track: TakeFootTrack, yaw: Array) -> walk.RigidEditMove:
    """(K,) moves of the root after which each increment of the track's path is turned by `yaw` (K,) rad."""
    steps = _edited_path_increments(track.path)
    cosine, sine = np.cos(yaw), np.sin(yaw)
    turned = np.stack([cosine * steps[:, 0] - sine * steps[:, 1], sine * steps[:, 0] + cosine * steps[:, 1]], axis=1)
    return walk.path_moves(track.path, track.path[0] + np.cumsum(turned, axis=0), yaw)


def _edited_path_increments(path: Array) -> Array:
    """(K, 2) m: displacement of a path (K, 2) from the previous frame to each frame; 0 at the first frame."""
    return np.diff(path, axis=0, prepend=path[:1])


def _path_headings(path: Array, rate: float) -> Array:
    """(K,) rad: direction of a path (K, 2) m, without jumps of 2 pi. Slow frames have the last known direction."""
    speed = np.gradient(path, axis=0) * rate
    moving = np.linalg.norm(speed, axis=1) > SLOW
    if not moving.any():
        return np.zeros(len(path))
    last = np.maximum.accumulate(np.where(moving, np.arange(len(path)), -1))
    last = np.where(last < 0, np.argmax(moving), last)
    return np.unwrap(np.arctan2(speed[last, 1], speed[last, 0]))
