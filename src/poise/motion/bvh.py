"""BVH files: reading and writing the motion, one line of channel values per frame."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log10
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.errors import PoiseError
from poise.files import write_file
from poise.motion.bvh_hierarchy import bvh_hierarchy_lines, read_bvh_hierarchy
from poise.motion.clip import Clip, clip_from, clip_in_file_units
from poise.motion.skeleton import JOINT_CHANNELS, PLACE_CHANNELS, ROOT_CHANNELS, Skeleton
from poise.motion.text import TextFile, quoted_text, read_text_file
from poise.rotations import (
    continuous_euler,
    euler_to_quat,
    matrix_to_euler,
    quat_conjugate,
    quat_multiply,
    quat_to_matrix,
)

Channels = tuple[tuple[str, ...], ...]  # channel names of each joint

FASTEST, SLOWEST = 1e-6, 1e4  # s: range of valid frame times

_FRAMES = re.compile(r"frames\s*:\s*(\d{1,12})$", re.IGNORECASE)
_FRAME_TIME = re.compile(r"frame\s*time\s*:\s*(\S+)$", re.IGNORECASE)
_FINENESS = 1e-8  # m: resolution of written positions
_ANGLE_DIGITS = 6  # decimals of written angles, in degrees
_SAME_ROTATION = 1e-7  # rad: largest error of rotations written with a joint's own channels
_SAME_PLACE = 1e-7  # m: a joint that moves less keeps its constant offset


def read_bvh(path: Path | str) -> Clip:
    """Read the motion of a BVH file, in the file's unit and axes."""
    source = read_text_file(path)
    skeleton, line = read_bvh_hierarchy(source)
    width = sum(map(len, skeleton.convention.channels))
    if not width:
        raise source.fault(line, "no joint has CHANNELS, so there is no motion")
    line, frames, seconds = _bvh_header(source, line + 1, skeleton.count)
    columns = source.table(_bvh_rows(source, line + 1, frames, width), width)
    position, rotation, translation = motion_from_columns(skeleton, columns)
    return clip_from(source.path.stem, skeleton, 1.0 / seconds, position, rotation, translation)


def write_bvh(clip: Clip, path: Path | str) -> Path:
    """Write a clip to a BVH file in the clip's own convention: unit, axes and channels; return the path."""
    return write_file(Path(path), bvh_text(clip).encode())


def bvh_text(clip: Clip) -> str:
    """The text of a BVH file in the clip's own convention: unit, axes and channels."""
    if not clip.frames:
        raise PoiseError(f"clip '{clip.name}' has no frames to write")
    unit = clip.skeleton.convention.unit
    filed = clip_in_file_units(clip)
    channels, columns = channel_columns(filed, unit)
    finest = max(0, ceil(log10(unit / _FINENESS)))
    digits = [finest if name.endswith("position") else _ANGLE_DIGITS for names in channels for name in names]
    form = " ".join(f"%.{n}f" for n in digits)
    columns = np.where(np.equal(digits, finest), columns.round(finest), columns.round(_ANGLE_DIGITS)) + 0.0  # no -0.0
    lines = bvh_hierarchy_lines(filed.skeleton, channels)
    lines += ["MOTION", f"Frames: {clip.frames}", f"Frame Time: {1.0 / clip.rate:.15g}"]
    lines += [form % tuple(row) for row in columns.tolist()]
    return "\n".join(lines) + "\n"


def _bvh_header(source: TextFile, line: int, joints: int) -> tuple[int, int, float]:
    """The last line read, the number of frames and the frame time (s) of a MOTION section, read from `line` on."""
    line, text = _next_bvh_line(source, line, "Frames:")
    match = _FRAMES.match(text)
    if not match:
        raise source.fault(line, f"expected 'Frames: ' and a number, not {quoted_text(text)}")
    frames = int(match[1])
    if not frames:
        raise source.fault(line, "the motion has no frames")
    source.check_size(line, frames, joints)
    line, text = _next_bvh_line(source, line + 1, "Frame Time:")
    match = _FRAME_TIME.match(text)
    if not match:
        raise source.fault(line, f"expected 'Frame Time: ' and seconds, not {quoted_text(text)}")
    seconds = source.number(match[1], line)
    if not FASTEST <= seconds <= SLOWEST:
        raise source.fault(line, f"frame time {quoted_text(match[1])} must be from {FASTEST:g} to {SLOWEST:g} s")
    return line, frames, seconds


def _next_bvh_line(source: TextFile, line: int, what: str) -> tuple[int, str]:
    """Number and text of the first line from `line` on that is not blank; raises, naming `what`, if there is none."""
    for number in range(line, len(source.lines) + 1):
        if text := source.lines[number - 1].strip():
            return number, text
    raise source.fault(len(source.lines), f"the file ends before its '{what}'")


def _bvh_rows(source: TextFile, start: int, frames: int, width: int) -> Iterator[tuple[int, list[str]]]:
    """Line number and words of each frame, from line `start` on."""
    found = 0
    for number in range(start, len(source.lines) + 1):
        words = source.lines[number - 1].split()
        if not words:
            continue
        if found == frames:
            raise source.fault(number, f"more lines than the {frames} that 'Frames:' announces")
        if len(words) != width:
            raise source.fault(number, f"{len(words)} numbers for {width} channels")
        found += 1
        yield number, words
    if found < frames:
        raise source.fault(len(source.lines), f"the file ends after {found} of {frames} frames")


@dataclass(frozen=True)
class ChannelLayout:
    """The joint and axis of each column of numbers in a BVH file."""

    columns: tuple[int, ...]  # column of each position channel
    joints: tuple[int, ...]  # joint of each position channel
    axes: tuple[int, ...]  # axis of each position channel
    rotations: dict[str, tuple[list[int], list[list[int]]]]  # by order of axes: joints, columns of each joint

    @classmethod
    def of(cls, channels: Channels) -> "ChannelLayout":
        """The layout of a file with these channels."""
        places: list[tuple[int, int, int]] = []
        rotations: dict[str, tuple[list[int], list[list[int]]]] = {}
        column = 0
        for joint, names in enumerate(channels):
            numbered = list(enumerate(names, column))
            places += [(k, joint, "XYZ".index(name[0])) for k, name in numbered if name.endswith("position")]
            order = "".join(name[0] for name in names if name.endswith("rotation"))  # such as "ZXY"
            joints, columns = rotations.setdefault(order, ([], []))
            joints.append(joint)
            columns.append([k for k, name in numbered if name.endswith("rotation")])
            column += len(names)
        place_columns, place_joints, axes = zip(*places, strict=True) if places else ((), (), ())
        return cls(place_columns, place_joints, axes, rotations)


def motion_from_columns(skeleton: Skeleton, columns: Array) -> tuple[Array, Array, Array | None]:
    """Position, rotation and translation of a `Clip` from columns (T, C): T frames, C channels, angles in degrees."""
    layout = ChannelLayout.of(skeleton.convention.channels)
    placed = np.tile(skeleton.offsets, (len(columns), 1, 1))  # (T, J, 3); a position channel replaces the offset
    placed[:, layout.joints, layout.axes] = columns[:, layout.columns]
    rotation = np.empty((len(columns), skeleton.count, 4))
    for order, (joints, which) in layout.rotations.items():
        rotation[:, joints] = euler_to_quat(np.radians(columns[:, which]), order)
    moves = bool(np.any(placed[:, 1:] != skeleton.offsets[1:]))
    return placed[:, 0], rotation, placed if moves else None


def channel_columns(clip: Clip, unit: float) -> tuple[Channels, Array]:
    """Channels and columns (T, C) of a clip in units of `unit` m; default channels where own ones do not suffice."""
    skeleton = clip.skeleton
    placed = np.tile(skeleton.offsets, (clip.frames, 1, 1)) if clip.translation is None else np.array(clip.translation)
    placed[:, 0] = clip.position
    channels = skeleton.convention.channels or (ROOT_CHANNELS,) + (JOINT_CHANNELS,) * (skeleton.count - 1)
    channels = _with_position_channels(channels, np.abs(placed - skeleton.offsets).max(axis=0) > _SAME_PLACE / unit)
    channels = _with_rotation_channels(channels, clip.rotation)
    layout = ChannelLayout.of(channels)
    columns = np.zeros((clip.frames, sum(map(len, channels))))
    columns[:, layout.columns] = placed[:, layout.joints, layout.axes]
    for order, (joints, which) in layout.rotations.items():
        columns[:, which] = np.degrees(channel_angles(clip.rotation[:, joints], order))
    return channels, columns


def channel_angles(rotation: Array, order: str) -> Array:
    """Continuous Euler angles (T, n, len(order)) rad about the axes `order` that best express rotations (T, n, 4)."""
    angles = np.zeros((*rotation.shape[:2], len(order)))
    used = _independent_channels(order)
    axes = "".join(order[k] for k in used)
    if len(used) == 3:
        angles[..., used] = continuous_euler(matrix_to_euler(quat_to_matrix(rotation), axes), axes)
    elif len(used) == 2:
        angles[..., used] = np.unwrap(_two_axis_angles(rotation, axes), axis=0)
    elif len(used) == 1:
        about = rotation[..., 1 + "XYZ".index(axes)]
        angles[..., used[0]] = np.unwrap(2 * np.arctan2(about, rotation[..., 0]), axis=0)
    return angles


def _two_axis_angles(rotation: Array, axes: str) -> Array:
    """Angles (T, n, 2) about two axes, for rotations that need no third axis."""
    (rest,) = set("XYZ") - set(axes)
    first, second, third = np.moveaxis(matrix_to_euler(quat_to_matrix(rotation), axes + rest), -1, 0)
    beyond = np.abs(third) > np.pi / 2  # the third angle is pi; with |second| > pi/2 the same rotation has a third of 0
    return np.stack([np.where(beyond, first + np.pi, first), np.where(beyond, np.pi - second, second)], axis=-1)


def _with_position_channels(channels: Channels, moves: Array) -> Channels:
    """The channels; a joint that moves (mask `moves` (J, 3)) along an axis without position channel gets all three."""
    out = list(channels)
    for joint in np.flatnonzero(moves.any(axis=1)):
        if any(moves[joint, axis] and name not in out[joint] for axis, name in enumerate(PLACE_CHANNELS)):
            out[joint] = PLACE_CHANNELS + tuple(name for name in out[joint] if name.endswith("rotation"))
    return tuple(out)


def _with_rotation_channels(channels: Channels, rotation: Array) -> Channels:
    """The channels; joints whose channels cannot express their rotations (T, J, 4) get default rotation channels."""
    out = list(channels)
    for order, (joints, _) in ChannelLayout.of(channels).rotations.items():
        if len(_independent_channels(order)) == 3:
            continue
        expressed = euler_to_quat(channel_angles(rotation[:, joints], order), order)
        difference = quat_multiply(quat_conjugate(expressed), rotation[:, joints])
        error = 2 * np.linalg.norm(difference[..., 1:], axis=-1)  # rad
        for joint in np.asarray(joints)[error.max(axis=0) > _SAME_ROTATION]:
            out[joint] = tuple(name for name in out[joint] if name.endswith("position")) + JOINT_CHANNELS
    return tuple(out)


def _independent_channels(order: str) -> list[int]:
    """Indices of channels whose axis differs from the channel before, at most three; three express any rotation."""
    return [k for k, axis in enumerate(order) if k == 0 or axis != order[k - 1]][:3]
