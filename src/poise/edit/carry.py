"""Carry poses: the arms are held in a named pose while the rest of the body moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco
import numpy as np

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.parts import Hand, Joint
from poise.body.symmetry import name_side
from poise.edit.limbs import chain_joints, joint_element_id, parts_moved_by
from poise.edit.span import Span, edit_text
from poise.edit.take import Flags, Frame, Take, without_contacts
from poise.errors import unknown_name
from poise.forms import CARRY_POSES

_HOLDS: Mapping[str, Mapping[str, tuple[float, float, float]]] = {
    "front": {"left": (0.62, -0.04, -0.42), "right": (0.62, -0.04, -0.42)},
    "low": {"left": (0.32, -0.04, -0.86), "right": (0.32, -0.04, -0.86)},
    "overhead": {"left": (0.12, -0.02, 0.84), "right": (0.12, -0.02, 0.84)},
    "sides": {"left": (0.0, 0.16, -0.96), "right": (0.0, 0.16, -0.96)},
    "side_left": {"left": (0.0, 0.16, -0.96)},
    "side_right": {"right": (0.0, 0.16, -0.96)},
    "shoulder_left": {"left": (0.30, 0.12, 0.10)},
    "shoulder_right": {"right": (0.30, 0.12, 0.10)},
}
"""For each carry pose and side: the hand's position from the shoulder (forward, outward, up) in arm lengths."""


@dataclass(frozen=True)
class Carry:
    """Edit that holds the arms in a carry pose, named as in CARRY_POSES."""

    pose: str
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if self.pose not in CARRY_POSES:
            raise unknown_name("carry pose", self.pose, CARRY_POSES)

    def __str__(self) -> str:
        return edit_text("carry", self.pose, self.span)

    def on(self, take: Take) -> Take:
        """The motion with arms in the carry pose. Other joints do not change; carrying hands lose their contacts."""
        body = take.body
        held, dofs = carry_pose(body, self.pose)
        way, carrying = np.zeros(body.nv), parts_moved_by(body, np.flatnonzero(dofs))

        def frame(number: int) -> Frame:
            was, weight = take.frame(number), float(self.span.weight(number / take.rate))
            if weight == 0:
                return was
            qpos = np.array(was.qpos)
            mujoco.mj_differentiatePos(body.model, way, 1.0, was.qpos, held)
            mujoco.mj_integratePos(body.model, qpos, np.where(dofs, way, 0.0), weight)
            return Frame(readonly(qpos), without_contacts(was.down, carrying))

        return take.with_frames(frame)


def carry_pose(body: Body, pose: str) -> tuple[Array, Flags]:
    """The standing pose (nq,) with arms in a carry pose, and a mask (nv,) of the degrees of freedom of these arms."""
    from poise.retarget.ik import PoseSolver

    body.require("hands", for_whom=f"the edit 'carry:{pose}'")
    wanted = {hand: _HOLDS[pose][name_side(hand.name)] for hand in body.hands if name_side(hand.name) in _HOLDS[pose]}
    stay, start = np.full(body.nv, 1e3), np.array(body.standing)
    for hand in wanted:
        for joint in _arm_joints(body, hand):
            stay[list(joint.dofs)] = 0.03
            if joint.kind == "hinge" and len(joint.dofs) == 1:  # start bent: a straight elbow is singular
                start[joint.qpos[0]] = 0.7 * joint.lower[0] + 0.3 * joint.upper[0]
    places = [_carried_hand_place(body, hand, arm) for hand, arm in wanted.items()]
    solver = PoseSolver(body, [(hand.link, hand.point) for hand in wanted])
    found = solver.solve(start, places=places, place_weights=10.0, prior_weights=stay, iterations=100)
    return found.qpos, stay < 1.0


def _arm_joints(body: Body, hand: Hand) -> list[Joint]:
    chain = chain_joints(body, hand.link)
    return [joint for joint in chain if joint.group == chain[-1].group]


def _carried_hand_place(body: Body, hand: Hand, arm: tuple[float, float, float]) -> Array:
    """(3,) m: the hand's place in the standing pose, `arm` (forward, outward, up; arm lengths) from the shoulder."""
    data = mujoco.MjData(body.model)
    data.qpos[:] = body.standing
    mujoco.mj_kinematics(body.model, data)
    joints = [joint for joint in _arm_joints(body, hand) if "clavicle" not in joint.name]
    way = [data.xanchor[joint_element_id(body, joint)] for joint in joints]
    link = body.link_id(hand.link)
    way.append(data.xpos[link] + data.xmat[link].reshape(3, 3) @ hand.point)
    length = np.linalg.norm(np.diff(way, axis=0), axis=1).sum()
    outward = -1.0 if name_side(hand.name) == "right" else 1.0
    return np.asarray(way[0] + length * np.array([arm[0], outward * arm[1], arm[2]]))
