"""Place feet by inverse kinematics of the legs; the rest of the body changes little."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Mask, readonly
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.parts import Foot, Joint
from poise.body.pose_space import PoseSpace
from poise.body.surface import contact_parts
from poise.edit.limb_ik import EditedLimbs, EditedLimbSolver
from poise.edit.limbs import chain_joints, foot_parts, hip_points
from poise.edit.take import Frame, take_without_contacts
from poise.retarget.ik import PoseSolver
from poise.rotations import quat_conjugate, quat_exp, quat_from_axis_angle, quat_log, quat_multiply, quat_rotate, yaw_of

PLACE_WEIGHT, TURN_WEIGHT = 300.0, 3.0  # per m of the balls, per rad of the feet: heels rise before balls slip
POINT_WEIGHT = 30.0  # per m of points that are not feet; feet have priority
LEG, TOE, FIRM, STIFF = 0.3, 0.1, 80.0, 30.0  # weights (per rad or m) of changes of legs, toes, root and other joints
MISSED = 0.001  # m: a contact part further than this from its goal is no longer in contact
FACINGS = 4  # iterations of turning back feet whose legs cannot turn that far
EXACT = 1e-4  # m or rad: poses this near to their goals and limits need no search
ROUNDS, ENOUGH, SLOWEST = 8, 1e-5, 0.2  # secant search of heel angles: iterations, tolerance (rad), least slope
HIGHEST = np.radians(70.0)  # greatest angle of a raised heel


class EditedFootPlacement:
    """Places the F feet of a body, and P further points at the same time."""

    def __init__(
        self, body: Body, points: Sequence[tuple[str, ArrayLike]] = (), *, stay: Mapping[int, float] | None = None
    ) -> None:  # fmt: skip
        """`points`: link and position in the link's frame, besides the feet. `stay`: by dof, weight of its changes."""
        self._body, self._count = body, len(body.feet)
        feet = [foot.link for foot in body.feet]
        toes = [joint for joint in body.joints if joint.parent_link in feet]
        links = [*feet, *(joint.link for joint in toes)]
        parts = contact_parts(body)
        soles = [(f, p, point) for f, own in enumerate(foot_parts(body)) for p in own for point in parts[p].points]
        self._foot_of = [f for f, _, _ in soles]
        self._part_of = np.eye(len(parts), dtype=bool)[[p for _, p, _ in soles]]
        self._soles = LinkKinematics(body, [(parts[p].link, point) for _, p, point in soles])
        self._toes_of = [feet.index(str(joint.parent_link)) for joint in toes]
        ends = [*((link, np.zeros(3)) for link in feet), *points]
        self._reader = LinkKinematics(body, ends, links)
        self._limbs, self._legs = (EditedLimbSolver(body, some, len(feet)) for some in (ends, ends[: len(feet)]))
        self._heels, self._leg_heels = EditedHeels(body, self._limbs), EditedHeels(body, self._legs)
        moved = [joint for link, _ in ends for joint in chain_joints(body, link)]
        legs = [joint for link in feet for joint in chain_joints(body, link)]
        self._moved, leg_dofs, toe_dofs = ([dof for j in joints for dof in j.dofs] for joints in (moved, legs, toes))
        self._leg_qpos = [address for joint in (*legs, *toes) for address in joint.qpos]
        self._balls = np.array([foot.points[2:] for foot in body.feet]).reshape(-1, 2, 3)
        balls = [(link, ball) for link, own in zip(feet, self._balls, strict=True) for ball in own]
        self._solver = PoseSolver(body, [*balls, *points], links)
        self._weights = np.array([PLACE_WEIGHT] * len(balls) + [POINT_WEIGHT] * len(points))
        self._stay = np.full(body.nv, STIFF)
        self._stay[:6] = FIRM
        self._stay[list(stay or {})] = list((stay or {}).values())
        self._stay[leg_dofs], self._stay[toe_dofs] = LEG, TOE

    def places(self, qpos: Array) -> tuple[Array, Array]:
        """Positions (T, F + P, 3) m of foot links and points, and orientations (T, F, 4) of feet, in poses (T, nq)."""
        place, turn = self._reader.at(qpos)
        return place, turn[:, : self._count]

    def hips(self, qpos: Array) -> Array:
        """(T, F, 3) m: positions of the hip joints of the F feet's legs in poses (T, nq)."""
        return self._hips.at(qpos)[0]

    @cached_property
    def _hips(self) -> LinkKinematics:
        return LinkKinematics(self._body, hip_points(self._body))

    def settled(self, frames: Sequence[Frame], place: Array, turn: Array) -> list[Frame]:
        """The `frames` with `place` (T, F + P, 3) m and `turn` (T, F, 4); contact parts that miss them lose contact."""
        qpos = np.array([frame.qpos for frame in frames])
        soles = self._sole_goals(qpos, place, turn)
        found, goal, facing = self._closed_form_poses(qpos, place, turn)
        rest = np.flatnonzero(self._misses_goals(found, goal, facing))
        if len(rest):
            found[rest] = self._search_poses(qpos[rest], found[rest], goal[rest], facing[rest])
            found[rest] = self._solve_legs_again(qpos[rest], found[rest], place[rest, : self._count], turn[rest])
        missed = np.linalg.norm(self._soles.at(found)[0] - soles, axis=-1) > MISSED
        up = missed @ self._part_of
        return [Frame(readonly(q), take_without_contacts(f.down, u)) for q, f, u in zip(found, frames, up, strict=True)]

    def _sole_goals(self, qpos: Array, place: Array, turn: Array) -> Array:
        """(T, S, 3) m: target positions of the S contact points of the feet."""
        link, was = self.places(qpos)
        away = self._soles.at(qpos)[0] - link[:, self._foot_of]
        moved = quat_multiply(turn, quat_conjugate(was))[:, self._foot_of]
        return np.asarray(place[:, self._foot_of] + quat_rotate(moved, away))

    def _closed_form_poses(self, qpos: Array, place: Array, turn: Array) -> tuple[Array, Array, Array]:
        """Poses with limbs solved in closed form, and goals with raised heels and feet turned as far as legs can."""
        was, place, turn = self._limbs.read(qpos), np.array(place), np.array(turn)
        found, goal, facing = self._heels.raised(was, place, turn)
        rows, space, balls = np.arange(len(qpos)), self._solver.space, self._balls.mean(axis=1)
        for _ in range(FACINGS):
            rows = rows[self._limit_excess(found[rows]) > EXACT]
            if not len(rows):
                break
            _, can = self.places(space.clamped(found[rows]))
            back = yaw_of(quat_multiply(can, quat_conjugate(facing[rows])))
            ball = quat_rotate(turn[rows], balls)
            turn[rows] = quat_multiply(quat_exp(back[..., None] * [0.0, 0.0, 1.0]), turn[rows])
            place[rows, : self._count] += ball - quat_rotate(turn[rows], balls)
            found[rows], goal[rows], facing[rows] = self._heels.raised(was.at_rows(rows), place[rows], turn[rows])
        return found, goal, facing

    def _limit_excess(self, qpos: Array) -> Array:
        """(T,) rad: greatest excess of a joint beyond its limits, of the joints that the placement moves."""
        space = self._solver.space
        beyond = np.abs(space.difference(qpos, space.clamped(qpos)))[:, self._moved]
        return np.asarray(beyond.max(axis=1, initial=0.0))

    def _misses_goals(self, qpos: Array, place: Array, turn: Array) -> Mask:
        """(T,) whether a pose exceeds joint limits or misses `place` (T, F or F + P, 3) m or `turn` (T, F, 4)."""
        here, facing = self.places(qpos)
        moved = np.linalg.norm(here[:, : place.shape[1]] - place, axis=-1)
        turned = np.linalg.norm(quat_log(quat_multiply(turn, quat_conjugate(facing))), axis=-1)
        missed = np.concatenate([moved, turned], axis=1).max(axis=1, initial=0.0)
        return np.asarray(np.maximum(self._limit_excess(qpos), missed) > EXACT)

    def _search_poses(self, qpos: Array, guess: Array, place: Array, turn: Array) -> Array:
        """(T, nq) poses within joint limits that are as near as possible to the goals, and then to `guess` (T, nq)."""
        feet, others = np.split(place, [self._count], axis=1)
        balls = feet[:, :, None] + quat_rotate(turn[:, :, None], self._balls)
        _, was = self._reader.at(qpos)
        foot, toe = was[:, self._toes_of], was[:, self._count :]
        toes = quat_multiply(turn[:, self._toes_of], quat_multiply(quat_conjugate(foot), toe))  # follow without bending
        found = self._solver.solve(
            guess,
            places=np.concatenate([balls.reshape(len(place), -1, 3), others], axis=1),
            place_weights=self._weights,
            turns=np.concatenate([turn, toes], axis=1),
            turn_weights=TURN_WEIGHT,
            prior_weights=self._stay,
            iterations=30,
            tolerance=1e-4,
        )
        return found.qpos

    def _solve_legs_again(self, qpos: Array, found: Array, place: Array, turn: Array) -> Array:
        """The poses `found`, with legs solved again in closed form where that succeeds for the pelvis of `found`."""
        stood = np.array(found)
        stood[:, self._leg_qpos] = qpos[:, self._leg_qpos]
        stood, goal, facing = self._leg_heels.raised(self._legs.read(stood), place, turn)
        return np.where(self._misses_goals(stood, goal, facing)[:, None], found, stood)


class EditedHeels:
    """Raises heels: a foot tips over its ball where the ankle cannot bend far enough for a flat foot."""

    def __init__(self, body: Body, limbs: EditedLimbSolver) -> None:
        self._limbs, self._space = limbs, PoseSpace(body)
        legs = [chain_joints(body, foot.link) for foot in body.feet]
        self._feet = [number for number, joints in enumerate(legs) if joints]  # without feet that are the root's link
        self._tips = [_heel_tip_for_edits(body, body.feet[number], legs[number][-1]) for number in self._feet]
        self._dofs = np.array([tip.ankle for tip in self._tips], int)
        self._sides = np.array([tip.side for tip in self._tips])

    def raised(self, was: EditedLimbs, place: Array, turn: Array) -> tuple[Array, Array, Array]:
        """Poses (T, nq) with points at `place` (T, P, 3) m, feet at `turn`, heels raised if needed; and these goals."""
        found, rise = self._limbs.placed(was, place, turn), np.zeros((len(turn), len(self._tips)))
        rows, step = np.flatnonzero((self._ankle_excess(found) > ENOUGH).any(axis=1)), None
        excess = self._ankle_excess(found[rows])
        for _ in range(ROUNDS):
            if not len(rows):
                break
            tried = np.minimum(rise[rows] + (excess if step is None else step), HIGHEST)
            found[rows] = self._limbs.placed(was.at_rows(rows), *self._tipped_feet(place[rows], turn[rows], tried))
            left = self._ankle_excess(found[rows])
            gain = np.clip((excess - left) / np.maximum(tried - rise[rows], ENOUGH), SLOWEST, 1.0)
            rise[rows] = tried
            step, still = left / gain, (left > ENOUGH).any(axis=1)
            rows, excess, step = rows[still], left[still], step[still]
        for tip, angle in zip(self._tips, rise.T, strict=True):
            if tip.toe is not None:
                address, (low,), (high,) = tip.toe.qpos[0], tip.toe.lower, tip.toe.upper
                bent = np.clip(found[:, address] - tip.toe_side * angle, low, high)
                found[:, address] = np.where(angle > 0, bent, found[:, address])
        return found, *self._tipped_feet(place, turn, rise)

    def _ankle_excess(self, qpos: Array) -> Array:
        """Angles (T, F) rad by which ankles exceed the limit that raising the heel relieves; 0 where they do not."""
        beyond = self._space.difference(qpos, self._space.clamped(qpos))
        return np.asarray(np.maximum(self._sides * beyond[:, self._dofs], 0.0))

    def _tipped_feet(self, place: Array, turn: Array, rise: Array) -> tuple[Array, Array]:
        """Positions `place` and foot orientations `turn` after the heels are raised by angles `rise` (T, F) rad."""
        place, turn = np.array(place), np.array(turn)
        for foot, tip, angle in zip(self._feet, self._tips, rise.T, strict=True):
            flat = np.array(turn[:, foot])
            turn[:, foot] = quat_multiply(flat, quat_from_axis_angle(tip.axis, angle))
            place[:, foot] += quat_rotate(flat, tip.pivot) - quat_rotate(turn[:, foot], tip.pivot)
        return place, turn


@dataclass(frozen=True, eq=False)
class _HeelTip:
    """The pivot and axis about which a foot tips over its ball, and the joints that take part."""

    pivot: Array  # (3,) m in the foot's frame, on the line of the ball
    axis: Array  # (3,) in the foot's frame; positive rotation about it raises the heel
    ankle: int  # the ankle's degree of freedom nearest to this rotation
    side: float  # 1 if raising the heel increases the angle of `ankle`, -1 if it decreases the angle
    toe: Joint | None  # hinge that keeps the toes on the ground
    toe_side: float  # the same as `side`, for `toe`; 0 without `toe`


def _heel_tip_for_edits(body: Body, foot: Foot, ankle: Joint) -> _HeelTip:
    heel, pivot = foot.points[:2].mean(axis=0), foot.points[2:].mean(axis=0)
    axis = foot.points[3] - foot.points[2]
    axis /= np.linalg.norm(axis)
    if np.cross(axis, heel - pivot) @ -pivot < 0:  # the foot's origin, at the ankle, is above the sole
        axis = -axis
    along = ankle.axes @ axis
    nearest = int(np.argmax(np.abs(along)))
    toes = [j for j in body.joints if j.parent_link == foot.link and j.kind == "hinge" and len(j.dofs) == 1]
    toe_side = float(np.sign(toes[0].axes[0] @ axis)) if toes else 0.0
    toe, side = toes[0] if toes else None, float(np.sign(along[nearest]))
    return _HeelTip(pivot, axis, ankle.dofs[nearest], side, toe, toe_side)
