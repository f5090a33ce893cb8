"""Changes of gait: from one gait into another, as from walking into running, left foot first and last.

All of a gait goes over into that of the other: its poses, its rhythm, its length of stride, and how long feet stand.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.body.poses import PoseSpace
from poise.frozen import Array, readonly
from poise.reference.authoring.curves import CYCLE, Stages
from poise.reference.authoring.gait import RATE, cycle, gait_of
from poise.reference.authoring.pace import stages
from poise.reference.authoring.prints import whole_prints
from poise.reference.authoring.source import Source
from poise.reference.bodyclip import BodyClip
from poise.reference.contacts_runs import runs
from poise.reference.feet import FootSettings, clean_feet
from poise.reference.played import Played
from poise.reference.supports import Sketch, supports_of

_BEFORE, _AFTER = 100.0, 100.0  # percent of the cycle gone before the first frame and after the last, and cut off
_NEVER = (1, 0)  # frames
_FADE = 0.08  # s over which corrections of the legs come and go
_FIRM = 60.0  # how much less readily than legs the pelvis gives way to pinned feet


def change_sketch(source: Source, body: Body) -> Sketch:
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
    settings = FootSettings(smoothing=None, peak=None, heave=_FIRM, fade=_FADE)
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
    start, stop = next(iter(runs(around)), _NEVER)
    return start * CYCLE / frames, (stop - 1) * CYCLE / frames
