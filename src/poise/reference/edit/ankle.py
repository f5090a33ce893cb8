"""Ankles: they tilt a foot, and its leg turns about itself where the foot is to face elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.body import Body
from poise.body.parts import Joint
from poise.body.rigging import hinge_angles
from poise.frozen import Array
from poise.spatial import matrix_to_quat, quat_conjugate, quat_from_axis_angle, quat_log, quat_multiply, quat_rotate

ROUNDS, ENOUGH, LEAST_SLOPE = 5, 1e-7, 0.3  # of Newton's method: steps, rad, and where it is of no use


class Ankles:
    """The ankles of a body. A ball keeps the twist it has; two hinges cannot twist; with one, nothing is gained."""

    def __init__(self, body: Body, ankles: Sequence[tuple[Joint, int]]) -> None:
        """Of each ankle the joint and MuJoCo's number of the foot."""
        self._joints = [joint for joint, _ in ankles]
        self._mounts = np.array([body.model.body_quat[foot] for _, foot in ankles]).reshape(-1, 4)
        self._balls = [i for i, joint in enumerate(self._joints) if joint.kind == "ball"]
        self._pairs = [i for i, joint in enumerate(self._joints) if joint.kind == "hinge" and len(joint.axes) == 2]
        self._bases = np.array([_basis(self._joints[i].axes) for i in self._pairs]).reshape(-1, 4)

    def turned(self, qpos: Array, shank: Array, leg: Array, goal: Array) -> Array:
        """Turn ankles in poses (T, nq) so that feet are turned as `goal` (T, N, 4) says; returns how the legs turn.

        `shank` (T, N, 4) tells how the shanks are turned before that, `leg` (T, N, 3) where feet are from their hips.
        """
        held = np.stack([qpos[:, self._joints[i].qpos] for i in self._balls], axis=1) if self._balls else None
        first = quat_multiply(quat_conjugate(quat_multiply(shank, self._mounts)), goal)
        along = leg / np.linalg.norm(leg, axis=-1, keepdims=True)
        inside = quat_rotate(quat_conjugate(goal), along)  # the leg in the foot's frame
        angle, local = np.zeros(goal.shape[:2]), first
        for _ in range(ROUNDS):
            step = self._twist(held, local, inside)
            if np.abs(step).max(initial=0.0) < ENOUGH:
                break
            angle += step
            local = quat_multiply(first, quat_from_axis_angle(inside, -angle))
        for i, joint in enumerate(self._joints):
            qpos[:, joint.qpos] = local[:, i] if joint.kind == "ball" else hinge_angles(local[:, i], joint.axes)
        return quat_from_axis_angle(along, angle)

    def _twist(self, held: Array | None, local: Array, inside: Array) -> Array:
        """(T, N) rad: what of the ankles' turns (T, N, 4) the legs are to do instead."""
        step = np.zeros(local.shape[:2])
        if held is not None:
            change = quat_log(quat_multiply(quat_conjugate(held), local[:, self._balls]))
            step[:, self._balls] = np.sum(change * inside[:, self._balls], axis=-1)
        if self._pairs:
            back = quat_conjugate(self._bases)
            turn = quat_multiply(quat_multiply(back, local[:, self._pairs]), self._bases)
            step[:, self._pairs] = _third(turn, quat_rotate(back, inside[:, self._pairs]))
        return step


def _third(turn: Array, leg: Array) -> Array:
    """(...) rad: Newton's step about the leg (..., 3) to where the third of Euler's angles x y z of a turn is zero."""
    w, x, y, z = (turn[..., i] for i in range(4))
    third = np.arctan2(2 * (w * z - x * y), 1 - 2 * (y * y + z * z))
    second = np.arcsin(np.clip(2 * (x * z + w * y), -1.0, 1.0))
    slope = leg[..., 2] - np.tan(second) * (leg[..., 0] * np.cos(third) - leg[..., 1] * np.sin(third))
    useful = np.abs(slope) > LEAST_SLOPE
    return np.where(useful, third / np.where(useful, slope, 1.0), 0.0)


def _basis(axes: Array) -> Array:
    """(4,) the frame whose x and y are the axes of two hinges at right angles."""
    third = np.cross(axes[0], axes[1])
    return matrix_to_quat(np.stack([axes[0], np.cross(third, axes[0]), third], axis=-1))
