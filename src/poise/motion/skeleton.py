"""A skeleton: named joints in a tree, as an animator's file has them.

In memory every skeleton is in our conventions (metres, x forward, y left, z up), its joint frames parallel to the
world when all rotations are zero. How its own file spells it (unit, axes, channels) is remembered in `Convention`,
so that motion goes back the way it came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from poise.arrays import Array, readonly
from poise.errors import unknown
from poise.rotations import quat_multiply, quat_rotate

Y_UP = readonly([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Our axes from those of most BVH files: y up, the figure faces +z, +x is its left."""

ROOT_CHANNELS = ("Xposition", "Yposition", "Zposition", "Zrotation", "Xrotation", "Yrotation")
PLACE_CHANNELS, JOINT_CHANNELS = ROOT_CHANNELS[:3], ROOT_CHANNELS[3:]


def children_of(parents: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The children of each joint of a tree, in order."""
    below: list[list[int]] = [[] for _ in parents]
    for joint, parent in enumerate(parents):
        if parent >= 0:
            below[parent].append(joint)
    return tuple(tuple(children) for children in below)


def depth_first(parents: Sequence[int]) -> list[int]:
    """The joints of a tree, each followed by all that hangs on it."""
    children = children_of(parents)
    order: list[int] = []
    waiting = [joint for joint, parent in enumerate(parents) if parent < 0]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting.extend(reversed(children[joint]))
    return order


@dataclass(frozen=True, eq=False)
class Convention:
    """How a file spells a skeleton: ours = unit * axes @ theirs."""

    unit: float = 0.01  # m per unit of the file
    axes: Array = field(default_factory=lambda: Y_UP)  # (3, 3) proper rotation
    channels: tuple[tuple[str, ...], ...] = ()  # of each joint, as BVH names them; () for the usual ones


@dataclass(frozen=True, eq=False)
class End:
    """The tip of a joint that has no child there: BVH's End Site."""

    joint: int
    offset: Array  # (3,) m from the joint


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints in depth-first order, parents first."""

    names: tuple[str, ...]
    parents: tuple[int, ...]  # -1 for the root, which is the first
    offsets: Array  # (J, 3) m from the parent's joint, all rotations zero
    ends: tuple[End, ...] = ()
    convention: Convention = field(default_factory=Convention)
    upright: Array | None = None
    """(J, 4) local rotations of a pose in which the figure stands upright and faces +x; None if the zero pose is one"""

    @property
    def count(self) -> int:
        """Number of joints."""
        return len(self.names)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each joint, in order."""
        return children_of(self.parents)

    def index(self, name: str) -> int:
        """A joint's number."""
        if name not in self.names:
            raise unknown("joint", name, self.names)
        return self.names.index(name)

    def travels(self, joint: int) -> bool:
        """Does its file place a joint in every frame, and not every joint?"""
        placed = [set(PLACE_CHANNELS) <= set(channels) for channels in self.convention.channels]
        return bool(placed) and placed[joint] and not all(placed)

    def fault(self) -> str | None:
        """What makes this no skeleton (a file may say anything), or None."""
        count, convention = self.count, self.convention
        parents = self.parents
        if not count or len(parents) != count or parents[0] != -1:
            return "its joints are not a tree with the root first"
        if not all(0 <= parent < joint for joint, parent in enumerate(parents[1:], 1)):
            return "a joint comes before its parent"
        if self.offsets.shape != (count, 3) or not np.all(np.isfinite(self.offsets)):
            return "its offsets are not three numbers for each joint"
        if not all(0 <= end.joint < count and end.offset.shape == (3,) for end in self.ends):
            return "an end site hangs on no joint"
        if not all(np.all(np.isfinite(end.offset)) for end in self.ends):
            return "the offset of an end site is not finite"
        if not 0 < convention.unit < np.inf or convention.axes.shape != (3, 3):
            return "it has no unit and axes"
        if not np.allclose(convention.axes @ convention.axes.T, np.eye(3)) or np.linalg.det(convention.axes) < 0:
            return "its axes are not a rotation"
        if convention.channels and len(convention.channels) != count:
            return "its channels are not those of its joints"
        if not all(channel in ROOT_CHANNELS for channels in convention.channels for channel in channels):
            return "it has channels that BVH does not know"
        if self.upright is not None and not (self.upright.shape == (count, 4) and np.all(np.isfinite(self.upright))):
            return "its upright pose is not a rotation of each joint"
        return None

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values for JSON; `from_dict` is the inverse."""
        return {
            "names": list(self.names),
            "parents": list(self.parents),
            "offsets": self.offsets.tolist(),
            "ends": [{"joint": end.joint, "offset": end.offset.tolist()} for end in self.ends],
            "unit": self.convention.unit,
            "axes": self.convention.axes.tolist(),
            "channels": [list(c) for c in self.convention.channels],
            "upright": None if self.upright is None else self.upright.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Skeleton:
        """The skeleton of `as_dict`."""
        return cls(
            names=tuple(data["names"]),
            parents=tuple(int(p) for p in data["parents"]),
            offsets=readonly(np.reshape(data["offsets"], (-1, 3))),
            ends=tuple(End(int(end["joint"]), readonly(end["offset"])) for end in data["ends"]),
            convention=Convention(
                float(data["unit"]), readonly(data["axes"]), tuple(tuple(c) for c in data["channels"])
            ),
            upright=None if data["upright"] is None else readonly(data["upright"]),
        )


# Where the joints of a skeleton are: forward kinematics over all frames at once.


@dataclass(frozen=True, eq=False)
class Places:
    """Joints in the world."""

    position: Array  # (T, J, 3) m
    rotation: Array  # (T, J, 4)
    ends: Array  # (T, E, 3) m, the tips in the order of `Skeleton.ends`


def forward(skeleton: Skeleton, position: Array, rotation: Array, translation: Array | None = None) -> Places:
    """Places of all joints for root positions (T, 3) and local rotations (T, J, 4)."""
    # Joint by joint in memory: a joint's frames lie side by side, which makes long clips several times as fast.
    local = np.ascontiguousarray(np.swapaxes(rotation, 0, 1))  # (J, T, 4)
    arms = skeleton.offsets[:, None] if translation is None else np.ascontiguousarray(np.swapaxes(translation, 0, 1))
    where, turned = np.empty((*local.shape[:2], 3)), np.empty(local.shape)
    for joint, parent in enumerate(skeleton.parents):
        if parent < 0:
            where[joint], turned[joint] = position, local[joint]
            continue
        where[joint] = where[parent] + quat_rotate(turned[parent], arms[joint])
        turned[joint] = quat_multiply(turned[parent], local[joint])
    tips = np.empty((len(skeleton.ends), len(position), 3))
    for k, end in enumerate(skeleton.ends):
        tips[k] = where[end.joint] + quat_rotate(turned[end.joint], end.offset)
    return Places(*(readonly(np.swapaxes(places, 0, 1)) for places in (where, turned, tips)))
