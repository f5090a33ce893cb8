"""Walks that begin or end: steps that grow from standing into a gait, or fade from it to standing.

A pose is so much of the gait as `size` says, the rest of it standing. Where size is 1 the motion is the gait itself, so
that the one goes on where the other ends, and where it is 0 the figure stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from poise.arrays import Array, readonly, runs
from poise.body.body import Body
from poise.body.contact_parts import ContactPart
from poise.body.pose_space import PoseSpace
from poise.ease import quintic_ease
from poise.errors import unknown
from poise.library.authoring.curves import CYCLE, Stages
from poise.library.authoring.gait import HIPS, RATE, cycle, gait_of
from poise.library.authoring.keyed import keyed
from poise.library.authoring.prints import whole_prints
from poise.library.authoring.source import MotionSource
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played
from poise.reference.supports import Sketch, supports_of
from poise.retarget.figure import SIDES
from poise.retarget.foot_cleanup import FootSettings, clean_feet

_PACE_FADE = 0.1  # s over which corrections of the legs come and go
_PACE_FIRM = 30.0  # how much less readily than legs the pelvis gives way to pinned feet
_DOWN = tuple(f"{side}_{end}" for side in SIDES for end in ("heel", "ball"))
_NO_SPAN = (1.0, 0.0)  # percent from, to
_OVER = 0.15  # s over which corrections end where nothing is to be corrected


@dataclass(frozen=True, eq=False)
class PacedStretch:
    """A stretch of a gait and how much of it there is."""

    percent: Array  # (T,) of the gait's cycle, never decreasing
    size: Array  # (T,) from 0 for standing to 1 for the gait
    shift: Array  # (T,) m, of the pelvis to the left


def pace_sketch(source: MotionSource, body: Body) -> Sketch:
    """The beginning or the end of a walk that a source tells."""
    source.check(
        ("kind", "title", "begins", "ends", "base", "rest", "from", "to", "wait", "ease", "size", "shift", "down")
    )
    steady = cycle(gait_of(source.other("base")), body)
    rest = keyed(_keyed_source(source), body).clip
    told = _pace(source, steady)
    down = down_in(steady, told.percent) | _held(source, steady.parts, told.percent)
    clip = replace(paced_poses(steady, rest.qpos[0], told, down), name=source.name)
    return Sketch(clip, supports_of(clip))


def _keyed_source(source: MotionSource) -> MotionSource:
    """The source of the standing pose."""
    rest = source.other("rest")
    if rest.kind != "keyed":
        raise source.fail(f"'rest' must be a motion of kind 'keyed', and {rest.name} is of kind '{rest.kind}'")
    return rest


def paced_poses(steady: BodyClip, rest: Array, pace: PacedStretch, down: NDArray[np.bool_]) -> BodyClip:
    """The poses of a pace, feet pinned to the ground; `rest` (nq,) is the standing pose, `down` (T, P) what bears."""
    body = steady.body
    given = BodyClip(steady.name, body, RATE, readonly(_blend(steady, rest, pace)), readonly(down, bool))
    sure = ((pace.size == 0) | (pace.size == 1)) & (pace.shift == 0)
    settings = FootSettings(smoothing=None, peak=None, heave=_PACE_FIRM, fade=_PACE_FADE)
    clean = clean_feet(given, settings, whole_prints(given, sure))
    far = distance_transform_edt(np.pad(sure, 1, mode="edge"))[1:-1] if not sure.all() else np.full(len(sure), np.inf)
    share = 1.0 - quintic_ease(far / (_OVER * RATE))
    space = PoseSpace(body)
    change = space.difference(given.qpos, clean.qpos)
    return replace(given, qpos=readonly(space.moved(given.qpos, share[:, None] * change)))


def _pace(source: MotionSource, steady: BodyClip) -> PacedStretch:
    """The pace of a source: in the gait's own rhythm but for the end at which it stands."""
    time_scale = np.sqrt(steady.body.standing[2] / HIPS)
    size, shift = (stages(source, field) for field in ("size", "shift"))
    first, last = source.number("from"), source.number("to")
    wait, half_ease = (round(source.positive(f) * k * time_scale * RATE) for f, k in (("wait", 1.0), ("ease", 0.5)))
    stretch = (last - first) / CYCLE * (steady.frames - 1)
    since = np.arange(wait + half_ease + round(stretch) + 1.0) - wait  # frames of which 2 * half_ease are slower
    share = np.clip(since / (2 * half_ease), 0.0, 1.0)
    passed = 2 * half_ease * share**4 * (2.5 - 3 * share + share**2) + np.maximum(since - 2 * half_ease, 0.0)
    gone = passed * CYCLE / (steady.frames - 1)
    percent = np.round(last - gone[-1] + gone if size.values[0] == 0 else first + gone[-1] - gone[::-1], 9)
    return PacedStretch(percent, size(percent), steady.body.standing[2] / HIPS * shift(percent))


def stages(source: MotionSource, field: str) -> Stages:
    """Numbers at percents that a source tells."""
    try:
        return Stages.parse(source.text(field))
    except ValueError as error:
        raise source.fail(f"'{field}' {error}") from None


def _blend(steady: BodyClip, rest: Array, pace: PacedStretch) -> Array:
    """(T, nq): so much of the gait, and the rest of it standing; forward as far as the steps carry."""
    space, walk = PoseSpace(steady.body), Played(steady)
    stride = float(steady.qpos[-1, 0] - steady.qpos[0, 0])
    there = np.array([walk.at(percent / CYCLE * steady.seconds).qpos for percent in pace.percent])
    there[:, 0] -= stride * pace.percent / CYCLE
    here = np.tile(rest, (len(there), 1))
    qpos = space.moved(here, pace.size[:, None] * space.difference(here, there))
    steps = 0.5 * (pace.size[1:] + pace.size[:-1]) * np.diff(pace.percent)
    qpos[:, 0] += stride / CYCLE * np.concatenate([[0.0], np.cumsum(steps)])
    qpos[:, 1] += pace.shift
    return qpos


def down_in(steady: BodyClip, percent: Array) -> NDArray[np.bool_]:
    """(T, P) what bears in the gait."""
    assert steady.down is not None
    frames = np.round(percent / CYCLE * (steady.frames - 1)).astype(int) % (steady.frames - 1)
    return np.asarray(steady.down[frames])


def _held(source: MotionSource, parts: tuple[ContactPart, ...], percent: Array) -> NDArray[np.bool_]:
    """(T, P) what the source says is down as well; toes as long as the ball of their foot."""
    told = {name: source.interval(f"'{name}' in [down]", pair) for name, pair in source.section("down").items()}
    for name in told:
        if name not in _DOWN:
            raise unknown(f"part in [down] of {source.path.name}", name, _DOWN)
    columns = []
    for part in parts:
        side, end = part.limb.partition("_")[0], part.name.rpartition("_")[2].replace("tip", "ball")
        first, last = told.get(f"{side}_{end}", _NO_SPAN)
        columns.append((percent >= first) & (percent <= last))
    return np.stack(columns, axis=1)


# Changes of gait: from one gait into another, as from walking into running, left foot first and last.
#
# All of a gait goes over into that of the other: its poses, its rhythm, its length of stride, and how long feet stand.

_BEFORE, _AFTER = 100.0, 100.0  # percent of the cycle gone before the first frame and after the last, and cut off
_NO_FRAMES = (1, 0)  # frames
_CHANGE_FADE = 0.08  # s over which corrections of the legs come and go
_CHANGE_FIRM = 60.0  # how much less readily than legs the pelvis gives way to pinned feet


def change_sketch(source: MotionSource, body: Body) -> Sketch:
    """The change of gait that a source tells."""
    source.check(("kind", "title", "begins", "ends", "cycles", "share"))
    gaits = [cycle(gait_of(source.other(field)), body) for field in ("begins", "ends")]
    cycles = source.positive("cycles")
    if cycles != round(cycles):
        raise source.fail(f"'cycles' must be a whole number, not {cycles:g}")
    clip = changed(gaits[0], gaits[1], CYCLE * cycles, stages(source, "share"))
    clip = replace(clip, name=source.name)
    return Sketch(clip, supports_of(clip))


def changed(before: BodyClip, after: BodyClip, end: float, share: Stages) -> BodyClip:
    """From one gait's first pose to the other's, `end` percent of a cycle later; `share` is how much of the other."""
    percent = _rhythm(before, after, end, share)
    first = int(np.searchsorted(percent, 0.0))
    stop = int(np.argmin(np.abs(percent - end))) + 1
    down = _down(before, after, percent, share)
    raw = BodyClip(
        before.name, before.body, RATE, readonly(_poses(before, after, percent, share)), readonly(down, bool)
    )
    sure = np.isin(share(percent), (0.0, 1.0))
    settings = FootSettings(smoothing=None, peak=None, heave=_CHANGE_FIRM, fade=_CHANGE_FADE)
    clean = clean_feet(raw, settings, whole_prints(raw, sure))
    return replace(clean, qpos=readonly(clean.qpos[first:stop]), down=readonly(down[first:stop], bool))


def _rhythm(before: BodyClip, after: BodyClip, end: float, share: Stages) -> Array:
    """(T,) percent of the cycle, 0 in one of the frames: each frame goes on as far as the gaits do there."""
    paces = CYCLE / (before.frames - 1), CYCLE / (after.frames - 1)
    percent = [-paces[0] * round(_BEFORE / paces[0])]
    while percent[-1] < end + _AFTER:
        part = float(share(np.array(percent[-1])))
        percent.append(percent[-1] + (1.0 - part) * paces[0] + part * paces[1])
    told = np.array(percent)
    near = told[np.argmin(np.abs(told - end))]
    stretch = np.interp(told, [0.0, near], [0.0, end - near])  # so that a frame is the very last
    return np.asarray(np.round(told + stretch, 9))


def _poses(before: BodyClip, after: BodyClip, percent: Array, share: Stages) -> Array:
    """(T, nq) between the poses that the gaits have at the same percent, as far along as the strides carry."""
    part = share(percent)
    one, other = (_in_place(gait, percent) for gait in (before, after))
    space = PoseSpace(before.body)
    qpos = space.moved(one, part[:, None] * space.difference(one, other))
    strides = [float(gait.qpos[-1, 0] - gait.qpos[0, 0]) for gait in (before, after)]
    stride = (1.0 - part) * strides[0] + part * strides[1]
    ways = 0.5 * (stride[1:] + stride[:-1]) * np.diff(percent) / CYCLE
    qpos[:, 0] += np.concatenate([[0.0], np.cumsum(ways)])
    qpos[:, 0] -= np.interp(0.0, percent, qpos[:, 0])
    return qpos


def _in_place(gait: BodyClip, percent: Array) -> Array:
    """(T, nq) a gait's poses without its way forward."""
    played, stride = Played(gait), float(gait.qpos[-1, 0] - gait.qpos[0, 0])
    poses = np.array([played.at(each / CYCLE * gait.seconds).qpos for each in percent])
    poses[:, 0] -= stride * percent / CYCLE
    return poses


def _down(before: BodyClip, after: BodyClip, percent: Array, share: Stages) -> NDArray[np.bool_]:
    """(T, P) what bears: for as much of the cycle as lies between what the gaits have, by the share at heel strike."""
    columns = []
    for part, contact in enumerate(before.parts):
        strike = CYCLE / 2 if contact.limb.startswith("right") else 0.0
        spans = [_span(gait, part, strike) for gait in (before, after)]
        phase = np.round(percent - strike, 9) % CYCLE
        of_stance = share(np.round(percent - phase, 9))
        start, stop = ((1.0 - of_stance) * one + of_stance * other for one, other in zip(*spans, strict=True))
        columns.append((phase >= start) & (phase <= stop))
    return np.stack(columns, axis=1)


def _span(gait: BodyClip, part: int, strike: float) -> tuple[float, float]:
    """Percent after heel strike from which and up to which a part is down."""
    assert gait.down is not None
    frames = gait.frames - 1
    around = np.roll(gait.down[:-1, part], -round(strike / CYCLE * frames))
    start, stop = next(iter(runs(around)), _NO_FRAMES)
    return start * CYCLE / frames, (stop - 1) * CYCLE / frames
