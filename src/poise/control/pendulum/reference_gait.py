"""Hearing a walk: where the reference's steps are, and the manner of the one to come.

The reference is listened to anew at each step, so that edits of it, also those made meanwhile, are heard.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.body.body import Body
from poise.body.contact_parts import contact_parts
from poise.body.pose_space import PoseSpace
from poise.control.pendulum.gait_style import PLAIN_LEG, PLAIN_STEP, SAMPLES, Manner, legwork, manner_of, plain_manner
from poise.control.pendulum.legs import Legs, feet_of
from poise.reference.reference import Reference
from poise.rotations import quat_from_axis_angle, quat_multiply, yaw_of

# Hearing a reference: its poses, which feet bear in them, and when feet come down.

SAMPLE_RATE = 120.0
"""1/s: how densely a reference is heard."""
AGAIN = 0.3
"""s: strikes of a foot that are nearer to each other are one."""


class Heard(NamedTuple):
    """Some seconds of a reference."""

    poses: Array  # (T, nq)
    down: NDArray[np.bool_]  # (T, 2) which feet bear, left first; none where that is not known


def hear(reference: Reference, body: Body, seconds: float, since: float = 0.0) -> Heard:
    """A reference from a time (s) on, for some seconds if it lasts so long."""
    times = np.arange(since, since + min(reference.duration or seconds, seconds), 1 / SAMPLE_RATE)
    return hear_at(reference, body, times)


def hear_at(reference: Reference, body: Body, times: Array) -> Heard:
    """A reference at some times (T,) s."""
    targets = [reference.at(t) for t in times]
    parts = contact_parts(body)
    own = [[i for i, part in enumerate(parts) if part.limb == foot.name] for foot in feet_of(body)]
    down = np.zeros((len(targets), 2), bool)
    for k, target in enumerate(targets):
        if target.down is not None:
            down[k] = [bool(np.any(target.down[each])) for each in own]
    return Heard(np.array([target.qpos for target in targets]), down)


def strikes(down: NDArray[np.bool_], rate: float) -> list[int]:
    """Frames at which a foot that is `down` (T,) or not comes down, without those too soon after another."""
    found: list[int] = []
    for frame in np.flatnonzero(down[1:] & ~down[:-1]) + 1:
        if not found or frame - found[-1] > AGAIN * rate:
            found.append(int(frame))
    return found


LISTENED, LONGEST = 6.0, 60.0
"""s of a reference that are searched for steps: of one that goes on for ever, and of one with an end."""
QUICKEST = 0.15
"""s: strikes of the two feet nearer to each other are no steps."""
SHUFFLED = 0.5
"""Of the usual speed of a reference's strides: slower ones are not how it walks."""
SLOWEST = 0.75
"""s, of an adult, that a step lasts at most: in longer ones a pendulum falls further than the next can mend."""
USUAL = 0.9
"""m/s for each root of a metre of leg: who is slower walks with the reference's steps."""
LATE, CHANGED = 0.03, 0.05
"""s by which a strike may be off, and m/s by which a stride may be slower or faster, before they are sought anew."""
NARROWEST = 0.16
"""Of the length of a leg: feet are never set closer, else the legs hit each other."""


class ReferenceStride(NamedTuple):
    """Three strikes of the reference: of a foot, the other, and the same again."""

    first: int  # the foot: 0 for the left one
    strikes: tuple[float, float, float]  # s
    speed: float  # m/s
    width: float  # m between the feet
    turn: float  # rad by which it turns
    gap: Array  # (nv,) by which its last pose differs from its first; zero for what is the same for ever


class ReferenceWalk:
    """The steps of a reference. One that turns is walked straight: what its steps turn by is taken out of them."""

    def __init__(self, reference: Reference, body: Body, legs: Legs) -> None:
        self._reference, self._body, self._legs = reference, body, legs
        self._data = mujoco.MjData(body.model)
        self._stride, self._since = self._sought(0.0), 0.0
        self._stood = _width(reference.at(0.0).qpos[None], body, legs)  # m between the feet at first

    def _sought(self, since: float) -> ReferenceStride | None:
        """The stride of the reference from a time (s) on."""
        endless = self._reference.duration is None
        heard = hear(self._reference, self._body, LISTENED if endless else LONGEST, since)
        stride = _stride(heard, self._body, self._legs)
        if stride is None or not endless:
            return stride
        begin, middle, end = stride.strikes
        return stride._replace(strikes=(since + begin, since + middle, since + end), gap=np.zeros(self._body.nv))

    @property
    def still(self) -> bool:
        """Whether the reference takes no steps."""
        return self._stride is None

    @property
    def duration(self) -> float:
        """s that a step lasts."""
        if self._stride is None:
            return PLAIN_STEP * math.sqrt(self._legs.length / PLAIN_LEG)
        return min(0.5 * (self._stride.strikes[2] - self._stride.strikes[0]), SLOWEST * self._legs.slow)

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
        wide = self._stood if self._stride is None else self._stride.width
        return max(wide, NARROWEST * self._legs.length)

    def step(self, stance: int, time: float, speed: float | None = None) -> Manner:
        """The manner of a step on a foot that begins at a time (s): that of the reference's own step nearest to it.

        Whose `speed` (m/s; the reference's own if not told) is the other way does the same backward, as in a film that
        is: arms then balance legs still.
        """
        if not self._is_as_heard(time):
            self._stride = self._sought(time)
            self._since = time if self._stride is None else self._stride.strikes[0]
        stride = self._stride
        if stride is None:
            return plain_manner(self._body, self._legs, self._reference.at(time).qpos)
        begin, end = stride.strikes[:2] if stance == stride.first else stride.strikes[1:]
        period = stride.strikes[2] - stride.strikes[0]
        lap = self._lap(begin, period, time) if self._reference.duration is None else 0
        times = np.linspace(begin, end, SAMPLES)
        frames = np.array([self._reference.at(t + lap * period).qpos for t in times])
        shares = (times - stride.strikes[0]) / period
        if stride.gap.any():
            frames = PoseSpace(self._body).moved(frames, shares[:, None] * stride.gap)
        headed = _headed(frames, stride.turn * 0.5)
        backward = speed is not None and speed * stride.speed < 0
        return manner_of(headed[::-1] if backward else headed, self._body, self._legs, stance, self._data)

    def _lap(self, begin: float, period: float, time: float) -> int:
        """How many periods (s) after its first time a step that began then is nearest to a time, s."""
        return max(round((time - begin) / period), -int((begin - self._since) / period))

    def _is_as_heard(self, time: float) -> bool:
        """Whether feet strike when they did, and as far from each other: edits may have made the walk another one."""
        stride = self._stride
        if stride is None or self._reference.duration is not None:
            return True
        begin, _, end = stride.strikes
        strike = begin + (1 + self._lap(begin, end - begin, time)) * (end - begin)
        heard = hear_at(
            self._reference, self._body, np.array([strike - LATE, strike + LATE, strike, strike - end + begin])
        )
        before, after = heard.down[:2, stride.first]
        speed = math.copysign(np.linalg.norm(heard.poses[2, :2] - heard.poses[3, :2]) / (end - begin), stride.speed)
        return bool(after and not before) and abs(speed - stride.speed) < CHANGED

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


def _stride(heard: Heard, body: Body, legs: Legs) -> ReferenceStride | None:
    """The stride between whose ends poses differ least; None if there is none."""
    struck = sorted((frame, foot) for foot in (0, 1) for frame in strikes(heard.down[:, foot], SAMPLE_RATE))
    found = [
        _measured(heard.poses, foot, (begin, middle, end), body, legs)
        for (begin, foot), (middle, other), (end, same) in zip(struck, struck[1:], struck[2:], strict=False)
        if foot == same != other and min(middle - begin, end - middle) > QUICKEST * SAMPLE_RATE
    ]
    least = SHUFFLED * _usual([abs(stride.speed) for stride in found])
    walked = [stride for stride in found if abs(stride.speed) >= least]
    return min(walked, key=lambda stride: float(stride.gap @ stride.gap), default=None)


def _usual(speeds: list[float]) -> float:
    """m/s: the mean over the way that is gone, to which who shuffles on the spot adds nothing."""
    return sum(speed * speed for speed in speeds) / max(sum(speeds), 1e-9)


def _measured(poses: Array, first: int, frames: tuple[int, int, int], body: Body, legs: Legs) -> ReferenceStride:
    """The stride that begins on a foot, with strikes at frames of poses (T, nq)."""
    begin, middle, end = frames
    gap = PoseSpace(body).difference(poses[[end]], poses[[begin]])[0]
    gap[:6] = 0.0
    yaw = np.unwrap(yaw_of(poses[begin : end + 1, 3:7]))
    way = poses[end, :2] - poses[begin, :2]
    mean = float(np.mean(yaw))
    ahead = float(np.cos(mean) * way[0] + np.sin(mean) * way[1])
    return ReferenceStride(
        first,
        (begin / SAMPLE_RATE, middle / SAMPLE_RATE, end / SAMPLE_RATE),
        ahead * SAMPLE_RATE / (end - begin),
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
