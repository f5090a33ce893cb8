"""Frames of a body at a rate: a motion in the coordinates that are simulated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.contact_parts import ContactPart, contact_parts
from poise.body.pose_space import PoseSpace
from poise.body.rigging import plain_rigging, planted
from poise.motion.clip import Clip


@dataclass(frozen=True, eq=False)
class BodyClip:
    """Poses of a body. Read-only arrays; whatever changes a clip returns another."""

    name: str
    body: Body
    rate: float  # frames per second
    qpos: Array  # (T, nq)
    down: NDArray[np.bool_] | None = None  # (T, P) which contact parts bear on something, in the order of `parts`
    cyclic: bool = False  # the last frame is the first again, moved along the ground and turned about the vertical

    @property
    def frames(self) -> int:
        """Number of frames, T."""
        return len(self.qpos)

    @property
    def seconds(self) -> float:
        """From the first frame to the last."""
        return (self.frames - 1) / self.rate

    @cached_property
    def parts(self) -> tuple[ContactPart, ...]:
        """What may bear on the ground: heels, balls of the feet, toe tips, hands."""
        return contact_parts(self.body)

    @cached_property
    def qvel(self) -> Array:
        """(T, nv) velocities by central differences, one-sided at the ends."""
        frames = np.arange(self.frames)
        before, after = np.maximum(frames - 1, 0), np.minimum(frames + 1, self.frames - 1)
        step = PoseSpace(self.body).difference(self.qpos[before], self.qpos[after])
        return readonly(step * self.rate / np.maximum(after - before, 1)[:, None])

    def skeleton_clip(self) -> Clip:
        """The motion on the body's skeleton: the user's own where it was built for one."""
        body, model = self.body, self.body.model
        if body.rigging is None:
            return plain_rigging(model, 1).clip(model, self.qpos, self.rate, self.name)
        clip = body.rigging.clip(model, self.qpos, self.rate, self.name)
        return planted(clip, body.rigging, model, self.qpos, [foot.link for foot in body.feet])
