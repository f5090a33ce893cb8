"""Poses of a behaviour from a motion file: which of its moments they are, and how far parts are bent there.

The times are told by hand, or found: a flip has a flight, before and after which the body crouches, and a roll turns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import mujoco
import numpy as np

from poise.body import Body
from poise.errors import PoiseError
from poise.frozen import Array
from poise.library import motion_file
from poise.motion import Clip
from poise.motion.repair import import_motion
from poise.reference.authoring.figure import Figure
from poise.reference.authoring.source import Source
from poise.reference.behaviours.captured_roll import NOT_OF_ROLLS, roll_times
from poise.reference.behaviours.fitting import Poses, fitted
from poise.reference.bodyclip import BodyClip
from poise.reference.retarget import retarget
from poise.reference.retarget_figure import SIDES

FOUND = "found"
"""Instead of times: they are to be found."""
OWN = "-"
"""Instead of a time: the pose is the file's own."""
FIELDS = ("motion", "at")
BALLISTIC = 0.5
"""Of gravity: a body whose centre of mass falls so much less than freely over its flight has not flown."""
SHORTEST = 0.25
"""s of a flight."""
GRAVITY = 9.81
"""m/s^2"""
AROUND = 1.0
"""s before and after the top of the flight in which it crouches, takes off and touches down; and then absorbs."""
LEFT_OUT = ("toe_extension",)
"""What captures hardly know of."""
TUCKED = 0.8
"""Of a flight, during which it may be tucked: then it bends for the ground."""
CHOSEN = (0, 2, 3, 6)
"""Of the poses of a flip, taken if nobody tells which: crouch and landing go with momenta of the clip."""


@dataclass(frozen=True)
class Moments:
    """What [clip] of a behaviour file says."""

    motion: Path
    at: tuple[float | None, ...] | None  # s of each pose, or None for one that is not the clip's; None: to be found

    @classmethod
    def of(cls, source: Source, count: int) -> Moments:
        """Those of a file with so many poses."""
        told = source.section("clip")
        for name in told:
            if name not in FIELDS:
                raise source.fail(f"[clip] has no '{name}': it has {' and '.join(FIELDS)}")
        motion, at = told.get("motion"), told.get("at", FOUND)
        if not isinstance(motion, str):
            raise source.fail(f"motion of [clip] must be a file or a captured motion, not {motion!r}")
        path = motion_file(motion)
        path = path if path.is_absolute() else source.path.parent / path
        if at == FOUND:
            return cls(path, None)
        if not isinstance(at, list) or len(at) != count:
            raise source.fail(f'at of [clip] must be "{FOUND}" or {count} times, not {at!r}')
        return cls(path, tuple(_time(source, each) for each in at))


def _time(source: Source, told: object) -> float | None:
    if told == OWN:
        return None
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told < np.inf:
        raise source.fail(f'a time of [clip] must be a number of seconds, or "{OWN}", not {told!r}')
    return float(told)


@dataclass(frozen=True)
class Keys:
    """The poses that a behaviour asks for."""

    kind: str
    at: tuple[float, ...]  # turns of a roll, else s
    tilt: float = 0.0  # degrees of the pelvis at the beginning of a roll's turn
    lies: bool = False  # whether it rolls sideways: then its pitch tells nothing


def poses_of(moments: Moments, body: Body, keys: Keys, own: Poses) -> Poses:
    """Poses of a clip; where it has no time, those of `own`. Flips bend both sides alike, rolls each as captured."""
    clip, count, rolls = import_motion(moments.motion).clip, len(keys.at), keys.kind == "roll"
    at = moments.at or _found(retarget(clip, body).clip, keys)
    if len(at) != count:
        raise PoiseError(f"{moments.motion.name}: {len(at)} times were found for {count} poses")
    places = [k for k, time in enumerate(at) if time is not None]
    if not places:
        raise PoiseError(f"{moments.motion.name}: none of its poses is taken: tell their times in [clip]")
    frames = [_frame(clip, float(at[k] or 0.0)) for k in places]
    found = Figure(body).flexions(retarget(_only(clip, frames), body).clip.qpos)
    out = dict(own)
    for name, bent in (found if rolls else _alike(found)).items():
        whole = _without_side(name)
        if whole in LEFT_OUT or (rolls and whole in NOT_OF_ROLLS):
            continue
        values = list(own.get(name, own.get(whole, count * (0.0,))))
        for k, value in zip(places, bent, strict=True):
            values[k] = float(value)
        out[name] = tuple(values)
    return fitted(out, own, body, places) if keys.kind == "flip" and own else out


def _found(clip: BodyClip, keys: Keys) -> tuple[float | None, ...]:
    if keys.lies:
        raise PoiseError(f"{clip.name}: times of a roll sideways cannot be found: tell them in [clip]")
    if keys.kind == "roll":
        return roll_times(clip, keys.tilt + 360.0 * np.array(keys.at))
    return _chosen(flip_times(clip))


def _chosen(times: tuple[float, ...]) -> tuple[float | None, ...]:
    return tuple(time if k in CHOSEN else None for k, time in enumerate(times))


def _alike(found: dict[str, Array]) -> dict[str, Array]:
    """Angles without their sides: the means of both."""
    return {
        name: found[name] if name in found else np.mean([found[f"{side}_{name}"] for side in SIDES], axis=0)
        for name in dict.fromkeys(map(_without_side, found))
    }


def _without_side(name: str) -> str:
    return name.removeprefix("left_").removeprefix("right_")


def _frame(clip: Clip, time: float) -> int:
    frame = round(time * clip.rate)
    if frame >= clip.frames:
        raise PoiseError(f"{clip.name} ends at {clip.seconds:.2f} s: there is no pose at {time:g} s")
    return frame


def _only(clip: Clip, frames: list[int]) -> Clip:
    """Some frames of a clip, one after the other."""
    shifted = None if clip.translation is None else clip.translation[frames]
    return replace(clip, position=clip.position[frames], rotation=clip.rotation[frames], translation=shifted)


def flip_times(clip: BodyClip) -> tuple[float, ...]:
    """s of the seven poses of a flip: stand, crouch, take-off, tuck, touch-down, absorb, stood.

    It takes off when the centre of mass rises fastest and touches down when it falls fastest, wherever the ground is.
    It is tucked where its mass is nearest to that centre, crouches and absorbs where it is lowest, and stands where it
    is highest, before and after.
    """
    height, size = _course(clip)
    window, speed = round(AROUND * clip.rate), np.gradient(height)
    apex = int(np.argmax(height))
    first, last = max(apex - window, 0), min(apex + window, clip.frames - 1)
    up, down = first + int(np.argmax(speed[first : apex + 1])), apex + int(np.argmin(speed[apex : last + 1]))
    _check_flight(clip, height, up, apex, down)
    crouch = first + int(np.argmin(height[first : up + 1]))
    tuck = up + int(np.argmin(size[up : up + round(TUCKED * (down - up)) + 1]))
    absorb = down + int(np.argmin(height[down : min(down + window, clip.frames)]))
    stand = int(np.argmax(height[: crouch + 1]))
    stood = absorb + int(np.argmax(height[absorb:]))
    frames = (stand, crouch, up, tuck, down, absorb, stood)
    if any(b <= a for a, b in pairwise(frames)):
        raise PoiseError(f"{clip.name}: no poses of a flip can be told apart: tell their times")
    return tuple(frame / clip.rate for frame in frames)


def _check_flight(clip: BodyClip, height: Array, up: int, apex: int, down: int) -> None:
    """Refuse what does not fall freely between two frames."""
    half = 0.5 * (down - up) / clip.rate
    fallen = height[apex] - 0.5 * (height[up] + height[down])
    if fallen < BALLISTIC * 0.5 * GRAVITY * half**2 or half < SHORTEST / 2:
        raise PoiseError(f"{clip.name} has no flight: tell the times of its poses")


def _course(clip: BodyClip) -> tuple[Array, Array]:
    """Of each frame: m of the centre of mass above the ground, and kg m^2 of all links as points about it."""
    model, data = clip.body.model, mujoco.MjData(clip.body.model)
    out = np.zeros((clip.frames, 2))
    for k, pose in enumerate(clip.qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        arms = data.xipos - data.subtree_com[1]
        out[k] = data.subtree_com[1, 2], model.body_mass @ np.sum(arms**2, axis=1)
    return out[:, 0], out[:, 1]
