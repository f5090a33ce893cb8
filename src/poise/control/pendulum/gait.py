"""The gait: its style, and its state, which is the stance foot, the phase of the step and the last lift-off.

The style is posture, swing of the feet and length of the legs; it is kept whatever balance demands. A step lasts from
the strike of the stance foot (phase 0) to the strike of the swing foot (phase 1). Its positions and rotations are in a
frame that points along the heading of the step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.pose_space import PoseSpace, displace_poses, yaw_quat
from poise.control.pendulum.leg_ik import sole_depth
from poise.control.pendulum.legs import Legs, walker_feet
from poise.control.pendulum.walker import PRESSED, Observed, Walker, eased
from poise.kernel import kernel
from poise.rotations import continuous_quat, matrix_to_quat, quat_to_matrix, yaw_of

SAMPLES = 25  # Samples of a step, both ends included
BOW = 0.03
"""Maximum lateral deviation (m) of a swing foot from the straight line: in a reference, it may graze the other leg."""
SHORT_STEP = 0.1  # In leg lengths: a foot that moves less, as in marching on the spot, swings with the plain profile
PLAIN_LIFT = 0.06  # In leg lengths: lift of the foot in plain steps
PLAIN_STEP = 0.5
"""Duration (s) of a plain step on legs of PLAIN_LEG (m); as for pendulums, it scales with the root of leg length."""
PLAIN_LEG = 0.9  # Leg length (m) that PLAIN_STEP holds for
_EXTRAS = 23  # Count of the numbers of a `StepMoment` that are not its pose
_LIFT_OFF = 8  # Number of first samples, in which the trailing foot leaves the ground
_PHASES = np.linspace(0.0, 1.0, SAMPLES)
_PLAIN_PROGRESS = _PHASES * _PHASES * (3 - 2 * _PHASES)  # (S,) smooth-step progress of a plain swing


class StepMoment(NamedTuple):
    """The body at a moment of a step; in pairs of legs, the stance leg comes first."""

    pose: Array  # (nq,); the position of the root has no meaning
    across: Array  # (2, 3) directions of the knee axes
    foot: Array  # (2, 4) quaternions of the feet
    sink: float  # m of the hips below their highest position
    bend: float  # m per squared step: second derivative of `sink` by the phase
    clear: float  # m of the swing foot above the ground
    progress: float  # of the swing foot: 0 at lift-off, 1 at landing
    bow: float  # m of the swing foot to the left of the straight line
    lead: float  # of the centre of mass over the nominal centre of pressure, in lengths of the step
    pace: float  # speed of the centre of mass, in mean speeds of the step
    gain: float  # of this speed: acceleration, by the phase
    spin: float  # m: angular momentum that tips the body forward, per mass and mean speed

    def heel(self, side: int) -> float:
        """Lift (rad) of a heel above the toes: 0 for the stance foot, 1 for the other."""
        w, x, y, z = self.foot[side].tolist()
        return math.asin(min(max(2.0 * (w * y - x * z), 0.0), 1.0))


class SwingStyle(NamedTuple):
    """How a foot swings, in S samples of a step."""

    foot: Array  # (S, 4) quaternions
    clear: Array  # (S,) m above the ground
    progress: Array  # (S,) 0 at lift-off, 1 at landing
    bow: Array  # (S,) m to the left of the straight line
    way: float  # m that the foot moves ahead from lift-off to landing


@dataclass(frozen=True, eq=False)
class StepStyle:
    """The style of a step: S samples of each quantity of `StepMoment`."""

    pose: Array  # (S, nq)
    across: Array  # (S, 2, 3)
    foot: Array  # (S, 2, 4)
    sink: Array  # (S,) m
    bend: Array  # (S,) m per squared step
    clear: Array  # (S,) m
    progress: Array  # (S,)
    bow: Array  # (S,) m
    lead: Array  # (S,)
    pace: Array  # (S,)
    gain: Array  # (S,)
    spin: Array  # (S,) m
    way: float  # m that the swing foot moves ahead
    top: float  # m of the hips, at their highest, above an ankle of a flat foot

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, readonly(value))

    def at(self, phase: float) -> StepMoment:
        """The `StepMoment` at a phase, interpolated; quaternions are not normalised."""
        row = sample_at_phase(self._rows, phase)
        nq = len(row) - _EXTRAS
        across, foot = row[nq : nq + 6], row[nq + 6 : nq + 14]
        return StepMoment(row[:nq], across.reshape(2, 3), foot.reshape(2, 4), *row[nq + 14 :].tolist())

    def pressed(self, phase: float, pulse: float, lifted: bool) -> float:
        """Centre of pressure ahead of the nominal one, in lengths of the step, that moves the body as in the reference.

        `pulse` is rate x duration of the pendulum's step. With the trailing foot `lifted`, it stays in its mean place.
        """
        if not lifted:
            moment = self.at(phase)
            return float(moment.lead - moment.gain / pulse**2)
        first = round(DOUBLE_STANCE * (SAMPLES - 1))
        gain = float(self.pace[-1] - self.pace[first]) / (1.0 - _PHASES[first])
        return float(self.lead[first:].mean() - gain / pulse**2)

    @cached_property
    def swing(self) -> SwingStyle:
        """The samples that describe the swing foot."""
        foot, clear, progress, bow = map(np.array, (self.foot[:, 1], self.clear, self.progress, self.bow))
        return SwingStyle(foot, clear, progress, bow, self.way)

    @cached_property
    def _rows(self) -> Array:
        """(S, K) table: one row per sample."""
        parts = (
            self.pose, self.across, self.foot, self.sink, self.bend, self.clear, self.progress, self.bow, self.lead,
            self.pace, self.gain, self.spin,
        )  # fmt: skip
        return np.hstack([part.reshape(SAMPLES, -1) for part in parts])


@kernel
def sample_at_phase(values: Array, phase: float) -> Any:
    """Interpolate samples (S, ...) of a step linearly at a phase."""
    x = min(max(phase, 0.0), 1.0) * (SAMPLES - 1)
    i = min(int(x), SAMPLES - 2)
    u = x - i
    return (1.0 - u) * values[i] + u * values[i + 1]


class LegTracks(NamedTuple):
    """Positions and rotations of both legs, left first, in T frames."""

    ankle: Array  # (T, 2, 3) m
    foot: Array  # (T, 2, 4) quaternions
    hip: Array  # (T, 2, 3) m
    axis: Array  # (T, 2, 3) axes of the knees
    low: Array  # (T, 2) m: height of the lower of heel and ball
    tip: Array  # (T, 2) m: height of the lowest point of the sole with straight toes, as feet swing


def leg_tracks(frames: Array, body: Body, legs: Legs, data: mujoco.MjData | None = None) -> LegTracks:
    """Tracks of both legs in frames (T, nq). `data` is overwritten; without it, an MjData is made, which takes long."""
    model, data = body.model, data or mujoco.MjData(body.model)
    feet = np.array([body.link_id(foot.link) for foot in walker_feet(body)])
    shanks = model.body_parentid[feet]
    thighs = model.body_parentid[shanks]
    place, turn = (np.empty((len(frames), model.nbody, size)) for size in (3, 9))
    qpos, xpos, xmat = data.qpos, data.xpos, data.xmat
    for k, frame in enumerate(frames):
        qpos[:] = frame
        mujoco.mj_kinematics(model, data)
        place[k], turn[k] = xpos, xmat
    foot, shank = (turn[:, links].reshape(-1, 2, 3, 3) for links in (feet, shanks))
    axis = np.einsum("tkij,kj->tki", shank, legs.axis)
    sole = place[:, feet, 2, None] + np.einsum("tkj,knj->tkn", foot[:, :, 2], legs.sole)
    low, tip = sole[:, :, :4].min(axis=2), sole.min(axis=2)
    return LegTracks(place[:, feet], continuous_quat(matrix_to_quat(foot)), place[:, thighs], axis, low, tip)


def step_style(frames: Array, body: Body, legs: Legs, stance: int, centre: float, data: mujoco.MjData) -> StepStyle:
    """The style of a step on foot `stance` (0: left), from frames (S, nq) that head along x; `data` is overwritten.

    Where feet strike, the centre of mass is on average `centre` (m) ahead of the stance foot's centre of pressure.
    """
    work = leg_tracks(frames, body, legs, data)
    pair, swing = [stance, 1 - stance], work.ankle[:, 1 - stance]
    hips = work.hip[:, :, 2].mean(axis=1) - work.ankle[:, :, 2].min()
    progress = _swing_progress(swing[:, :2], SHORT_STEP * legs.length)
    ahead = float(swing[-1, 0] - swing[0, 0])
    top, clear = float(hips.max()), _swing_clearance(work.low[:, 1 - stance], work.tip[:, 1 - stance])
    bend = np.gradient(np.gradient(top - hips, _PHASES), _PHASES)
    bow = _swing_bow(swing[:, 1], progress)
    pose, across, foot = PoseSpace(body).continuous(frames), work.axis[:, pair], np.array(work.foot[:, pair])
    foot[:, 1] = _held_for_strike(foot[:, 1])
    way = ahead if abs(ahead) > SHORT_STEP * legs.length else 0.0
    lead, pace, gain, spin = _carried(frames, body, legs, work, stance, centre, data) if way else np.zeros((4, SAMPLES))
    progress, sink = np.clip(progress, 0.0, 1.0), top - hips
    return StepStyle(pose, across, foot, sink, bend, clear, progress, bow, lead, pace, gain, spin, way, top)


def _carried(
    frames: Array, body: Body, legs: Legs, work: LegTracks, stance: int, centre: float, data: mujoco.MjData
) -> Array:
    """Lead, pace, gain and spin (4, S) of the centre of mass, as in `StepMoment`, in frames (S, nq) heading along x.

    The lead is shifted to be `centre` (m) on average at both ends, so that left and right steps are alike.
    """
    model = body.model
    com, spin = np.empty(SAMPLES), np.empty(SAMPLES)
    for k, frame in enumerate(frames):
        a, b = max(k - 1, 0), min(k + 1, SAMPLES - 1)
        mujoco.mj_differentiatePos(model, data.qvel, _PHASES[b] - _PHASES[a], frames[a], frames[b])
        data.qpos[:] = frame
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_subtreeVel(model, data)
        com[k], spin[k] = data.subtree_com[1, 0], data.subtree_angmom[1, 1] / body.mass
    lead = com - pressed_points(work, legs, stance)[:, 0]
    lead += centre - 0.5 * (lead[0] + lead[-1])
    pace = np.gradient(com, _PHASES, edge_order=2)
    return np.asarray(np.array([lead, pace, np.gradient(pace, _PHASES, edge_order=2), spin]) / (com[-1] - com[0]))


def pressed_points(work: LegTracks, legs: Legs, side: int) -> Array:
    """Nominal centres of pressure (T, 3) m of a foot."""
    return np.asarray(
        work.ankle[:, side] + quat_to_matrix(work.foot[:, side]) @ (legs.ball[side] * [PRESSED, 0.0, 1.0])
    )


def _swing_progress(places: Array, short: float) -> Array:
    """Progress (S,), 0 to 1, of a foot along positions (S, 2); the plain profile if the way is below `short` (m)."""
    gone = places - places[0]
    square = float(gone[-1] @ gone[-1])
    return np.asarray(gone @ gone[-1] / square) if square > short**2 else np.array(_PLAIN_PROGRESS)


def _swing_bow(aside: Array, progress: Array) -> Array:
    """Deviation (S,) m of a foot from the straight line, scaled to at most BOW; `aside` (S,) m: lateral positions."""
    bow = aside - aside[0] - progress * (aside[-1] - aside[0])
    return np.asarray(bow * min(BOW / max(float(np.abs(bow).max()), 1e-9), 1.0))


def _held_for_strike(foot: Array) -> Array:
    """Rotations (S, 4) of a swing foot that keeps its highest late pitch: contacts begin with the foot already down."""
    late = SAMPLES // 2
    pitch = 2.0 * (foot[late:, 1] * foot[late:, 3] - foot[late:, 0] * foot[late:, 2])
    peak = late + int(np.argmax(pitch))
    return np.vstack([foot[:peak], np.tile(foot[peak], (SAMPLES - peak, 1))])


def _swing_clearance(low: Array, tip: Array) -> Array:
    """Height (S,) m of `tip` above the line from lift-off to landing of a foot; `low`, `tip` as in `LegTracks`."""
    first = int(np.argmin(low[:_LIFT_OFF]))
    ground = np.interp(np.arange(len(low)), [first, len(low) - 1], low[[first, -1]])
    return np.asarray(np.maximum(tip - ground, 0.0))


def plain_step_style(body: Body, legs: Legs, pose: Array) -> StepStyle:
    """Style of plain steps: the pose (nq,) is constant and the feet stay level."""
    upright = displace_poses(pose, yaw_quat(-float(yaw_of(pose[3:7]))), np.zeros(3))
    standing = leg_tracks(upright[None], body, legs)
    top = float(standing.hip[0, :, 2].mean() - standing.ankle[0, :, 2].min())
    pose, across = np.tile(upright, (SAMPLES, 1)), np.tile([0.0, 1.0, 0.0], (SAMPLES, 2, 1))
    foot, none = np.tile([1.0, 0.0, 0.0, 0.0], (SAMPLES, 2, 1)), np.zeros(SAMPLES)
    clear = PLAIN_LIFT * legs.length * 4 * _PHASES * (1 - _PHASES)
    return StepStyle(pose, across, foot, none, none, clear, _PLAIN_PROGRESS, none, none, none, none, none, 0.0, top)


DOUBLE_STANCE, HASTE = 0.17, 0.1
"""Phase until which both feet stand, and by how much less in a step that is astray."""
COMMITTED, RETARGET = 0.7, 0.05
"""From the share COMMITTED of the swing on, the aim follows a better aim only by the distance in excess of RETARGET (m,
adult): the decelerating leg disturbs the prediction, and the foot would land while moving."""
STRIKE_LOAD, CAUTION = 0.6, 0.3
"""Share of the weight that a foot carries as soon as it strikes, and by how much less where legs keep a bend."""
EARLIEST_STRIKE = 0.7  # Phase from which a swing foot that touches the ground counts as landed


def lift_off_phase(astray: float) -> float:
    """Phase at which the trailing foot leaves the ground in a step that is `astray` by a share."""
    return DOUBLE_STANCE - HASTE * astray


class LiftOff(NamedTuple):
    """Position and rotation of a foot when it left the ground."""

    ankle: Array  # (3,) m
    foot: Array  # (4,) quaternion
    ground: float  # m: height of the ground
    extra: float  # m by which the sole was above the ground


@dataclass(frozen=True, eq=False)
class GaitState:
    """State of the gait at one moment."""

    stance: int  # 0 for the left foot
    phase: float  # 0 at the strike of the stance foot, 1 at the strike of the swing foot
    style: StepStyle
    lift: LiftOff | None = None  # of the swing foot; None in double stance
    since: float = 0.0  # s since the strike of the stance foot
    overdue: float = 0.0  # s since the swing foot should have landed
    aimed: Array | None = None  # (2,) m: previous aim of the swing foot's centre of pressure
    stands: bool = False  # whether the body stands on both feet, without a step under way
    begun: float = DOUBLE_STANCE  # phase at which the swing begins

    @property
    def swing(self) -> int:
        """The swing foot (0 for the left foot); in double stance, the trailing foot."""
        return 1 - self.stance

    @property
    def swing_share(self) -> float:
        """Share of the swing that is over, from 0 to 1."""
        return min(max((self.phase - self.begun) / (1.0 - self.begun), 0.0), 1.0)

    def has_landed(self, seen: Observed) -> bool:
        """Whether the swing foot has landed."""
        return self.lift is not None and self.phase > EARLIEST_STRIKE and bool(seen.touching[self.swing])

    def may_lift_foot(self, astray: float) -> bool:
        """Whether it is time for the trailing foot to leave the ground, sooner in a step that is `astray` (share)."""
        return self.lift is None and not self.stands and self.phase > lift_off_phase(astray)

    def stance_load(self, astray: float, gives: float, wanted: float) -> float:
        """Share of the weight on the stance foot of a step that is `astray`, with legs that give, by these shares.

        In double stance the weight moves to this foot; within bounds, its share is the one `wanted`.
        """
        if self.lift:
            return 1.0
        moved, struck = eased(self.phase / lift_off_phase(astray)), STRIKE_LOAD - CAUTION * gives
        return min(max(wanted, moved), struck + (1.0 - struck) * moved)

    def with_foot_lifted(self, seen: Observed, walker: Walker) -> GaitState:
        """The same state with the trailing foot lifted."""
        ankle, foot = np.array(seen.ankle[self.swing]), seen.foot[self.swing]
        ground = walker.ground_height(ankle)
        depth = sole_depth(walker.legs, self.swing, np.ascontiguousarray(foot), walker.ground_normal(ankle))
        lift = LiftOff(ankle, matrix_to_quat(foot), ground, ankle[2] - ground - depth)
        return replace(self, lift=lift, begun=min(self.phase, DOUBLE_STANCE))

    def committed_aim(self, place: Array, scale: float) -> Array:
        """Aim (2,) m of the swing foot if `place` (2,) m is now the best aim; `scale` is `Legs.scale`."""
        if self.aimed is None or self.swing_share < COMMITTED:
            return place
        off = place - self.aimed
        beyond = 1.0 - RETARGET * scale / max(math.hypot(off[0], off[1]), 1e-9)
        return np.asarray(self.aimed + off * max(beyond, 0.0))

    def later(self, step: float, within: float, aimed: Array) -> GaitState:
        """The state a time step (s) later, if the swing foot is to land in `within` s at `aimed` (2,) m."""
        phase = min(self.phase + step * (1.0 - self.phase) / max(within, step), 1.0)
        overdue = self.overdue + step if self.phase >= 1.0 else self.overdue
        aim = aimed if self.lift else None
        return replace(self, phase=phase, since=self.since + step, overdue=overdue, aimed=aim)
