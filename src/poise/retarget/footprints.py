"""Footprints (the fixed pose of a foot during one contact, on level or sloping ground), and pins of all contacts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Ints, Mask, readonly, true_runs
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.parts import Foot
from poise.reference.body_clip import BodyClip
from poise.reference.supports import ground_below_rests
from poise.retarget.contact_detection import LOW
from poise.rotations import matrix_to_quat, quat_conjugate, quat_rotate

CLEAR, SUNK = 0.02, 0.005  # m: height that swing feet keep if they have it, and by which higher ones may sink
HIGH = 0.05  # m: feet that swing higher do not trip
_NEAR = 0.05  # m: soles this close to the floor stand on the floor
_LEVEL = 0.14  # rad: smaller slopes of the ground are level
_HIGH = 0.1  # m: points that always stay higher than this above the ground need no floor constraint
_RISEN = 0.02  # m above its resting height at which a part in contact says little about the place of its foot
_ON_FLOOR = 0.1  # m: a point without a footprint whose median is this close to the ground is put on the ground


@dataclass(frozen=True, eq=False)
class Footprint:
    """Pose of a foot's link with the sole on the ground, from frame `start` to before `stop`."""

    foot: Foot
    start: int
    stop: int
    place: Array  # (3,) m
    turn: Array  # (4,)

    def points(self, in_link: Array) -> Array:
        """(k, 3) m: world positions, on this footprint, of points `in_link` (k, 3) m in the foot link's frame."""
        return np.asarray(self.place + quat_rotate(self.turn, in_link))

    @property
    def height(self) -> float:
        """Height (m) of the lowest point of the sole on this footprint."""
        return float(self.points(self.foot.points)[:, 2].min())


@dataclass(frozen=True, eq=False)
class _Stance:
    """One contact of a foot as captured: n frames, from `start` to before `stop`."""

    foot: Foot
    start: int
    stop: int
    middles: Array  # (n, 2, 3) m: midpoint of the heel's corners, and of the ball's
    ends: Mask  # (n, 2) whether heel and ball are in contact
    yaw: float  # rad, heading of the foot

    @property
    def resting(self) -> Mask:
        """(n, 2) whether heel and ball are in contact and at their resting height."""
        low = np.array([np.percentile(z[down], LOW) if down.any() else 0.0
                        for z, down in zip(self.middles[..., 2].T, self.ends.T, strict=True)])  # fmt: skip
        return np.asarray(self.ends & (self.middles[..., 2] <= low + _RISEN))

    @property
    def levels(self) -> list[float]:
        """Resting heights (m) of heel and ball; an end that is never in contact is left out."""
        return [float(np.percentile(self.middles[down, k, 2], LOW)) for k, down in enumerate(self.ends.T) if down.any()]


def footprints(clip: BodyClip) -> list[Footprint]:
    """One footprint for each contact of a foot in the clip; all of the first foot in order of time, then the next."""
    names = [part.name for part in clip.parts]
    assert clip.down is not None
    out = []
    for foot in clip.body.feet:
        places, _ = LinkKinematics(clip.body, [(foot.link, point) for point in foot.points]).at(clip.qpos)
        middles = np.stack([places[:, :2].mean(axis=1), places[:, 2:].mean(axis=1)], axis=1)
        ends = clip.down[:, [names.index(f"{foot.link}_{end}") for end in ("heel", "ball")]]  # (T, 2)
        sole = _sole_axes(clip.body, foot)
        for start, stop in true_runs(np.asarray(ends.any(axis=1))):
            span = slice(start, stop)
            stance = _Stance(foot, start, stop, middles[span], ends[span], _foot_heading(foot, sole, places[span]))
            out.append(_fitted_footprint(stance, sole))
    return out


def _sole_axes(body: Body, foot: Foot) -> Array:
    """(3, 3) matrix whose columns are the sole's axes forward, left and up in the frame of the foot's link."""
    _, turns = LinkKinematics(body, (), [foot.link]).at(body.standing[None])
    matrix = quat_rotate(turns[0, 0] * np.array([1.0, -1.0, -1.0, -1.0]), np.eye(3))  # world axes in the link frame
    forward = foot.points[2:].mean(axis=0) - foot.points[:2].mean(axis=0)
    forward = forward / np.linalg.norm(forward)
    left = np.cross(matrix[2], forward)
    left = left / np.linalg.norm(left)
    return np.stack([forward, left, np.cross(forward, left)], axis=1)


def _fitted_footprint(stance: _Stance, sole: Array) -> Footprint:
    """The footprint that fits a stance: flat on the floor, or at the captured height and slope."""
    foot = stance.foot
    height, slope = _stance_ground(stance)
    yaw = stance.yaw
    forward = np.array([np.cos(yaw) * np.cos(slope), np.sin(yaw) * np.cos(slope), np.sin(slope)])
    left = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    axes = np.stack([forward, left, np.cross(forward, left)], axis=1)
    matrix = axes @ sole.T
    own = np.stack([foot.points[:2].mean(axis=0), foot.points[2:].mean(axis=0)]) @ matrix.T  # (2, 3)
    place = np.mean((stance.middles - own)[stance.resting], axis=0)
    place[2] = height - own[:, 2].mean()
    return Footprint(foot, stance.start, stance.stop, readonly(place), readonly(matrix_to_quat(matrix)))


def _foot_heading(foot: Foot, sole: Array, places: Array) -> float:
    """Heading (rad) of a foot from its forward and left axes; the more level an axis is, the more it counts."""
    own = foot.points - foot.points.mean(axis=0)
    seen = places - places.mean(axis=1, keepdims=True)
    forward, left = (np.mean(np.einsum("k,nkj->nj", own @ sole[:, k], seen), axis=0) for k in (0, 1))
    spread = [float(np.sum((own @ sole[:, k]) ** 2)) for k in (0, 1)]
    ahead, aside = forward / spread[0], left / spread[1]
    return float(np.arctan2(ahead[1] - aside[0], ahead[0] + aside[1]))


def _stance_ground(stance: _Stance) -> tuple[float, float]:
    """Height (m) of the ground under the middle of the sole, and slope (rad) of the ground, positive rising forward."""
    height = float(np.mean(stance.levels))
    if abs(height) < _NEAR:
        return 0.0, 0.0
    foot, known = stance.foot, stance.levels
    length = float(np.linalg.norm(np.mean(foot.points[2:] - foot.points[:2], axis=0)))
    slope = float(np.arctan2(known[1] - known[0], length)) if len(known) == 2 else 0.0
    return height, slope if abs(slope) > _LEVEL else 0.0


@dataclass(frozen=True, eq=False)
class ContactPins:
    """Target positions of the N points of all contact parts."""

    points: tuple[tuple[str, Array], ...]  # N pairs: link, position (3,) m in the link's frame
    parts: Ints  # (N,) index of each point's contact part
    places: Array  # (T, N, 3) m
    held: Array  # (T, N, 3) 1 along the axes on which a point is pinned, else 0
    ground: Array  # (T, N) m, height that a point must stay above; -inf for points that never come near the ground


def contact_pins(clip: BodyClip, prints: Sequence[Footprint]) -> ContactPins:
    """Pins that hold feet on their footprints `prints`, and other parts in contact where they rest."""
    assert clip.down is not None
    points = tuple((part.link, point) for part in clip.parts for point in part.points)
    parts = np.array([k for k, part in enumerate(clip.parts) for _ in part.points], np.int64)
    now, _ = LinkKinematics(clip.body, points).at(clip.qpos)
    places, ground = np.array(now), np.zeros(now.shape[:2])
    free = np.array(clip.down[:, parts])  # (T, N) in contact, but not on a footprint
    for foot in clip.body.feet:
        mine = np.array([foot_of_link(clip.body, link) is foot for link, _ in points], bool)
        own = [p for p in prints if p.foot is foot]
        ground[:, mine] = ground_below_rests([(p.start, p.stop, p.height) for p in own], clip.frames)[:, None]
        own_points = [*(p for p, yes in zip(points, mine, strict=True) if yes), (foot.link, np.zeros(3))]
        at, turns = LinkKinematics(clip.body, own_points, [foot.link]).at(clip.body.standing[None])
        in_foot = quat_rotate(quat_conjugate(turns[0, 0]), at[0, :-1] - at[0, -1])  # m, of toes as in standing
        for stance in own:
            places[stance.start : stance.stop, mine] = stance.points(in_foot)
            free[stance.start : stance.stop, mine] = False
    for point in range(len(points)):
        for start, stop in true_runs(free[:, point]):
            places[start:stop, point] = _resting_place(now[start:stop, point], float(ground[start, point]))
    held = np.repeat(clip.down[:, parts, None], 3, axis=2).astype(float)
    ground[:, np.min(now[..., 2] - ground, axis=0, initial=np.inf) > _HIGH] = -np.inf
    return ContactPins(points, parts, places, held, ground)


def raised_swing_pins(clip: BodyClip, pins: ContactPins, clearance: float) -> ContactPins:
    """`pins` that also lift swing feet, where needed, to at least `clearance` (m) in the middle half of the swing."""
    places, held = np.array(pins.places), np.array(pins.held)
    now, _ = LinkKinematics(clip.body, pins.points).at(clip.qpos)
    for mine, start, stop, share in _swings(clip, pins):
        over = (now[start:stop, mine, 2] - pins.ground[start:stop, mine]).min(axis=1)
        lack = clearance - over[np.abs(share - 0.5) <= 0.25].min(initial=np.inf)
        if 0 < lack < np.inf:
            lift = lack * np.minimum(np.sin(np.pi * share) * np.sqrt(2.0), 1.0) ** 2
            places[start:stop, mine, 2] = now[start:stop, mine, 2] + lift[:, None]
            held[start:stop, mine, 2] = 1.0
    return replace(pins, places=places, held=held)


def kept_swing_pins(clip: BodyClip, pins: ContactPins) -> ContactPins:
    """`pins` that keep swing feet above CLEAR, or from sinking by SUNK if below HIGH, in the swing's middle half."""
    ground = np.array(pins.ground)
    now, _ = LinkKinematics(clip.body, pins.points).at(clip.qpos)
    for mine, start, stop, share in _swings(clip, pins):
        low = (now[start:stop, mine, 2] - ground[start:stop, mine]).min(axis=1)
        middle = (np.abs(share - 0.5) <= 0.25) & (low > 0) & np.isfinite(low)
        floor = np.minimum(np.maximum(np.minimum(low, CLEAR), low - SUNK), HIGH)
        ground[start:stop, mine] += np.where(middle, floor, 0.0)[:, None]
    return replace(pins, ground=ground)


def _swings(clip: BodyClip, pins: ContactPins) -> Iterator[tuple[Ints, int, int, Array]]:
    """Each swing: the indices of its foot's points, its first frame and end, and the share (n,) of its time elapsed."""
    assert clip.down is not None
    for foot in clip.body.feet:
        mine = np.flatnonzero([foot_of_link(clip.body, link) is foot for link, _ in pins.points])
        up = np.asarray(~clip.down[:, pins.parts[mine]].any(axis=1))
        for start, stop in true_runs(up):
            if start > 0 and stop < clip.frames:
                yield mine, start, stop, (np.arange(start, stop) - start + 1) / (stop - start + 1)


def foot_of_link(body: Body, link: str) -> Foot | None:
    """The foot to which `link` belongs as foot or as toes; None if `link` is neither."""
    above = {joint.link: joint.parent_link for joint in body.joints}
    return next((foot for foot in body.feet if foot.link in (link, above.get(link))), None)


def _resting_place(where: Array, ground: float) -> Array:
    """(3,) m: median of a point's positions (n, 3); raised or lowered to height `ground` (m) if near or below it."""
    place = np.median(where, axis=0)
    if abs(place[2] - ground) < _ON_FLOOR or place[2] < ground:
        place[2] = ground
    return np.asarray(place)
