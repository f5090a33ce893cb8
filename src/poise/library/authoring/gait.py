"""Gaits: one cycle of walking or running for any humanoid body, from curves of gait analysis.

The centre of mass advances steadily and sways as the source says. Its height follows from the load on the feet, so that
flight obeys gravity. The pelvis is placed to give this centre of mass, then stance feet are pinned to the ground.

Limb curves of a source are for the left side; the right side repeats these curves half a cycle later. Curves of pelvis,
trunk and neck cover half a cycle; the other half is the mirror image.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Frozen, Mask, readonly
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.surface import contact_parts
from poise.errors import known_name
from poise.library.authoring.curves import CYCLE, GaitSourceCurve
from poise.library.authoring.figure import LIMB_ANGLES, MIDDLE_ANGLES, SourceFigure
from poise.library.authoring.prints import pin_feet_of_authored_clip
from poise.library.authoring.source import MotionSource
from poise.reference.body_clip import BodyClip, centres_of_mass
from poise.reference.supports import Sketch, sketch_of_clip
from poise.retarget.contact_detection import GRAVITY

RATE = 120.0  # frames per second
HIPS = 0.93  # m, hip height of the figure that sources are written for
ENDS = ("heel", "ball", "ball_with_toes", "tip")  # the ball rises earlier where toes are hinged to the foot
_TURNING = ("_rotation", "_list", "_bend")  # angles of pelvis, trunk and neck that change sign when mirrored
_FIELDS = ("kind", "title", "speed", "cadence", "load", "sway", "surge", "down", "curves")
_FIRM = 60.0  # weight of pelvis corrections relative to leg corrections; high, as the pelvis has the right height
_FADE = 0.08  # s over which leg corrections fade in and out
_AROUND = 3  # cycles generated end to end, to keep the middle one
_FINE = 1024  # samples of a cycle for its Fourier series


def sketch_of_gait_source(source: MotionSource, body: Body) -> Sketch:
    """Build one cycle of the gait that a source of kind "gait" describes."""
    return sketch_of_clip(clip_of_gait_source(gait_of_source(source), body))


def gait_of_source(source: MotionSource) -> "GaitSource":
    """Read the gait of a source. If the source names a base, its gait is that of the base at another speed."""
    if source.kind != "gait":
        raise source.table.fail(f"a gait is needed, not a motion of kind '{source.kind}'", "kind")
    if "base" not in source.table:
        return read_gait_source(source)
    source.table.check(("kind", "title", "base", "speed"))
    base = source.other("base")
    if "base" in base.table:
        raise source.table.fail(f"'base' must be a gait with its own curves, but {base.name} has a base itself", "base")
    return replace(gait_source_at_speed(gait_of_source(base), source.table.positive("speed")), name=source.name)


@dataclass(frozen=True, eq=False)
class GaitSource:
    """A gait of a figure with hip height HIPS; curves are functions of the percent of the cycle."""

    name: str
    speed: float  # m/s
    cadence: float  # steps per minute
    down: Mapping[str, tuple[float, float]]  # stance of each of ENDS of the left foot: percent of the cycle
    load: GaitSourceCurve  # on the left foot in stance; rescaled so that the mean load of both feet is body weight
    bounce: float  # share of the load's deviation from body weight that accelerates the centre of mass; 1 is physical
    sway: GaitSourceCurve  # m, sideways displacement of the centre of mass, positive to the left
    surge: GaitSourceCurve  # m, forward displacement of the centre of mass relative to steady progress
    limbs: Mapping[str, GaitSourceCurve]  # degrees, of the left side
    middle: Mapping[str, GaitSourceCurve]  # degrees, of pelvis, trunk and neck

    @property
    def seconds(self) -> float:
        """Duration (s) of one cycle, which has two steps."""
        return 120.0 / self.cadence

    def angles(self, percent: Array) -> dict[str, Array]:
        """By full name: each angle (T,) in degrees at percents (T,) of the cycle."""
        left = {f"left_{name}": curve(percent) for name, curve in self.limbs.items()}
        right = {f"right_{name}": curve(percent + CYCLE / 2) for name, curve in self.limbs.items()}
        return left | right | {name: curve(percent) for name, curve in self.middle.items()}

    def sized(self, hips: float) -> "GaitSource":
        """The gait of a figure with hip height `hips` (m) at the same Froude number, so that both move alike."""
        size = hips / HIPS
        speed, cadence = self.speed * size**0.5, self.cadence / size**0.5
        return replace(self, speed=speed, cadence=cadence, sway=self.sway.scaled(size), surge=self.surge.scaled(size))


def read_gait_source(source: MotionSource) -> GaitSource:
    """Read the gait of a source that has its own curves, not a base."""
    table = source.table
    table.check(_FIELDS)

    def read(field: str, text: str) -> GaitSourceCurve:
        return source.parsed(f"curve '{field}'", text, GaitSourceCurve.parse)

    written, down = table.inner("curves"), table.inner("down")
    curves = {name: read(name, str(written.raw(name))) for name in written.keys}
    for name in curves:
        known_name(f"curve in {source.path.name}", name, (*LIMB_ANGLES, *MIDDLE_ANGLES))
    sign = {name: -1.0 if name.endswith(_TURNING) else 1.0 for name in curves}
    return GaitSource(
        name=source.name,
        speed=table.positive("speed"),
        cadence=table.positive("cadence"),
        down=Frozen({end: _source_stance_interval(source, end, down.raw(end)) for end in ENDS}),
        load=read("load", table.text("load")),
        bounce=1.0,
        sway=read("sway", table.text("sway")).continued(-1.0),
        surge=read("surge", table.text("surge")).continued(1.0),
        limbs=Frozen({name: curve for name, curve in curves.items() if name in LIMB_ANGLES}),
        middle=Frozen({name: curve.continued(sign[name]) for name, curve in curves.items() if name in MIDDLE_ANGLES}),
    )


def _source_stance_interval(source: MotionSource, end: str, value: object) -> tuple[float, float]:
    start, stop = source.interval(f"'{end}' in [down]", value)
    if not 0 <= start < stop < CYCLE:
        raise source.table.fail(f"'{end}' in [down] must be percents from 0 to below 100, not {value!r}", "down")
    return start, stop


_CADENCE, _STRIDE, _SWAY, _BOUNCE = 0.55, 0.45, -0.6, 2.0  # exponents of the speed ratio
_SHORTER = 4.0  # percent of the cycle by which stance ends earlier per m/s of speed
_LOADED = (2.0, 40.0)  # percent of the cycle in which the knee bends under load
_STRIDING = ("hip_flexion", "ankle_dorsiflexion", "pelvis_rotation", "trunk_rotation", "toe_extension")
_ARMS = ("shoulder_flexion", "elbow_flexion")


def gait_source_at_speed(gait: GaitSource, speed: float) -> GaitSource:
    """The gait at another `speed` (m/s), changed as gait analysis shows.

    With speed, cadence and step length grow alike, hips and arms swing more, the knee bends more under load, sway
    decreases, and stance takes less of the cycle.
    """
    ratio = speed / gait.speed
    stance = max(stop for _, stop in gait.down.values())
    earlier = stance - _SHORTER * (speed - gait.speed)

    def warp(at: Array | float) -> Array:  # percents of the cycle, so that stance ends earlier
        return np.asarray(np.interp(at, [0.0, stance, CYCLE], [0.0, earlier, CYCLE]))

    limbs = {name: _source_curve_at_speed(name, curve, ratio) for name, curve in gait.limbs.items()}
    return replace(
        gait,
        speed=speed,
        cadence=gait.cadence * ratio**_CADENCE,
        down=Frozen({end: (float(warp(start)), float(warp(stop))) for end, (start, stop) in gait.down.items()}),
        load=gait.load.timed(warp),
        bounce=gait.bounce * ratio**_BOUNCE,
        sway=gait.sway.scaled(ratio**_SWAY),
        limbs=Frozen({name: curve if name in _ARMS else curve.timed(warp) for name, curve in limbs.items()}),
        middle=Frozen({name: _source_curve_at_speed(name, curve, ratio) for name, curve in gait.middle.items()}),
    )


def _source_curve_at_speed(name: str, curve: GaitSourceCurve, ratio: float) -> GaitSourceCurve:
    """The curve `name` with its range scaled for a speed ratio, if this angle's range grows with speed."""
    if name == "knee_flexion":  # the knee bends more where the leg bears load
        loaded = (curve.at > _LOADED[0]) & (curve.at < _LOADED[1])
        return replace(curve, values=curve.values * (1 + loaded * (ratio - 1)))
    if name in _ARMS:
        return curve.scaled(ratio, about=curve.mean)
    return curve.scaled(ratio**_STRIDE, about=curve.mean) if name in _STRIDING else curve


def clip_of_gait_source(gait: GaitSource, body: Body) -> BodyClip:
    """Return one cycle of a gait on a body, between two left heel strikes. Its second half mirrors the first half."""
    body.require("feet", "mirror", for_whom=f"motion '{gait.name}'")
    own = gait.sized(float(body.standing[2]))
    half = round(own.seconds * RATE / 2)
    stride = own.speed * 2 * half / RATE  # m
    percent: Array = np.arange(2.0 * half * _AROUND + 1) * (CYCLE / 2 / half)
    qpos, contacts = _poses_of_gait_source(own, body, percent, stride), _contacts_of_gait_source(own, body, percent)
    raw = BodyClip(own.name, body, RATE, qpos, contacts)
    pinned = pin_feet_of_authored_clip(raw, _FIRM, _FADE)
    return _cut_cycle_of_gait_source(pinned, (_AROUND // 2) * 2 * half, half, stride)


def _poses_of_gait_source(gait: GaitSource, body: Body, percent: Array, stride: float) -> Array:
    """Poses (T, nq) with the gait's angles and path of the centre of mass. On average, stance feet are at height 0."""
    ahead = stride * percent / CYCLE + gait.surge(percent)
    place = np.stack([ahead, gait.sway(percent), _com_height_of_gait_source(gait, percent)], axis=1)
    qpos = SourceFigure(body).poses(gait.angles(percent), np.zeros((len(percent), 3)))
    qpos[:, :3] = place - centres_of_mass(body, qpos)
    ends = [(part.link, part.points.mean(axis=0)) for part in contact_parts(body)]
    heights = LinkKinematics(body, ends).at(qpos)[0][..., 2]
    qpos[:, 2] -= heights[_contacts_of_gait_source(gait, body, percent)].mean()
    return qpos


def _com_height_of_gait_source(gait: GaitSource, percent: Array) -> Array:
    """(T,) m: height of the centre of mass above its mean, by integrating the load on both feet twice."""
    even = np.arange(_FINE) * CYCLE / _FINE
    load = gait.load.pulse(even)
    both = load + np.roll(load, _FINE // 2)
    rise = np.fft.rfft(gait.bounce * GRAVITY * (both / both.mean() - 1.0))
    turns = 2 * np.pi * np.arange(len(rise)) / gait.seconds  # rad/s
    height = np.fft.irfft(-rise / np.maximum(turns, turns[1]) ** 2, _FINE)
    return np.interp(percent, even, height, period=CYCLE)


def _contacts_of_gait_source(gait: GaitSource, body: Body, percent: Array) -> Mask:
    """(T, P) whether each contact part is down at percents (T,) of the cycle."""
    parts = contact_parts(body)
    jointed = {part.limb for part in parts if part.name.endswith("_tip")}
    columns = []
    for part in parts:
        end = part.name.rpartition("_")[2]
        key = "ball_with_toes" if end == "ball" and part.limb in jointed else end
        start, stop = gait.down.get(key, (1.0, 0.0))
        phase = np.round(percent + (CYCLE / 2 if part.limb.startswith("right") else 0.0), 9) % CYCLE
        columns.append((phase >= start) & (phase <= stop))
    return np.stack(columns, axis=1)


def _cut_cycle_of_gait_source(clip: BodyClip, first: int, half: int, stride: float) -> BodyClip:
    """The cycle that begins at frame `first`; its second half mirrors its first half, half a stride ahead."""
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
