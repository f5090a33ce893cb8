"""Gaits: one cycle of walking or running for any humanoid body.

The centre of mass goes forward steadily and sways as told; up and down it moves as the load on the feet demands, so
that flight obeys gravity. The pelvis follows from it, then feet that stand are pinned to the ground.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Frozen, readonly
from poise.body.body import Body
from poise.body.contact_parts import contact_parts
from poise.body.link_kinematics import Kinematics
from poise.errors import unknown
from poise.library.authoring.curves import CYCLE, Curve
from poise.library.authoring.figure import LIMB_ANGLES, MIDDLE_ANGLES, PosableFigure
from poise.library.authoring.keyed_support import centres
from poise.library.authoring.prints import whole_prints
from poise.library.authoring.source import MotionSource
from poise.reference.body_clip import BodyClip
from poise.reference.supports import Sketch, supports_of
from poise.retarget.foot_cleanup import FootSettings, clean_feet

# The written form of a gait: curves of gait analysis over one cycle, and when feet are down.
#
# Limb curves are told for the left; the right side does the same half a cycle later. Curves of the middle of the body
# are told for half a cycle: the other half mirrors it.

HIPS = 0.93  # m: height of the hips of the figure that sources are written for
ENDS = ("heel", "ball", "ball_with_toes", "tip")  # the ball rises earlier where toes are hinged to the foot
_TURNING = ("_rotation", "_list", "_bend")  # angles of the middle that change sign between left and right
_FIELDS = ("kind", "title", "speed", "cadence", "load", "sway", "surge", "down", "curves")


@dataclass(frozen=True, eq=False)
class GaitCycle:
    """A gait of a figure whose hips are HIPS high."""

    name: str
    speed: float  # m/s
    cadence: float  # steps per minute
    down: Mapping[str, tuple[float, float]]  # ENDS of the left foot: percent of the cycle
    load: Curve  # on the left foot while it bears, of body weight; both feet's is scaled to it on the average
    bounce: float  # how much of what the load differs from body weight lifts the centre of mass; 1 obeys gravity
    sway: Curve  # m, the centre of mass to the left
    surge: Curve  # m, the centre of mass before where a steady walk has it
    limbs: Mapping[str, Curve]  # degrees, of the left side
    middle: Mapping[str, Curve]  # degrees

    @property
    def seconds(self) -> float:
        """Of a cycle: two steps."""
        return 120.0 / self.cadence

    def angles(self, percent: Array) -> dict[str, Array]:
        """Degrees (T,) of all angles at percents (T,)."""
        left = {f"left_{name}": curve(percent) for name, curve in self.limbs.items()}
        right = {f"right_{name}": curve(percent + CYCLE / 2) for name, curve in self.limbs.items()}
        return left | right | {name: curve(percent) for name, curve in self.middle.items()}

    def sized(self, hips: float) -> GaitCycle:
        """The gait of a figure of another size: dynamically alike, as equal Froude numbers make it."""
        size = hips / HIPS
        return replace(
            self,
            speed=self.speed * size**0.5,
            cadence=self.cadence / size**0.5,
            sway=self.sway.scaled(size),
            surge=self.surge.scaled(size),
        )


def read_gait(source: MotionSource) -> GaitCycle:
    """The gait of a source file."""
    source.check(_FIELDS)
    curves = {name: _curve(source, name, text) for name, text in source.section("curves").items()}
    for name in curves:
        if name not in (*LIMB_ANGLES, *MIDDLE_ANGLES):
            raise unknown(f"curve in {source.path.name}", name, (*LIMB_ANGLES, *MIDDLE_ANGLES))
    down = source.section("down")
    return GaitCycle(
        name=source.name,
        speed=source.positive("speed"),
        cadence=source.positive("cadence"),
        down=Frozen({end: _interval(source, end, down.get(end)) for end in ENDS}),
        load=_curve(source, "load", source.text("load")),
        bounce=1.0,
        sway=_curve(source, "sway", source.text("sway")).continued(-1.0),
        surge=_curve(source, "surge", source.text("surge")).continued(1.0),
        limbs=Frozen({name: curve for name, curve in curves.items() if name in LIMB_ANGLES}),
        middle=Frozen({name: _continued(name, curve) for name, curve in curves.items() if name in MIDDLE_ANGLES}),
    )


def _curve(source: MotionSource, name: str, text: object) -> Curve:
    try:
        return Curve.parse(str(text))
    except ValueError as error:
        raise source.fail(f"curve '{name}' {error}") from None


def _continued(name: str, curve: Curve) -> Curve:
    return curve.continued(-1.0 if name.endswith(_TURNING) else 1.0)


def _interval(source: MotionSource, end: str, told: object) -> tuple[float, float]:
    start, stop = source.interval(f"'{end}' in [down]", told)
    if not 0 <= start < stop < CYCLE:
        raise source.fail(f"'{end}' in [down] must be in percent of the cycle, from 0 to below 100, not {told!r}")
    return start, stop


# A gait at another speed.
#
# How it changes follows trends of gait analysis over speed: people lengthen and quicken their steps alike, swing hips
# and arms more, bend the knee deeper under load, sway less, and stand for less of the cycle.

_CADENCE, _STRIDE, _SWAY, _BOUNCE = 0.55, 0.45, -0.6, 2.0  # exponents of the ratio of speeds
_SHORTER = 4.0  # percent of the cycle by which stance ends earlier per m/s
_LOADED = (2.0, 40.0)  # percent of the cycle in which the knee bends under load
_STRIDING = ("hip_flexion", "ankle_dorsiflexion", "pelvis_rotation", "trunk_rotation", "toe_extension")
_ARMS = ("shoulder_flexion", "elbow_flexion")


def at_speed(gait: GaitCycle, speed: float) -> GaitCycle:
    """The gait at `speed` (m/s)."""
    ratio = speed / gait.speed
    warp = _earlier(max(stop for _, stop in gait.down.values()), _SHORTER * (speed - gait.speed))
    limbs = {name: _striding(name, _loaded(name, curve, ratio), ratio) for name, curve in gait.limbs.items()}
    return replace(
        gait,
        speed=speed,
        cadence=gait.cadence * ratio**_CADENCE,
        down=Frozen({end: (float(warp(start)), float(warp(stop))) for end, (start, stop) in gait.down.items()}),
        load=gait.load.timed(warp),
        bounce=gait.bounce * ratio**_BOUNCE,
        sway=gait.sway.scaled(ratio**_SWAY),
        limbs=Frozen({name: curve if name in _ARMS else curve.timed(warp) for name, curve in limbs.items()}),
        middle=Frozen({name: _striding(name, curve, ratio) for name, curve in gait.middle.items()}),
    )


def _striding(name: str, curve: Curve, ratio: float) -> Curve:
    """The curve with the range that goes with the speed."""
    if name in _ARMS:
        return curve.scaled(ratio, about=curve.mean)
    return curve.scaled(ratio**_STRIDE, about=curve.mean) if name in _STRIDING else curve


def _loaded(name: str, curve: Curve, ratio: float) -> Curve:
    """The knee's curve with another bend under load."""
    if name != "knee_flexion":
        return curve
    loaded = (curve.at > _LOADED[0]) & (curve.at < _LOADED[1])
    return replace(curve, values=curve.values * (1 + loaded * (ratio - 1)))


def _earlier(stance: float, percent: float) -> Callable[[Array | float], Array]:
    """Percents moved so that stance ends so much earlier, and swing begins with it."""

    def warp(at: Array | float) -> Array:
        return np.asarray(np.interp(at, [0.0, stance, CYCLE], [0.0, stance - percent, CYCLE]))

    return warp


RATE = 120.0  # frames per second
GRAVITY = 9.81  # m/s^2
_FIRM = 60.0  # how much less readily than legs the pelvis gives way to pinned feet: its height is right already
_FADE = 0.08  # s over which corrections of the legs come and go
_AROUND = 3  # cycles laid end to end, of which the middle one is taken
_FINE = 1024  # samples of a cycle, for its Fourier series


def gait_sketch(source: MotionSource, body: Body) -> Sketch:
    """One cycle of the gait that a source tells."""
    clip = cycle(gait_of(source), body)
    return Sketch(clip, supports_of(clip))


def gait_of(source: MotionSource) -> GaitCycle:
    """The gait of a source, or that of its base at another speed."""
    if source.kind != "gait":
        raise source.fail(f"a gait is needed, not a motion of kind '{source.kind}'")
    if "base" not in source.table:
        return read_gait(source)
    source.check(("kind", "title", "base", "speed"))
    base = source.other("base")
    if "base" in base.table:
        raise source.fail(f"'base' must be a gait that is written out, and {base.name} has a base itself")
    return replace(at_speed(gait_of(base), source.positive("speed")), name=source.name)


def cycle(gait: GaitCycle, body: Body) -> BodyClip:
    """From left heel strike to the next, at RATE; its second half mirrors the first."""
    body.require("feet", "mirror", for_whom=f"motion '{gait.name}'")
    own = gait.sized(float(body.standing[2]))
    half = round(own.seconds * RATE / 2)
    stride = own.speed * 2 * half / RATE  # m
    percent: Array = np.arange(2.0 * half * _AROUND + 1) * (CYCLE / 2 / half)
    raw = BodyClip(own.name, body, RATE, _poses(own, body, percent, stride), _down(own, body, percent))
    settings = FootSettings(smoothing=None, peak=None, heave=_FIRM, fade=_FADE)
    clean = clean_feet(raw, settings, whole_prints(raw))
    return _closed(clean, (_AROUND // 2) * 2 * half, half, stride)


def _poses(gait: GaitCycle, body: Body, percent: Array, stride: float) -> Array:
    """(T, nq): the curves' poses, the centre of mass where it is to be, feet on the ground on the average."""
    ahead = stride * percent / CYCLE + gait.surge(percent)
    place = np.stack([ahead, gait.sway(percent), _heave(gait, percent)], axis=1)
    qpos = PosableFigure(body).poses(gait.angles(percent), np.zeros((len(percent), 3)))
    qpos[:, :3] = place - centres(body, qpos)
    ends = [(part.link, part.points.mean(axis=0)) for part in contact_parts(body)]
    heights = Kinematics(body, ends).at(qpos)[0][..., 2]
    qpos[:, 2] -= heights[_down(gait, body, percent)].mean()
    return qpos


def _heave(gait: GaitCycle, percent: Array) -> Array:
    """(T,) m: height of the centre of mass against its mean, twice integrated from the load on both feet."""
    even = np.arange(_FINE) * CYCLE / _FINE
    load = gait.load.pulse(even)
    both = load + np.roll(load, _FINE // 2)
    rise = np.fft.rfft(gait.bounce * GRAVITY * (both / both.mean() - 1.0))
    turns = 2 * np.pi * np.arange(len(rise)) / gait.seconds  # rad/s
    height = np.fft.irfft(-rise / np.maximum(turns, turns[1]) ** 2, _FINE)
    return np.interp(percent, even, height, period=CYCLE)


def _down(gait: GaitCycle, body: Body, percent: Array) -> NDArray[np.bool_]:
    """(T, P) which contact parts bear."""
    parts = contact_parts(body)
    jointed = {part.limb for part in parts if part.name.endswith("_tip")}
    columns = []
    for part in parts:
        end = part.name.rpartition("_")[2]
        told = "ball_with_toes" if end == "ball" and part.limb in jointed else end
        start, stop = gait.down.get(told, (1.0, 0.0))
        phase = np.round(percent + (CYCLE / 2 if part.limb.startswith("right") else 0.0), 9) % CYCLE
        columns.append((phase >= start) & (phase <= stop))
    return np.stack(columns, axis=1)


def _closed(clip: BodyClip, first: int, half: int, stride: float) -> BodyClip:
    """The cycle that begins at frame `first`; its second half is the mirror image of the first, half a stride on."""
    assert clip.down is not None
    step = np.array(clip.qpos[first : first + half])
    step[:, 0] -= step[0, 0]
    other = clip.body.mirrored(step)
    other[:, 0] += stride / 2
    last = np.array(step[:1])
    last[:, 0] += stride
    down = clip.down[first : first + 2 * half + 1]
    qpos = np.concatenate([step, other, last])
    return BodyClip(clip.name, clip.body, clip.rate, readonly(qpos), readonly(down, bool), cyclic=True)
