"""The written form of a motion of timed key poses: what its file says, checked and spelled out.

A pose names angles in degrees; limbs without a side are both. What the pose of the first key does not name is 0. Other
poses leave alone what they do not name; `like` takes over another pose's angles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from poise.errors import PoiseError, unknown
from poise.frozen import Frozen
from poise.reference.authoring.figure import ANGLES, LIMB_ANGLES
from poise.reference.authoring.keyed_curves import Keys
from poise.reference.retarget_figure import SIDES

RATE = 120.0  # frames per second

Bearing = Literal["balanced", "held", "rolling"]
Interval = tuple[float, float]  # s, both ends included

PATH = ("ahead", "aside")  # m per m of leg: the centre of mass, forward and left of the middle of what bears it
PARTS = ("heel", "ball", "hand", "bar")
_FIELDS = ("kind", "title", "cyclic", "bearing", "keys", "poses", "contacts", "travel", "clearance", "rhythm")


@dataclass(frozen=True, eq=False)
class Keyed:
    """A motion of timed key poses."""

    name: str
    seconds: float
    cyclic: bool
    bearing: Bearing  # what places the pelvis: balance over feet, hands that hold, or rolling on whatever is lowest
    times: tuple[float, ...]  # s, of the keys
    curves: Mapping[str, Keys]  # of angles in degrees by their full names, and of PATH
    contacts: Mapping[str, tuple[Interval, ...]]  # left_heel, right_hand ... to when it is down
    travel: float  # m per m of leg, from the feet before a flight to those after it
    clearance: float  # m per m of leg, from the toes of the first pose to the ground where hands hold a bar
    rhythm: str  # "" or "pendulum": the cycle lasts as long as the body's own swing


def read_keyed(name: str, source: Mapping[str, Any]) -> Keyed:
    """A source file's contents as a motion; a PoiseError names what is wrong in it."""
    for field in source:
        if field not in _FIELDS:
            raise unknown(f"field of motion '{name}'", field, _FIELDS)
    times, poses = _time_line(name, source)
    cyclic = bool(source.get("cyclic", False))
    bearing = source.get("bearing", "balanced")
    if bearing not in get_args(Bearing):
        raise unknown(f"bearing of motion '{name}'", str(bearing), get_args(Bearing))
    return Keyed(
        name,
        times[-1],
        cyclic,
        bearing,
        times,
        Frozen(_curves(times, poses, cyclic)),
        Frozen(_contacts(name, source.get("contacts", {}))),
        float(source.get("travel", 0.0)),
        float(source.get("clearance", 0.0)),
        str(source.get("rhythm", "")),
    )


def _time_line(name: str, source: Mapping[str, Any]) -> tuple[tuple[float, ...], list[dict[str, float]]]:
    """Times of the keys, and their poses with all angles spelled out."""
    written = source.get("poses", {})
    keys = source.get("keys", [])
    if len(keys) < 1 or not all(isinstance(key, list) and len(key) == 2 for key in keys):
        raise PoiseError(f"motion '{name}': keys must be a list of [time in s, pose]")
    times = tuple(float(time) for time, _ in keys)
    if times[0] != 0 or np.any(np.diff(times) <= 0):
        raise PoiseError(f"motion '{name}': times of keys must begin at 0 and increase")
    poses: dict[str, dict[str, float]] = {keys[0][1]: dict.fromkeys((*ANGLES, *PATH), 0.0)}
    for pose, angles in written.items():
        like = angles.get("like", pose)
        if like not in poses and like != pose:
            raise unknown(f"earlier pose of motion '{name}'", str(like), poses)
        poses[pose] = poses.get(like, {}) | _spelled_out(f"pose '{pose}' of motion '{name}'", angles)
    for _, pose in keys:
        if pose not in written:
            raise unknown(f"pose of motion '{name}'", str(pose), written)
    return times, [poses[pose] for _, pose in keys]


def _spelled_out(where: str, angles: Mapping[str, Any]) -> dict[str, float]:
    """Angles by their full names; one side's own goes before what is said of both."""
    out: dict[str, float] = {}
    for name in sorted(angles.keys() - {"like"}, key=lambda word: (word.startswith(SIDES), word)):
        full = [f"{side}_{name}" for side in SIDES] if name in LIMB_ANGLES else [name]
        if not isinstance(angles[name], int | float):
            raise PoiseError(f"{where}: {name} must be a number")
        for each in full:
            if each not in ANGLES and each not in PATH:
                raise unknown(f"angle in {where}", name, (*ANGLES, *LIMB_ANGLES, *PATH))
            out[each] = float(angles[name])
    return out


def _curves(times: tuple[float, ...], poses: list[dict[str, float]], cyclic: bool) -> dict[str, Keys]:
    """The keys of all that ever differs from 0."""
    out = {}
    for name in poses[0]:
        told = [(time, pose[name]) for time, pose in zip(times, poses, strict=True) if name in pose]
        at, values = np.array(told).T
        if np.any(values):
            out[name] = Keys(at, values, cyclic and at[-1] == times[-1])
    return out


def _contacts(name: str, written: Mapping[str, Any]) -> dict[str, tuple[Interval, ...]]:
    """Intervals of each part of each side."""
    out: dict[str, tuple[Interval, ...]] = {}
    for part in sorted(written, key=lambda word: word.startswith(SIDES)):
        full = [f"{side}_{part}" for side in SIDES] if part in PARTS else [part]
        if full[0].partition("_")[2] not in PARTS:
            raise unknown(f"contact of motion '{name}'", part, PARTS)
        for each in full:
            out[each] = tuple((float(start), float(end)) for start, end in written[part])
    return out
