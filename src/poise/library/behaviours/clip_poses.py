"""Poses of a behaviour taken from a motion file.

The times of the poses are given in [clip] of the behaviour file or found in the motion: for a flip from the flight and
the crouches before and after the flight, for a roll from the pitch of the pelvis.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Self

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.errors import PoiseError
from poise.library.authoring.figure import SourceFigure, both_sides_of_source_angle
from poise.library.authoring.source import MotionSource
from poise.motion.captures import motion_file
from poise.motion.clip import Clip
from poise.motion.repair.importer import import_motion
from poise.reference.body_clip import BodyClip, posed_data
from poise.retarget.contact_detection import GRAVITY
from poise.retarget.figure import SIDES
from poise.retarget.retarget import retarget
from poise.rotations import quat_to_matrix
from poise.toml_reader import TomlTable, is_number

Poses = dict[str, tuple[float, ...]]  # degrees of each pose, by angle

FOUND = "found"  # Value of `at` in [clip]: find the times in the motion
OWN = "-"  # In place of a time in [clip]: keep the behaviour file's own pose
FIELDS = ("motion", "at")
LEFT_OUT = ("toe_extension",)  # Angles that captures hardly measure: not taken from a clip
NOT_OF_ROLLS = ("neck_flexion", "ankle_dorsiflexion")
"""Angles not taken from captured rolls: a raised head or swinging feet would stop a roll that starts from rest."""
CHOSEN = (0, 2, 3, 6)
"""Indices of the poses of a flip that are taken by default. Crouch and landing depend on the captured momentum."""


@dataclass(frozen=True)
class BehaviourClipMoments:
    """The content of [clip] of a behaviour file."""

    motion: Path
    at: tuple[float | None, ...] | None  # time (s) of each pose, None for the file's own pose; None: find all times

    @classmethod
    def read(cls, source: MotionSource, count: int) -> Self:
        """Read [clip] of a behaviour file with `count` poses."""
        table = source.table.inner("clip")
        table.check(FIELDS)
        path, at = motion_file(table.text("motion")), table.raw("at", FOUND)
        path = path if path.is_absolute() else source.path.parent / path
        if at == FOUND:
            return cls(path, None)
        if not isinstance(at, list) or len(at) != count:
            raise table.fail(f'at of [clip] must be "{FOUND}" or {count} times, not {at!r}', "at")
        return cls(path, tuple(_moment_time(table, each) for each in at))


def _moment_time(table: TomlTable, value: object) -> float | None:
    if value == OWN:
        return None
    if not is_number(value) or value < 0:
        raise table.fail(f'a time of [clip] must be a number of seconds, or "{OWN}", not {value!r}', "at")
    return float(value)


@dataclass(frozen=True)
class BehaviourPoses:
    """What a behaviour needs to find its poses in a clip."""

    kind: str
    at: tuple[float, ...]  # position of each pose: in turns for a roll, else in s
    tilt: float = 0.0  # degrees, pelvis tilt at the start of a roll's turn
    lies: bool = False  # whether the body rolls sideways, so that the pitch does not give the times


def behaviour_poses_from_clip(moments: BehaviourClipMoments, body: Body, keys: BehaviourPoses, own: Poses) -> Poses:
    """Poses of a clip, `own` poses for the others. A flip takes the mean of left and right angles, a roll both."""
    clip, count, rolls = import_motion(moments.motion).clip, len(keys.at), keys.kind == "roll"
    at = moments.at or _behaviour_pose_times(retarget(clip, body).clip, keys)
    if len(at) != count:
        raise PoiseError(f"{moments.motion.name}: {len(at)} times were found for {count} poses")
    places = [k for k, time in enumerate(at) if time is not None]
    if not places:
        raise PoiseError(f"{moments.motion.name}: none of its poses is used: give their times in [clip]")
    frames = [_behaviour_clip_frame(clip, float(at[k] or 0.0)) for k in places]
    shifted = None if clip.translation is None else clip.translation[frames]
    taken = replace(clip, position=clip.position[frames], rotation=clip.rotation[frames], translation=shifted)
    found = SourceFigure(body).flexions(retarget(taken, body).clip.qpos)
    if not rolls:
        found = {
            name: found[name] if name in found else np.mean([found[f"{side}_{name}"] for side in SIDES], axis=0)
            for name in dict.fromkeys(map(_behaviour_angle_without_side, found))
        }
    out = dict(own)
    for name, bent in found.items():
        whole = _behaviour_angle_without_side(name)
        if whole in LEFT_OUT or (rolls and whole in NOT_OF_ROLLS):
            continue
        values = list(own.get(name, own.get(whole, count * (0.0,))))
        for k, value in zip(places, bent, strict=True):
            values[k] = float(value)
        out[name] = tuple(values)
    return fitted_flip_behaviour_poses(out, own, body, places) if keys.kind == "flip" and own else out


def _behaviour_pose_times(clip: BodyClip, keys: BehaviourPoses) -> tuple[float | None, ...]:
    """Find the time (s) of each pose in a clip; None for poses that are not taken from the clip."""
    if keys.lies:
        raise PoiseError(f"{clip.name}: the times of a sideways roll cannot be found: give them in [clip]")
    if keys.kind == "roll":
        return roll_behaviour_times(clip, keys.tilt + 360.0 * np.array(keys.at))
    return tuple(time if k in CHOSEN else None for k, time in enumerate(flip_behaviour_times(clip)))


def _behaviour_angle_without_side(name: str) -> str:
    return name.removeprefix("left_").removeprefix("right_")


def _behaviour_clip_frame(clip: Clip, time: float) -> int:
    frame = round(time * clip.rate)
    if frame >= clip.frames:
        raise PoiseError(f"{clip.name} ends at {clip.seconds:.2f} s: there is no pose at {time:g} s")
    return frame


# Times of rolls

OVER = (120.0, 280.0)
"""Pelvis pitch (degrees) of the part taken from a captured roll: from hands down to sitting, no leap or run-out."""
NEAREST = 0.5  # Least distance (m) that a roll must travel so that its direction is known


def roll_behaviour_times(clip: BodyClip, pitches: Array) -> tuple[float | None, ...]:
    """Times (s) at which the pelvis first reaches each of the rising `pitches` (degrees); None if outside OVER."""
    turned = _pelvis_pitch_of_behaviour_clip(clip)
    if turned.max() < OVER[1]:
        raise PoiseError(f"{clip.name} does not roll forward: give the times of its poses")
    first = [int(np.argmax(turned >= pitch)) / clip.rate for pitch in pitches]
    pairs = zip(first, pitches.tolist(), strict=True)
    return tuple(time if OVER[0] < pitch < OVER[1] else None for time, pitch in pairs)


def _pelvis_pitch_of_behaviour_clip(clip: BodyClip) -> Array:
    """(T,) degrees: pitch of the pelvis in the vertical plane of the clip's travel; forward is positive, unwrapped."""
    way = clip.qpos[-1, :2] - clip.qpos[0, :2]
    far = float(np.linalg.norm(way))
    if far < NEAREST:
        raise PoiseError(f"{clip.name} travels less than {NEAREST:g} m: give the times of its poses")
    turn = quat_to_matrix(clip.qpos[:, 3:7])  # (T, 3, 3)
    ahead = turn[:, :2].transpose(0, 2, 1) @ (way / far)  # (T, 3) of the pelvis' own axes, along the way
    angle = np.arctan2(ahead[:, 2] - turn[:, 2, 0], turn[:, 2, 2] + ahead[:, 0])
    return np.asarray(np.degrees(np.unwrap(angle)))


# Times of flips

BALLISTIC = 0.5  # Smallest mean downward acceleration of a flight, as a share of gravity
SHORTEST = 0.25  # Shortest flight (s)
AROUND = 1.0  # Greatest time (s) from the apex to crouch, take-off or touch-down, and from touch-down to absorption
TUCKED = 0.8  # Share of the flight in which the tuck is searched; after it the body prepares for landing


def flip_behaviour_times(clip: BodyClip) -> tuple[float, ...]:
    """Times (s) of the seven poses of a flip: stand, crouch, take-off, tuck, touch-down, absorb, stood.

    Take-off is where the centre of mass rises fastest and touch-down where it falls fastest, independent of the ground
    height. The tuck has the smallest inertia; crouch and absorption are the lowest points, and the body stands at the
    highest points before and after them.
    """
    height, size = _inertia_of_behaviour_clip(clip)
    window, speed = round(AROUND * clip.rate), np.gradient(height)
    apex = int(np.argmax(height))
    first, last = max(apex - window, 0), min(apex + window, clip.frames - 1)
    up, down = first + int(np.argmax(speed[first : apex + 1])), apex + int(np.argmin(speed[apex : last + 1]))
    half, fallen = 0.5 * (down - up) / clip.rate, height[apex] - 0.5 * (height[up] + height[down])  # s, m
    if fallen < BALLISTIC * 0.5 * GRAVITY * half**2 or half < SHORTEST / 2:  # the body does not fall freely
        raise PoiseError(f"{clip.name} has no flight: give the times of its poses")
    crouch = first + int(np.argmin(height[first : up + 1]))
    tuck = up + int(np.argmin(size[up : up + round(TUCKED * (down - up)) + 1]))
    absorb = down + int(np.argmin(height[down : min(down + window, clip.frames)]))
    stand = int(np.argmax(height[: crouch + 1]))
    stood = absorb + int(np.argmax(height[absorb:]))
    frames = (stand, crouch, up, tuck, down, absorb, stood)
    if any(b <= a for a, b in pairwise(frames)):
        raise PoiseError(f"{clip.name}: the poses of a flip cannot be told apart: give their times")
    return tuple(frame / clip.rate for frame in frames)


def _inertia_of_behaviour_clip(clip: BodyClip) -> tuple[Array, Array]:
    """Height (T,) m of the centre of mass, and inertia (T,) kg m^2 about it with all links as point masses."""
    inertia = np.zeros(clip.frames)
    for k, data in enumerate(posed_data(clip.body, clip.qpos)):
        inertia[k] = clip.body.model.body_mass @ np.sum((data.xipos - data.subtree_com[1]) ** 2, axis=1)
    return clip.centre_of_mass[:, 2], inertia


# Captured poses adapted to a planned flip
#
# A captured athlete pushes off in the middle of other movements, and the captured foot orientation is off by several
# degrees. The behaviour file's own poses show what the flip needs: balance, a deep crouch, a tight tuck.

STAND, CROUCH, TUCK, STOOD = 0, 1, 3, 6  # Indices of the poses of a flip
ANKLE = "ankle_dorsiflexion"
LEANS = 4  # Newton iterations
LIMITED = 1e-4  # m per degree: if the ankles move the body less than this, they are at their limit
LOOSEST = 1.1
"""Largest inertia of the tuck relative to the file's own tuck: a looser tuck needs more momentum than legs can give."""
HIGHEST = 1.05  # Largest height of the crouch relative to the file's own: from higher the push-off is too short
HALVINGS = 8  # Bisection steps


def fitted_flip_behaviour_poses(poses: Poses, own: Poses, body: Body, places: list[int]) -> Poses:
    """The poses, with those at indices `places` changed towards `own`, as little as a flip needs."""
    figure = _BehaviourPoseMeasures(body)
    for k in set(places) & {STAND, CROUCH, STOOD}:
        poses = _balanced_behaviour_pose(poses, own, k, figure)
    heights = (CROUCH, HIGHEST, lambda poses, k: float(figure.over_foot(poses, k)[2]))
    for k, most, measure in (heights, (TUCK, LOOSEST, figure.size)):
        if k in places:
            poses = _blended_behaviour_pose(poses, own, k, most, measure)
    return poses


class _BehaviourPoseMeasures:
    """Measures a body in a pose that is given by angles; `k` is the index of the pose in `poses`."""

    def __init__(self, body: Body) -> None:
        self._body, self._figure = body, SourceFigure(body)

    def _posed(self, poses: Poses, k: int) -> mujoco.MjData:
        angles: dict[str, float] = {}
        for name, values in poses.items():
            angles |= dict.fromkeys(both_sides_of_source_angle(name), values[k])
        return next(posed_data(self._body, self._figure.poses(angles)))

    def over_foot(self, poses: Poses, k: int) -> Array:
        """(3,) m: vector from the first foot's ankle to the centre of mass if the sole is flat on the ground."""
        data, foot = self._posed(poses, k), self._body.link_id(self._body.feet[0].link)
        return np.asarray(data.xmat[foot].reshape(3, 3).T @ (data.subtree_com[1] - data.xpos[foot]))

    def size(self, poses: Poses, k: int) -> float:
        """Inertia (kg m^2) about the lateral axis through the centre of mass, with all links as point masses."""
        data = self._posed(poses, k)
        arms = data.xipos - data.subtree_com[1]
        return float(self._body.model.body_mass @ (arms[:, 0] ** 2 + arms[:, 2] ** 2))


def _balanced_behaviour_pose(poses: Poses, own: Poses, k: int, figure: _BehaviourPoseMeasures) -> Poses:
    """The poses, with the ankles of pose k bent until the centre of mass is as far ahead of the ankles as in `own`."""
    wanted = float(figure.over_foot(own, k)[0])
    for _ in range(LEANS):
        bent = (_behaviour_poses_with_ankles_bent(poses, k, by) for by in (0.0, 1.0))
        here, more = (float(figure.over_foot(each, k)[0]) for each in bent)
        if more - here < LIMITED:
            break
        poses = _behaviour_poses_with_ankles_bent(poses, k, (wanted - here) / (more - here))
    return poses


def _behaviour_poses_with_ankles_bent(poses: Poses, k: int, by: float) -> Poses:
    """The poses, with the ankles of pose k bent by `by` further degrees."""
    angles = list(poses[ANKLE])
    angles[k] += by
    return {**poses, ANKLE: tuple(angles)}


def _blended_behaviour_pose(
    poses: Poses, own: Poses, k: int, most: float, measure: Callable[[Poses, int], float]
) -> Poses:
    """The poses, with pose k blended towards `own` until its `measure` is at most `most` times that of `own`."""
    bound = most * measure(own, k)
    if measure(poses, k) <= bound:
        return poses
    fits, too_much = 0.0, 1.0
    for _ in range(HALVINGS):
        share = 0.5 * (fits + too_much)
        if measure(_interpolated_behaviour_pose(own, poses, k, share), k) <= bound:
            fits = share
        else:
            too_much = share
    return _interpolated_behaviour_pose(own, poses, k, fits)


def _interpolated_behaviour_pose(own: Poses, poses: Poses, k: int, share: float) -> Poses:
    """The poses, with pose k interpolated from `own` (share 0) to `poses` (share 1)."""
    out = {}
    for name, values in poses.items():
        at = own[name][k] if name in own else 0.0
        out[name] = (*values[:k], at + share * (values[k] - at), *values[k + 1 :])
    return out
