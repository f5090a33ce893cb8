"""What of a walk is kept, whatever the balance asks for: posture, how feet swing, how long the legs are.

A step is told from the strike of the foot that stands (phase 0) to the other's (phase 1), in a frame that heads where
the step heads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.carriage import carried, heading
from poise.body.pose_space import PoseSpace
from poise.control.pendulum.legs import Legs, feet_of
from poise.kernel import kernel
from poise.rotations import continuous_quat, matrix_to_quat, yaw_of

SAMPLES = 25
"""Of a step, both ends included."""
BOW = 0.03
"""m: the most by which a foot swings to the side of the straight way: references do not mind their other leg."""
SHORT = 0.1
"""Of the length of a leg: a foot that gets no further, as who marches on the spot, goes there plainly."""
PLAIN_LIFT = 0.06
"""Of the length of a leg: by how much plain steps lift a foot."""
PLAIN_STEP = 0.5
"""s that a plain step lasts on legs of `PLAIN_LEG`; it grows with their root, as pendulums do."""
PLAIN_LEG = 0.9
"""m."""
_BESIDE = 20  # numbers of a moment that are not its pose
_EARLY = 8  # samples in which the trailing foot leaves the ground


class StepMoment(NamedTuple):
    """A moment of a step; legs: the standing one first."""

    pose: Array  # (nq,) the place of its root is without meaning
    across: Array  # (2, 3) where the axes of the knees point to
    foot: Array  # (2, 4) how the feet are turned
    leg: float  # m from the standing ankle to its hip
    rise: float  # m by which the standing ankle is lifted from where it is when the foot is flat
    away: float  # m along the ground from that ankle to its hip
    clear: float  # m of the swinging foot above the ground
    progress: float  # of the swinging foot's way: 0 where it was, 1 where it lands
    bow: float  # m to the left of the straight way


class SwingStyle(NamedTuple):
    """How a foot swings, in S moments of a step."""

    foot: Array  # (S, 4) how it is turned
    clear: Array  # (S,) m above the ground
    progress: Array  # (S,) of its way: 0 where it was, 1 where it lands
    bow: Array  # (S,) m to the left of the straight way
    way: float  # m ahead from where it was to where it lands


@dataclass(frozen=True, eq=False)
class Manner:
    """A step's manner: `Moment`s, S of them."""

    pose: Array  # (S, nq)
    across: Array  # (S, 2, 3)
    foot: Array  # (S, 2, 4)
    leg: Array  # (S,) m
    rise: Array  # (S,) m
    away: Array  # (S,) m
    clear: Array  # (S,) m
    progress: Array  # (S,)
    bow: Array  # (S,) m
    way: float  # m that the swinging foot gets ahead

    def at(self, phase: float) -> StepMoment:
        """A moment; quaternions are not normalised."""
        row = between(self._rows, phase)
        nq = len(row) - _BESIDE
        across, foot = row[nq : nq + 6], row[nq + 6 : nq + 14]
        return StepMoment(row[:nq], across.reshape(2, 3), foot.reshape(2, 4), *row[nq + 14 :].tolist())

    @cached_property
    def swing(self) -> SwingStyle:
        """What of it is the swinging foot's."""
        foot, clear, progress, bow = map(np.array, (self.foot[:, 1], self.clear, self.progress, self.bow))
        return SwingStyle(foot, clear, progress, bow, self.way)

    @cached_property
    def _rows(self) -> Array:
        """(S, K) moments, all numbers of each in a row."""
        parts = (self.pose, self.across, self.foot, self.leg, self.rise, self.away, self.clear, self.progress, self.bow)
        return np.hstack([part.reshape(SAMPLES, -1) for part in parts])


@kernel
def between(values: Any, phase: float) -> Any:
    """Of samples (S, ...), at a phase."""
    x = min(max(phase, 0.0), 1.0) * (SAMPLES - 1)
    i = min(int(x), SAMPLES - 2)
    u = x - i
    return (1.0 - u) * values[i] + u * values[i + 1]


class Legwork(NamedTuple):
    """Where frames have legs and feet: left first."""

    ankle: Array  # (T, 2, 3) m
    foot: Array  # (T, 2, 4)
    hip: Array  # (T, 2, 3) m
    axis: Array  # (T, 2, 3) of the knees
    low: Array  # (T, 2) m: the lowest of heel and ball


def legwork(frames: Array, body: Body, legs: Legs, data: mujoco.MjData | None = None) -> Legwork:
    """Of frames (T, nq), with `data` of the body to work in: to make it takes longer than all the rest."""
    model, data = body.model, data or mujoco.MjData(body.model)
    feet = np.array([body.link_id(foot.link) for foot in feet_of(body)])
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
    low = place[:, feet, 2] + np.einsum("tkj,knj->tkn", foot[:, :, 2], legs.sole[:, :4]).min(axis=2)
    return Legwork(place[:, feet], continuous_quat(matrix_to_quat(foot)), place[:, thighs], axis, low)


def manner_of(frames: Array, body: Body, legs: Legs, stance: int, data: mujoco.MjData | None = None) -> Manner:
    """The manner of the step that frames (S, nq) make, which head along x; `stance` 0 for one on the left foot.

    With `data` of the body to work in.
    """
    work = legwork(frames, body, legs, data)
    pair, swing = [stance, 1 - stance], work.ankle[:, 1 - stance]
    hip, ankle = work.hip[:, stance], work.ankle[:, stance]
    progress = _progress(swing[:, :2], SHORT * legs.length)
    return Manner(
        readonly(PoseSpace(body).continuous(frames)),
        readonly(work.axis[:, pair]),
        readonly(work.foot[:, pair]),
        readonly(np.linalg.norm(hip - ankle, axis=1)),
        readonly(ankle[:, 2] - ankle[:, 2].min()),
        readonly(np.linalg.norm((hip - ankle)[:, :2], axis=1)),
        readonly(_clearance(work.low[:, 1 - stance])),
        readonly(np.clip(progress, 0.0, 1.0)),
        readonly(_bow(swing[:, 1], progress)),
        _way(float(swing[-1, 0] - swing[0, 0]), SHORT * legs.length),
    )


def _progress(places: Array, short: float) -> Array:
    """(S,) how far on its way, from 0 to 1, a foot is that passes places (S, 2); plain if that is too short, m."""
    gone = places - places[0]
    square = float(gone[-1] @ gone[-1])
    return np.asarray(gone @ gone[-1] / square) if square > short**2 else _plain_progress()


def _way(ahead: float, short: float) -> float:
    """m that a foot gets ahead; none if that is too short to tell."""
    return ahead if abs(ahead) > short else 0.0


def _bow(aside: Array, progress: Array) -> Array:
    """(S,) m by which a foot that passes places `aside` (S,) leaves the straight way: less of it if it is too much."""
    bow = aside - aside[0] - progress * (aside[-1] - aside[0])
    return np.asarray(bow * min(BOW / max(float(np.abs(bow).max()), 1e-9), 1.0))


def _plain_progress() -> Array:
    """(S,) without a jerk."""
    phase = np.linspace(0.0, 1.0, SAMPLES)
    return phase * phase * (3 - 2 * phase)


def _clearance(low: Array) -> Array:
    """(S,) m by which a foot is above the ground, from where it is lifted to where it lands."""
    first = int(np.argmin(low[:_EARLY]))
    ground = np.interp(np.arange(len(low)), [first, len(low) - 1], low[[first, -1]])
    return np.asarray(np.maximum(low - ground, 0.0))


def plain_manner(body: Body, legs: Legs, pose: Array) -> Manner:
    """Steps without any manner, in one pose."""
    upright = carried(pose, heading(-float(yaw_of(pose[3:7]))), np.zeros(3))
    phase = np.linspace(0.0, 1.0, SAMPLES)
    standing = legwork(upright[None], body, legs)
    reach = float(np.mean(np.linalg.norm(standing.hip[0] - standing.ankle[0], axis=1)))
    none = np.zeros(SAMPLES)
    return Manner(
        readonly(np.tile(upright, (SAMPLES, 1))),
        readonly(np.tile([0.0, 1.0, 0.0], (SAMPLES, 2, 1))),
        readonly(np.tile([1.0, 0.0, 0.0, 0.0], (SAMPLES, 2, 1))),
        readonly(np.full(SAMPLES, reach)),
        readonly(none),
        readonly(none),
        readonly(PLAIN_LIFT * legs.length * 4 * phase * (1 - phase)),
        readonly(_plain_progress()),
        readonly(none),
        0.0,
    )
