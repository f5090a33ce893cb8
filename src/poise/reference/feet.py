"""Feet that stand still: contact points pinned to the ground by inverse kinematics over the whole clip.

Each contact of a foot gets one rigid footprint. While its heel is down the heel's corners stay on the print, while its
ball is down the ball's: the foot rolls. Hands that are down stay where they are. The body follows by corrections that
change slowly (`ik_path`), so nothing pops, and joint limits hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from poise.errors import PoiseError
from poise.frozen import Array, readonly
from poise.reference.bodyclip import BodyClip
from poise.reference.feet_pins import Pins, pins_of, raised
from poise.reference.footprints import Footprint, GroundSettings, footprints
from poise.reference.ik import PoseSolver
from poise.reference.ik_goals import Goals
from poise.reference.ik_path import solve_path
from poise.reference.smooth import smooth
from poise.reference.temper import temper, usual_speeds

_STILL = 0.1  # rad/s: slower joints may become this fast
_STAY, _TILT = 30.0, 10.0  # how much less readily than limbs the root moves along the ground, and turns
_BUOYANCY = 0.3  # of the grip of pins: how firmly swinging feet are kept above the ground


@dataclass(frozen=True)
class FootSettings:
    """How feet are cleaned."""

    clearance: float | None = None  # m: swinging feet are raised to at least this half way; None to leave them
    smoothing: float | None = 6.0  # Hz: faster changes are smoothed away, except at impacts; None for no smoothing
    fade: float = 0.15  # s over which corrections come and go
    peak: float | None = 1.25  # of a joint's 99th percentile: faster turns are spread out where it goes unnoticed
    grip: float = 3000.0  # 1/m: weight of pins against corrections of joints by 1 rad
    heave: float = 10.0  # how much less readily than limbs the root moves up and down
    ground: GroundSettings = field(default_factory=GroundSettings)


def clean_feet(
    clip: BodyClip, settings: FootSettings | None = None, prints: Sequence[Footprint] | None = None
) -> BodyClip:  # fmt: skip
    """The clip with all that is down standing still, and nothing of the feet below the ground.

    Feet stand on `prints`; on those that fit the clip best if none are given.
    """
    chosen = settings or FootSettings()
    if clip.down is None:
        raise PoiseError(f"clip '{clip.name}' has no contacts yet: find them first")
    calm = clip if chosen.smoothing is None else smooth(clip, chosen.smoothing)
    pins = pins_of(clip, footprints(clip, chosen.ground) if prints is None else prints)
    if chosen.clearance is not None:
        pins = raised(clip, pins, chosen.clearance)
    solver = PoseSolver(clip.body, pins.points)
    goals = _goals(pins, chosen)
    search = partial(solve_path, solver, rate=clip.rate, fade=chosen.fade, weights=_weights(clip, chosen.heave))
    standing = search(calm.qpos, replace(goals, floors=None))
    clean = replace(clip, qpos=readonly(search(calm.qpos, goals, start=standing)))  # what sinks is found from there
    if chosen.peak is None or clip.frames < 2:
        return clean
    tempered = temper(clean, chosen.peak * np.maximum(usual_speeds(clip), _STILL))
    if np.array_equal(tempered.qpos[:, _leg_columns(clip)], clean.qpos[:, _leg_columns(clip)]):
        return tempered
    return replace(clip, qpos=readonly(search(tempered.qpos, goals)))


def _leg_columns(clip: BodyClip) -> list[int]:
    """Coordinates that move feet."""
    body = clip.body
    return [k for joint in body.joints if joint.kind == "free" or joint.name in body.groups["legs"] for k in joint.qpos]


def _goals(pins: Pins, settings: FootSettings) -> Goals:
    frames = len(pins.places)
    no_turns = np.zeros((frames, 0, 4)), np.zeros((frames, 0))
    return Goals(pins.places, settings.grip * pins.held, *no_turns, pins.ground, _BUOYANCY * settings.grip)


def _weights(clip: BodyClip, heave: float) -> Array:
    """(nv,) of corrections: legs give first, then the height of the pelvis, last its path."""
    weights = np.ones(clip.body.nv)
    height = clip.body.standing[2]
    weights[:2], weights[2], weights[3:6] = _STAY / height, heave / height, _TILT
    return weights
