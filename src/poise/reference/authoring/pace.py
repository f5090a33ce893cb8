"""Walks that begin or end: steps that grow from standing into a gait, or fade from it to standing.

A pose is so much of the gait as `size` says, the rest of it standing. Where size is 1 the motion is the gait itself, so
that the one goes on where the other ends, and where it is 0 the figure stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from poise.body import Body
from poise.body.poses import PoseSpace
from poise.errors import unknown
from poise.frozen import Array, readonly
from poise.reference.authoring.curves import CYCLE, Stages
from poise.reference.authoring.gait import RATE, cycle, gait_of
from poise.reference.authoring.gait_source import HIPS
from poise.reference.authoring.keyed import keyed
from poise.reference.authoring.prints import whole_prints
from poise.reference.authoring.source import Source
from poise.reference.bodyclip import BodyClip
from poise.reference.edit.span import smooth
from poise.reference.feet import FootSettings, clean_feet
from poise.reference.parts import ContactPart
from poise.reference.played import Played
from poise.reference.retarget_figure import SIDES
from poise.reference.supports import Sketch, supports_of

_FADE = 0.1  # s over which corrections of the legs come and go
_FIRM = 30.0  # how much less readily than legs the pelvis gives way to pinned feet
_DOWN = tuple(f"{side}_{end}" for side in SIDES for end in ("heel", "ball"))
_NEVER = (1.0, 0.0)  # percent from, to
_OVER = 0.15  # s over which corrections end where nothing is to be corrected


@dataclass(frozen=True, eq=False)
class Pace:
    """A stretch of a gait and how much of it there is."""

    percent: Array  # (T,) of the gait's cycle, never decreasing
    size: Array  # (T,) from 0 for standing to 1 for the gait
    shift: Array  # (T,) m, of the pelvis to the left


def pace_sketch(source: Source, body: Body) -> Sketch:
    """The beginning or the end of a walk that a source tells."""
    source.check(
        ("kind", "title", "begins", "ends", "base", "rest", "from", "to", "wait", "ease", "size", "shift", "down")
    )
    steady = cycle(gait_of(source.other("base")), body)
    rest = keyed(_keyed_source(source), body).clip
    told = _pace(source, steady)
    down = down_in(steady, told.percent) | _held(source, steady.parts, told.percent)
    clip = replace(paced(steady, rest.qpos[0], told, down), name=source.name)
    return Sketch(clip, supports_of(clip))


def _keyed_source(source: Source) -> Source:
    """The source of the standing pose."""
    rest = source.other("rest")
    if rest.kind != "keyed":
        raise source.fail(f"'rest' must be a motion of kind 'keyed', and {rest.name} is of kind '{rest.kind}'")
    return rest


def paced(steady: BodyClip, rest: Array, pace: Pace, down: NDArray[np.bool_]) -> BodyClip:
    """The poses of a pace, feet pinned to the ground; `rest` (nq,) is the standing pose, `down` (T, P) what bears."""
    body = steady.body
    given = BodyClip(steady.name, body, RATE, readonly(_blend(steady, rest, pace)), readonly(down, bool))
    sure = ((pace.size == 0) | (pace.size == 1)) & (pace.shift == 0)
    settings = FootSettings(smoothing=None, peak=None, heave=_FIRM, fade=_FADE)
    clean = clean_feet(given, settings, whole_prints(given, sure))
    far = distance_transform_edt(np.pad(sure, 1, mode="edge"))[1:-1] if not sure.all() else np.full(len(sure), np.inf)
    share = 1.0 - smooth(far / (_OVER * RATE))
    space = PoseSpace(body)
    change = space.difference(given.qpos, clean.qpos)
    return replace(given, qpos=readonly(space.moved(given.qpos, share[:, None] * change)))


def _pace(source: Source, steady: BodyClip) -> Pace:
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
    return Pace(percent, size(percent), steady.body.standing[2] / HIPS * shift(percent))


def stages(source: Source, field: str) -> Stages:
    """Numbers at percents that a source tells."""
    try:
        return Stages.parse(source.text(field))
    except ValueError as error:
        raise source.fail(f"'{field}' {error}") from None


def _blend(steady: BodyClip, rest: Array, pace: Pace) -> Array:
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


def _held(source: Source, parts: tuple[ContactPart, ...], percent: Array) -> NDArray[np.bool_]:
    """(T, P) what the source says is down as well; toes as long as the ball of their foot."""
    told = {name: source.interval(f"'{name}' in [down]", pair) for name, pair in source.section("down").items()}
    for name in told:
        if name not in _DOWN:
            raise unknown(f"part in [down] of {source.path.name}", name, _DOWN)
    columns = []
    for part in parts:
        side, end = part.limb.partition("_")[0], part.name.rpartition("_")[2].replace("tip", "ball")
        first, last = told.get(f"{side}_{end}", _NEVER)
        columns.append((percent >= first) & (percent <= last))
    return np.stack(columns, axis=1)
