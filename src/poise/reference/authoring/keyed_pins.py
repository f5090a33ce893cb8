"""What bears the body of a keyed motion, when and where: prints of the feet, a bar in the hands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.frozen import readonly
from poise.reference.authoring.keyed_source import Interval, Keyed
from poise.reference.contacts_runs import runs
from poise.reference.feet_pins import carrying_foot
from poise.reference.ik_kinematics import Kinematics
from poise.reference.parts import ContactPart, contact_parts
from poise.reference.retarget_figure import figure_of_body
from poise.reference.supports import Support
from poise.spatial import Array, quat_conjugate, quat_exp, quat_multiply, quat_rotate, yaw_of

_FRAME = 1e-6  # s: keys are met by frames as near as this


@dataclass(frozen=True, eq=False)
class Pins:
    """Points of the contact parts, and where they stay while they are down."""

    parts: tuple[ContactPart, ...]
    part_down: NDArray[np.bool_]  # (T, P)
    owner: NDArray[np.int64]  # (N,) number of the part of each point
    places: Array  # (T, N, 3) m
    on_bar: bool  # the hands hold, they do not push

    @property
    def points(self) -> list[tuple[str, Array]]:
        """(N) link and place in its frame."""
        return [(part.link, point) for part in self.parts for point in part.points]

    @property
    def down(self) -> NDArray[np.bool_]:
        """(T, N) which points are down."""
        return np.asarray(self.part_down[:, self.owner])

    def flights(self) -> list[tuple[int, int]]:
        """Last frame before and first frame after each time in which nothing bears."""
        up = runs(~self.part_down.any(axis=1))
        return [(start - 1, stop) for start, stop in up if start > 0 and stop < len(self.part_down)]

    def supports(self) -> tuple[Support, ...]:
        """The points that are ever down, as supports."""
        out = []
        for n, (link, point) in enumerate(self.points):
            part, down = self.parts[self.owner[n]], self.part_down[:, self.owner[n]]
            held = self.on_bar and "hand" in part.name
            if down.any():
                name = part.name if len(part.points) == 1 else f"{part.name}_{_number(self.owner, n)}"
                place = readonly(self.places[0, n]) if held else None
                out.append(Support(name, link, readonly(point), readonly(down, bool), place=place))
        return tuple(out)


def leg_length(body: Body) -> float:
    """m, from hip to ankle."""
    return figure_of_body(body).length("thigh", "shank")


def pinned(body: Body, motion: Keyed, time: Array, first: Array) -> Pins:
    """The pins of a motion at times (T,), whose `first` pose (nq,) tells the prints and the grip."""
    parts = contact_parts(body)
    down = np.stack([_while(motion.contacts.get(_word(part, motion), ()), time) for part in parts], axis=1)
    owner = np.array([k for k, part in enumerate(parts) for _ in part.points], np.int64)
    stay = np.concatenate([_print(body, part, first) for part in parts])
    on_bar = any(name.endswith("bar") for name in motion.contacts)
    if on_bar:
        stay = stay + (0.0, 0.0, motion.clearance * leg_length(body) - stay[:, 2].min())
    out = Pins(parts, down, owner, np.tile(stay, (len(time), 1, 1)), on_bar)
    for _, landing in out.flights():
        out.places[landing:, :, 0] += motion.travel * leg_length(body)
    return out


def _word(part: ContactPart, motion: Keyed) -> str:
    """What the contact of a part is called in the source; toes stand on the ground as long as the ball does."""
    side, kind = part.name.partition("_")[0], part.name.rpartition("_")[2]
    word = f"{side}_{'ball' if kind == 'tip' else kind}"
    return f"{side}_bar" if kind == "hand" and f"{side}_bar" in motion.contacts else word


def _while(intervals: tuple[Interval, ...], time: Array) -> NDArray[np.bool_]:
    """(T,) whether each time is in any of the intervals."""
    inside = [(time >= start - _FRAME) & (time <= end + _FRAME) for start, end in intervals]
    return np.any(inside, axis=0) if inside else np.zeros(len(time), bool)


def _print(body: Body, part: ContactPart, pose: Array) -> Array:
    """(k, 3) m where the points of a part are: of feet flat on the ground below, of hands as they are."""
    foot = carrying_foot(body, part.link)
    kinematics = Kinematics(body, [(part.link, point) for point in part.points], [foot.link] if foot else [])
    (standing, here), turns = kinematics.at(np.stack([body.standing, pose]))
    if foot is None:
        return here
    ankle, _ = Kinematics(body, [(foot.link, np.zeros(3))]).at(np.stack([body.standing, pose]))
    heading = yaw_of(quat_multiply(turns[1, 0], quat_conjugate(turns[0, 0])))
    flat = ankle[1, 0] * (1, 1, 0) + ankle[0, 0] * (0, 0, 1)
    return np.asarray(flat + quat_rotate(quat_exp(np.array([0.0, 0.0, heading])), standing - ankle[0, 0]))


def _number(owner: NDArray[np.int64], n: int) -> int:
    """Which of the points of its part a point is."""
    return int(n - np.flatnonzero(owner == owner[n])[0])
