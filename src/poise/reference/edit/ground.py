"""Walks over uneven ground: footprints on slopes, on stairs, or on any surface; the root follows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from poise.errors import PoiseError
from poise.frozen import Array
from poise.reference.edit.limbs import sole_points, sole_spans
from poise.reference.edit.span import Span
from poise.reference.edit.surface import Surface, Treads, ramp, staircase
from poise.reference.edit.take import Take
from poise.reference.edit.track import Stance, Track, smoothed
from poise.reference.edit.walk import IDENTITY, Course, Move, Steps, Swing, dilated, rewalked, still
from poise.reference.edit.words import number, numbers, written
from poise.spatial import quat_between, quat_rotate, yaw_of

ROOT_SIGMA = 0.12  # s; smooths the root's height over the steps
CLEARANCE = 0.02  # m over edges, unless the foot was lower on its own ground
LIFT_WINDOW, LIFT_SIGMA = 0.05, 0.03  # s
STEEPEST, UNEVEN = math.tan(math.radians(46.0)), 0.01  # m/m and m: beyond it is an edge, on which a foot stays level


@dataclass(frozen=True)
class Slope:
    """A plane that rises ahead by `degrees`: along +x from the origin, or from where the figure is at the start."""

    degrees: float
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if not abs(self.degrees) <= 45:
            raise PoiseError(f"slope of {self.degrees:g} degrees: nobody walks on more than 45")

    def __str__(self) -> str:
        """As on the command line."""
        return written("slope", number(self.degrees), self.span)

    def on(self, take: Take) -> Take:
        """The walk on the slope."""
        surface = ramp(math.radians(self.degrees), hinged=self.span.start is not None)
        return rewalked(take, self.span.start, lambda track: _over(surface, track, self.span.start))


@dataclass(frozen=True)
class Stairs:
    """Steps that climb ahead (or descend, with a negative rise), each foot on a tread of its own."""

    rise: float  # m
    run: float  # m
    count: int
    edge: float = 0.6  # m ahead of the origin, or of where the figure is at the start: the first step
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if not (abs(self.rise) <= 0.5 and self.run >= 0.1 and self.count >= 1):
            raise PoiseError(f"stairs {self}: at most 0.5 m high, at least 0.1 m deep and one step")

    def __str__(self) -> str:
        """As on the command line."""
        edge = None if self.edge == Stairs.edge else number(self.edge)
        return written("stairs", numbers((self.rise, self.run, self.count)), self.span, edge=edge)

    def on(self, take: Take) -> Take:
        """The walk on the stairs; steps become as long as treads are deep."""
        surface = staircase(self.rise, self.run, self.count, self.edge)

        treads = Treads(self.run, self.count, self.edge, self.rise > 0)
        spans = sole_spans(take.body)

        def fitted(stance: Stance, before: float | None, ahead: float) -> float:
            return treads.fit(before, ahead, spans[stance.foot])

        return rewalked(take, self.span.start, lambda track: _over(surface, track, self.span.start, fitted))


@dataclass(frozen=True)
class Heights:
    """Ground of any height, as a function of x and y in the world (arrays in, arrays out, m)."""

    height: Callable[[Array, Array], Array]
    span: Span = field(default_factory=Span)

    def __str__(self) -> str:
        """A description; a function has no form on the command line."""
        return written("heights", getattr(self.height, "__name__", "function"), self.span)

    def on(self, take: Take) -> Take:
        """The walk on that ground."""
        return rewalked(take, self.span.start, lambda track: _over(Surface(self.height), track, self.span.start))


Fit = Callable[[Stance, float | None, float], float]
"""(stance, how far ahead the step before it is, how far ahead this one would be) to how far it is to be, m"""


def _over(surface: Surface, track: Track, start: float | None, fit: Fit | None = None) -> Course:
    """The course over a surface that is laid out where the figure is at `start`."""
    if start is not None:
        k = min(max(round(start * track.rate) - track.first, 0), track.frames - 1)
        surface = surface.laid(track.path[k], float(yaw_of(track.qpos[k, 3:7])))

    points = sole_points(track.body)

    def course(track: Track) -> Steps:
        held = -1 if start is None else start * track.rate - track.first
        prints = _prints(surface, track, held, fit)
        return Steps(_root(track, prints), prints, lambda swing: _lift(surface, track, points[swing.foot], swing))

    return course


def _prints(surface: Surface, track: Track, held: float, fit: Fit | None) -> tuple[Move, ...]:
    """Each stance on the surface, turned to its tilt; those begun before frame `held` stay."""
    moves: list[Move] = []
    shift, before = 0.0, None
    for stance in track.stances:
        centre = track.footprint(stance)
        own = surface.ahead(centre)
        if stance.begin < held:
            before = own
            moves.append(still())
            continue
        if fit is not None:
            shift = fit(stance, before, own + shift) - own
        before = own + shift
        moves.append(_onto(surface, track, stance, centre, shift))
    return tuple(moves)


def _onto(surface: Surface, track: Track, stance: Stance, centre: Array, shift: float) -> Move:
    """The move of a footprint `shift` m ahead and onto the surface."""
    there = centre + shift * np.array([*surface.forward, 0.0])
    sole = track.sole(stance.foot, track.middle(stance))
    heights = surface.at(sole + (there - centre))
    arms = np.column_stack([sole[:, :2] - sole[:, :2].mean(axis=0), np.ones(len(sole))])
    slope_x, slope_y, level = np.linalg.lstsq(arms, heights, rcond=None)[0]
    even = np.allclose(arms @ [slope_x, slope_y, level], heights, atol=UNEVEN)
    turn = IDENTITY
    if even and math.hypot(slope_x, slope_y) < STEEPEST:
        turn = quat_between([0.0, 0.0, 1.0], [-slope_x, -slope_y, 1.0])
    else:
        level = heights.max()
    there = there + [0.0, 0.0, level]
    return Move(turn, there - quat_rotate(turn, centre))


def _root(track: Track, prints: tuple[Move, ...]) -> Move:
    """(K,) moves of the root: the mean of what the feet's prints move by, passed smoothly from step to step."""
    shifts = []
    for foot in range(len(track.body.feet)):
        mine = [(s, m) for s, m in zip(track.stances, prints, strict=True) if s.foot == foot]
        if mine:
            when = [t for s, _ in mine for t in (s.begin, s.end - 1)]
            moved = np.repeat([m.place(track.footprint(s)) - track.footprint(s) for s, m in mine], 2, axis=0)
            shifts.append(np.stack([np.interp(np.arange(track.frames), when, column) for column in moved.T], axis=1))
    mean = np.mean(shifts, axis=0) if shifts else np.zeros((track.frames, 3))
    return Move(np.tile(IDENTITY, (track.frames, 1)), smoothed(mean, ROOT_SIGMA * track.rate))


def _lift(surface: Surface, track: Track, points: Array, swing: Swing) -> Array:
    """(n,) m: how much higher a swing must be so that the sole clears the surface as it cleared its own ground."""
    foot, rows = swing.foot, swing.rows
    soles = swing.place[:, None] + quat_rotate(swing.turn[:, None], points)  # (n, points, 3)
    was = track.place[rows, foot, None] + quat_rotate(track.turn[rows, foot, None], points)
    own = was[..., 2]
    level = np.minimum(own[0].min(), own[-1].min())
    room = np.clip(own - level, 0.0, CLEARANCE)
    missing = np.maximum((surface.at(soles) + room - soles[..., 2]).max(axis=1), 0.0)
    return smoothed(dilated(missing, round(LIFT_WINDOW * track.rate)), LIFT_SIGMA * track.rate)
