"""Variations of a motion by other constraints: faster, longer strides, along a bend, feet higher.

Only the way of the pelvis, the rhythm and what is asked of the feet are changed; where feet step and how the body does
it is left to the optimiser, as in [Muico2009] section 3.2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.errors import PoiseError, unknown
from poise.frozen import Array, readonly
from poise.reference.edit.forms import VARIATION_FORMS
from poise.reference.supports import Sketch
from poise.spatial import quat_exp, quat_multiply

_BY_RHYTHM = 0.55  # of a change of speed, as an exponent; the rest is made by longer strides
_LEAST = 0.05  # m: less is no way to bend or to stretch


@dataclass(frozen=True)
class Variation:
    """What is to be different."""

    speed: float = 1.0  # times as fast, by quicker and longer strides
    stride: float = 1.0  # times as long in the same time
    turn: float = 0.0  # rad to the left over the motion, or over each cycle
    lift: float | None = None  # m: height of swinging feet half way

    @property
    def nothing(self) -> bool:
        """Is it none?"""
        return self == Variation()


def parse_variation(texts: tuple[str, ...]) -> Variation:
    """Variations as they are typed, such as speed:1.2 or turn:30."""
    chosen: dict[str, float] = {}
    for text in texts:
        name, _, number = text.partition(":")
        if name not in VARIATION_FORMS:
            raise unknown("variation", name, VARIATION_FORMS)
        try:
            value = float(number)
        except ValueError:
            value = np.nan
        if not np.isfinite(value) or (name != "turn" and value <= 0):
            raise PoiseError(f"variation '{text}' is not of the form {VARIATION_FORMS[name]}")
        chosen[name] = np.radians(value) if name == "turn" else value
    return Variation(**chosen)


def varied(sketch: Sketch, variation: Variation) -> Sketch:
    """The sketch with another way and another rhythm."""
    clip = sketch.clip
    if variation.nothing:
        return sketch
    if any(support.place is not None for support in sketch.supports):
        raise PoiseError(f"motion '{clip.name}' holds on to something: it cannot be varied")
    way = clip.qpos[-1, :2] - clip.qpos[0, :2]
    if np.linalg.norm(way) < _LEAST:
        raise PoiseError(f"motion '{clip.name}' goes nowhere: it has no speed, stride or turn to vary")
    rhythm = variation.speed**_BY_RHYTHM
    longer = variation.stride * variation.speed / rhythm
    qpos = np.array(clip.qpos)
    done = (qpos[:, :2] - qpos[0, :2]) @ way / (way @ way)  # (T,) share of the way
    qpos[:, :2] += (longer - 1.0) * done[:, None] * way
    qpos = _bent(qpos, variation.turn * done)
    return replace(sketch, clip=replace(clip, qpos=readonly(qpos), rate=clip.rate * rhythm))


def _bent(qpos: Array, turn: Array) -> Array:
    """Poses along a path that turns by (T,) rad; each piece of the path turned as far as the body is in its middle."""
    out = np.array(qpos)
    middle = 0.5 * (turn[1:] + turn[:-1])
    piece = np.diff(qpos[:, 0] + 1j * qpos[:, 1]) * np.exp(1j * middle)
    path = np.concatenate([[0.0], np.cumsum(piece)])
    out[1:, 0], out[1:, 1] = qpos[0, 0] + path[1:].real, qpos[0, 1] + path[1:].imag
    zero = np.zeros_like(turn)
    out[:, 3:7] = quat_multiply(quat_exp(np.stack([zero, zero, turn], axis=1)), qpos[:, 3:7])
    return out
