"""Motions that obey the equations of motion: with velocities, torques and contact forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.body.link_kinematics import Kinematics
from poise.reference.body_clip import BodyClip


@dataclass(frozen=True, eq=False)
class ContactSchedule:
    """Balls of links that bear on something: where forces act, and which."""

    names: tuple[str, ...]  # (C,)
    links: tuple[str, ...]  # (C,)
    centre: Array  # (C, 3) m in the link frame
    radius: Array  # (C,) m; 0 for points
    held: NDArray[np.bool_]  # (C,) whether it can pull as well as push
    down: NDArray[np.bool_]  # (T, C) frames in which it touches
    force: Array  # (T - 1, C, 3) N in the world, in the step from each frame to the next
    ground: Array  # (T, C) m, height of the ground below


@dataclass(frozen=True, eq=False)
class Dynamic:
    """A motion that torques and contacts bring about, step by step as the world steps."""

    clip: BodyClip  # poses, one per step of the world
    qvel: Array  # (T, nv) velocities of the states
    torque: Array  # (T - 1, nv) N m, in the step from each frame to the next; 0 on the root
    contacts: ContactSchedule
    friction: float  # |fx| + |fy| <= friction fz holds for all that stands

    @property
    def step(self) -> float:
        """s, from frame to frame."""
        return 1.0 / self.clip.rate

    def points(self) -> Array:
        """(T, C, 3) m: where the contacts are, the lowest points of the balls."""
        links = list(zip(self.contacts.links, self.contacts.centre, strict=True))
        places, _ = Kinematics(self.clip.body, links).at(self.clip.qpos)
        lowest = np.array(places)
        lowest[..., 2] -= self.contacts.radius
        return lowest
