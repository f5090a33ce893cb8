"""Clips: frames of a skeleton at a rate, conversion of unit and axes, and lossless files."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, readonly
from poise.errors import PoiseError
from poise.files import write_arrays
from poise.motion.skeleton import Convention, End, Places, Skeleton, skeleton_kinematics
from poise.rotations import quat_from_axis_angle, quat_multiply, quat_rotate


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion of a skeleton, as read-only arrays; edits return a new clip."""

    name: str
    skeleton: Skeleton
    rate: float  # frames per second
    position: Array  # (T, 3) m, the root joint in the world
    rotation: Array  # (T, J, 4) each joint in its parent's frame, the root in the world
    translation: Array | None = None
    """(T, J, 3) m, each joint in its parent's frame, replacing the offsets; None if the offsets are constant.
    The root's column is not used."""

    @property
    def frames(self) -> int:
        """Number of frames, T."""
        return len(self.position)

    @property
    def seconds(self) -> float:
        """Time (s) from the first frame to the last."""
        return (self.frames - 1) / self.rate

    @cached_property
    def places(self) -> Places:
        """Places of all joints and end sites in the world, in all frames: positions and rotations."""
        return skeleton_kinematics(self.skeleton, self.position, self.rotation, self.translation)

    def fault(self) -> str | None:
        """The reason why this is not a valid clip of its skeleton, or None; for clips read from files."""
        if not 0 < self.rate < np.inf:
            return "its rate is not a positive number"
        joints = (len(self.position), self.skeleton.count)
        shapes = {"position": (joints[0], 3), "rotation": (*joints, 4), "translation": (*joints, 3)}
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array is not None and array.shape != shape:
                return f"its {name} has shape {array.shape}, but its frames and joints need {shape}"
            if array is not None and not np.all(np.isfinite(array)):
                return f"its {name} is not finite everywhere"
        if not np.allclose(np.linalg.norm(self.rotation, axis=-1), 1.0, atol=1e-6):
            return "its rotations are not unit quaternions"
        return None

    def cut(self, start: int, stop: int) -> "Clip":
        """The clip of the frames from `start` to `stop` - 1."""
        span = slice(start, stop)
        moved = None if self.translation is None else readonly(self.translation[span])
        position, rotation = readonly(self.position[span]), readonly(self.rotation[span])
        return replace(self, position=position, rotation=rotation, translation=moved)

    def __repr__(self) -> str:
        return f"Clip({self.name}, {len(self.skeleton.names)} joints, {self.frames} frames at {self.rate:g} Hz)"


def clip_from(
    name: str, skeleton: Skeleton, rate: float, position: Array, rotation: Array, translation: Array | None = None
) -> Clip:
    """A clip of read-only copies of the arrays."""
    moved = None if translation is None else readonly(np.asarray(translation))
    return Clip(name, skeleton, float(rate), readonly(position), readonly(rotation), moved)


IDENTITY = readonly(np.eye(3))


def file_convention(channels: tuple[tuple[str, ...], ...] = ()) -> Convention:
    """The convention of a clip that is still in its file's unit and axes."""
    return Convention(1.0, IDENTITY, channels)


def convert_clip(clip: Clip, unit: float, axes: Array) -> Clip:
    """The clip with every vector v mapped to unit * axes @ v; `clip_in_file_units` is the inverse."""
    before = clip.skeleton.convention
    convention = replace(before, unit=before.unit * unit, axes=readonly(axes @ before.axes))
    return _map_clip(clip, lambda v: unit * (v @ axes.T), axes, convention)


def clip_at_file_place(clip: Clip) -> Clip:
    """The clip where its file has it, facing as there, with the file's floor below it."""
    place = clip.skeleton.convention.place
    turn = quat_from_axis_angle([0.0, 0.0, 1.0], place.yaw)
    position = quat_rotate(turn, clip.position) + [place.x, place.y, place.floor]
    position[:, 2] += position[:, :2] @ np.asarray(place.lean)
    rotation = np.array(clip.rotation)
    rotation[:, 0] = quat_multiply(turn, rotation[:, 0])
    return replace(clip, position=readonly(position), rotation=readonly(rotation))


def clip_with_file_offsets(clip: Clip) -> Clip:
    """The clip on the skeleton as its file has it: without the bone that the import restored."""
    skeleton, filed = clip.skeleton, clip.skeleton.convention.offsets
    if filed is None:
        return clip
    moved = None if clip.translation is None else readonly(clip.translation + (filed - skeleton.offsets))
    return replace(clip, skeleton=replace(skeleton, offsets=filed), translation=moved)


def clip_in_file_units(clip: Clip) -> Clip:
    """The clip in the unit and axes of its file."""
    convention = clip.skeleton.convention
    unit, axes = convention.unit, convention.axes
    return _map_clip(clip, lambda v: v @ axes / unit, axes.T, file_convention(convention.channels))


def _map_clip(clip: Clip, length: Callable[[Array], Array], axes: Array, convention: Convention) -> Clip:
    filed = convention.offsets

    def map_quat(q: Array) -> Array:
        return readonly(np.concatenate([q[..., :1], q[..., 1:] @ axes.T], axis=-1))

    old = clip.skeleton
    skeleton = replace(
        old,
        offsets=readonly(length(old.offsets)),
        ends=tuple(End(end.joint, readonly(length(end.offset))) for end in old.ends),
        convention=convention if filed is None else replace(convention, offsets=readonly(length(filed))),
        upright=None if old.upright is None else map_quat(old.upright),
    )
    position, rotation = readonly(length(clip.position)), map_quat(clip.rotation)
    translation = None if clip.translation is None else readonly(length(clip.translation))
    return replace(clip, skeleton=skeleton, position=position, rotation=rotation, translation=translation)


CLIP_ARRAYS = ("clip", "position", "rotation", "translation")

Arrays = dict[str, NDArray[Any]]


def save_clip(clip: Clip, path: Path | str) -> Path:
    """Write a clip to an .npz file, atomically; return the path."""
    header = {"name": clip.name, "rate": clip.rate, "skeleton": clip.skeleton.as_dict()}
    arrays = {"clip": np.array(json.dumps(header)), "position": clip.position, "rotation": clip.rotation}
    if clip.translation is not None:
        arrays["translation"] = clip.translation
    return write_arrays(path, arrays)


def clip_from_npz(arrays: Arrays, path: Path | str) -> Clip:
    """The clip in the arrays of a file written by `save_clip`; raises if the clip is not valid."""
    for needed in ("clip", "position", "rotation"):
        if needed not in arrays:
            raise PoiseError(f"{path} is not a clip: it lacks {needed}")
    try:
        header = json.loads(str(arrays["clip"]))
        skeleton = Skeleton.from_dict(header["skeleton"])
        moved = arrays.get("translation")
        clip = clip_from(str(header["name"]), skeleton, header["rate"], arrays["position"], arrays["rotation"], moved)
        fault = skeleton.fault() or clip.fault()
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError):
        raise PoiseError(f"{path} is not a clip: its header or arrays are malformed") from None
    if fault:
        raise PoiseError(f"{path} is not a clip: {fault}")
    return clip
