"""A gait at another speed.

How it changes follows trends of gait analysis over speed: people lengthen and quicken their steps alike, swing hips and
arms more, bend the knee deeper under load, sway less, and stand for less of the cycle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poise.frozen import Array, Frozen
from poise.reference.authoring.curves import CYCLE, Curve
from poise.reference.authoring.gait_source import Gait

_CADENCE, _STRIDE, _SWAY, _BOUNCE = 0.55, 0.45, -0.6, 2.0  # exponents of the ratio of speeds
_SHORTER = 4.0  # percent of the cycle by which stance ends earlier per m/s
_LOADED = (2.0, 40.0)  # percent of the cycle in which the knee bends under load
_STRIDING = ("hip_flexion", "ankle_dorsiflexion", "pelvis_rotation", "trunk_rotation", "toe_extension")
_ARMS = ("shoulder_flexion", "elbow_flexion")


def at_speed(gait: Gait, speed: float) -> Gait:
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
