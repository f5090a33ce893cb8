"""Edits of time: a motion played slower or faster, and one cycle found, closed and repeated."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, readonly, true_runs
from poise.body.pose_displacement import displace_poses, planar_displacement, yaw_quat
from poise.edit.blend import OVER, blend_features, crossfaded
from poise.edit.foot_placement import EditedFootPlacement
from poise.edit.limbs import foot_parts, toe_dofs
from poise.edit.take import Frame, Span, Take, edit_text, number_text, take_of
from poise.errors import PoiseError
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played
from poise.rotations import quat_conjugate, quat_exp, quat_log, quat_multiply, quat_rotate


@dataclass(frozen=True)
class TimeWarpEdit:
    """Edit that plays the motion at `factor` times its speed. The span is in the time of the result."""

    factor: float
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if not 0.05 <= self.factor <= 20:
            raise PoiseError(f"warp factor {self.factor:g} is not between 0.05 and 20")

    def __str__(self) -> str:
        return edit_text("warp", number_text(self.factor), self.span)

    def on(self, take: Take) -> Take:
        """The motion at the changed speed, with the contacts that belong to the poses."""

        def frame(number: int) -> Frame:
            target = take.at(self.source(number / take.rate))
            return Frame(readonly(target.qpos), target.down)

        length = None if take.duration is None else self._result_time(take.duration)
        return take.with_frames(frame, duration=length)

    def source(self, time: float) -> float:
        """Time (s) in the original motion of the pose that the result has at `time` (s)."""
        return time + (self.factor - 1.0) * float(self.span.passed(time))

    def _result_time(self, time: float) -> float:
        """Time (s) in the result for a time (s) in the original: the inverse of `source`, by bisection."""
        low, high = 0.0, time * max(1.0, 1.0 / self.factor) + 1.0
        while high - low > 1e-12 * max(high, 1.0):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.source(middle) < time else (low, middle)
        return high if math.isfinite(high) else time


SHORTEST, LONGEST = 0.4, 3.0  # s, duration of a cycle
SAMPLED = 8.0  # s of an endless motion in which a cycle is searched
NEAR_COST = 0.02  # m: feature distance that counts like a cycle one second away from the requested time


@dataclass(frozen=True)
class Loop:
    """Edit that repeats one cycle of the motion `count` times, or for ever if `count` is None."""

    count: int | None = None
    over: float = OVER  # s, transition into the cycle if the span has a start
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if self.count is not None and self.count < 1:
            raise PoiseError(f"cannot loop {self.count} times: the count must be at least 1")

    def __str__(self) -> str:
        times = "" if self.count is None else str(self.count)
        return edit_text("loop", times, self.span, over=None if self.over == OVER else number_text(self.over))

    def on(self, take: Take) -> Take:
        """The repeated cycle; if the span has a start, the motion `take` and a transition come before it."""
        start = self.span.start
        seconds = SAMPLED + (start or 0.0) if take.duration is None else take.duration
        cycle = extract_cycle(take.clip(seconds), near=start)
        endless = take_of(Played(cycle), take.body, take.rate)
        looped = replace(endless, start=take.start)
        if self.count is not None:
            looped = replace(looped, duration=self.count * cycle.seconds, cycle=None)
        return looped if start is None else crossfaded(take, looped, start, self.over)


def extract_cycle(clip: BodyClip, near: float | None = None) -> BodyClip:
    """The interval of a clip that repeats best, closed to a cyclic clip; intervals near the time `near` (s) preferred.

    The difference between both ends is spread evenly over the cycle; feet take a constant share during each stance.
    """
    first, last = find_cycle(clip, near)
    down = None if clip.down is None else readonly(clip.down[first : last + 1], bool)
    cut = replace(clip, qpos=readonly(clip.qpos[first : last + 1]), down=down, cyclic=True)
    return _close_cycle_of_take(cut)


def find_cycle(clip: BodyClip, near: float | None = None) -> tuple[int, int]:
    """First and last frame of the interval whose ends are most alike; intervals near the time `near` (s) preferred."""
    shortest, longest = round(SHORTEST * clip.rate), min(round(LONGEST * clip.rate), clip.frames - 1)
    table = blend_features(clip.body, _cut_take_frames(clip), clip.rate)
    active = np.linalg.norm(table - table.mean(axis=0), axis=1).mean()
    best, pair = np.inf, None
    for lag in range(shortest, longest + 1):
        cost = np.linalg.norm(table[lag:] - table[:-lag], axis=1)
        if near is not None:
            middle = (np.arange(len(cost)) + lag / 2) / clip.rate
            cost = cost + NEAR_COST * np.abs(middle - near)
        cost = cost + 0.02 * active * lag / longest  # prefer the shorter of equal ones: one stride, not two
        k = int(np.argmin(cost))
        if cost[k] < best:
            best, pair = float(cost[k]), (k, k + lag)
    if pair is None or active < 1e-3 or best > 0.8 * active:
        raise PoiseError(f"motion '{clip.name}' has no cycle of {SHORTEST:g} to {LONGEST:g} s: nothing in it repeats")
    return pair


def _close_cycle_of_take(cut: BodyClip) -> BodyClip:
    """The clip with a last pose that equals the first, except for ground position and heading."""
    body, last = cut.body, cut.frames - 1
    yaw, shift = planar_displacement(cut.qpos[0], cut.qpos[-1])
    turn = yaw_quat(yaw)
    gap = np.zeros(body.nv)
    mujoco.mj_differentiatePos(body.model, gap, 1.0, cut.qpos[-1], displace_poses(cut.qpos[0], turn, shift))
    shares = np.repeat((np.arange(cut.frames) / last - 0.5)[:, None], body.nv, axis=1)
    if cut.down is not None:
        for parts, toes in zip(foot_parts(body), toe_dofs(body), strict=True):
            shares[:, toes] = _stance_shares_of_loop(cut.down[:, parts])[:, None]
    qpos = np.array(cut.qpos, order="C")  # MuJoCo writes into its rows
    for pose, part in zip(qpos, shares, strict=True):
        mujoco.mj_integratePos(body.model, pose, part * gap, 1.0)
    closed = replace(cut, qpos=qpos)
    if cut.down is not None and body.feet:
        closed = _close_foot_gaps_of_loop(cut, cut.down, closed, turn, shift)
    poses = np.concatenate([closed.qpos[:-1], displace_poses(closed.qpos[:1], turn, shift)])
    return replace(closed, qpos=readonly(poses))


def _close_foot_gaps_of_loop(
    cut: BodyClip, down: NDArray[np.bool_], closed: BodyClip, turn: Array, shift: Array
) -> BodyClip:
    """`closed` with feet that do not slide: each foot moves by a constant share of its gap in `cut` during a stance."""
    placement = EditedFootPlacement(cut.body)
    place, feet = placement.places(cut.qpos)
    gap = quat_rotate(turn, place[0]) + shift - place[-1]  # (F, 3) m
    twist = quat_log(quat_multiply(quat_multiply(turn, feet[0]), quat_conjugate(feet[-1])))  # (F, 3) rad
    for foot, parts in enumerate(foot_parts(cut.body)):
        share = _stance_shares_of_loop(down[:, parts])
        place[:, foot] += share[:, None] * gap[foot]
        feet[:, foot] = quat_multiply(quat_exp(share[:, None] * twist[foot]), feet[:, foot])
    poses, downs = zip(*placement.settled(_cut_take_frames(closed), place, feet), strict=True)
    return replace(closed, qpos=np.array(poses), down=readonly(downs, bool))


def _stance_shares_of_loop(down: NDArray[np.bool_]) -> Array:
    """(T,) shares of a gap, rising from -1/2 to 1/2; constant while any part of a foot is in contact (`down`)."""
    count = len(down)
    even = np.arange(count) / (count - 1) - 0.5
    when, what = [0.0, count - 1.0], [-0.5, 0.5]
    for begin, end in true_runs(np.asarray(np.any(down, axis=1))):
        value = -0.5 if begin == 0 else 0.5 if end == count else float(even[begin:end].mean())
        when += [begin, end - 1]
        what += [value, value]
    order = np.argsort(when, kind="stable")
    return np.asarray(np.interp(np.arange(count), np.array(when)[order], np.array(what)[order]))


def _cut_take_frames(clip: BodyClip) -> list[Frame]:
    downs = [None] * clip.frames if clip.down is None else list(clip.down)
    return [Frame(pose, down) for pose, down in zip(clip.qpos, downs, strict=True)]
