"""Poses of a behaviour from a motion file: which of its moments they are, and how far parts are bent there.

The times are told by hand, or found: a flip has a flight, before and after which the body crouches, and a roll turns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.errors import PoiseError
from poise.library.authoring.figure import LIMB_ANGLES, PosableFigure
from poise.library.authoring.source import MotionSource
from poise.motion.captures import motion_file
from poise.motion.clip import Clip
from poise.motion.repair.importer import import_motion
from poise.reference.body_clip import BodyClip
from poise.retarget.figure import SIDES
from poise.retarget.retarget import retarget
from poise.rotations import quat_to_matrix

# When a captured roll is in which part of its turn, by the pitch of the pelvis.
#
# Who is captured leaps into a roll and runs out of it: only what lies between, over hands, shoulders and back, is
# taken.

OVER = (120.0, 280.0)
"""degrees of the pelvis' pitch, from the hands until it sits."""
NEAREST = 0.5
"""m: a roll that comes no further has no way that could be told."""
NOT_OF_ROLLS = ("neck_flexion", "ankle_dorsiflexion")
"""What is not taken of them: heads that look ahead, and feet that only swing along. From rest it rolls over neither."""


def roll_times(clip: BodyClip, pitches: Array) -> tuple[float | None, ...]:
    """s at which the pelvis first is at each of some pitches (degrees, rising); None for those not taken."""
    turned = _pitch(clip)
    if turned.max() < OVER[1]:
        raise PoiseError(f"{clip.name} does not roll forward: tell the times of its poses")
    first = [int(np.argmax(turned >= pitch)) / clip.rate for pitch in pitches]
    return tuple(
        time if OVER[0] < pitch < OVER[1] else None for time, pitch in zip(first, pitches.tolist(), strict=True)
    )


def _pitch(clip: BodyClip) -> Array:
    """(T,) degrees of the pelvis in the plane of its way, whole turns counted; forward is positive."""
    way = clip.qpos[-1, :2] - clip.qpos[0, :2]
    far = float(np.linalg.norm(way))
    if far < NEAREST:
        raise PoiseError(f"{clip.name} goes nowhere: tell the times of its poses")
    turn = quat_to_matrix(clip.qpos[:, 3:7])  # (T, 3, 3)
    ahead = turn[:, :2].transpose(0, 2, 1) @ (way / far)  # (T, 3) of the pelvis' own axes, along the way
    angle = np.arctan2(ahead[:, 2] - turn[:, 2, 0], turn[:, 2, 2] + ahead[:, 0])
    return np.asarray(np.degrees(np.unwrap(angle)))


# Poses of a clip made fit for a flip that is planned: over the feet, deep enough, and tucked tightly enough.
#
# A captured athlete pushes off in the middle of other movements, and how far captured feet are turned against the
# ground is known to some degrees only. The file's own poses tell what the flip can do with.

STAND, CROUCH, TUCK, STOOD = 0, 1, 3, 6
"""Places of the poses of a flip."""
ANKLE = "ankle_dorsiflexion"
LEANS = 4
"""Steps of Newton's method."""
LIMITED = 1e-4
"""m for a degree: ankles that move the body less are at their limit."""
LOOSEST = 1.1
"""Of the inertia of the file's own tuck: who is tucked less needs more momentum than legs give."""
HIGHEST = 1.05
"""Of the height of the file's own crouch: who crouches less has no way to push along."""
HALVINGS = 8

Poses = dict[str, tuple[float, ...]]  # degrees by angle


def fitted(poses: Poses, own: Poses, body: Body, places: list[int]) -> Poses:
    """Poses of a clip at some places, bent towards those of `own` no more than they must be."""
    figure = _Bent(body)
    for k in set(places) & {STAND, CROUCH, STOOD}:
        poses = _balanced(poses, own, k, figure)
    for k, most, measure in ((CROUCH, HIGHEST, figure.height), (TUCK, LOOSEST, figure.size)):
        if k in places:
            poses = _blended(poses, own, k, most, measure)
    return poses


class _Bent:
    """A body in poses that are told by angles."""

    def __init__(self, body: Body) -> None:
        self._body, self._figure, self._data = body, PosableFigure(body), mujoco.MjData(body.model)

    def _pose(self, poses: Poses, k: int) -> None:
        angles: dict[str, float] = {}
        for name, values in poses.items():
            names = [f"{side}_{name}" for side in SIDES] if name in LIMB_ANGLES else [name]
            angles |= dict.fromkeys(names, values[k])
        self._data.qpos[:] = self._figure.poses(angles)[0]
        mujoco.mj_kinematics(self._body.model, self._data)
        mujoco.mj_comPos(self._body.model, self._data)

    def _over_foot(self, poses: Poses, k: int) -> Array:
        """(3,) m from an ankle to the centre of mass, the soles flat."""
        self._pose(poses, k)
        foot = self._body.link_id(self._body.feet[0].link)
        turn = self._data.xmat[foot].reshape(3, 3)
        return np.asarray(turn.T @ (self._data.subtree_com[1] - self._data.xpos[foot]))

    def ahead(self, poses: Poses, k: int) -> float:
        """m of the centre of mass before the ankles."""
        return float(self._over_foot(poses, k)[0])

    def height(self, poses: Poses, k: int) -> float:
        """m of the centre of mass above them."""
        return float(self._over_foot(poses, k)[2])

    def size(self, poses: Poses, k: int) -> float:
        """kg m^2 of all links as points, about the left through the centre of mass."""
        self._pose(poses, k)
        arms = self._data.xipos - self._data.subtree_com[1]
        return float(self._body.model.body_mass @ (arms[:, 0] ** 2 + arms[:, 2] ** 2))


def _balanced(poses: Poses, own: Poses, k: int, figure: _Bent) -> Poses:
    """The k-th with ankles bent so far that it leans over its feet as that of `own`: on film it did not fall."""
    wanted = figure.ahead(own, k)
    for _ in range(LEANS):
        here, more = (figure.ahead(_with_ankle(poses, k, by), k) for by in (0.0, 1.0))
        if more - here < LIMITED:
            break
        poses = _with_ankle(poses, k, (wanted - here) / (more - here))
    return poses


def _with_ankle(poses: Poses, k: int, by: float) -> Poses:
    """With ankles of the k-th bent further, by degrees."""
    angles = list(poses[ANKLE])
    angles[k] += by
    return {**poses, ANKLE: tuple(angles)}


def _blended(poses: Poses, own: Poses, k: int, most: float, measure: Callable[[Poses, int], float]) -> Poses:
    """The k-th bent towards that of `own` until its measure is no more than so much of that one's."""
    bound = most * measure(own, k)
    if measure(poses, k) <= bound:
        return poses
    fits, too_much = 0.0, 1.0
    for _ in range(HALVINGS):
        share = 0.5 * (fits + too_much)
        if measure(_between(own, poses, k, share), k) <= bound:
            fits = share
        else:
            too_much = share
    return _between(own, poses, k, fits)


def _between(own: Poses, poses: Poses, k: int, share: float) -> Poses:
    """The k-th as much of a share from that of `own` to its own."""
    out = {}
    for name, values in poses.items():
        at = own[name][k] if name in own else 0.0
        out[name] = (*values[:k], at + share * (values[k] - at), *values[k + 1 :])
    return out


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
class ClipMoments:
    """What [clip] of a behaviour file says."""

    motion: Path
    at: tuple[float | None, ...] | None  # s of each pose, or None for one that is not the clip's; None: to be found

    @classmethod
    def of(cls, source: MotionSource, count: int) -> ClipMoments:
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


def _time(source: MotionSource, told: object) -> float | None:
    if told == OWN:
        return None
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told < np.inf:
        raise source.fail(f'a time of [clip] must be a number of seconds, or "{OWN}", not {told!r}')
    return float(told)


@dataclass(frozen=True)
class PoseNames:
    """The poses that a behaviour asks for."""

    kind: str
    at: tuple[float, ...]  # turns of a roll, else s
    tilt: float = 0.0  # degrees of the pelvis at the beginning of a roll's turn
    lies: bool = False  # whether it rolls sideways: then its pitch tells nothing


def poses_of(moments: ClipMoments, body: Body, keys: PoseNames, own: Poses) -> Poses:
    """Poses of a clip; where it has no time, those of `own`. Flips bend both sides alike, rolls each as captured."""
    clip, count, rolls = import_motion(moments.motion).clip, len(keys.at), keys.kind == "roll"
    at = moments.at or _found(retarget(clip, body).clip, keys)
    if len(at) != count:
        raise PoiseError(f"{moments.motion.name}: {len(at)} times were found for {count} poses")
    places = [k for k, time in enumerate(at) if time is not None]
    if not places:
        raise PoiseError(f"{moments.motion.name}: none of its poses is taken: tell their times in [clip]")
    frames = [_frame(clip, float(at[k] or 0.0)) for k in places]
    found = PosableFigure(body).flexions(retarget(_only(clip, frames), body).clip.qpos)
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


def _found(clip: BodyClip, keys: PoseNames) -> tuple[float | None, ...]:
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
