"""A clip: frames of a skeleton at a rate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poise.arrays import Array, readonly
from poise.motion.skeleton import Places, Skeleton, skeleton_kinematics


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

    def cut(self, start: int, stop: int) -> Clip:
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
