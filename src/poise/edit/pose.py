"""Edits of poses: mirroring, joint offsets, the height of the trunk, and arms held in a named pose."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import mujoco
import numpy as np

from poise.arrays import Array, Mask, readonly
from poise.body.body import Body
from poise.body.parts import Hand
from poise.body.surface import contact_parts
from poise.body.symmetry import name_side
from poise.edit import limbs
from poise.edit.blend import OVER, crossfaded
from poise.edit.foot_placement import EditedFootPlacement
from poise.edit.take import (
    BLOCK,
    REMEMBERED,
    Frame,
    FrameSketch,
    Span,
    Take,
    edit_text,
    edit_text_of_numbers,
    number_text,
    take_without_contacts,
)
from poise.edit.track import foot_sketches
from poise.edit.walk import gradual_drop, gradual_drop_reach
from poise.errors import PoiseError, known_name
from poise.forms import CARRY_POSES
from poise.reference.body_clip import posed_data


@dataclass(frozen=True)
class Mirror:
    """Edit that reflects the motion across the x-z plane; from the span's start on, if given, after a transition."""

    over: float = OVER  # s, duration of the transition
    span: Span = field(default_factory=Span)

    def __str__(self) -> str:
        return edit_text("mirror", "", self.span, over=None if self.over == OVER else number_text(self.over))

    def on(self, take: Take) -> Take:
        """The mirrored motion; if the span has a start, the motion `take` and a transition come before it."""
        swap = mirrored_parts(take.body)

        def frame(number: int) -> Frame:
            qpos, down = take.frame(number)
            return Frame(readonly(take.body.mirrored(qpos)), None if down is None else readonly(down[swap], bool))

        reflected = take.with_frames(frame)
        return reflected if self.span.start is None else crossfaded(take, reflected, self.span.start, self.over)


def mirrored_parts(body: Body) -> list[int]:
    """For each contact part: index of the contact part that is its mirror image."""
    parts, pairs = contact_parts(body), body.link_mirror
    keys = [(part.link, sum(other.link == part.link for other in parts[:i])) for i, part in enumerate(parts)]
    return [keys.index((pairs[link], rank)) for link, rank in keys]


@dataclass(frozen=True)
class Offset:
    """Edit that rotates a joint by `degrees` in addition to the motion: one number per degree of freedom."""

    eases: ClassVar[bool] = True
    joint: str  # name of a joint or of a degree of freedom
    degrees: tuple[float, ...]
    span: Span = field(default_factory=Span)

    def __str__(self) -> str:
        return edit_text("offset", f"{self.joint}={edit_text_of_numbers(self.degrees)}", self.span)

    def on(self, take: Take) -> Take:
        """The motion with the joint rotated. Contact parts that the joint moves are no longer in contact."""
        dofs = list(take.body.index(self.joint))
        if len(dofs) != len(self.degrees):
            raise PoiseError(f"'{self.joint}' takes {len(dofs)} angle(s), not {len(self.degrees)}")
        turn = np.zeros(take.body.nv)
        turn[dofs] = np.radians(self.degrees)
        return _take_with_moved_joints(take, self.span, dofs, lambda _: turn)


def _take_with_moved_joints(take: Take, span: Span, dofs: Collection[int], change: Callable[[Array], Array]) -> Take:
    """The take with `change(pose)` (nv,) added by the span's weight; parts that `dofs` move lose their contacts."""
    below = limbs.parts_moved_by(take.body, dofs)

    def frame(number: int) -> Frame:
        was, weight = take.frame(number), float(span.weight(number / take.rate))
        if weight == 0:
            return was
        qpos = np.array(was.qpos)
        mujoco.mj_integratePos(take.body.model, qpos, change(was.qpos), weight)
        return Frame(readonly(qpos), take_without_contacts(was.down, below))

    return take.with_frames(frame)


@dataclass(frozen=True)
class TrunkEdit:
    """Edit that raises the trunk by `metres` (lowers it if negative); feet stay, legs follow by inverse kinematics."""

    eases: ClassVar[bool] = True
    metres: float
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if not math.isfinite(self.metres):
            raise PoiseError(f"the trunk cannot be raised by {self.metres} m: the number must be finite")

    def __str__(self) -> str:
        return edit_text("trunk", number_text(self.metres), self.span)

    def on(self, take: Take) -> Take:
        """The motion with the trunk raised or lowered, raised no further than the legs reach."""
        limbs.require_legs(take.body, "the edit 'trunk'")
        height = float(take.body.standing[2])
        if self.metres < -height:
            raise PoiseError(f"edit '{self}' puts the pelvis, which is {height:.2f} m high, below the feet")
        placement, raised = EditedFootPlacement(take.body), _RaisedTrunk(take, self)

        def block(first: int) -> list[Frame]:
            numbers = range(first, first + BLOCK)
            held = self.span.weight(np.array(numbers) / take.rate) > 0
            if not held.any():
                return [take.frame(k) for k in numbers]
            rows = [raised.sketch(k) for k in numbers]
            frames = [Frame(row.qpos, row.down) for row in rows]
            place, turn = np.array([row.place for row in rows]), np.array([row.turn for row in rows])
            solved = placement.settled(frames, place, turn)
            return [new if h else take.frame(k) for k, new, h in zip(numbers, solved, held, strict=True)]

        return take.with_blocks(block, sketch=raised.sketch)


class _RaisedTrunk:
    """Frames of a take with the trunk raised, before the legs are solved by inverse kinematics."""

    def __init__(self, take: Take, trunk: TrunkEdit) -> None:
        self._rate, self._trunk = take.rate, trunk
        self._source = lru_cache(maxsize=REMEMBERED)(foot_sketches(take))
        self._lengths = limbs.leg_lengths(take.body)
        self._heights = lru_cache(maxsize=REMEMBERED // BLOCK)(self._trunk_heights)

    def sketch(self, number: int) -> FrameSketch:
        """Frame `number` with the trunk raised and with target positions of the feet."""
        was = self._source(number)
        up = self._heights(number // BLOCK)[number % BLOCK] * np.array([0.0, 0.0, 1.0])
        qpos = np.array(was.qpos)
        qpos[:3] += up
        return was._replace(qpos=qpos, hip=was.hip + up)

    def _trunk_heights(self, block: int) -> Array:
        """(BLOCK,) m by which the trunk is raised in each frame of block number `block`."""
        metres, span, first = self._trunk.metres, self._trunk.span, block * BLOCK
        if metres <= 0:
            return metres * span.weight((first + np.arange(BLOCK)) / self._rate)
        around = gradual_drop_reach(self._rate)
        numbers = np.maximum(np.arange(first - around, first + BLOCK + around), 0)
        wanted = metres * span.weight(numbers / self._rate)
        hip, foot = (np.array([getattr(self._source(int(k)), part) for k in numbers]) for part in ("hip", "place"))
        raised, used = hip + wanted[:, None, None] * [0.0, 0.0, 1.0], np.linalg.norm(hip - foot, axis=-1)
        missing = limbs.pelvis_drop(raised, foot, self._lengths, used)
        kept = wanted - gradual_drop(np.minimum(missing, wanted), self._rate)
        return np.asarray(kept[around : around + BLOCK])


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

    eases: ClassVar[bool] = True
    pose: str
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        known_name("carry pose", self.pose, CARRY_POSES)

    def __str__(self) -> str:
        return edit_text("carry", self.pose, self.span)

    def on(self, take: Take) -> Take:
        """The motion with arms in the carry pose. Other joints do not change; carrying hands lose their contacts."""
        held, arms = edited_carry_pose(take.body, self.pose)
        way = np.zeros(take.body.nv)

        def change(qpos: Array) -> Array:
            mujoco.mj_differentiatePos(take.body.model, way, 1.0, qpos, held)
            return np.where(arms, way, 0.0)

        return _take_with_moved_joints(take, self.span, np.flatnonzero(arms).tolist(), change)


def edited_carry_pose(body: Body, pose: str) -> tuple[Array, Mask]:
    """The standing pose (nq,) with arms in a carry pose, and a mask (nv,) of the degrees of freedom of these arms."""
    from poise.retarget.ik import PoseSolver

    body.require("hands", for_whom=f"the edit 'carry:{pose}'")
    wanted = {hand: _HOLDS[pose][name_side(hand.link)] for hand in body.hands if name_side(hand.link) in _HOLDS[pose]}
    stay, start = np.full(body.nv, 1e3), np.array(body.standing)
    for hand in wanted:
        for joint in limbs.limb_joints(body, hand.link):
            stay[list(joint.dofs)] = 0.03
            if joint.kind == "hinge" and len(joint.dofs) == 1:  # start bent: a straight elbow is singular
                start[joint.qpos[0]] = 0.7 * joint.lower[0] + 0.3 * joint.upper[0]
    places = [_edited_hand_place(body, hand, arm) for hand, arm in wanted.items()]
    solver = PoseSolver(body, [(hand.link, hand.point) for hand in wanted])
    found = solver.solve(start, places=places, place_weights=10.0, prior_weights=stay, iterations=100)
    return found.qpos, stay < 1.0


def _edited_hand_place(body: Body, hand: Hand, arm: tuple[float, float, float]) -> Array:
    """(3,) m: the hand's place in the standing pose, `arm` (forward, outward, up; arm lengths) from the shoulder."""
    data = next(posed_data(body, body.standing[None]))
    joints = [joint for joint in limbs.limb_joints(body, hand.link) if "clavicle" not in joint.name]
    way = [data.xanchor[limbs.joint_element_id(body, joint)] for joint in joints]
    link = body.link_id(hand.link)
    way.append(data.xpos[link] + data.xmat[link].reshape(3, 3) @ hand.point)
    length = np.linalg.norm(np.diff(way, axis=0), axis=1).sum()
    outward = -1.0 if name_side(hand.link) == "right" else 1.0
    return np.asarray(way[0] + length * np.array([arm[0], outward * arm[1], arm[2]]))
