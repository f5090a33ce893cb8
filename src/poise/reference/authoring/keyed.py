"""Motions of timed key poses: jumps, squats, punches, flips, hanging from a bar, rolls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from poise.body import Body
from poise.frozen import readonly
from poise.reference.authoring.figure import Figure
from poise.reference.authoring.keyed_balance import borne, centre_path, turning
from poise.reference.authoring.keyed_curves import curve
from poise.reference.authoring.keyed_pins import leg_length, pinned
from poise.reference.authoring.keyed_source import PATH, RATE, Keyed, read_keyed
from poise.reference.bodyclip import BodyClip
from poise.reference.supports import Sketch
from poise.spatial import Array

_ROUNDS = 2  # of turning in flight and limbs that follow


def keyed(name: str, source: Mapping[str, Any], body: Body) -> Sketch:
    """The motion that a source of kind "keyed" tells, of a humanoid body."""
    motion = read_keyed(name, source)
    time = np.arange(round(motion.seconds * RATE) + 1) / RATE
    told = {name: curve(keys, time) for name, keys in motion.curves.items()}
    wished = Figure(body).poses({name: values for name, values in told.items() if name not in PATH})
    if len(wished) == 1:
        wished = np.tile(wished, (len(time), 1))
    pins = pinned(body, motion, time, wished[0])
    offset = leg_length(body) * np.stack([told.get(name, 0.0 * time) for name in PATH], axis=1)
    qpos = wished
    for _ in range(_ROUNDS):
        turned = np.array(wished)
        turned[:, 3:7] = turning(body, wished, qpos, pins, RATE)
        centre = centre_path(body, turned, pins, _frames(motion), offset, RATE)
        qpos = borne(body, turned, pins, centre, RATE)
    clip = BodyClip(name, body, RATE, readonly(qpos), readonly(pins.part_down, bool), motion.cyclic)
    return Sketch(clip, pins.supports())


def _frames(motion: Keyed) -> list[int]:
    """Numbers of the frames of the keys."""
    return [round(time * RATE) for time in motion.times]
