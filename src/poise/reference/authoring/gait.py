"""Gaits: one cycle of walking or running from curves of gait analysis, for any humanoid body.

Limb curves are told for the left; the right side does the same half a cycle later. The centre of mass goes forward
steadily and sways as told; up and down it moves as the load on the feet demands, so that flight obeys gravity. The
pelvis follows from it, then feet that stand are pinned to the ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.frozen import Frozen, readonly
from poise.reference.authoring.curves import CYCLE, Curve
from poise.reference.authoring.figure import LIMB_ANGLES, MIDDLE_ANGLES, Figure
from poise.reference.authoring.keyed_mass import centres
from poise.reference.authoring.source import Source, read_source
from poise.reference.bodyclip import BodyClip
from poise.reference.feet import FootSettings, clean_feet
from poise.reference.ik_kinematics import Kinematics
from poise.reference.parts import contact_parts
from poise.reference.supports import Sketch, supports_of
from poise.spatial import Array

RATE = 120.0  # frames per second
GRAVITY = 9.81  # m/s^2
HIPS = 0.93  # m: height of the hips of the figure that sources are written for
ENDS = ("heel", "ball", "ball_with_toes", "tip")  # the ball rises earlier where toes are hinged to the foot
_TURNING = ("_rotation", "_list", "_bend")  # angles of the middle that change sign between left and right
_FIRM = 60.0  # how much less readily than legs the pelvis gives way to pinned feet: its height is right already
_FADE = 0.08  # s over which corrections of the legs come and go
_AROUND = 3  # cycles laid end to end, of which the middle one is taken


@dataclass(frozen=True, eq=False)
class Gait:
    """A gait of a figure whose hips are HIPS high."""

    name: str
    speed: float  # m/s
    cadence: float  # steps per minute
    clearance: float  # m, of the soles half way through the swing
    down: Mapping[str, tuple[float, float]]  # ENDS of the left foot: percent of the cycle
    load: Curve  # on the left foot while it bears, of body weight; both feet's is scaled to it on the average
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

    def sized(self, hips: float) -> Gait:
        """The gait of a figure of another size: dynamically alike, as equal Froude numbers make it."""
        size = hips / HIPS
        return replace(
            self,
            speed=self.speed * size**0.5,
            cadence=self.cadence / size**0.5,
            clearance=self.clearance * size,
            sway=self.sway.scaled(size),
            surge=self.surge.scaled(size),
        )


def read_gait(source: Source) -> Gait:
    """The gait of a source file."""
    curves = {name: _curve(source, name, text) for name, text in source.section("curves").items()}
    for name in curves:
        if name not in (*LIMB_ANGLES, *MIDDLE_ANGLES):
            raise source.fail(f"unknown curve '{name}'")
    down = source.section("down")
    return Gait(
        name=source.name,
        speed=source.number("speed"),
        cadence=source.number("cadence"),
        clearance=source.number("clearance"),
        down=Frozen({end: _interval(source, end, down.get(end)) for end in ENDS}),
        load=_curve(source, "load", source.text("load")),
        sway=_curve(source, "sway", source.text("sway")).continued(-1.0),
        surge=_curve(source, "surge", source.text("surge")).continued(1.0),
        limbs=Frozen({name: curve for name, curve in curves.items() if name in LIMB_ANGLES}),
        middle=Frozen({name: _continued(name, curve) for name, curve in curves.items() if name in MIDDLE_ANGLES}),
    )


def _curve(source: Source, name: str, text: object) -> Curve:
    try:
        return Curve.parse(str(text))
    except ValueError as error:
        raise source.fail(f"curve '{name}' {error}") from None


def _continued(name: str, curve: Curve) -> Curve:
    return curve.continued(-1.0 if name.endswith(_TURNING) else 1.0)


def _interval(source: Source, end: str, told: object) -> tuple[float, float]:
    match told:
        case [float() | int() as start, float() | int() as stop] if 0 <= start < stop < CYCLE:
            return float(start), float(stop)
    raise source.fail(f"'{end}' in [down] must be [from, to] in percent of the cycle, not {told!r}")


def sketch(source: Source, body: Body) -> Sketch:
    """One cycle of a gait."""
    clip = cycle(gait_of(source), body)
    return Sketch(clip, supports_of(clip))


def gait_of(source: Source) -> Gait:
    """The gait of a source, or that of its base at another speed."""
    if "base" not in source.table:
        return read_gait(source)
    from poise.reference.authoring.speeds import at_speed

    base = gait_of(read_source(source.text("base")))
    return replace(at_speed(base, source.number("speed")), name=source.name)


def cycle(gait: Gait, body: Body) -> BodyClip:
    """From left heel strike to the next, at RATE; its second half mirrors the first."""
    body.require("feet", "mirror", for_whom=f"motion '{gait.name}'")
    own = gait.sized(float(body.standing[2]))
    half = round(own.seconds * RATE / 2)
    percent = np.arange(2 * half * _AROUND + 1) * (CYCLE / 2 / half)
    stride = own.speed * 2 * half / RATE  # m
    raw = BodyClip(own.name, body, RATE, _poses(own, body, percent, stride), _down(own, body, percent))
    clean = clean_feet(raw, FootSettings(clearance=own.clearance, smoothing=None, peak=None, heave=_FIRM, fade=_FADE))
    first = (_AROUND // 2) * 2 * half
    return _closed(clean, first, half, stride)


def _poses(gait: Gait, body: Body, percent: Array, stride: float) -> Array:
    """(T, nq): the curves' poses, the centre of mass where it is to be, feet on the ground on the average."""
    ahead = stride * percent / CYCLE + gait.surge(percent)
    place = np.stack([ahead, gait.sway(percent), _heave(gait, percent)], axis=1)
    qpos = Figure(body).poses(gait.angles(percent), np.zeros((len(percent), 3)))
    qpos[:, :3] = place - centres(body, qpos)
    down = _down(gait, body, percent)
    parts = contact_parts(body)
    points = [(part.link, part.points.mean(axis=0)) for part in parts]
    places, _ = Kinematics(body, points).at(qpos)
    qpos[:, 2] -= places[down, 2].mean()
    return qpos


def _heave(gait: Gait, percent: Array) -> Array:
    """(T,) m: height of the centre of mass against its mean, twice integrated from the load on both feet."""
    even = np.arange(1024) * CYCLE / 1024
    load = gait.load.pulse(even)
    both = load + np.roll(load, 512)
    rise = np.fft.rfft(GRAVITY * (both / both.mean() - 1.0))
    turns = 2 * np.pi * np.arange(len(rise)) / gait.seconds  # rad/s
    height = np.fft.irfft(-rise / np.maximum(turns, turns[1]) ** 2, len(even))
    return np.interp(percent % CYCLE, even, height, period=CYCLE)


def _down(gait: Gait, body: Body, percent: Array) -> NDArray[np.bool_]:
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
