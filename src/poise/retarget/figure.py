"""Upright humanoid figures: joint positions by role, such as `left_thigh`, to match a skeleton and a body."""

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from poise.arrays import Array, Frozen, readonly
from poise.body.body import Body
from poise.body.rigging import joint_anchors, plain_rigging
from poise.errors import PoiseError
from poise.motion.roles import find_roles
from poise.motion.skeleton import Skeleton
from poise.rotations import quat_rotate

SIDES = ("left", "right")
NEXT = {"thigh": "shank", "shank": "foot", "foot": "toes", "upper_arm": "forearm", "forearm": "hand"}
"""The part at the far end of each part's bone."""


@dataclass(frozen=True, eq=False)
class UprightFigure:
    """A humanoid that stands upright and faces +x."""

    joints: Mapping[str, int]  # role to joint number of the skeleton, or to link number in `Body.links`
    place: Mapping[str, Array]  # role to joint position (3,) m
    turn: Mapping[str, Array]  # role to orientation (4,) of the frame of the joint or link
    spine: tuple[int, ...]  # joints or links above the pelvis up to the chest
    neck: tuple[int, ...]  # joints or links above the chest up to the head

    def bone(self, role: str) -> Array | None:
        """(3,) m: vector from a part's joint to the next joint of the limb; None if there is no next joint."""
        side, _, part = role.partition("_")
        beyond = f"{side}_{NEXT.get(part)}"
        return self.place[beyond] - self.place[role] if beyond in self.place else None

    @property
    def leg(self) -> float:
        """Length (m) of a leg from hip to ankle; mean of both legs."""
        bones = [self.bone(f"{side}_{part}") for side in SIDES for part in ("thigh", "shank")]
        return float(sum(np.linalg.norm(b) for b in bones if b is not None)) / 2

    def middle(self, part: str) -> Array:
        """(3,) m: midpoint of the left and the right joint of a part."""
        return np.asarray(self.place[f"left_{part}"] + self.place[f"right_{part}"]) / 2


def figure_of_skeleton(skeleton: Skeleton) -> UprightFigure:
    """The figure of a skeleton in its upright pose. Raises a PoiseError if the skeleton is not a humanoid."""
    roles = find_roles(skeleton)
    if roles is None:
        raise PoiseError(f"skeleton '{skeleton.names[0]}' is not a humanoid: perform it with a body built from it")
    places = skeleton.standing
    return _upright_figure(roles.joints, places.position[0], places.rotation[0], roles.spine, roles.neck)


def figure_of_body(body: Body) -> UprightFigure:
    """The figure of a body in its standing pose. A link that has the name of a role takes that role."""
    rigging = body.rigging or plain_rigging(body.model, 1)
    roles = find_roles(rigging.skeleton)
    if roles is None:
        raise PoiseError(f"body '{body.name}' is not a humanoid: it can perform only motions of its own skeleton")
    links = [body.links.index(link) for link in rigging.links]
    joints = {role: links[j] for role, j in roles.joints.items()}
    joints |= {role: body.links.index(role) for role in joints if role in body.links}
    data = mujoco.MjData(body.model)
    data.qpos[:] = body.standing
    mujoco.mj_kinematics(body.model, data)
    anchors = data.xpos[1:] + quat_rotate(data.xquat[1:], joint_anchors(body.model)[1:])
    return _upright_figure(
        joints, anchors, data.xquat[1:], tuple(links[j] for j in roles.spine), tuple(links[j] for j in roles.neck)
    )


def _upright_figure(
    joints: Mapping[str, int], place: Array, turn: Array, spine: tuple[int, ...], neck: tuple[int, ...]
) -> UprightFigure:  # fmt: skip
    return UprightFigure(
        Frozen(joints),
        Frozen({role: readonly(place[j]) for role, j in joints.items()}),
        Frozen({role: readonly(turn[j]) for role, j in joints.items()}),
        spine,
        neck,
    )
