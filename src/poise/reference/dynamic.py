"""Motions that obey physics: poses with the velocities, torques and contact forces that produce them."""

from dataclasses import dataclass

import mujoco
import numpy as np

from poise.arrays import Array, Mask, brief_repr
from poise.body.link_kinematics import LinkKinematics
from poise.reference.body_clip import BodyClip, posed_data

REST = 0.15  # Speed (m/s) of a body that drifts as a whole, below which a motion counts as ended at rest
GRAVITY = 9.81  # m/s^2
EDGE = 0.025  # m per m of height: a capture point that is less far inside the contacts is at their edge
_AROUND = np.linspace(0.0, 2 * np.pi, 36, endpoint=False)  # rad, directions in which the edge is sought


@dataclass(frozen=True, eq=False)
class ContactSchedule:
    """C contact spheres of links: when each sphere is in contact (T frames), and the force on the sphere."""

    names: tuple[str, ...]  # (C,)
    links: tuple[str, ...]  # (C,)
    centre: Array  # (C, 3) m in the link frame
    radius: Array  # (C,) m; 0 for contact points
    held: Mask  # (C,) whether the contact is a grip, which can pull as well as push
    down: Mask  # (T, C) whether the sphere is in contact
    force: Array  # (T - 1, C, 3) N in the world frame, constant in the step from each frame to the next
    ground: Array  # (T, C) m, height of the ground below the sphere

    __repr__ = brief_repr


@dataclass(frozen=True, eq=False)
class Dynamic:
    """A motion of T frames with the torques and contact forces that produce it. One frame per step of the world."""

    clip: BodyClip  # one pose per step of the world
    qvel: Array  # (T, nv)
    torque: Array  # (T - 1, nv) N m, in the step from each frame to the next; 0 on the root
    contacts: ContactSchedule
    friction: float  # coefficient: contacts that are not grips satisfy |fx| + |fy| <= friction fz

    @property
    def step(self) -> float:
        """Time step (s) between frames."""
        return 1.0 / self.clip.rate

    def points(self) -> Array:
        """(T, C, 3) m: lowest point of each contact sphere in the world frame."""
        links = list(zip(self.contacts.links, self.contacts.centre, strict=True))
        places, _ = LinkKinematics(self.clip.body, links).at(self.clip.qpos)
        lowest = np.array(places)
        lowest[..., 2] -= self.contacts.radius
        return lowest

    def ends_at_rest(self) -> bool:
        """Whether the body hardly moves in the last frame: its kinetic energy is below that of a slow drift."""
        body, qvel = self.clip.body, self.qvel[-1]
        momentum = np.zeros(body.nv)
        data = next(posed_data(body, self.clip.qpos[-1:]))
        mujoco.mj_crb(body.model, data)
        mujoco.mj_mulM(body.model, data, momentum, qvel)
        return bool(qvel @ momentum < body.mass * REST**2)

    def ends_toppling(self) -> bool:
        """Whether the capture point in the last frame is near the edge of the support polygon, or outside it.

        False if a contact is a grip or above the centre of mass.
        """
        before, (x, y, height) = self.clip.centre_of_mass[-2:]
        bears, points = self.contacts.down[-1], self.points()[-1, self.contacts.down[-1]]
        if self.contacts.held[bears].any() or not len(points) or points[:, 2].max() > height:
            return False
        up = height - points[:, 2].min()
        capture = np.array([x, y]) + np.sqrt(up / GRAVITY) * (np.array([x, y]) - before[:2]) * self.clip.rate
        outward = np.stack([np.cos(_AROUND), np.sin(_AROUND)])
        return bool(np.min(np.max((points[:, :2] - capture) @ outward, axis=0)) < EDGE * up)

    def __repr__(self) -> str:
        return f"Dynamic({self.clip!r}, {len(self.contacts.links)} contacts)"
