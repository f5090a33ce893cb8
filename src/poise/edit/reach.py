"""Bring parts of the body to target positions by inverse kinematics of the whole body while the feet stay."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from poise.arrays import Array, Mask
from poise.body.body import Body
from poise.body.parts import Joint
from poise.edit.foot_placement import EditedFootPlacement
from poise.edit.limb_ik import bending_joint_index
from poise.edit.limbs import chain_joints, part_point, parts_moved_by
from poise.edit.take import BLOCK, Frame, Span, Take, edit_text, edit_text_of_numbers, take_without_contacts
from poise.errors import PoiseError
from poise.rotations import quat_exp, quat_rotate, yaw_of

LIMB, TRUNK, HEAD = 0.1, 1.0, 3.0  # weights per rad: limbs move before the trunk bends, the head moves least
ROOT_SHIFT, ROOT_TURN = 3.0, 5.0  # weights per m and rad of the pelvis, which moves last
AIRBORNE = 0.001  # m: a foot that is moved further is no longer in contact


@dataclass(frozen=True)
class ReachGoal:
    """A body part and its target: an offset forward, left and up, or a position in the world if `Reach.absolute`."""

    part: str  # hand, foot, head, or any link
    place: tuple[float, float, float]  # m


@dataclass(frozen=True)
class Reach:
    """Edit that brings one or more body parts to target positions at the same time."""

    eases: ClassVar[bool] = True
    goals: tuple[ReachGoal, ...]
    absolute: bool = False  # whether targets are positions in the world, else offsets along the figure's heading
    point: tuple[float, float, float] | None = None  # m in the link's frame: point to bring there; None: `part_point`
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if not self.goals:
            raise PoiseError("reach needs at least one goal")

    def __str__(self) -> str:
        value = "/".join(f"{goal.part}={edit_text_of_numbers(goal.place)}" for goal in self.goals)
        point = None if self.point is None else edit_text_of_numbers(self.point)
        return edit_text("reach", value, self.span, to="world" if self.absolute else None, point=point)

    def on(self, take: Take) -> Take:
        """The motion with the body parts at their targets during the span."""
        solve = _ReachEditSolver(take.body, self)

        def block(first: int) -> list[Frame]:
            frames = [take.frame(k) for k in range(first, first + BLOCK)]
            weight = self.span.weight((first + np.arange(BLOCK)) / take.rate)
            if not weight.any():
                return frames
            solved = solve.frames(frames, weight)
            return [new if held else old for new, old, held in zip(solved, frames, weight > 0, strict=True)]

        return take.with_blocks(block)


class _ReachEditSolver:
    """Solves the G goals of a reach on a body. Feet are placed with their orientation, other parts as points."""

    def __init__(self, body: Body, reach: Reach) -> None:
        body.require("feet", for_whom="the edit 'reach'")
        self._reach = reach
        self._goals = np.array([goal.place for goal in reach.goals])  # (G, 3)
        links = {foot.link: row for row, foot in enumerate(body.feet)}
        points: list[tuple[str, Array]] = []
        stay, self._rows = dict(zip(range(6), 3 * [ROOT_SHIFT] + 3 * [ROOT_TURN], strict=True)), []
        for goal in reach.goals:
            link, point = part_point(body, goal.part)
            if link in links:
                self._rows.append(links[link])
                continue
            self._rows.append(len(body.feet) + len(points))
            points.append((link, point if reach.point is None else np.array(reach.point)))
            stay |= _reach_edit_weights(chain_joints(body, link))
        self._parts = np.array([_parts_below_edited_link(body, goal.part) for goal in reach.goals])  # (G, P)
        self._placement = EditedFootPlacement(body, points, stay=stay)

    def frames(self, frames: list[Frame], weight: Array) -> list[Frame]:
        """T frames in which the reach is applied with `weight` (T,), 0 to 1."""
        qpos = np.array([frame.qpos for frame in frames])
        place, turn = self._placement.places(qpos)
        shift = weight[:, None, None] * self._part_shifts(qpos, place[:, self._rows])
        place[:, self._rows] += shift
        moved = np.linalg.norm(shift, axis=-1) > AIRBORNE  # (T, G)
        lifted = zip(frames, moved, strict=True)
        borne = [Frame(f.qpos, take_without_contacts(f.down, up @ self._parts)) for f, up in lifted]
        return self._placement.settled(borne, place, turn)

    def _part_shifts(self, qpos: Array, place: Array) -> Array:
        """(T, G, 3) m: shift of each goal's body part from `place` (T, G, 3) m to its target."""
        if self._reach.absolute:
            return np.asarray(self._goals - place)
        yaw = yaw_of(qpos[:, 3:7])
        heading = quat_exp(np.stack([0 * yaw, 0 * yaw, yaw], axis=1))
        return quat_rotate(heading[:, None], self._goals)


def _parts_below_edited_link(body: Body, name: str) -> Mask:
    """(P,) whether each contact part belongs to the named body part or to links below that body part."""
    link, _ = part_point(body, name)
    joints = [joint for joint in body.joints if joint.link == link and joint.kind != "free"]
    return parts_moved_by(body, [dof for joint in joints for dof in joint.dofs])


def _reach_edit_weights(joints: list[Joint]) -> dict[int, float]:
    """By degree of freedom of `joints`, which lead to a part: weight of changes, small for two joints of the limb."""
    first = bending_joint_index(joints)
    free = () if first is None else joints[first : first + 2]
    stiff = {"head": HEAD}
    return {dof: LIMB if joint in free else stiff.get(joint.group, TRUNK) for joint in joints for dof in joint.dofs}
