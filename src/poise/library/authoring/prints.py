"""What bears the body of a keyed motion, when and where: prints of the feet, a bar in the hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, readonly, runs
from poise.body.body import Body
from poise.body.contact_parts import ContactPart, contact_parts
from poise.body.link_kinematics import Kinematics
from poise.body.surface import balls_of
from poise.library.authoring.keyed_source import Interval, Keyed
from poise.reference.body_clip import BodyClip
from poise.reference.supports import rounded
from poise.retarget.figure import figure_of_body
from poise.retarget.footprints import Footprint, carrying_foot, footprints
from poise.rotations import quat_conjugate, quat_exp, quat_multiply, quat_rotate, yaw_of

# Footprints of motions that are written down: one for each contact of a foot, from heel strike to toe-off.


def whole_prints(clip: BodyClip, sure: NDArray[np.bool_] | None = None) -> list[Footprint]:
    """The prints that fit a clip best, each until the toes leave the ground as well.

    In `sure` frames (T,) feet are where they stand already: contacts that have such frames are told by them alone.
    """
    assert clip.down is not None
    told, spans = np.array(clip.down), {}
    for foot in clip.body.feet:
        mine = np.array([part.limb == foot.name for part in clip.parts])
        spans[foot.name] = runs(np.asarray(clip.down[:, mine].any(axis=1)))
        for start, stop in spans[foot.name]:
            known = np.zeros(stop - start, bool) if sure is None else sure[start:stop]
            if known.any():
                told[start:stop, mine] &= known[:, None]
    found: dict[tuple[str, int], Footprint] = {}
    for each in footprints(replace(clip, down=readonly(told, bool))):
        start, stop = next(span for span in spans[each.foot.name] if span[0] <= each.start < span[1])
        found.setdefault((each.foot.name, start), replace(each, start=start, stop=stop))
    return list(found.values())


_FRAME = 1e-6  # s: keys are met by frames as near as this


@dataclass(frozen=True, eq=False)
class KeyedPins:
    """Points of links, of feet the middles of the balls that soles end in, and where they stay while they are down."""

    points: tuple[tuple[str, Array], ...]  # (N) link and place in its frame
    limbs: tuple[str, ...]  # (N) what each belongs to: left_foot, right_hand
    places: Array  # (T, N, 3) m
    down: NDArray[np.bool_]  # (T, N)

    def flights(self) -> list[tuple[int, int]]:
        """Last frame before and first frame after each time in which nothing bears."""
        up = runs(np.logical_not(self.down.any(axis=1)))
        return [(start - 1, stop) for start, stop in up if start > 0 and stop < len(self.down)]

    def middle(self, frame: int) -> Array:
        """(3,) m: the middle of what bears in a frame, of feet the whole soles even if heels are lifted."""
        bearing = {limb for limb, down in zip(self.limbs, self.down[frame], strict=True) if down}
        return np.asarray(self.places[frame, [limb in bearing for limb in self.limbs]].mean(axis=0))


def hip_to_ankle(body: Body) -> float:
    """m, from hip to ankle."""
    return figure_of_body(body).length("thigh", "shank")


def parts_down(body: Body, motion: Keyed, time: Array) -> NDArray[np.bool_]:
    """(T, P) which of the body's contact parts the source says are down at times (T,)."""
    words = [_word(part, motion) for part in contact_parts(body)]
    return np.stack([_while(motion.contacts.get(word, ()), time) for word in words], axis=1)


def pinned(body: Body, motion: Keyed, parts: NDArray[np.bool_], first: Array) -> KeyedPins:
    """The pins of parts that are down (T, P); the `first` pose (nq,) tells the prints of the feet, or the grip."""
    known, balls = contact_parts(body), balls_of(body)
    centres = [[centre for centre, _ in rounded(body, part, balls)] for part in known]
    owner = [k for k, own in enumerate(centres) for _ in own]
    points = tuple((part.link, centre) for part, own in zip(known, centres, strict=True) for centre in own)
    if any(name.endswith("bar") for name in motion.contacts):
        here = Kinematics(body, points).at(first[None])[0][0]
        stay = here + (0.0, 0.0, motion.clearance * hip_to_ankle(body) - here[:, 2].min())
    else:
        stay = np.concatenate([_print(body, part.link, own, first) for part, own in zip(known, centres, strict=True)])
    out = KeyedPins(points, tuple(known[k].limb for k in owner), np.tile(stay, (len(parts), 1, 1)), parts[:, owner])
    for _, landing in out.flights():
        out.places[landing:, :, 0] += motion.travel * hip_to_ankle(body)
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


def _print(body: Body, link: str, points: Sequence[Array], pose: Array) -> Array:
    """(k, 3) m where points of a link are: of feet flat on the ground below, of hands as they are."""
    foot = carrying_foot(body, link)
    kinematics = Kinematics(body, [(link, point) for point in points], [foot.link] if foot else [])
    (standing, here), turns = kinematics.at(np.stack([body.standing, pose]))
    if foot is None:
        return np.asarray(here)
    ankle, _ = Kinematics(body, [(foot.link, np.zeros(3))]).at(np.stack([body.standing, pose]))
    heading = yaw_of(quat_multiply(turns[1, 0], quat_conjugate(turns[0, 0])))
    flat = ankle[1, 0] * (1, 1, 0) + ankle[0, 0] * (0, 0, 1)
    return np.asarray(flat + quat_rotate(quat_exp(np.array([0.0, 0.0, heading])), standing - ankle[0, 0]))
