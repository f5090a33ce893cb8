"""A landing by the paper's own filter [Tsai2010] section 4.2: each plane by its energy, and one time for both."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.control.pendulum.energy import Cycle, Sway, due_within, landing_lean, steady, swayed
from poise.control.pendulum.filter import Landing, Pace, kept_landing
from poise.control.pendulum.ground import Strip
from poise.frozen import Array


class Fall(NamedTuple):
    """How the body falls, told from the point that the stance foot presses on, in the frame of the heading."""

    place: Array  # (2,) m of the centre of mass
    velocity: Array  # (3,) m/s
    height: float  # m
    gravity: float  # m/s^2


class Going(NamedTuple):
    """How it should walk."""

    speed: float  # m/s
    width: float  # m between the feet
    duration: float  # s of a step
    height: float  # m of the centre of mass over a foot that it is above
    swing: int  # 0 for the left foot
    aside: float = 0.0  # m/s to the left, of which energies, alike to both sides, know nothing


class _Plane(NamedTuple):
    """One of two: sagittal or frontal."""

    axis: int  # 0 along the heading, 1 to the left
    way: float  # 1 or -1: to where the body is to go
    slope: float  # rad by which the ground rises that way
    sway: Sway
    cycle: Cycle


def landing_by_energy(
    fall: Fall, going: Going, pace: Pace, foot: Array, times: Array, due: float, hips: Array, strip: Strip
) -> tuple[Landing, Array]:
    """The landing, and (2,) m/s that the centre of mass should have then; arguments as of the linear `landing`.

    It lands when the body is where its step should end, in the plane in which that is sooner; when it is due, if it is
    not to get there in either; and within the `times` that are possible.
    """
    planes = _sagittal(fall, going, math.atan(strip.slope)), _frontal(fall, going)
    soonest = min(due_within(plane.sway, plane.cycle, fall.gravity, float(times[-1])) for plane in planes)
    time = min(max(soonest if math.isfinite(soonest) else due, float(times[0])), float(times[-1]))
    there, then, wanted, last = np.zeros((4, 2))
    for axis, way, slope, sway, cycle in planes:
        lean, speed = swayed(*sway, fall.gravity, time)
        lands = landing_lean(Sway(lean, speed, sway.length), cycle, fall.gravity, slope)
        there[axis] = way * sway.length * math.sin(lean)
        then[axis] = way * speed * math.cos(lean)
        wanted[axis] = way * lands.length * math.sin(lands.angle)
        last[axis] = way * cycle.speed * math.cos(cycle.end)
    at = float(np.interp(time, times, hips))
    return kept_landing(time, there, then, wanted, pace, foot, at, strip)[0], last


def _sagittal(fall: Fall, going: Going, slope: float) -> _Plane:
    way = math.copysign(1.0, going.speed)
    stride, slope = abs(going.speed) * going.duration, way * slope
    cycle = steady(stride, going.duration, going.height, fall.gravity, slope, False)
    return _Plane(0, way, slope, _swaying(fall, 0, way), cycle)


def _frontal(fall: Fall, going: Going) -> _Plane:
    way = 1.0 if going.swing == 0 else -1.0
    cycle = steady(going.width, going.duration, going.height, fall.gravity, 0.0, True)
    return _Plane(1, way, 0.0, _swaying(fall, 1, way), cycle)


def _swaying(fall: Fall, axis: int, way: float) -> Sway:
    """The leg that stands, as its plane sees it."""
    away = way * float(fall.place[axis])
    lean = math.atan2(away, fall.height)
    speed = way * float(fall.velocity[axis]) * math.cos(lean) - float(fall.velocity[2]) * math.sin(lean)
    return Sway(lean, speed, math.hypot(away, fall.height))
