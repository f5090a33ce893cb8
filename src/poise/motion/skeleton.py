"""A skeleton: the tree of named joints of a motion file, and its forward kinematics.

In memory every skeleton is in metres with x forward, y left, z up; joint frames are parallel to the world when all
rotations are zero. `Convention` keeps the unit, axes and channels of the file, so that motion can be written back in
the same form.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from poise.arrays import Array, readonly
from poise.errors import known_name
from poise.rotations import quat_multiply, quat_rotate

Y_UP = readonly([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Matrix from the axes of most BVH files (y up, facing +z, +x left) to Poise's axes."""

ROOT_CHANNELS = ("Xposition", "Yposition", "Zposition", "Zrotation", "Xrotation", "Yrotation")
PLACE_CHANNELS, JOINT_CHANNELS = ROOT_CHANNELS[:3], ROOT_CHANNELS[3:]


def joint_children(parents: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The children of each joint of a tree, in order."""
    below: list[list[int]] = [[] for _ in parents]
    for joint, parent in enumerate(parents):
        if parent >= 0:
            below[parent].append(joint)
    return tuple(tuple(children) for children in below)


def depth_first_joints(parents: Sequence[int]) -> list[int]:
    """The joints of a tree, each followed by all its descendants."""
    children = joint_children(parents)
    order: list[int] = []
    waiting = [joint for joint, parent in enumerate(parents) if parent < 0]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting.extend(reversed(children[joint]))
    return order


@dataclass(frozen=True)
class FilePlace:
    """Where a motion is in its file, whose floor may lean: turned by `yaw`, then shifted. In Poise's unit and axes."""

    x: float = 0.0  # m
    y: float = 0.0  # m
    yaw: float = 0.0  # rad
    floor: float = 0.0  # m, height of the file's floor at its origin
    lean: tuple[float, float] = (0.0, 0.0)  # rise of the file's floor in m per m of x and y


@dataclass(frozen=True, eq=False)
class Convention:
    """Unit, axes and channels of a file: v in Poise = unit * axes @ v in the file; and what the import has moved."""

    unit: float = 0.01  # m per unit of the file
    axes: Array = field(default_factory=lambda: Y_UP)  # (3, 3) proper rotation
    channels: tuple[tuple[str, ...], ...] = ()  # BVH channel names of each joint; () for the default ones
    offsets: Array | None = None  # (J, 3) m, the offsets before a missing bone was restored; None if none was
    place: FilePlace = FilePlace()


@dataclass(frozen=True, eq=False)
class End:
    """The tip of a bone without a child joint: BVH's End Site."""

    joint: int
    offset: Array  # (3,) m from the joint


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints in depth-first order, parents first."""

    names: tuple[str, ...]
    parents: tuple[int, ...]  # -1 for the root, which is the first
    offsets: Array  # (J, 3) m from the parent joint, in the parent's frame
    ends: tuple[End, ...] = ()
    convention: Convention = field(default_factory=Convention)
    upright: Array | None = None
    """(J, 4) local rotations of a pose that stands upright and faces +x; None if the zero pose does"""
    soles: Array | None = None
    """(2, 2) m: heights of ankle (first column) and toe joint above the ground in flat stance; rows left, right"""
    breadth: float = 1.0  # of the trunk of a person's body, over that by the tables

    @property
    def count(self) -> int:
        """Number of joints."""
        return len(self.names)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each joint, in order."""
        return joint_children(self.parents)

    @cached_property
    def standing(self) -> "Places":
        """Places of joints and ends in the upright pose, else in the zero pose, as one frame with the root at 0."""
        zero = np.tile([1.0, 0.0, 0.0, 0.0], (self.count, 1))
        return skeleton_kinematics(self, np.zeros((1, 3)), (zero if self.upright is None else self.upright)[None])

    def below(self, joint: int) -> list[int]:
        """Indices of a joint and all its descendants."""
        found = [joint]
        for other in range(joint + 1, self.count):
            if self.parents[other] in found:
                found.append(other)
        return found

    def index(self, name: str) -> int:
        """Index of the joint with this name."""
        return self.names.index(known_name("joint", name, self.names))

    def travels(self, joint: int) -> bool:
        """Whether the file gives this joint, but not every joint, a position in every frame."""
        placed = [set(PLACE_CHANNELS) <= set(channels) for channels in self.convention.channels]
        return bool(placed) and placed[joint] and not all(placed)

    def fault(self) -> str | None:
        """The reason why this is not a valid skeleton, or None; for skeletons read from files."""
        count, convention = self.count, self.convention
        parents = self.parents
        if not count or len(parents) != count or parents[0] != -1:
            return "its joints do not form a tree with the root first"
        if not all(0 <= parent < joint for joint, parent in enumerate(parents[1:], 1)):
            return "a joint comes before its parent"
        if self.offsets.shape != (count, 3) or not np.all(np.isfinite(self.offsets)):
            return "its offsets are not three finite numbers per joint"
        if not all(0 <= end.joint < count and end.offset.shape == (3,) for end in self.ends):
            return "an end site belongs to no joint"
        if not all(np.all(np.isfinite(end.offset)) for end in self.ends):
            return "the offset of an end site is not finite"
        if not 0 < convention.unit < np.inf or convention.axes.shape != (3, 3):
            return "it has no valid unit and axes"
        if not np.allclose(convention.axes @ convention.axes.T, np.eye(3)) or np.linalg.det(convention.axes) < 0:
            return "its axes are not a rotation"
        if convention.channels and len(convention.channels) != count:
            return "its channels do not match its joints"
        if convention.offsets is not None and convention.offsets.shape != (count, 3):
            return "its file's offsets are not three numbers per joint"
        place = np.hstack(astuple(convention.place))
        if not np.all(np.isfinite(place if convention.offsets is None else [*place, *convention.offsets.flat])):
            return "its place in the file or the file's offsets are not finite"
        if not all(channel in ROOT_CHANNELS for channels in convention.channels for channel in channels):
            return "it has channels that BVH does not define"
        if self.upright is not None and not (self.upright.shape == (count, 4) and np.all(np.isfinite(self.upright))):
            return "its upright pose is not one rotation per joint"
        if self.soles is not None and not (self.soles.shape == (2, 2) and np.all(np.isfinite(self.soles))):
            return "its soles are not two finite heights per foot"
        if not 0.1 <= self.breadth <= 10.0:
            return "the breadth of its trunk is not plausible"
        return None

    def as_dict(self) -> dict[str, Any]:
        """The skeleton as plain values for JSON; `from_dict` is the inverse."""
        return {
            "names": list(self.names),
            "parents": list(self.parents),
            "offsets": self.offsets.tolist(),
            "ends": [{"joint": end.joint, "offset": end.offset.tolist()} for end in self.ends],
            "unit": self.convention.unit,
            "axes": self.convention.axes.tolist(),
            "channels": [list(c) for c in self.convention.channels],
            "filed_offsets": None if self.convention.offsets is None else self.convention.offsets.tolist(),
            "place": asdict(self.convention.place),
            "upright": None if self.upright is None else self.upright.tolist(),
            "soles": None if self.soles is None else self.soles.tolist(),
            "breadth": self.breadth,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Skeleton":
        """The skeleton from the values of `as_dict`; in files of older versions some values are missing."""
        names = tuple(data["names"])
        filed, place = data.get("filed_offsets"), dict(data.get("place", {}))
        x, y, yaw, floor = (float(place.get(name, 0.0)) for name in ("x", "y", "yaw", "floor"))
        east, north = map(float, place.get("lean", (0.0, 0.0)))
        return cls(
            names=names,
            parents=tuple(int(p) for p in data["parents"]),
            offsets=readonly(np.reshape(data["offsets"], (-1, 3))),
            ends=tuple(End(int(end["joint"]), readonly(end["offset"])) for end in data["ends"]),
            convention=Convention(
                float(data["unit"]),
                readonly(data["axes"]),
                tuple(tuple(c) for c in data["channels"]),
                None if filed is None else readonly(np.reshape(filed, (-1, 3))),
                FilePlace(x, y, yaw, floor, (east, north)),
            ),
            upright=None if data["upright"] is None else readonly(data["upright"]),
            soles=None if data.get("soles") is None else readonly(data["soles"]),
            breadth=float(data.get("breadth", 1.0)),
        )

    def __repr__(self) -> str:
        return f"Skeleton({len(self.names)} joints, root {self.names[0]})"


def joint_ancestors(skeleton: Skeleton, joint: int) -> list[int]:
    """The joint and all its ancestors, up to the root."""
    path = [joint]
    while skeleton.parents[path[-1]] >= 0:
        path.append(skeleton.parents[path[-1]])
    return path


@dataclass(frozen=True, eq=False)
class Places:
    """Places of J joints and E end sites in the world, in T frames: positions and rotations."""

    position: Array  # (T, J, 3) m
    rotation: Array  # (T, J, 4)
    ends: Array  # (T, E, 3) m, the end sites in the order of `Skeleton.ends`


def skeleton_kinematics(
    skeleton: Skeleton, position: Array, rotation: Array, translation: Array | None = None
) -> Places:
    """World places for root positions (T, 3), local rotations (T, J, 4) and translations (T, J, 3), if any."""
    # With the joint axis first, the frames of a joint are contiguous, which makes long clips several times as fast.
    local = np.ascontiguousarray(np.swapaxes(rotation, 0, 1))  # (J, T, 4)
    bones = skeleton.offsets[:, None] if translation is None else np.ascontiguousarray(np.swapaxes(translation, 0, 1))
    where, world = np.empty((*local.shape[:2], 3)), np.empty(local.shape)
    for joint, parent in enumerate(skeleton.parents):
        if parent < 0:
            where[joint], world[joint] = position, local[joint]
            continue
        where[joint] = where[parent] + quat_rotate(world[parent], bones[joint])
        world[joint] = quat_multiply(world[parent], local[joint])
    tips = np.empty((len(skeleton.ends), len(position), 3))
    for k, end in enumerate(skeleton.ends):
        tips[k] = where[end.joint] + quat_rotate(world[end.joint], end.offset)
    return Places(*(readonly(np.swapaxes(places, 0, 1)) for places in (where, world, tips)))
