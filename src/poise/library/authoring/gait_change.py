"""Starts and stops of a walk (kind "pace") and changes from one gait into another (kind "change").

A pace blends between the standing pose and the gait. Where the `size` of a pace is 0 the figure stands; where `size` is
1 the motion equals the gait, so that the gait can follow. A change blends the poses, cadence, stride length and stance
phases of two gaits, and begins and ends at left heel strike.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import distance_transform_edt

from poise.arrays import Array, Mask, readonly, true_runs
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.body.surface import ContactPart
from poise.ease import quintic_ease
from poise.errors import known_name
from poise.library.authoring.curves import CYCLE, Stages
from poise.library.authoring.gait import HIPS, RATE, clip_of_gait_source, gait_of_source
from poise.library.authoring.keyed import sketch_of_keyed_source
from poise.library.authoring.prints import pin_feet_of_authored_clip
from poise.library.authoring.source import MotionSource
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played
from poise.reference.supports import Sketch, sketch_of_clip
from poise.retarget.figure import SIDES
from poise.rotations import quat_exp, quat_multiply

_WAYS = ("from", "to", "wait", "ease", "size", "shift", "lean", "down")
_PACE = ("kind", "title", "begins", "ends", "base", "rest", *_WAYS)  # fields
_PACE_FADE = 0.1  # s over which leg corrections fade in and out
_PACE_FIRM = 30.0  # weight of pelvis corrections relative to leg corrections
_DOWN = tuple(f"{side}_{end}" for side in SIDES for end in ("heel", "ball"))
_NO_SPAN = (1.0, 0.0)  # empty interval (percent)
_OVER = 0.15  # s over which corrections fade out towards frames that need no correction


@dataclass(frozen=True, eq=False)
class PacedStretch:
    """T frames of a gait, and how each frame is blended with the standing pose."""

    percent: Array  # (T,) of the gait's cycle, never decreasing
    size: Array  # (T,) from 0 (standing) to 1 (gait)
    shift: Array  # (T,) m, sideways displacement of the pelvis, positive to the left
    lean: Array  # (T,) rad, the body's forward lean about the ground below the pelvis


def sketch_of_pace_source(source: MotionSource, body: Body) -> Sketch:
    """Build the start or stop of a walk that a source of kind "pace" describes."""
    source.table.check(_PACE)
    steady = clip_of_gait_source(gait_of_source(source.other("base")), body)
    rest = source.other("rest")  # the standing pose
    if rest.kind != "keyed":
        raise source.table.fail(f"'rest' must be of kind 'keyed', but {rest.name} is of kind '{rest.kind}'", "rest")
    pace = _read_pace_source(source, steady)
    declared = _contacts_declared_by_source(source, steady.parts, pace.percent)
    down = gait_source_contacts_at(steady, pace.percent) | declared
    clip = clip_of_pace_source(steady, sketch_of_keyed_source(rest, body).clip.qpos[0], pace, down)
    return sketch_of_clip(replace(clip, name=source.name))


def clip_of_pace_source(steady: BodyClip, rest: Array, pace: PacedStretch, down: Mask) -> BodyClip:
    """Return the clip of a pace, with stance feet pinned to the ground. `steady` is one cycle of the gait.

    `rest` (nq,) is the standing pose, `down` (T, P) marks the contact parts that touch the ground.
    """
    body = steady.body
    given = BodyClip(steady.name, body, RATE, readonly(_poses_of_pace_source(steady, rest, pace)), readonly(down, bool))
    sure = ((pace.size == 0) | (pace.size == 1)) & (pace.shift == 0) & (pace.lean == 0)
    clean = pin_feet_of_authored_clip(given, _PACE_FIRM, _PACE_FADE, sure)
    far = distance_transform_edt(np.pad(sure, 1, mode="edge"))[1:-1] if not sure.all() else np.full(len(sure), np.inf)
    share = 1.0 - quintic_ease(far / (_OVER * RATE))
    space = PoseSpace(body)
    change = space.difference(given.qpos, clean.qpos)
    return replace(given, qpos=readonly(space.moved(given.qpos, share[:, None] * change)))


def _read_pace_source(source: MotionSource, steady: BodyClip) -> PacedStretch:
    """Read the pace of a source. It has the cadence of the gait, and is slower only near the end that stands."""
    time_scale = np.sqrt(steady.body.standing[2] / HIPS)
    size, shift = (read_source_stages(source, field) for field in ("size", "shift"))
    lean = source.parsed("'lean'", source.table.text("lean", "0:0"), Stages.parse)
    table = source.table
    first, last = table.number("from"), table.number("to")
    wait, half_ease = (round(table.positive(f) * k * time_scale * RATE) for f, k in (("wait", 1.0), ("ease", 0.5)))
    stretch = (last - first) / CYCLE * (steady.frames - 1)
    since = np.arange(wait + half_ease + round(stretch) + 1.0) - wait  # frames; the first 2 * half_ease are slower
    share = np.clip(since / (2 * half_ease), 0.0, 1.0)
    passed = 2 * half_ease * share**4 * (2.5 - 3 * share + share**2) + np.maximum(since - 2 * half_ease, 0.0)
    gone = passed * CYCLE / (steady.frames - 1)
    percent = np.round(last - gone[-1] + gone if size.values[0] == 0 else first + gone[-1] - gone[::-1], 9)
    aside = steady.body.standing[2] / HIPS * shift(percent)
    return PacedStretch(percent, size(percent), aside, np.radians(lean(percent)))


def read_source_stages(source: MotionSource, field: str) -> Stages:
    """Parse a field of 'percent:value' pairs; a PoiseError names the field if it is wrong."""
    return source.parsed(f"'{field}'", source.table.text(field), Stages.parse)


def _poses_of_pace_source(steady: BodyClip, rest: Array, pace: PacedStretch) -> Array:
    """Poses (T, nq) blended between the standing pose `rest` and the gait, moved forward by the blended steps."""
    space, there = PoseSpace(steady.body), _gait_source_poses_in_place(steady, pace.percent)
    stride = float(steady.qpos[-1, 0] - steady.qpos[0, 0])
    here = np.tile(rest, (len(there), 1))
    qpos = space.moved(here, pace.size[:, None] * space.difference(here, there))
    steps = 0.5 * (pace.size[1:] + pace.size[:-1]) * np.diff(pace.percent)
    qpos[:, 0] += stride / CYCLE * np.concatenate([[0.0], np.cumsum(steps)])
    qpos[:, 1] += pace.shift
    qpos[:, 0] += qpos[:, 2] * np.sin(pace.lean)
    qpos[:, 2] *= np.cos(pace.lean)
    qpos[:, 3:7] = quat_multiply(quat_exp(pace.lean[:, None] * (0.0, 1.0, 0.0)), qpos[:, 3:7])
    return qpos


def gait_source_contacts_at(steady: BodyClip, percent: Array) -> Mask:
    """(T, P) whether each contact part is down in the gait `steady` at percents (T,) of its cycle."""
    assert steady.down is not None
    frames = np.round(percent / CYCLE * (steady.frames - 1)).astype(int) % (steady.frames - 1)
    return np.asarray(steady.down[frames])


def _contacts_declared_by_source(source: MotionSource, parts: tuple[ContactPart, ...], percent: Array) -> Mask:
    """(T, P) whether [down] of the source declares each contact part down. Toes follow the ball of their foot."""
    down = source.table.inner("down")
    spans = {name: source.interval(f"'{name}' in [down]", down.raw(name)) for name in down.keys}
    for name in spans:
        known_name(f"part in [down] of {source.path.name}", name, _DOWN)
    columns = []
    for part in parts:
        side, end = part.limb.partition("_")[0], part.name.rpartition("_")[2].replace("tip", "ball")
        first, last = spans.get(f"{side}_{end}", _NO_SPAN)
        columns.append((percent >= first) & (percent <= last))
    return np.stack(columns, axis=1)


# Changes of gait

_BEFORE, _AFTER = 100.0, 100.0  # percent of the cycle generated before the first and after the last frame, then cut off
_NO_FRAMES = (1, 0)  # empty run of frames
_CHANGE_FADE = 0.08  # s over which leg corrections fade in and out
_CHANGE_FIRM = 60.0  # weight of pelvis corrections relative to leg corrections


def sketch_of_change_source(source: MotionSource, body: Body) -> Sketch:
    """Build the change of gait that a source of kind "change" describes."""
    source.table.check(("kind", "title", "begins", "ends", "cycles", "share"))
    gaits = [clip_of_gait_source(gait_of_source(source.other(field)), body) for field in ("begins", "ends")]
    end = CYCLE * source.table.whole("cycles", None, 1)
    clip = blended_gait_sources(gaits[0], gaits[1], end, read_source_stages(source, "share"))
    return sketch_of_clip(replace(clip, name=source.name))


def blended_gait_sources(before: BodyClip, after: BodyClip, end: float, share: Stages) -> BodyClip:
    """Blend from the first pose of the gait `before` to the first pose of `after`, `end` percent of a cycle later.

    `share` is the weight of the gait `after`, 0 to 1, as a function of the percent of the cycle.
    """
    percent = _blended_source_rhythm(before, after, end, share)
    first = int(np.searchsorted(percent, 0.0))
    stop = int(np.argmin(np.abs(percent - end))) + 1
    down = _blended_source_contacts(before, after, percent, share)
    qpos = readonly(_blended_gait_source_poses(before, after, percent, share))
    raw = BodyClip(before.name, before.body, RATE, qpos, readonly(down, bool))
    sure = np.isin(share(percent), (0.0, 1.0))
    clean = pin_feet_of_authored_clip(raw, _CHANGE_FIRM, _CHANGE_FADE, sure)
    return replace(clean, qpos=readonly(clean.qpos[first:stop]), down=readonly(down[first:stop], bool))


def _blended_source_rhythm(before: BodyClip, after: BodyClip, end: float, share: Stages) -> Array:
    """(T,) percent of the cycle at each frame; cadence from `before` to `after`. Frames lie exactly at 0 and `end`."""
    paces = CYCLE / (before.frames - 1), CYCLE / (after.frames - 1)
    percent = [-paces[0] * round(_BEFORE / paces[0])]
    while percent[-1] < end + _AFTER:
        part = float(share(np.array(percent[-1])))
        percent.append(percent[-1] + (1.0 - part) * paces[0] + part * paces[1])
    free = np.array(percent)
    near = free[np.argmin(np.abs(free - end))]
    stretch = np.interp(free, [0.0, near], [0.0, end - near])  # puts a frame exactly at `end`
    return np.asarray(np.round(free + stretch, 9))


def _blended_gait_source_poses(before: BodyClip, after: BodyClip, percent: Array, share: Stages) -> Array:
    """Poses (T, nq) blended between the two gaits at percents (T,), moved forward by the blended stride length."""
    part = share(percent)
    one, other = (_gait_source_poses_in_place(gait, percent) for gait in (before, after))
    space = PoseSpace(before.body)
    qpos = space.moved(one, part[:, None] * space.difference(one, other))
    strides = [float(gait.qpos[-1, 0] - gait.qpos[0, 0]) for gait in (before, after)]
    stride = (1.0 - part) * strides[0] + part * strides[1]
    ways = 0.5 * (stride[1:] + stride[:-1]) * np.diff(percent) / CYCLE
    qpos[:, 0] += np.concatenate([[0.0], np.cumsum(ways)])
    qpos[:, 0] -= np.interp(0.0, percent, qpos[:, 0])
    return qpos


def _gait_source_poses_in_place(gait: BodyClip, percent: Array) -> Array:
    """Poses (T, nq) of a gait at percents (T,), without forward displacement."""
    played, stride = Played(gait), float(gait.qpos[-1, 0] - gait.qpos[0, 0])
    poses = np.array([played.at(each / CYCLE * gait.seconds).qpos for each in percent])
    poses[:, 0] -= stride * percent / CYCLE
    return poses


def _blended_source_contacts(before: BodyClip, after: BodyClip, percent: Array, share: Stages) -> Mask:
    """(T, P) whether each contact part is down. Stance phases of both gaits blend by `share` at their heel strike."""
    columns = []
    for part, contact in enumerate(before.parts):
        strike = CYCLE / 2 if contact.limb.startswith("right") else 0.0
        spans = [_source_stance_span(gait, part, strike) for gait in (before, after)]
        phase = np.round(percent - strike, 9) % CYCLE
        of_stance = share(np.round(percent - phase, 9))
        start, stop = ((1.0 - of_stance) * one + of_stance * other for one, other in zip(*spans, strict=True))
        columns.append((phase >= start) & (phase <= stop))
    return np.stack(columns, axis=1)


def _source_stance_span(gait: BodyClip, part: int, strike: float) -> tuple[float, float]:
    """Interval in which a contact part is down, in percent of the cycle after the heel strike at `strike` percent."""
    assert gait.down is not None
    frames = gait.frames - 1
    around = np.roll(gait.down[:-1, part], -round(strike / CYCLE * frames))
    start, stop = next(iter(true_runs(around)), _NO_FRAMES)
    return start * CYCLE / frames, (stop - 1) * CYCLE / frames
