"""Where the contact points of a body have to be, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.body.parts import Foot
from poise.frozen import Array
from poise.reference.bodyclip import BodyClip
from poise.reference.contacts_runs import runs
from poise.reference.footprints import Footprint
from poise.reference.ik_kinematics import Kinematics
from poise.spatial import quat_conjugate, quat_rotate

_HIGH = 0.1  # m: points that stay farther above the ground will not sink into it
_ON_FLOOR = 0.1  # m: what rests lower by itself rests on the floor


@dataclass(frozen=True, eq=False)
class Pins:
    """Wanted places of all points of all contact parts."""

    points: tuple[tuple[str, Array], ...]  # (N) link and place in its frame
    parts: NDArray[np.int64]  # (N,) number of the part of each point
    places: Array  # (T, N, 3) m
    held: Array  # (T, N, 3) 1 along the axes on which a point is held, else 0
    ground: Array  # (T, N) m, what a point must not sink below; -inf where it never comes near


def pins_of(clip: BodyClip, prints: Sequence[Footprint]) -> Pins:
    """Pins of all that is down: feet by their prints, hands where they rest."""
    assert clip.down is not None
    points = tuple((part.link, point) for part in clip.parts for point in part.points)
    parts = np.array([k for k, part in enumerate(clip.parts) for _ in part.points], np.int64)
    now, _ = Kinematics(clip.body, points).at(clip.qpos)
    places, ground = np.array(now), np.zeros(now.shape[:2])
    free = np.array(clip.down[:, parts])  # (T, N) down, but not yet told where
    for foot in clip.body.feet:
        mine = np.array([carrying_foot(clip.body, link) is foot for link, _ in points], bool)
        own = [p for p in prints if p.foot is foot]
        ground[:, mine] = _ground_under(own, clip.frames)[:, None]
        in_foot = _in_foot(clip.body, foot, [p for p, yes in zip(points, mine, strict=True) if yes])
        for stance in own:
            places[stance.start : stance.stop, mine] = stance.points(in_foot)
            free[stance.start : stance.stop, mine] = False
    for point in range(len(points)):
        for start, stop in runs(free[:, point]):
            places[start:stop, point] = _resting(now[start:stop, point], float(ground[start, point]))
    held = np.repeat(clip.down[:, parts, None], 3, axis=2).astype(float)
    ground[:, np.min(now[..., 2] - ground, axis=0, initial=np.inf) > _HIGH] = -np.inf
    return Pins(points, parts, places, held, ground)


def raised(clip: BodyClip, pins: Pins, clearance: float) -> Pins:
    """Pins that also lift each swinging foot, where it is needed, to `clearance` (m) over the middle of its swing."""
    assert clip.down is not None
    places, held = np.array(pins.places), np.array(pins.held)
    now, _ = Kinematics(clip.body, pins.points).at(clip.qpos)
    for foot in clip.body.feet:
        mine = np.flatnonzero([carrying_foot(clip.body, link) is foot for link, _ in pins.points])
        up = np.asarray(~clip.down[:, pins.parts[mine]].any(axis=1))
        for start, stop in runs(up):
            if start == 0 or stop == clip.frames:
                continue
            share = (np.arange(start, stop) - start + 1) / (stop - start + 1)
            over = (now[start:stop, mine, 2] - pins.ground[start:stop, mine]).min(axis=1)
            lack = clearance - over[np.abs(share - 0.5) <= 0.25].min(initial=np.inf)
            if 0 < lack < np.inf:
                lift = lack * np.minimum(np.sin(np.pi * share) * np.sqrt(2.0), 1.0) ** 2
                places[start:stop, mine, 2] = now[start:stop, mine, 2] + lift[:, None]
                held[start:stop, mine, 2] = 1.0
    return replace(pins, places=places, held=held)


def carrying_foot(body: Body, link: str) -> Foot | None:
    """The foot that a link is, or that carries it as its toes."""
    above = {joint.link: joint.parent_link for joint in body.joints}
    return next((foot for foot in body.feet if foot.link in (link, above.get(link))), None)


def _in_foot(body: Body, foot: Foot, points: list[tuple[str, Array]]) -> Array:
    """(k, 3) m: points of a foot and its toes in the frame of the foot's link, toes as they stand."""
    places, turns = Kinematics(body, [*points, (foot.link, np.zeros(3))], [foot.link]).at(body.standing[None])
    return quat_rotate(quat_conjugate(turns[0, 0]), places[0, :-1] - places[0, -1])


def _ground_under(prints: list[Footprint], frames: int) -> Array:
    """(T,) m: the height of a foot's print; between two prints that of the lower, before and after all the floor's."""
    out = np.zeros(frames)
    for before, after in pairwise(prints):
        out[before.stop : after.start] = min(before.height, after.height)
    for stance in prints:
        out[stance.start : stance.stop] = stance.height
    if prints:
        out[prints[-1].stop :] = min(prints[-1].height, 0.0)
        out[: prints[0].start] = min(prints[0].height, 0.0)
    return out


def _resting(where: Array, ground: float) -> Array:
    """(3,) m: where a point (n, 3) rests by itself."""
    place = np.median(where, axis=0)
    if abs(place[2] - ground) < _ON_FLOOR or place[2] < ground:
        place[2] = ground
    return np.asarray(place)
