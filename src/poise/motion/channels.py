"""The columns of a BVH file: channels of each joint to places and turns, and back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from poise.frozen import Array
from poise.motion.clip import Clip
from poise.motion.skeleton import JOINT_CHANNELS, PLACE_CHANNELS, ROOT_CHANNELS, Skeleton
from poise.spatial import (
    continuous_euler,
    euler_to_quat,
    matrix_to_euler,
    quat_conjugate,
    quat_multiply,
    quat_to_matrix,
)

Channels = tuple[tuple[str, ...], ...]  # of each joint

_SAME_TURN = 1e-7  # rad
_SAME_PLACE = 1e-7  # m


@dataclass(frozen=True)
class Layout:
    """Which column holds what."""

    columns: tuple[int, ...]  # of all channels of positions, with their
    joints: tuple[int, ...]
    axes: tuple[int, ...]
    turns: dict[str, tuple[list[int], list[list[int]]]]  # order of axes -> joints and the columns of each

    @classmethod
    def of(cls, channels: Channels) -> Layout:
        """The layout of a file with these channels."""
        places: list[tuple[int, int, int]] = []
        turns: dict[str, tuple[list[int], list[list[int]]]] = {}
        column = 0
        for joint, names in enumerate(channels):
            numbered = list(enumerate(names, column))
            places += [(k, joint, "XYZ".index(name[0])) for k, name in numbered if name.endswith("position")]
            joints, columns = turns.setdefault(order_of(names), ([], []))
            joints.append(joint)
            columns.append([k for k, name in numbered if name.endswith("rotation")])
            column += len(names)
        where, whose, axes = zip(*places, strict=True) if places else ((), (), ())
        return cls(where, whose, axes, turns)


def order_of(names: Iterable[str]) -> str:
    """The axes of a joint's rotation channels, as in "ZXY"."""
    return "".join(name[0] for name in names if name.endswith("rotation"))


def motion_of(skeleton: Skeleton, columns: Array) -> tuple[Array, Array, Array | None]:
    """Position, rotation and translation of a `Clip` from its columns (T, C), angles in degrees."""
    layout = Layout.of(skeleton.convention.channels)
    placed = np.tile(skeleton.offsets, (len(columns), 1, 1))  # (T, J, 3); a position channel replaces the offset
    placed[:, layout.joints, layout.axes] = columns[:, layout.columns]
    rotation = np.empty((len(columns), skeleton.count, 4))
    for order, (joints, which) in layout.turns.items():
        rotation[:, joints] = euler_to_quat(np.radians(columns[:, which]), order)
    moves = bool(np.any(placed[:, 1:] != skeleton.offsets[1:]))
    return placed[:, 0], rotation, placed if moves else None


def columns_of(clip: Clip, unit: float) -> tuple[Channels, Array]:
    """The inverse of `motion_of` for a clip in its file's numbers, `unit` metres each.

    A joint that moves in ways its channels cannot tell gets the usual ones; so does every joint of a skeleton that
    comes without channels.
    """
    skeleton = clip.skeleton
    placed = np.tile(skeleton.offsets, (clip.frames, 1, 1)) if clip.translation is None else np.array(clip.translation)
    placed[:, 0] = clip.position
    channels = skeleton.convention.channels or (ROOT_CHANNELS,) + (JOINT_CHANNELS,) * (skeleton.count - 1)
    channels = _with_places(channels, np.abs(placed - skeleton.offsets).max(axis=0) > _SAME_PLACE / unit)
    channels = _with_turns(channels, clip.rotation)
    layout = Layout.of(channels)
    columns = np.zeros((clip.frames, sum(map(len, channels))))
    columns[:, layout.columns] = placed[:, layout.joints, layout.axes]
    for order, (joints, which) in layout.turns.items():
        columns[:, which] = np.degrees(angles_of(clip.rotation[:, joints], order))
    return channels, columns


def angles_of(rotation: Array, order: str) -> Array:
    """Angles (T, n, len(order)) in radians, as curves, whose turns come nearest to rotations (T, n, 4)."""
    angles = np.zeros((*rotation.shape[:2], len(order)))
    used = _useful(order)
    axes = "".join(order[k] for k in used)
    if len(used) == 3:
        angles[..., used] = continuous_euler(matrix_to_euler(quat_to_matrix(rotation), axes), axes)
    elif len(used) == 2:
        angles[..., used] = np.unwrap(_two_angles(rotation, axes), axis=0)
    elif len(used) == 1:
        about = rotation[..., 1 + "XYZ".index(axes)]
        angles[..., used[0]] = np.unwrap(2 * np.arctan2(about, rotation[..., 0]), axis=0)
    return angles


def _two_angles(rotation: Array, axes: str) -> Array:
    """Angles (T, n, 2) about two axes for turns that need no third."""
    (rest,) = set("XYZ") - set(axes)
    first, second, third = np.moveaxis(matrix_to_euler(quat_to_matrix(rotation), axes + rest), -1, 0)
    beyond = np.abs(third) > np.pi / 2  # the same turn with the second angle past a quarter needs no third
    return np.stack([np.where(beyond, first + np.pi, first), np.where(beyond, np.pi - second, second)], axis=-1)


def _with_places(channels: Channels, moves: Array) -> Channels:
    """The channels with positions for the joints that move (J, 3) along axes without a channel."""
    out = list(channels)
    for joint in np.flatnonzero(moves.any(axis=1)):
        told = {name for name in out[joint] if name.endswith("position")}
        if any(moves[joint, axis] and name not in told for axis, name in enumerate(PLACE_CHANNELS)):
            out[joint] = PLACE_CHANNELS + tuple(name for name in out[joint] if name.endswith("rotation"))
    return tuple(out)


def _with_turns(channels: Channels, rotation: Array) -> Channels:
    """The channels with the usual rotations for the joints that turn beyond what theirs can tell."""
    out = list(channels)
    for order, (joints, _) in Layout.of(channels).turns.items():
        if len(_useful(order)) == 3:
            continue
        told = euler_to_quat(angles_of(rotation[:, joints], order), order)
        error = 2 * np.linalg.norm(quat_multiply(quat_conjugate(told), rotation[:, joints])[..., 1:], axis=-1)  # rad
        for joint in np.asarray(joints)[error.max(axis=0) > _SAME_TURN]:
            out[joint] = tuple(name for name in out[joint] if name.endswith("position")) + JOINT_CHANNELS
    return tuple(out)


def _useful(order: str) -> list[int]:
    """Which channels to use: one that repeats the one before adds nothing, and three that do not turn to anywhere."""
    return [k for k, axis in enumerate(order) if k == 0 or axis != order[k - 1]][:3]
