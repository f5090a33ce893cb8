"""Closed-form inverse kinematics of legs and arms; "leg", "knee" and so on stand for arms as well.

The knee bends until the foot has the right distance from the hip. Then the whole leg swings about the hip to bring the
foot to its goal. The ankle orients the foot; to face another way, the leg turns about the line from hip to ankle. Only
the limits of the knee are respected.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Ints
from poise.body.body import Body
from poise.body.parts import Joint
from poise.body.rigging import hinge_angles
from poise.edit.limbs import chain_joints, joint_element_id
from poise.rotations import (
    matrix_to_quat,
    quat_between,
    quat_conjugate,
    quat_from_axis_angle,
    quat_log,
    quat_multiply,
    quat_rotate,
)

STRAIGHTEST = 0.9999  # greatest distance from hip to ankle, in leg lengths
OVERSTRETCH_EASE = 0.15  # rad of additional bend over which an overextended knee becomes an ordinary one
ROUNDS, ENOUGH, LEAST_SLOPE = 5, 1e-7, 0.3  # Newton's method: iterations, tolerance (rad), least usable slope


@dataclass(frozen=True, eq=False)
class _Limb:
    """A ball joint (hip), the hinge below it (knee), and the point of a link that is to be placed."""

    number: int  # index of the placed point among the points of the solver
    hip: Joint
    knee: Joint  # the first degree of freedom of this joint bends the limb
    ankle: Joint | None  # orients the placed link relative to the shank; None if only the point is placed
    elements: tuple[int, int]  # MuJoCo's joint ids of hip and knee
    links: tuple[int, int, int]  # MuJoCo's body ids of thigh, shank and the placed link
    point: Array  # (3,) m in the frame of the placed link: the placed point
    end: Array  # (3,) m in the frame of the placed link: end of the shank, which is the ankle, or else the point


@dataclass(frozen=True, eq=False)
class EditedLimbs:
    """T poses, and the positions and orientations of N limbs in each pose, in the world frame."""

    qpos: Array  # (T, nq)
    hip: Array  # (T, N, 3) m
    knee: Array  # (T, N, 3) m
    axis: Array  # (T, N, 3) knee axes
    thigh: Array  # (T, N, 4)
    shank: Array  # (T, N, 4)
    end: Array  # (T, N, 3) m, ends of the shanks

    def at_rows(self, rows: Ints) -> "EditedLimbs":
        """The same for some of the poses: those with the indices `rows`."""
        return EditedLimbs(*(getattr(self, part.name)[rows] for part in fields(self)))


class EditedLimbSolver:
    """Moves points (link, position in its frame) to goals. Ignores points without a ball joint and hinge above them."""

    def __init__(self, body: Body, points: Sequence[tuple[str, ArrayLike]], feet: int) -> None:
        """The first `feet` points belong to feet; the orientations of feet are set as well."""
        self._body, self._data = body, mujoco.MjData(body.model)
        self._limbs: list[_Limb] = []
        for number, (link, point) in enumerate(points):
            limb = _edited_limb_of_point(body, link, number, np.asarray(point, float), turned=number < feet)
            if limb is not None and all(limb.hip is not other.hip for other in self._limbs):
                self._limbs.append(limb)
        self._elements = np.array([limb.elements for limb in self._limbs], int).reshape(-1, 2)
        self._links = np.array([limb.links for limb in self._limbs], int).reshape(-1, 3)
        self._ends = np.array([limb.end for limb in self._limbs]).reshape(-1, 3)
        bent = np.array(body.standing)  # with each knee in the middle of its range
        for limb in self._limbs:
            bent[limb.knee.qpos[0]] = 0.5 * sum(_knee_limits(limb.knee))
        # (N,) for each limb: sign of the angle from thigh to shank in that pose
        self._signs = np.asarray(np.sign(_edited_knee_angles(self.read(bent[None])))[0])
        ankles = [(limb.ankle, limb.links[2]) for limb in self._limbs if limb.ankle is not None]
        self._ankles = EditedAnkleSolver(body, ankles)

    def read(self, qpos: Array) -> EditedLimbs:
        """Positions and orientations of the limbs in poses (T, nq)."""
        data, elements, links = self._data, self._elements, self._links
        anchors, axes = np.empty((len(qpos), len(links), 2, 3)), np.empty((len(qpos), len(links), 3))
        places, turns = np.empty((len(qpos), len(links), 3)), np.empty((len(qpos), len(links), 3, 4))
        for k, pose in enumerate(qpos):
            data.qpos[:] = pose
            mujoco.mj_kinematics(self._body.model, data)
            anchors[k], axes[k] = data.xanchor[elements], data.xaxis[elements[:, 1]]
            places[k], turns[k] = data.xpos[links[:, 2]], data.xquat[links]
        ends = places + quat_rotate(turns[:, :, 2], self._ends)
        return EditedLimbs(qpos, anchors[:, :, 0], anchors[:, :, 1], axes, turns[:, :, 0], turns[:, :, 1], ends)

    def placed(self, was: EditedLimbs, place: Array, turn: Array) -> Array:
        """The poses of `was` (T, nq) with points moved to `place` (T, P, 3) m and feet turned as `turn` (T, F, 4)."""
        out, goal = np.array(was.qpos), place[:, [limb.number for limb in self._limbs]]
        for i, limb in enumerate(self._limbs):
            if limb.ankle is not None:
                goal[:, i] += quat_rotate(turn[:, limb.number], limb.end - limb.point)
        angle = was.qpos[:, [limb.knee.qpos[0] for limb in self._limbs]]
        limits = np.array([_knee_limits(limb.knee) for limb in self._limbs]).reshape(-1, 2)
        bend = np.clip(angle + _edited_knee_bend_changes(was, goal, self._signs), *limits.T) - angle
        bent = quat_from_axis_angle(was.axis, bend)
        swing = quat_between(was.knee + quat_rotate(bent, was.end - was.knee) - was.hip, goal - was.hip)
        legs = [i for i, limb in enumerate(self._limbs) if limb.ankle is not None]
        if legs:
            level = quat_multiply(quat_multiply(swing, bent), was.shank)[:, legs]
            facing = turn[:, [self._limbs[i].number for i in legs]]
            swivel = self._ankles.turned(out, level, (goal - was.hip)[:, legs], facing)
            swing[:, legs] = quat_multiply(swivel, swing[:, legs])
        local = quat_multiply(quat_conjugate(was.thigh), quat_multiply(swing, was.thigh))
        for i, limb in enumerate(self._limbs):
            out[:, limb.knee.qpos[0]] += bend[:, i]
            out[:, limb.hip.qpos] = quat_multiply(was.qpos[:, limb.hip.qpos], local[:, i])
        return out


def bending_joint_index(joints: Sequence[Joint]) -> int | None:
    """Index in `joints` (ordered from the trunk) of the hip or shoulder (a ball above a knee or elbow), or None."""
    for number, (hip, knee) in enumerate(pairwise(joints)):
        bends = hip.kind == "ball" and knee.kind == "hinge" and np.isfinite(_knee_limits(knee)).all()
        if bends and hip.group == knee.group:
            return number
    return None


def _edited_limb_of_point(body: Body, link: str, number: int, point: Array, *, turned: bool) -> _Limb | None:
    joints, placed = chain_joints(body, link), body.link_id(link)
    first = bending_joint_index(joints)
    if first is None:
        return None
    hip, knee, *below = joints[first:]
    elements = joint_element_id(body, hip), joint_element_id(body, knee)
    links = body.link_id(hip.link), body.link_id(knee.link), placed
    hung = turned and len(below) == 1 and int(body.model.body_parentid[placed]) == links[1]
    end = body.model.jnt_pos[joint_element_id(body, below[0])] if hung else point
    return _Limb(number, hip, knee, below[0] if hung else None, elements, links, point, end)


def _knee_limits(knee: Joint) -> tuple[float, float]:
    return float(knee.lower[0]), float(knee.upper[0])


def _perpendicular_part(vector: Array, axis: Array) -> Array:
    """(..., 3) component of each vector (..., 3) that is perpendicular to a unit axis (..., 3)."""
    return np.asarray(vector - np.sum(vector * axis, axis=-1, keepdims=True) * axis)


def _edited_knee_angles(posed: EditedLimbs) -> Array:
    """(T, N) rad: angle of each knee, from thigh to shank about the knee's axis."""
    axis = posed.axis
    thigh, shank = _perpendicular_part(posed.hip - posed.knee, axis), _perpendicular_part(posed.end - posed.knee, axis)
    return np.asarray(np.arctan2(np.sum(axis * np.cross(thigh, shank), axis=-1), np.sum(thigh * shank, axis=-1)))


def _edited_knee_bend_changes(was: EditedLimbs, goal: Array, sign: Array) -> Array:
    """(T, N) rad: changes of knee angles after which the ends are as far from the hips as the goals (T, N, 3) m.

    `sign` (N,) selects one of the two ways to bend a straight knee. An overextended knee stays overextended only if
    the limb's end stays nearly as far from the hip.
    """
    bent = (np.pi - sign * _edited_knee_angles(was) + np.pi) % (2 * np.pi) - np.pi  # rad, 0 is straight
    thigh, shank = _perpendicular_part(was.hip - was.knee, was.axis), _perpendicular_part(was.end - was.knee, was.axis)
    aside = np.sum((was.end - was.hip) * was.axis, axis=-1)
    a, b = np.linalg.norm(thigh, axis=-1), np.linalg.norm(shank, axis=-1)
    far = np.sum((goal - was.hip) ** 2, axis=-1) - aside**2
    chord = np.clip(far, (a - b) ** 2, (STRAIGHTEST * (a + b)) ** 2)
    wanted = np.pi - np.arccos(np.clip((a**2 + b**2 - chord) / (2 * a * b), -1.0, 1.0))
    over = np.maximum(-bent, 0.0)
    kept = np.clip(1.0 - (wanted - over) / OVERSTRETCH_EASE, 0.0, 1.0)
    wanted -= 2.0 * kept * np.minimum(over, wanted)
    return np.asarray(sign * (bent - wanted))


class EditedAnkleSolver:
    """Sets N ankles. A ball joint keeps its twist and a pair of hinges has none: the leg turns instead of the ankle."""

    def __init__(self, body: Body, ankles: Sequence[tuple[Joint, int]]) -> None:
        """`ankles`: for each ankle its joint, and MuJoCo's body id of the foot."""
        self._joints = [joint for joint, _ in ankles]
        self._mounts = np.array([body.model.body_quat[foot] for _, foot in ankles]).reshape(-1, 4)
        self._balls = [i for i, joint in enumerate(self._joints) if joint.kind == "ball"]
        self._pairs = [i for i, joint in enumerate(self._joints) if joint.kind == "hinge" and len(joint.axes) == 2]
        self._bases = np.array([_hinge_pair_frame(self._joints[i].axes) for i in self._pairs]).reshape(-1, 4)

    def turned(self, qpos: Array, shank: Array, leg: Array, goal: Array) -> Array:
        """Set ankles in `qpos` (T, nq), in place, for foot orientations `goal` (T, N, 4). Return rotations of the legs.

        `shank` (T, N, 4): orientations of the shanks before. `leg` (T, N, 3) m: vectors from hip to foot.
        """
        held = np.stack([qpos[:, self._joints[i].qpos] for i in self._balls], axis=1) if self._balls else None
        first = quat_multiply(quat_conjugate(quat_multiply(shank, self._mounts)), goal)
        along = leg / np.linalg.norm(leg, axis=-1, keepdims=True)
        inside = quat_rotate(quat_conjugate(goal), along)  # the leg's direction in the foot's frame
        angle, local = np.zeros(goal.shape[:2]), first
        for _ in range(ROUNDS):
            step = self._leg_twist(held, local, inside)
            if np.abs(step).max(initial=0.0) < ENOUGH:
                break
            angle += step
            local = quat_multiply(first, quat_from_axis_angle(inside, -angle))
        for i, joint in enumerate(self._joints):
            qpos[:, joint.qpos] = local[:, i] if joint.kind == "ball" else hinge_angles(local[:, i], joint.axes)
        return quat_from_axis_angle(along, angle)

    def _leg_twist(self, held: Array | None, local: Array, inside: Array) -> Array:
        """(T, N) rad about the leg that each leg takes over from the ankle rotations `local` (T, N, 4)."""
        step = np.zeros(local.shape[:2])
        if held is not None:
            change = quat_log(quat_multiply(quat_conjugate(held), local[:, self._balls]))
            step[:, self._balls] = np.sum(change * inside[:, self._balls], axis=-1)
        if self._pairs:
            back = quat_conjugate(self._bases)
            turn = quat_multiply(quat_multiply(back, local[:, self._pairs]), self._bases)
            step[:, self._pairs] = _third_euler_angle_step(turn, quat_rotate(back, inside[:, self._pairs]))
        return step


def _third_euler_angle_step(turn: Array, leg: Array) -> Array:
    """(...) rad about the leg's unit vector (..., 3): Newton step to a zero third Euler angle (x y z) of `turn`."""
    w, x, y, z = (turn[..., i] for i in range(4))
    third = np.arctan2(2 * (w * z - x * y), 1 - 2 * (y * y + z * z))
    second = np.arcsin(np.clip(2 * (x * z + w * y), -1.0, 1.0))
    slope = leg[..., 2] - np.tan(second) * (leg[..., 0] * np.cos(third) - leg[..., 1] * np.sin(third))
    useful = np.abs(slope) > LEAST_SLOPE
    return np.where(useful, third / np.where(useful, slope, 1.0), 0.0)


def _hinge_pair_frame(axes: Array) -> Array:
    """(4,) orientation of the frame whose x and y axes are the two perpendicular hinge axes (2, 3)."""
    third = np.cross(axes[0], axes[1])
    return matrix_to_quat(np.stack([axes[0], np.cross(third, axes[0]), third], axis=-1))
