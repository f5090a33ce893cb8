"""The gait of a reference: when its feet strike, and the style of the next step.

The reference is sampled anew at each step, so that edits made during a run take effect.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array, Mask
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.body.surface import contact_parts
from poise.control.pendulum import gait
from poise.control.pendulum.gait import SAMPLES, StepStyle
from poise.control.pendulum.legs import Legs, walker_feet
from poise.reference.reference import Reference
from poise.rotations import quat_from_axis_angle, quat_multiply, yaw_of

SAMPLE_RATE = 120.0  # Rate (1/s) at which a reference is sampled
MIN_GAP = 0.3  # Minimum time (s) between two strikes of the same foot
SEARCH_ENDLESS, SEARCH_FINITE = 6.0, 60.0
"""Length (s) of the part that is searched for steps: of an endless reference, and of a finite reference."""
MIN_STEP = 0.15  # Minimum time (s) between strikes of the two feet
MIN_SPEED_SHARE = 0.5
"""Strides slower than this share of the usual speed of the reference's strides are not taken as the walk."""
MAX_STEP = 0.75
"""Maximum duration (s, adult) of a step: in a longer one the pendulum falls further than the next step can correct."""
USUAL_SPEED = 0.9  # Speed (m/s per root of a metre of leg length) up to which steps last as long as the reference's
STRIKE_TOLERANCE, SPEED_TOLERANCE = 0.03, 0.05
"""Changes of a strike (s) and of the stride's speed (m/s) above which the stride is searched anew."""
MIN_WIDTH = 0.18  # In leg lengths: minimum distance between the feet, so that the legs do not collide


class ReferenceStride(NamedTuple):
    """A stride of the reference: the strikes of one foot, of the other foot, and of the first foot again."""

    first: int  # first foot: 0 for the left one
    strikes: tuple[float, float, float]  # s
    speed: float  # m/s
    width: float  # m between the feet
    centre: float  # m of the centre of mass ahead of the stance foot's centre of pressure, mean of all strikes
    turn: float  # rad by which the heading turns
    gap: Array  # (nv,) from the last pose of the stride to its first; zero for an endless reference


class ReferenceWalk:
    """The steps of a reference. Turns are taken out of the steps, so that each step heads straight ahead."""

    def __init__(self, reference: Reference, body: Body, legs: Legs) -> None:
        self._reference, self._body, self._legs = reference, body, legs
        self._data = mujoco.MjData(body.model)
        self._stride, self._since = self._find_stride(0.0), 0.0
        first = reference.at(0.0).qpos
        self._stood = _mean_step_width(first[None], body, legs, float(yaw_of(first[3:7])))  # m between the feet

    def _find_stride(self, since: float) -> ReferenceStride | None:
        """The most periodic stride of the reference from a time (s) on; None without a stride."""
        endless = self._reference.duration is None
        samples = sample_reference_gait(
            self._reference, self._body, SEARCH_ENDLESS if endless else SEARCH_FINITE, since
        )
        stride = _most_periodic_stride(samples, self._body, self._legs)
        if stride is None or not endless:
            return stride
        begin, middle, end = stride.strikes
        return stride._replace(strikes=(since + begin, since + middle, since + end), gap=np.zeros(self._body.nv))

    @property
    def takes_no_steps(self) -> bool:
        """Whether the reference takes no steps."""
        return self._stride is None

    @property
    def duration(self) -> float:
        """Duration (s) of a step of the reference, at most MAX_STEP; of a plain step without a stride."""
        if self._stride is None:
            return gait.PLAIN_STEP * math.sqrt(self._legs.length / gait.PLAIN_LEG)
        return min(0.5 * (self._stride.strikes[2] - self._stride.strikes[0]), MAX_STEP * self._legs.time_scale)

    def duration_at(self, speed: float) -> float:
        """Duration (s) of a step at a speed (m/s): above the reference's speed, steps are longer and quicker."""
        usual = max(abs(self.speed), USUAL_SPEED * math.sqrt(self._legs.length))
        return self.duration * math.sqrt(min(usual / max(abs(speed), 1e-6), 1.0))

    @property
    def speed(self) -> float:
        """Speed (m/s) of the reference's walk; 0 without a stride."""
        return 0.0 if self._stride is None else self._stride.speed

    @property
    def width(self) -> float:
        """Distance (m) between the feet across the heading, at least MIN_WIDTH."""
        wide = self._stood if self._stride is None else self._stride.width
        return max(wide, MIN_WIDTH * self._legs.length)

    def step_style(self, stance: int, time: float, speed: float | None = None) -> StepStyle:
        """The style of the reference's step on foot `stance` that begins nearest to a time (s).

        If `speed` (m/s; default: the reference's own) has the opposite sign, the step is played in reverse, so that the
        arms still balance the legs. If an edit has changed the walk, the stride is searched anew.
        """
        if not self._is_unchanged(time):
            self._stride = self._find_stride(time)
            self._since = time if self._stride is None else self._stride.strikes[0]
        stride = self._stride
        if stride is None:
            return gait.plain_step_style(self._body, self._legs, self._reference.at(time).qpos)
        begin, end = stride.strikes[:2] if stance == stride.first else stride.strikes[1:]
        period = stride.strikes[2] - stride.strikes[0]
        lap = self._lap(begin, period, time) if self._reference.duration is None else 0
        times = np.linspace(begin, end, SAMPLES)
        frames = np.array([self._reference.at(t + lap * period).qpos for t in times])
        shares = (times - stride.strikes[0]) / period
        if stride.gap.any():
            frames = PoseSpace(self._body).moved(frames, shares[:, None] * stride.gap)
        straight = _straightened_step(frames, stride.turn * 0.5)
        if speed is not None and speed * stride.speed < 0:
            straight = straight[::-1]
        return gait.step_style(straight, self._body, self._legs, stance, stride.centre, self._data)

    def _lap(self, begin: float, period: float, time: float) -> int:
        """Number of periods by which a step that begins at `begin` (s) is shifted to begin nearest to a time (s)."""
        return max(round((time - begin) / period), -int((begin - self._since) / period))

    def _is_unchanged(self, time: float) -> bool:
        """Whether the feet still strike at the same times and distances: an edit may have changed the walk."""
        stride = self._stride
        if stride is None or self._reference.duration is not None:
            return True
        begin, _, end = stride.strikes
        strike = begin + (1 + self._lap(begin, end - begin, time)) * (end - begin)
        times = np.array([strike - STRIKE_TOLERANCE, strike + STRIKE_TOLERANCE, strike, strike - end + begin])
        samples = gait_samples_at(self._reference, self._body, times)
        before, after = samples.down[:2, stride.first]
        speed = math.copysign(np.linalg.norm(samples.poses[2, :2] - samples.poses[3, :2]) / (end - begin), stride.speed)
        return bool(after and not before) and abs(speed - stride.speed) < SPEED_TOLERANCE

    def nearest_phase(self, pose: Array) -> tuple[int, float, StepStyle]:
        """The stance foot, phase and step style whose pose is nearest to `pose` (nq,)."""
        steps = [self.step_style(stance, 0.0) for stance in (0, 1)]
        model, gap = self._body.model, np.zeros(self._body.nv)
        found = []
        for stance, step in enumerate(steps):
            for i, other in enumerate(step.pose):
                mujoco.mj_differentiatePos(model, gap, 1.0, other, pose)
                found.append((float(gap[6:] @ gap[6:]), stance, i / (SAMPLES - 1)))
        _, stance, phase = min(found)
        return stance, phase, steps[stance]


def _most_periodic_stride(samples: ReferenceSamples, body: Body, legs: Legs) -> ReferenceStride | None:
    """The stride whose first and last poses differ least; None without a stride."""
    found_strikes = sorted(
        (frame, foot) for foot in (0, 1) for frame in foot_strike_frames(samples.down[:, foot], SAMPLE_RATE)
    )
    triples = zip(found_strikes, found_strikes[1:], found_strikes[2:], strict=False)
    found = [
        _measured_stride(samples.poses, foot, (begin, middle, end), body, legs)
        for (begin, foot), (middle, other), (end, same) in triples
        if foot == same != other and min(middle - begin, end - middle) > MIN_STEP * SAMPLE_RATE
    ]
    speeds = [abs(stride.speed) for stride in found]
    usual = sum(speed * speed for speed in speeds) / max(sum(speeds), 1e-9)  # mean over distance: without shuffling
    walked = [stride for stride in found if abs(stride.speed) >= MIN_SPEED_SHARE * usual]
    return min(walked, key=lambda stride: float(stride.gap @ stride.gap), default=None)


def _measured_stride(poses: Array, first: int, frames: tuple[int, int, int], body: Body, legs: Legs) -> ReferenceStride:
    """The stride of poses (T, nq) with strikes at three `frames`; foot `first` (0 for the left) strikes first."""
    begin, middle, end = frames
    gap = PoseSpace(body).difference(poses[[end]], poses[[begin]])[0]
    gap[:6] = 0.0
    yaw = np.unwrap(yaw_of(poses[begin : end + 1, 3:7]))
    way = poses[end, :2] - poses[begin, :2]
    mean = float(np.mean(yaw))
    speed = float(np.cos(mean) * way[0] + np.sin(mean) * way[1]) * SAMPLE_RATE / (end - begin)
    times = begin / SAMPLE_RATE, middle / SAMPLE_RATE, end / SAMPLE_RATE
    strikes = poses[list(frames)]
    width, centre = _mean_step_width(strikes, body, legs, mean), _mean_lead(strikes, first, mean, body, legs)
    return ReferenceStride(first, times, speed, width, centre, float(yaw[-1] - yaw[0]), gap)


def _mean_step_width(poses: Array, body: Body, legs: Legs, yaw: float) -> float:
    """Mean distance (m) between the feet across a heading `yaw` (rad), in poses (K, nq)."""
    ankle = gait.leg_tracks(poses, body, legs).ankle
    way = ankle[:, 0] - ankle[:, 1]
    return float(np.mean(np.cos(yaw) * way[:, 1] - np.sin(yaw) * way[:, 0]))


def _mean_lead(poses: Array, first: int, yaw: float, body: Body, legs: Legs) -> float:
    """Mean distance (m) of the centre of mass ahead of both feet's centres of pressure, from each one's strike to next.

    `poses` (3, nq) are those of three strikes, of which that of foot `first` is the first; the walk heads along `yaw`.
    """
    data, work, com = mujoco.MjData(body.model), gait.leg_tracks(poses, body, legs), np.empty((3, 3))
    for k, pose in enumerate(poses):
        data.qpos[:] = pose
        mujoco.mj_kinematics(body.model, data)
        mujoco.mj_comPos(body.model, data)
        com[k] = data.subtree_com[1]
    ways = [
        com[k : k + 2] - gait.pressed_points(work, legs, side)[k : k + 2] for k, side in enumerate((first, 1 - first))
    ]
    return float(np.mean(np.concatenate(ways)[:, :2] @ [math.cos(yaw), math.sin(yaw)]))


def _straightened_step(frames: Array, turn: float) -> Array:
    """The frames of a step rotated to head along x on average, with its turn (rad) taken out frame by frame."""
    yaw = np.unwrap(yaw_of(frames[:, 3:7]))
    back = -(float(np.mean(yaw)) + turn * np.linspace(-0.5, 0.5, len(frames)))
    out = np.array(frames)
    out[:, 3:7] = quat_multiply(quat_from_axis_angle([0.0, 0.0, 1.0], back), frames[:, 3:7])
    steps, middle = np.diff(frames[:, :2], axis=0), 0.5 * (back[1:] + back[:-1])
    cos, sin = np.cos(middle), np.sin(middle)
    path = np.stack([cos * steps[:, 0] - sin * steps[:, 1], sin * steps[:, 0] + cos * steps[:, 1]], axis=1)
    out[:, :2] = np.vstack([np.zeros(2), np.cumsum(path, axis=0)])
    return out


class ReferenceSamples(NamedTuple):
    """Poses and foot contacts of a reference at T times."""

    poses: Array  # (T, nq)
    down: Mask  # (T, 2) which feet carry weight, left first; False where unknown


def sample_reference_gait(reference: Reference, body: Body, seconds: float, since: float = 0.0) -> ReferenceSamples:
    """Sample poses and foot contacts of a reference from a time (s) on, for `seconds` or until the reference ends."""
    times = np.arange(since, since + min(reference.duration or seconds, seconds), 1 / SAMPLE_RATE)
    return gait_samples_at(reference, body, times)


def gait_samples_at(reference: Reference, body: Body, times: Array) -> ReferenceSamples:
    """Poses and foot contacts of a reference at times (T,) s."""
    targets = [reference.at(t) for t in times]
    parts = contact_parts(body)
    own = [[i for i, part in enumerate(parts) if part.limb == foot.link] for foot in walker_feet(body)]
    down = np.zeros((len(targets), 2), bool)
    for k, target in enumerate(targets):
        if target.down is not None:
            down[k] = [bool(np.any(target.down[each])) for each in own]
    return ReferenceSamples(np.array([target.qpos for target in targets]), down)


def foot_strike_frames(down: Mask, rate: float) -> list[int]:
    """Frames at which a foot with contacts `down` (T,) strikes. Strikes within MIN_GAP s of the last are ignored."""
    found: list[int] = []
    for frame in np.flatnonzero(down[1:] & ~down[:-1]) + 1:
        if not found or frame - found[-1] > MIN_GAP * rate:
            found.append(int(frame))
    return found
