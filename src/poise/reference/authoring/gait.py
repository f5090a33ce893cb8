"""Gaits: one cycle of walking or running for any humanoid body.

The centre of mass goes forward steadily and sways as told; up and down it moves as the load on the feet demands, so
that flight obeys gravity. The pelvis follows from it, then feet that stand are pinned to the ground.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.frozen import Array, readonly
from poise.reference.authoring.curves import CYCLE
from poise.reference.authoring.figure import Figure
from poise.reference.authoring.gait_source import Gait, read_gait
from poise.reference.authoring.keyed_mass import centres
from poise.reference.authoring.prints import whole_prints
from poise.reference.authoring.source import Source
from poise.reference.authoring.speeds import at_speed
from poise.reference.bodyclip import BodyClip
from poise.reference.feet import FootSettings, clean_feet
from poise.reference.ik_kinematics import Kinematics
from poise.reference.parts import contact_parts
from poise.reference.supports import Sketch, supports_of

RATE = 120.0  # frames per second
GRAVITY = 9.81  # m/s^2
_FIRM = 60.0  # how much less readily than legs the pelvis gives way to pinned feet: its height is right already
_FADE = 0.08  # s over which corrections of the legs come and go
_AROUND = 3  # cycles laid end to end, of which the middle one is taken
_FINE = 1024  # samples of a cycle, for its Fourier series


def gait_sketch(source: Source, body: Body) -> Sketch:
    """One cycle of the gait that a source tells."""
    clip = cycle(gait_of(source), body)
    return Sketch(clip, supports_of(clip))


def gait_of(source: Source) -> Gait:
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


def cycle(gait: Gait, body: Body) -> BodyClip:
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


def _poses(gait: Gait, body: Body, percent: Array, stride: float) -> Array:
    """(T, nq): the curves' poses, the centre of mass where it is to be, feet on the ground on the average."""
    ahead = stride * percent / CYCLE + gait.surge(percent)
    place = np.stack([ahead, gait.sway(percent), _heave(gait, percent)], axis=1)
    qpos = Figure(body).poses(gait.angles(percent), np.zeros((len(percent), 3)))
    qpos[:, :3] = place - centres(body, qpos)
    ends = [(part.link, part.points.mean(axis=0)) for part in contact_parts(body)]
    heights = Kinematics(body, ends).at(qpos)[0][..., 2]
    qpos[:, 2] -= heights[_down(gait, body, percent)].mean()
    return qpos


def _heave(gait: Gait, percent: Array) -> Array:
    """(T,) m: height of the centre of mass against its mean, twice integrated from the load on both feet."""
    even = np.arange(_FINE) * CYCLE / _FINE
    load = gait.load.pulse(even)
    both = load + np.roll(load, _FINE // 2)
    rise = np.fft.rfft(gait.bounce * GRAVITY * (both / both.mean() - 1.0))
    turns = 2 * np.pi * np.arange(len(rise)) / gait.seconds  # rad/s
    height = np.fft.irfft(-rise / np.maximum(turns, turns[1]) ** 2, _FINE)
    return np.interp(percent, even, height, period=CYCLE)


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
