"""Parts of the body brought to places, by inverse kinematics of the whole body; feet stay where they are."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.body.parts import Joint
from poise.edit.foot_placement import FootPlacement
from poise.edit.limb_ik import bend_of
from poise.edit.limbs import chain_joints, part_point, parts_moved_by
from poise.edit.span import Span, colon_numbers, edit_text
from poise.edit.take import BLOCK, Flags, Frame, Take, lifted
from poise.errors import PoiseError
from poise.rotations import quat_exp, quat_rotate, yaw_of

LIMB, TRUNK, HEAD = 0.1, 1.0, 3.0  # per rad: limbs reach before the trunk bends; the head is not nodded to a place
ROOT_SHIFT, ROOT_TURN = 3.0, 5.0  # per m and rad: the pelvis comes along last
AIRBORNE = 0.001  # m; a foot that is moved further no longer stands


@dataclass(frozen=True)
class ReachGoal:
    """A part, and where it goes: m ahead, to the left and up of where it is, or (absolute) in the world."""

    part: str  # hand, foot, head, or any link
    place: tuple[float, float, float]  # m


@dataclass(frozen=True)
class Reach:
    """Parts brought to places together."""

    goals: tuple[ReachGoal, ...]
    absolute: bool = False  # places are in the world, else offsets along the figure's heading
    point: tuple[float, float, float] | None = None  # m in the link's frame, instead of the part's own
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if not self.goals:
            raise PoiseError("reach needs at least one goal")

    def __str__(self) -> str:
        """As on the command line."""
        value = "/".join(f"{goal.part}={colon_numbers(goal.place)}" for goal in self.goals)
        point = None if self.point is None else colon_numbers(self.point)
        return edit_text("reach", value, self.span, to="world" if self.absolute else None, point=point)

    def on(self, take: Take) -> Take:
        """The motion with the parts where they are wanted."""
        solve = _Reaching(take.body, self)

        def block(first: int) -> list[Frame]:
            frames = [take.frame(k) for k in range(first, first + BLOCK)]
            weight = self.span.weight((first + np.arange(BLOCK)) / take.rate)
            if not weight.any():
                return frames
            solved = solve.frames(frames, weight)
            return [new if held else old for new, old, held in zip(solved, frames, weight > 0, strict=True)]

        return take.with_blocks(block)


class _Reaching:
    """The goals of a reach on a body: feet are moved as feet, everything else as points."""

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
            stay |= _stiffness(chain_joints(body, link))
        self._parts = np.array([_parts_of(body, goal.part) for goal in reach.goals])  # (G, P)
        self._footing = FootPlacement(body, points, stay=stay)

    def frames(self, frames: list[Frame], weight: Array) -> list[Frame]:
        """Frames (T) with a share `weight` (T,) of the reach."""
        qpos = np.array([frame.qpos for frame in frames])
        place, turn = self._footing.places(qpos)
        shift = weight[:, None, None] * self._shifts(qpos, place[:, self._rows])
        place[:, self._rows] += shift
        moved = np.linalg.norm(shift, axis=-1) > AIRBORNE  # (T, G)
        borne = [Frame(f.qpos, lifted(f.down, up @ self._parts)) for f, up in zip(frames, moved, strict=True)]
        return self._footing.settled(borne, place, turn)

    def _shifts(self, qpos: Array, place: Array) -> Array:
        """(T, G, 3) m: from where the parts are to where they are wanted."""
        if self._reach.absolute:
            return np.asarray(self._goals - place)
        yaw = yaw_of(qpos[:, 3:7])
        heading = quat_exp(np.stack([0 * yaw, 0 * yaw, yaw], axis=1))
        return quat_rotate(heading[:, None], self._goals)


def _parts_of(body: Body, name: str) -> Flags:
    """(P,) the contact parts of what is brought to a place, and of what hangs on it."""
    link, _ = part_point(body, name)
    joints = [joint for joint in body.joints if joint.link == link and joint.kind != "free"]
    return parts_moved_by(body, [dof for joint in joints for dof in joint.dofs])


def _stiffness(joints: list[Joint]) -> dict[int, float]:
    """How much the degrees of freedom on the way to a part stay: shoulder and elbow bring a hand to its place."""
    first = bend_of(joints)
    free = () if first is None else joints[first : first + 2]
    stiff = {"head": HEAD}
    return {dof: LIMB if joint in free else stiff.get(joint.group, TRUNK) for joint in joints for dof in joint.dofs}
