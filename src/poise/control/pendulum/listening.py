"""Hearing a walk: where the reference's steps are, and the manner of the one to come.

The reference is listened to anew at each step, so that edits of it, also those made meanwhile, are heard.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.body.poses import PoseSpace
from poise.control.pendulum.legs import Legs, feet_of
from poise.control.pendulum.manner import PLAIN_LEG, PLAIN_STEP, SAMPLES, Manner, legwork, manner_of, plain_manner
from poise.reference import Reference
from poise.reference.parts import contact_parts
from poise.spatial import Array, quat_from_axis_angle, quat_multiply, yaw_of

RATE = 120.0
"""1/s: how densely a reference is searched for steps."""
LISTENED = 6.0
"""s of a reference that are searched."""
QUICKEST = 0.15
"""s: strikes of the two feet nearer to each other are no steps."""
USUAL = 0.9
"""m/s for each root of a metre of leg: who is slower walks with the reference's steps."""
NARROWEST = 0.16
"""Of the length of a leg: feet are never set closer, else the legs hit each other."""


class Stride(NamedTuple):
    """Three strikes of the reference: left, right, left."""

    strikes: tuple[float, float, float]  # s
    speed: float  # m/s
    width: float  # m between the feet
    turn: float  # rad by which it turns
    gap: Array  # (nv,) by which its last pose differs from its first; zero for what is the same for ever


class Walk:
    """The steps of a reference."""

    def __init__(self, reference: Reference, body: Body, legs: Legs) -> None:
        self._reference, self._body, self._legs = reference, body, legs
        poses, down = _listen(reference, body)
        self.first = poses[0]
        self._stride = _stride(poses, down, body, legs, reference.duration is None)

    @property
    def still(self) -> bool:
        """Whether the reference takes no steps."""
        return self._stride is None

    @property
    def duration(self) -> float:
        """s that a step lasts."""
        if self._stride is None:
            return PLAIN_STEP * math.sqrt(self._legs.length / PLAIN_LEG)
        return 0.5 * (self._stride.strikes[2] - self._stride.strikes[0])

    def duration_at(self, speed: float) -> float:
        """s that a step lasts at a speed (m/s): who walks faster than the reference takes longer and quicker steps."""
        usual = max(abs(self.speed), USUAL * math.sqrt(self._legs.length))
        return self.duration * math.sqrt(min(usual / max(abs(speed), 1e-6), 1.0))

    @property
    def speed(self) -> float:
        """m/s."""
        return 0.0 if self._stride is None else self._stride.speed

    @property
    def width(self) -> float:
        """m between the feet."""
        wide = 2.0 * float(abs(self._legs.hip[:, 1]).mean()) if self._stride is None else self._stride.width
        return max(wide, NARROWEST * self._legs.length)

    def step(self, stance: int, time: float) -> Manner:
        """The manner of a step on a foot that begins at a time (s): that of the reference's own step nearest to it."""
        stride = self._stride
        if stride is None:
            return plain_manner(self._body, self._legs, self._reference.at(time).qpos)
        begin, end = stride.strikes[stance], stride.strikes[stance + 1]
        period = stride.strikes[2] - stride.strikes[0]
        lap = max(round((time - begin) / period), 0) if self._reference.duration is None else 0
        times = np.linspace(begin, end, SAMPLES)
        frames = np.array([self._reference.at(t + lap * period).qpos for t in times])
        shares = (times - stride.strikes[0]) / period
        if stride.gap.any():
            frames = PoseSpace(self._body).moved(frames, shares[:, None] * stride.gap)
        return manner_of(_headed(frames, stride.turn * 0.5), self._body, self._legs, stance)

    def place(self, pose: Array) -> tuple[int, float, Manner]:
        """The foot that stands, the phase, and the step, in which a pose is nearest to the walk's."""
        steps = [self.step(stance, 0.0) for stance in (0, 1)]
        model, gap = self._body.model, np.zeros(self._body.nv)
        found = []
        for stance, step in enumerate(steps):
            for i, other in enumerate(step.pose):
                mujoco.mj_differentiatePos(model, gap, 1.0, other, pose)
                found.append((float(gap[6:] @ gap[6:]), stance, i / (SAMPLES - 1)))
        _, stance, phase = min(found)
        return stance, phase, steps[stance]


def _listen(reference: Reference, body: Body) -> tuple[Array, NDArray[np.bool_]]:
    """Poses (T, nq), and which feet bear (T, 2), left first."""
    seconds = min(reference.duration or LISTENED, LISTENED)
    targets = [reference.at(t) for t in np.arange(0.0, seconds, 1 / RATE)]
    parts = contact_parts(body)
    own = [[i for i, part in enumerate(parts) if part.limb == foot.name] for foot in feet_of(body)]
    down = np.zeros((len(targets), 2), bool)
    for k, target in enumerate(targets):
        if target.down is not None:
            down[k] = [bool(np.any(target.down[each])) for each in own]
    return np.array([target.qpos for target in targets]), down


def _stride(poses: Array, down: NDArray[np.bool_], body: Body, legs: Legs, endless: bool) -> Stride | None:
    """The stride between whose ends poses differ least; None if there is none."""
    left, right = (np.flatnonzero(down[1:, foot] & ~down[:-1, foot]) + 1 for foot in (0, 1))
    space, found = PoseSpace(body), []
    for first, last in pairwise(left):
        between = right[(right > first + QUICKEST * RATE) & (right < last - QUICKEST * RATE)]
        if len(between) == 1:
            gap = space.difference(poses[[last]], poses[[first]])[0]
            gap[:6] = 0.0
            found.append((float(gap @ gap), (int(first), int(between[0]), int(last)), gap))
    if not found:
        return None
    _, frames, gap = min(found, key=lambda one: one[0])
    if endless:
        gap = np.zeros_like(gap)
    begin, _, end = frames
    yaw = np.unwrap(yaw_of(poses[begin : end + 1, 3:7]))
    way = poses[end, :2] - poses[begin, :2]
    mean = float(np.mean(yaw))
    ahead = float(np.cos(mean) * way[0] + np.sin(mean) * way[1])
    return Stride(
        (frames[0] / RATE, frames[1] / RATE, frames[2] / RATE),
        ahead * RATE / (end - begin),
        _width(poses[list(frames)], body, legs),
        float(yaw[-1] - yaw[0]),
        gap,
    )


def _width(poses: Array, body: Body, legs: Legs) -> float:
    """m between the feet, across the heading, in poses (K, nq)."""
    ankle = legwork(poses, body, legs).ankle
    yaw = yaw_of(poses[:, 3:7])
    way = ankle[:, 0] - ankle[:, 1]
    return float(np.mean(np.cos(yaw) * way[:, 1] - np.sin(yaw) * way[:, 0]))


def _headed(frames: Array, turn: float) -> Array:
    """A step's frames turned so that it heads along x on the whole; what it turns by is taken out frame by frame."""
    yaw = np.unwrap(yaw_of(frames[:, 3:7]))
    share = np.linspace(-0.5, 0.5, len(frames))
    mean = float(np.mean(yaw))
    back = -(mean + turn * share)
    out = np.array(frames)
    out[:, 3:7] = quat_multiply(quat_from_axis_angle([0.0, 0.0, 1.0], back), frames[:, 3:7])
    steps, middle = np.diff(frames[:, :2], axis=0), 0.5 * (back[1:] + back[:-1])
    cos, sin = np.cos(middle), np.sin(middle)
    path = np.stack([cos * steps[:, 0] - sin * steps[:, 1], sin * steps[:, 0] + cos * steps[:, 1]], axis=1)
    out[:, :2] = np.vstack([np.zeros(2), np.cumsum(path, axis=0)])
    return out
