"""Which parts of a body are down when, found from its motion alone.

A part that bears weight rests: it is slow. Whether a slow part bears is told by the others: it does if for a while
nothing that rests is lower, the body's centre is above it, and the body is not in free fall. So stairs and slopes are
found without being known, and a foot that is held up is not. Places where something bears, and the floor, are ground
for whatever else rests there. A body that nothing bears hangs by its hands, unless it falls (`hanging`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np

from poise.arrays import Array, Mask, hysteresis, readonly, runs, without_short
from poise.body.link_kinematics import Kinematics
from poise.reference.body_clip import BodyClip
from poise.retarget.smooth import smooth_clip

# Hands that hold on to something over the head: what bears a body that nothing else bears, and that does not fall.

_LONG = 0.5  # s: who is off the ground for less may just as well jump
_BRIEF = 0.2  # s: feet come to rest for as long where a swing turns back, and bear nothing
_BORNE = 0.5  # of the time off the ground: less without falling is a jump, more hangs
_AROUND = 0.25  # m: a hand rolls about a bar, and bars give way, but it stays this near


def hanging_hands(clip: BodyClip, down: Mask, centre: Array, com: Array, falling: Mask) -> Mask:
    """(T, P) parts at (T, P, 3) m that are down (T, P), and hands that hold on, while which nothing else bears.

    ``com`` is the centre of mass (T, 3) m and ``falling`` (T,) when it falls freely.
    """
    names = {hand.name for hand in clip.body.hands}
    hands = [k for k, part in enumerate(clip.parts) if part.name in names]
    others = [k for k in range(len(clip.parts)) if k not in hands]
    out = np.array(down)
    off = without_short(np.asarray(~down.any(axis=1)), round(_BRIEF * clip.rate), 1)
    for start, stop in runs(off):
        if stop - start < _LONG * clip.rate or np.mean(~falling[start:stop]) < _BORNE:
            continue
        for hand in hands:
            place = centre[start:stop, hand]
            near = np.linalg.norm(place - np.median(place, axis=0), axis=1) < _AROUND
            for first, last in runs(near & (place[:, 2] > com[start:stop, 2])):
                if last - first >= _LONG * clip.rate:
                    out[start + first : start + last, others] = False
                    out[start + first : start + last, hand] = True
    return out


GRAVITY = 9.81  # m/s^2
_CUTOFF = 12.0  # Hz: what is faster is noise of the capture


@dataclass(frozen=True)
class ContactSettings:
    """What counts as resting and as bearing. Lengths and speeds are those of an adult and scale with the body."""

    slow: float = 0.3  # m/s: slower rests
    fast: float = 0.5  # m/s: what rests goes on resting up to this
    brisk: float = 2.0  # m/s of the whole body: beyond it feet at rest are less still, in proportion
    near: float = 0.04  # m: two heights this close are the same ground
    lifted: float = 0.02  # m above where it rests: no longer down
    shortest: float = 0.05  # s: shorter contacts and gaps do not count
    fall: float = 0.6  # of gravity: the centre of mass accelerating down by more is in free fall


@dataclass(frozen=True, eq=False)
class _Rest:
    """A stretch in which a part is slow."""

    part: int
    start: int
    stop: int
    level: float  # m, the height at which it rests
    place: Array  # (2,) m


def find_contacts(clip: BodyClip, settings: ContactSettings | None = None) -> BodyClip:
    """The clip with `down` filled in."""
    chosen = _sized(settings or ContactSettings(), clip)
    calm = smooth_clip(replace(clip, down=None), _CUTOFF)
    centre, height, tilt = part_places(calm)
    com = _centre_of_mass(calm)
    slow = _slow(centre, com, clip.rate, chosen)
    slow &= tilt < chosen.near
    rests = _rests(centre, height, slow, clip.rate, chosen)
    bearing = _bearing(rests, slow, height, com, clip.rate, chosen)
    down = np.zeros(slow.shape, bool)
    for rest in bearing:
        span = slice(rest.start, rest.stop)
        down[span, rest.part] |= height[span, rest.part] < rest.level + chosen.lifted
    down = hanging_hands(clip, down, centre, com, _falling(com, clip.rate, chosen))
    shortest = max(2, round(chosen.shortest * clip.rate))
    for part, column in enumerate(down.T):
        down[:, part] = without_short(column, shortest, shortest)
    return replace(clip, down=readonly(_rolled(clip, down), bool))


def part_places(clip: BodyClip) -> tuple[Array, Array, Array]:
    """Of each contact part the middle of its points (T, P, 3), the height of the lowest and the highest over it, m."""
    points = [(part.link, point) for part in clip.parts for point in part.points]
    places, _ = Kinematics(clip.body, points).at(clip.qpos)
    ends = np.cumsum([len(part.points) for part in clip.parts])[:-1]
    split = np.split(places, ends, axis=1) if clip.parts else []
    if not split:
        return np.zeros((clip.frames, 0, 3)), np.zeros((clip.frames, 0)), np.zeros((clip.frames, 0))
    low, high = (np.stack([edge(p[..., 2], axis=1) for p in split], axis=1) for edge in (np.min, np.max))
    return np.stack([p.mean(axis=1) for p in split], axis=1), low, high - low


def _sized(settings: ContactSettings, clip: BodyClip) -> ContactSettings:
    """Lengths scaled with the body's size, speeds with its root: as pendulums swing."""
    size = clip.body.standing[2] / 0.93
    return replace(
        settings,
        slow=settings.slow * np.sqrt(size),
        fast=settings.fast * np.sqrt(size),
        brisk=settings.brisk * np.sqrt(size),
        near=settings.near * size,
        lifted=settings.lifted * size,
        shortest=settings.shortest * np.sqrt(size),
    )


def _slow(centre: Array, com: Array, rate: float, settings: ContactSettings) -> Mask:
    """(T, P) which parts rest, by their speed over about 30 ms."""
    pace = _speed(com[:, None, :2], round(rate / 4), rate)
    speed = _speed(centre, round(rate / 60), rate) / np.maximum(pace / settings.brisk, 1.0)
    out = np.zeros(speed.shape, bool)
    for part, column in enumerate(speed.T):
        out[:, part] = hysteresis(column, settings.slow, settings.fast)
    return out


def _speed(place: Array, reach: int, rate: float) -> Array:
    """(T, P) m/s of points (T, P, n), from `reach` frames before to as many after, fewer at the ends."""
    frames, wide = np.arange(len(place)), max(reach, 1)
    after, before = np.minimum(frames + wide, len(place) - 1), np.maximum(frames - wide, 0)
    return np.asarray(
        np.linalg.norm(place[after] - place[before], axis=-1) * rate / np.maximum(after - before, 1)[:, None]
    )


def _rests(centre: Array, height: Array, slow: Mask, rate: float, settings: ContactSettings) -> list[_Rest]:
    least = settings.shortest * rate
    return [
        _Rest(part, a, b, float(np.percentile(height[a:b, part], 20)), np.median(centre[a:b, part, :2], axis=0))
        for part in range(slow.shape[1])
        for a, b in runs(slow[:, part])
        if b - a >= least or a == 0 or b == len(slow)
    ]


def _bearing(
    rests: list[_Rest], slow: Mask, height: Array, com: Array, rate: float, settings: ContactSettings
) -> list[_Rest]:  # fmt: skip
    """Rests that carry the body at some time, and others on the same ground."""
    lowest = np.min(np.where(slow, height, np.inf), axis=1, initial=np.inf)
    held = ~_falling(com, rate, settings)
    enough = settings.shortest * rate

    def carries(rest: _Rest) -> bool:
        span = slice(rest.start, rest.stop)
        at = height[span, rest.part]
        alone = (at < lowest[span] + settings.near) & (at < rest.level + settings.near) & held[span]
        return int(np.sum(alone & (at < com[span, 2]))) >= min(enough, rest.stop - rest.start)

    def on_ground(rest: _Rest) -> bool:
        if abs(rest.level) < settings.near:
            return True
        return any(
            abs(rest.level - other.level) < settings.near and np.linalg.norm(rest.place - other.place) < _STRIDE
            for other in carrying
        )

    carrying = [rest for rest in rests if carries(rest)]
    return [rest for rest in rests if rest in carrying or on_ground(rest)]


_STRIDE = 0.4  # m: ground that bore something reaches this far


def _falling(com: Array, rate: float, settings: ContactSettings) -> Mask:
    """(T,) is the body in free fall, by its centre of mass (T, 3) over 0.1 s?"""
    reach = max(1, round(0.05 * rate))
    padded = np.pad(com[:, 2], reach, mode="reflect", reflect_type="odd") if len(com) > reach else com[:, 2]
    if len(padded) == len(com):
        return np.zeros(len(com), bool)
    bend = padded[2 * reach :] - 2 * padded[reach:-reach] + padded[: -2 * reach]
    return np.asarray(bend * (rate / reach) ** 2 < -settings.fall * GRAVITY)


def _centre_of_mass(clip: BodyClip) -> Array:
    """(T, 3) m."""
    model = clip.body.model
    data = mujoco.MjData(model)
    out = np.empty((clip.frames, 3))
    for k, pose in enumerate(clip.qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        out[k] = data.subtree_com[1]
    return out


def _rolled(clip: BodyClip, down: Mask) -> Mask:
    """Toes lie under a flat foot; while it rolls over its ball, their tips slide."""
    out = np.array(down)
    names = [part.name for part in clip.parts]
    for index, name in enumerate(names):
        if name.endswith("_tip"):
            heel = max(k for k in range(index) if names[k].endswith("_heel"))
            out[:, index] = down[:, heel] & down[:, heel + 1]
    return out
