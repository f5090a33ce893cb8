"""Walks over uneven ground: footprints move onto slopes, stairs or any surface, and the root follows the footprints."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from poise.arrays import Array
from poise.edit.limbs import sole_points, sole_spans
from poise.edit.take import Span, Take, edit_text, edit_text_of_numbers, number_text
from poise.edit.track import StancePhase, TakeFootTrack, gaussian_smoothed, smooth_cover
from poise.edit.walk import IDENTITY, LANDING, UNMOVED, Course, CourseMoves, RigidEditMove, SwingPath, take_on_course
from poise.errors import PoiseError
from poise.rotations import quat_between, quat_rotate, yaw_of

MARGIN = 0.02  # m, distance of soles from the edges of treads
HEEL_ROOM, TOE_HANG = 0.05, 0.04  # m, downstairs: room for the heel to pass an edge, overhang of the toes
DEEP = 2.0  # foot lengths: deeper treads take more than one step
ROOT_SIGMA = 0.12  # s: filter of the root's shifts from step to step
CLEARANCE = 0.02  # m: least height of a swing foot over the surface, unless it was lower over its own ground
LIFT_WINDOW, LIFT_SIGMA = 0.05, 0.03  # s: widening and smoothing of the extra height of a swing over time
STEEPEST, UNEVEN = math.tan(math.radians(46.0)), 0.01  # m/m, m: beyond these a foot is on an edge and stays level


@dataclass(frozen=True)
class SlopeEdit:
    """Edit: a slope of `degrees` that rises along +x from the origin, or ahead of the figure at the span's start."""

    degrees: float
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if not abs(self.degrees) <= 45:
            raise PoiseError(f"slope of {self.degrees:g} degrees is too steep: at most 45")

    def __str__(self) -> str:
        return edit_text("slope", number_text(self.degrees), self.span)

    def on(self, take: Take) -> Take:
        """The walk on the slope; the ground is level behind the figure's position at the span's start, if given."""
        slope, hinged = math.tan(math.radians(self.degrees)), self.span.start is not None  # hinged: level behind origin
        surface = EditedGroundSurface(lambda x, _: slope * (np.maximum(x, 0.0) if hinged else x))
        start = self.span.start
        return take_on_course(take, start, lambda track: _take_course_on_surface(surface, track, start, clear=True))


@dataclass(frozen=True)
class StairsEdit:
    """Edit: stairs ahead that climb (descend if `rise` is negative), with one foot on each tread."""

    rise: float  # m
    run: float  # m
    count: int
    edge: float = 0.6  # m, distance of the first step from the origin, or from the figure at the span's start
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if not (abs(self.rise) <= 0.5 and self.run >= 0.1 and self.count >= 1):
            raise PoiseError(f"stairs '{self}': rise at most 0.5 m, run at least 0.1 m, and at least one step")

    def __str__(self) -> str:
        edge = None if self.edge == StairsEdit.edge else number_text(self.edge)
        return edit_text("stairs", edit_text_of_numbers((self.rise, self.run, self.count)), self.span, edge=edge)

    def on(self, take: Take) -> Take:
        """The walk on the stairs, with steps as long as treads are deep."""
        run, edge, rise, count = self.run, self.edge, self.rise, self.count
        surface = EditedGroundSurface(lambda x, _: rise * np.clip(np.floor((x - edge) / run) + 1, 0, count))
        treads = EditedTreads(self.run, self.count, self.edge, self.rise > 0)
        spans = sole_spans(take.body)

        def fitted(stance: StancePhase, before: float | None, ahead: float) -> float:
            return treads.fit(before, ahead, spans[stance.foot])

        start = self.span.start
        return take_on_course(take, start, lambda track: _take_course_on_surface(surface, track, start, fitted))


@dataclass(frozen=True)
class HeightsEdit:
    """Edit: ground whose height (m) is a function of arrays x and y (m), as in `EditedGroundSurface`."""

    height: Callable[[Array, Array], Array]
    span: Span = field(default_factory=Span)

    def __str__(self) -> str:
        """A description for messages. A function has no text form on the command line."""
        return edit_text("heights", getattr(self.height, "__name__", "function"), self.span)

    def on(self, take: Take) -> Take:
        """The walk on the ground with these heights."""
        surface, start = EditedGroundSurface(self.height), self.span.start
        return take_on_course(take, start, lambda track: _take_course_on_surface(surface, track, start))


@dataclass(frozen=True, eq=False)
class EditedGroundSurface:
    """Ground whose height (m) is a function of x and y (m) in a frame at `origin` whose x axis points to `heading`."""

    height: Callable[[Array, Array], Array]
    origin: Array | tuple[float, float] = (0.0, 0.0)  # (2,) m
    heading: float = 0.0  # rad

    @property
    def forward(self) -> Array:
        """(2,) unit vector: the surface's x axis in the world."""
        return np.array([math.cos(self.heading), math.sin(self.heading)])

    def ahead(self, point: Array) -> float:
        """Position (m) of a point along the surface's x axis."""
        return float((point[:2] - self.origin) @ self.forward)

    def at(self, points: Array) -> Array:
        """Heights (...) m under points (..., 3) of the world."""
        away = points[..., :2] - self.origin
        (x, y), (c, s) = np.moveaxis(away, -1, 0), self.forward
        return np.asarray(self.height(c * x + s * y, c * y - s * x), float) * np.ones(points.shape[:-1])


@dataclass(frozen=True)
class EditedTreads:
    """Treads of stairs. Tread 0 is the ground before the stairs, tread `count` the ground after the last step."""

    run: float  # m
    count: int
    edge: float  # m, position of the first step
    up: bool

    def fit(self, before: float | None, ahead: float, sole: tuple[float, float, float]) -> float:
        """New position (m) ahead of the middle of a foot that would step to `ahead` (m) after a step to `before` (m).

        The foot is within a tread; on stairs, on the tread after that of the step before. `sole`: distances (m) from
        the middle of the foot to heel, ball and toes. On treads that are too short, heels hang over on the way up,
        toes on the way down.
        """
        tread, (back, ball, front) = self._tread(ahead), sole
        if before is not None:
            last = self._tread(before)
            climbing = 0 < last < self.count and self.run < DEEP * (back + front)
            tread = last + 1 if climbing else min(tread, last + 1)
            ahead = min(ahead, before + self.run) if climbing else ahead
        behind, toes = (MARGIN, front + MARGIN) if self.up else (HEEL_ROOM, front - TOE_HANG)
        end = math.inf if tread >= self.count else self.edge + tread * self.run
        low = -math.inf if tread == 0 else self.edge + (tread - 1) * self.run + back + behind
        high, furthest = end - max(toes, ball + MARGIN), end - ball - MARGIN
        if low > high:
            return high if self.up else min(low, furthest)
        return min(max(ahead, low), high)

    def _tread(self, ahead: float) -> int:
        return int(np.clip(math.floor((ahead - self.edge) / self.run) + 1, 0, self.count))


Fit = Callable[[StancePhase, float | None, float], float]
"""Maps a stance phase, the previous step's position ahead (m) and this step's position to this step's new position."""


def _take_course_on_surface(
    surface: EditedGroundSurface, track: TakeFootTrack, start: float | None, fit: Fit | None = None, clear: bool = False
) -> Course:
    """The course over a surface, placed at the figure at `start` (s) or, if `clear`, before feet that stand then."""
    if start is not None:
        k = min(max(round(start * track.rate) - track.first, 0), track.frames - 1)
        surface = replace(surface, origin=track.path[k], heading=float(yaw_of(track.qpos[k, 3:7])))
        soon = k + LANDING * track.rate
        soles = [track.sole(s.foot, track.middle(s)) for s in track.stances if clear and s.end > k and s.begin < soon]
        ahead = max([0.0, *(surface.ahead(point) for sole in soles for point in sole)])
        surface = replace(surface, origin=track.path[k] + ahead * surface.forward)

    points = sole_points(track.body)

    def course(track: TakeFootTrack) -> CourseMoves:
        held = -1 if start is None else start * track.rate - track.first
        prints = _take_prints_on_surface(surface, track, held, fit)
        root = _root_moves(track, prints)
        return CourseMoves(root, prints, lambda swing: _edited_swing_lift(surface, track, points[swing.foot], swing))

    return course


def _take_prints_on_surface(
    surface: EditedGroundSurface, track: TakeFootTrack, held: float, fit: Fit | None
) -> tuple[RigidEditMove, ...]:
    """Moves of the footprints of all stance phases onto the surface; footprints from before row `held` stay."""
    moves: list[RigidEditMove] = []
    shift, before = 0.0, None
    for stance in track.stances:
        centre = track.footprint(stance)
        own = surface.ahead(centre)
        if stance.begin < held:
            before = own
            moves.append(UNMOVED)
            continue
        if fit is not None:
            shift = fit(stance, before, own + shift) - own
        before = own + shift
        moves.append(_move_take_onto_surface(surface, track, stance, centre, shift))
    return tuple(moves)


def _move_take_onto_surface(
    surface: EditedGroundSurface, track: TakeFootTrack, stance: StancePhase, centre: Array, shift: float
) -> RigidEditMove:
    """The move of a footprint with middle `centre` by `shift` (m) ahead, and to the surface's height and tilt there."""
    there = centre + shift * np.array([*surface.forward, 0.0])
    sole = track.sole(stance.foot, track.middle(stance))
    level, turn = ground_under_sole(sole, surface.at(sole + (there - centre)))
    there = there + [0.0, 0.0, level]
    return RigidEditMove(turn, there - quat_rotate(turn, centre))


def ground_under_sole(sole: Array, heights: Array) -> tuple[float, Array]:
    """Height (m) in the middle, and tilt (4,), of ground with `heights` (n,) m below the points (n, 3) m of a sole.

    On an edge and on a steep slope, a foot stays level at the greatest height.
    """
    arms = np.column_stack([sole[:, :2] - sole[:, :2].mean(axis=0), np.ones(len(sole))])
    slope_x, slope_y, level = np.linalg.lstsq(arms, heights, rcond=None)[0]
    even = np.allclose(arms @ [slope_x, slope_y, level], heights, atol=UNEVEN)
    if not even or math.hypot(slope_x, slope_y) >= STEEPEST:
        return float(heights.max()), IDENTITY
    return float(level), quat_between([0.0, 0.0, 1.0], [-slope_x, -slope_y, 1.0])


def _root_moves(track: TakeFootTrack, prints: tuple[RigidEditMove, ...]) -> RigidEditMove:
    """(K,) moves of the root: the mean shift of the feet's current footprints, smoothed over time."""
    shifts = []
    for foot in range(len(track.body.feet)):
        mine = [(s, m) for s, m in zip(track.stances, prints, strict=True) if s.foot == foot]
        if mine:
            when = [t for s, _ in mine for t in (s.begin, s.end - 1)]
            moved = np.repeat([m.place(track.footprint(s)) - track.footprint(s) for s, m in mine], 2, axis=0)
            shifts.append(np.stack([np.interp(np.arange(track.frames), when, column) for column in moved.T], axis=1))
    mean = np.mean(shifts, axis=0) if shifts else np.zeros((track.frames, 3))
    return RigidEditMove(np.tile(IDENTITY, (track.frames, 1)), gaussian_smoothed(mean, ROOT_SIGMA * track.rate))


def _edited_swing_lift(surface: EditedGroundSurface, track: TakeFootTrack, points: Array, swing: SwingPath) -> Array:
    """(n,) m by which a swing must be raised: the sole clears the surface as in `track` it cleared the level ground."""
    foot, rows = swing.foot, swing.rows
    soles = swing.place[:, None] + quat_rotate(swing.turn[:, None], points)  # (n, points, 3)
    was = track.place[rows, foot, None] + quat_rotate(track.turn[rows, foot, None], points)
    own = was[..., 2]
    level = np.minimum(own[0].min(), own[-1].min())
    room = np.clip(own - level, 0.0, CLEARANCE)
    missing = np.maximum((surface.at(soles) + room - soles[..., 2]).max(axis=1), 0.0)
    return smooth_cover(missing, LIFT_WINDOW * track.rate, LIFT_SIGMA * track.rate)
