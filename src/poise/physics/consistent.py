"""A prepared motion made to obey physics, and what to tell people about it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poise.arrays import Array, readonly
from poise.errors import PoiseError, unknown
from poise.forms import VARIATION_FORMS
from poise.physics.certificate import Certificate, Likeness, certify, likeness
from poise.physics.interior import Progress, unwatched
from poise.physics.sketch import DynamicSettings, Optimised, optimise
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.reference.supports import Sketch, supports_of
from poise.rotations import quat_exp, quat_multiply

# Variations of a motion by other constraints: faster, longer strides, along a bend, feet higher.
#
# Only the way of the pelvis, the rhythm and what is asked of the feet are changed; where feet step and how the body
# does it is left to the optimiser, as in [Muico2009] section 3.2.

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


def varied_sketch(sketch: Sketch, variation: Variation) -> Sketch:
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


@dataclass(frozen=True, eq=False)
class Physics:
    """A motion that obeys physics, with its certificate."""

    dynamic: Dynamic
    certificate: Certificate
    likeness: Likeness
    iterations: int
    solve_s: float

    @classmethod
    def timed(cls, search: Callable[[], Optimised]) -> Physics:
        """What a search finds, and how long it takes."""
        began = time.perf_counter()
        found = search()
        spent = time.perf_counter() - began
        like = likeness(found.dynamic, found.wished)
        return cls(found.dynamic, certify(found.dynamic), like, found.iterations, spent)

    def brief(self) -> str:
        """In a line."""
        sure, like = self.certificate, self.likeness
        return (
            f"{self.solve_s:.1f} s, equations {sure.equations:.0e} body weights, slip {sure.slip_mm:.1g} mm, "
            f"root {100 * like.root_rms_m:.1f} cm and joints {like.joint_rms_deg:.1f} degrees from the source"
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = {"iterations": self.iterations, "solve_s": self.solve_s}
        return {**found, **self.certificate.as_dict(), **self.likeness.as_dict()}

    def lines(self) -> list[str]:
        """For people."""
        sure, like = self.certificate, self.likeness
        return [
            f"physics: {self.iterations} iterations in {self.solve_s:.1f} s; equations of motion within "
            f"{sure.equations:.1e} body weights, contacts slip {sure.slip_mm:.4f} mm and sink "
            f"{sure.penetration_mm:.4f} mm",
            f"forces outside friction cones {sure.cone:.2g} N, torques beyond limits {sure.torque_excess:.2g} N m, "
            f"joints beyond limits {sure.joint_excess_deg:.2g} degrees",
            f"likeness: root {100 * like.root_rms_m:.1f} cm, joints {like.joint_rms_deg:.1f} degrees off, "
            f"{like.worst_joint.replace('_', ' ')} most with {like.worst_joint_rms_deg:.1f}; peak force "
            f"{sure.peak_force:.1f} body weights, peak torque {100 * sure.peak_torque_ratio:.0f} % of its limit",
        ]


def with_physics(
    clip: BodyClip,
    variation: Variation | None = None,
    watch: Callable[[Progress], None] = unwatched,
    settings: DynamicSettings | None = None,
) -> Physics:
    """A clip, varied if asked for, as torques and contacts can bring it about."""
    chosen, change = settings or DynamicSettings(), variation or Variation()
    if change.lift is not None:
        chosen = replace(chosen, lift=change.lift)
    sketch = varied_sketch(Sketch(clip, supports_of(clip)), change)
    return Physics.timed(lambda: optimise(sketch, chosen, watch=watch))
