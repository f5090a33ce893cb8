"""Conversion of clips between a file's unit and axes and Poise's (metres, x forward, y left, z up)."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poise.arrays import Array, readonly
from poise.motion.clip import Clip
from poise.motion.skeleton import Convention, End
from poise.rotations import quat_from_axis_angle, quat_multiply, quat_rotate

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
