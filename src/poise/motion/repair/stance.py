"""Whether a figure stands, and its up, left and forward directions, in a file of any unit and axes."""

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Mask
from poise.motion.clip import Clip
from poise.motion.roles import SIDES, Roles
from poise.motion.skeleton import Skeleton, skeleton_kinematics

LOPSIDED = 0.25  # of the leg: largest asymmetry of a zero pose that stands
LEANING = np.cos(np.radians(40))  # least cosine between `up` and the legs and trunk of a standing figure


@dataclass(frozen=True, eq=False)
class FigureStance:
    """Directions of a figure in T poses, in the axes of its file."""

    up: Array  # (T, 3) unit, from the feet through the trunk
    trunk: Array  # (T, 3) unit, from hips to shoulders
    left: Array  # (T, 3) unit, across hips and shoulders, perpendicular to up
    stands: Mask  # (T,) whether trunk and both legs are in line

    @property
    def forward(self) -> Array:
        """Forward direction (T, 3), unit."""
        return np.cross(self.left, self.up)


def figure_stance(position: Array, roles: Roles) -> FigureStance:
    """The stance of a figure in T poses with joint positions (T, J, 3)."""
    at = {role: position[:, joint] for role, joint in roles.joints.items()}
    legs = [_unit_rows(at[f"{side}_thigh"] - at[f"{side}_foot"]) for side in SIDES]
    hips = (at["left_thigh"] + at["right_thigh"]) / 2
    shoulders = (at["left_upper_arm"] + at["right_upper_arm"]) / 2
    trunk = _unit_rows(shoulders - hips)
    up = _unit_rows(trunk + (legs[0] + legs[1]) / 2)
    across_hips = _unit_rows(at["left_thigh"] - at["right_thigh"])
    across = across_hips + _unit_rows(at["left_upper_arm"] - at["right_upper_arm"])
    left = _unit_rows(across - _row_products(across, up)[:, None] * up)
    straight = np.min([_row_products(bone, up) for bone in (trunk, *legs)], axis=0)
    sideways = np.abs(_row_products(across_hips, up))
    return FigureStance(up, trunk, left, (straight > LEANING) & (sideways < 1 - LEANING))


def stance_of_skeleton_zero_pose(skeleton: Skeleton, roles: Roles, leg: float) -> FigureStance:
    """The stance of the zero pose; an asymmetric zero pose does not count as standing."""
    where = skeleton_zero_pose_positions(skeleton)
    seen = figure_stance(where, roles)
    return replace(seen, stands=seen.stands & (pose_asymmetry(where[0], roles) < LOPSIDED * leg))


def pose_asymmetry(position: Array, roles: Roles) -> float:
    """Largest difference between the distance of two joints in a pose (J, 3) and in the mirror image of the pose."""
    parts = [r[5:] for r in roles.joints if r.startswith("left_") and f"right_{r[5:]}" in roles.joints]
    left, right = (position[[roles.joints[f"{side}_{part}"] for part in parts]] for side in SIDES)
    straight = np.linalg.norm(left[:, None] - left, axis=-1) - np.linalg.norm(right[:, None] - right, axis=-1)
    crossed = np.linalg.norm(left[:, None] - right, axis=-1)
    return float(max(np.abs(straight).max(), np.abs(crossed - crossed.T).max()))


def skeleton_zero_pose_positions(skeleton: Skeleton) -> Array:
    """Positions (1, J, 3) of the joints with all rotations zero."""
    zero = np.tile([1.0, 0.0, 0.0, 0.0], (1, skeleton.count, 1))
    return skeleton_kinematics(skeleton, np.zeros((1, 3)), zero).position


def sampled_clip(clip: Clip, most: int = 200) -> Clip:
    """A clip of at most `most` evenly spaced frames."""
    frames = np.unique(np.linspace(0, clip.frames - 1, min(most, clip.frames)).round().astype(int))
    moved = None if clip.translation is None else clip.translation[frames]
    return Clip(clip.name, clip.skeleton, clip.rate, clip.position[frames], clip.rotation[frames], moved)


def _row_products(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("tk,tk->t", a, b))


def _unit_rows(v: Array) -> Array:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length > 0, length, 1.0)
