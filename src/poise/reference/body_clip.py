"""Motion of a body in its generalised coordinates, sampled at a rate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.contact_parts import ContactPart, contact_parts
from poise.body.pose_space import PoseSpace
from poise.body.rigging import plain_rigging, plant_rigged_feet
from poise.motion.clip import Clip


@dataclass(frozen=True, eq=False)
class BodyClip:
    """Poses of a body over time. Arrays are read-only; operations on a clip return a new one."""

    name: str
    body: Body
    rate: float  # frames per second
    qpos: Array  # (T, nq)
    down: NDArray[np.bool_] | None = None  # (T, P) whether each contact part of `parts` is in contact; None if unknown
    cyclic: bool = False  # the last frame is the first, moved along the ground and turned about the vertical

    @property
    def frames(self) -> int:
        """Number of frames, T."""
        return len(self.qpos)

    @property
    def seconds(self) -> float:
        """Duration (s) from the first frame to the last."""
        return (self.frames - 1) / self.rate

    @cached_property
    def parts(self) -> tuple[ContactPart, ...]:
        """Parts of the body that can be in contact with the ground: heels, balls of the feet, toe tips, hands."""
        return contact_parts(self.body)

    @cached_property
    def qvel(self) -> Array:
        """(T, nv) velocities by central differences, one-sided at the ends."""
        frames = np.arange(self.frames)
        before, after = np.maximum(frames - 1, 0), np.minimum(frames + 1, self.frames - 1)
        step = PoseSpace(self.body).difference(self.qpos[before], self.qpos[after])
        return readonly(step * self.rate / np.maximum(after - before, 1)[:, None])

    @cached_property
    def centre_of_mass(self) -> Array:
        """(T, 3) m: centre of mass in the world."""
        return readonly(centres_of_mass(self.body, self.qpos))

    def skeleton_clip(self) -> Clip:
        """The motion on the body's skeleton, which is the user's own if the body was built from it."""
        body, model = self.body, self.body.model
        if body.rigging is None:
            return plain_rigging(model, 1).clip(model, self.qpos, self.rate, self.name)
        clip = body.rigging.clip(model, self.qpos, self.rate, self.name)
        return plant_rigged_feet(clip, body.rigging, model, self.qpos, [foot.link for foot in body.feet])

    def __repr__(self) -> str:
        return f"BodyClip({self.name} on {self.body.name}, {self.frames} frames at {self.rate:g} Hz)"


def posed_data(body: Body, qpos: Array) -> Iterator[mujoco.MjData]:
    """MuJoCo's data of each pose (T, nq) in turn, with link poses and centres of mass; the next pose overwrites it."""
    data = mujoco.MjData(body.model)
    for pose in qpos:
        data.qpos[:] = pose
        mujoco.mj_kinematics(body.model, data)
        mujoco.mj_comPos(body.model, data)
        yield data


def centres_of_mass(body: Body, qpos: Array) -> Array:
    """(T, 3) m: centres of mass of poses (T, nq) in the world."""
    return np.array([np.array(data.subtree_com[1]) for data in posed_data(body, qpos)]).reshape(-1, 3)
