"""Clips of a body: its generalised coordinates (qpos) in frames at a constant rate."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from poise.arrays import Array, Mask, readonly
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.body.rigging import plain_rigging, plant_feet_of_rigged_body
from poise.body.surface import ContactPart, contact_parts
from poise.motion.clip import Clip


@dataclass(frozen=True, eq=False)
class BodyClip:
    """Poses of a body in frames at a constant rate. Immutable: arrays are read-only, operations return new clips."""

    name: str
    body: Body
    rate: float  # frames per second
    qpos: Array  # (T, nq)
    down: Mask | None = None  # (T, P) whether each contact part of `parts` is in contact; None if unknown
    cyclic: bool = False  # the last frame repeats the first, moved along the ground and turned about the vertical

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
        """(T, nv) velocities by central differences of the poses; one-sided differences at the first and last frame."""
        frames = np.arange(self.frames)
        before, after = np.maximum(frames - 1, 0), np.minimum(frames + 1, self.frames - 1)
        step = PoseSpace(self.body).difference(self.qpos[before], self.qpos[after])
        return readonly(step * self.rate / np.maximum(after - before, 1)[:, None])

    @cached_property
    def centre_of_mass(self) -> Array:
        """(T, 3) m: centre of mass in the world frame, per frame."""
        return readonly(centres_of_mass(self.body, self.qpos))

    def rigged_clip(self) -> Clip:
        """The motion, as it is, on the skeleton from which the body was built, else on one with a joint per link."""
        rigging = self.body.rigging or plain_rigging(self.body.model, 1)
        return rigging.clip(self.body.model, self.qpos, self.rate, self.name)

    def skeleton_clip(self) -> Clip:
        """The motion on that skeleton for other programs: its feet are where the body's feet are."""
        body, clip = self.body, self.rigged_clip()
        if body.rigging is None:
            return clip
        return plant_feet_of_rigged_body(clip, body.rigging, body.model, self.qpos, [foot.link for foot in body.feet])

    def __repr__(self) -> str:
        return f"BodyClip({self.name} on {self.body.name}, {self.frames} frames at {self.rate:g} Hz)"


def posed_data(body: Body, qpos: Array) -> Iterator[mujoco.MjData]:
    """Yield MuJoCo data with link poses and centres of mass for each pose (T, nq). It is one object, overwritten."""
    return posed_model_data(body.model, qpos)


def posed_model_data(model: mujoco.MjModel, qpos: Array) -> Iterator[mujoco.MjData]:
    """The same for poses (T, nq) of a model."""
    data = mujoco.MjData(model)
    for pose in qpos:
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        yield data


def centres_of_mass(body: Body, qpos: Array) -> Array:
    """(T, 3) m: the body's centre of mass in the world frame, for each of the poses (T, nq)."""
    return np.array([np.array(data.subtree_com[1]) for data in posed_data(body, qpos)]).reshape(-1, 3)
