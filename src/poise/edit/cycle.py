"""Edits of time: a motion played slower or faster, and one cycle found, closed and repeated."""

import math
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np

from poise.arrays import Array, Mask, readonly, true_runs
from poise.body.pose_space import displace_poses, planar_displacement, yaw_quat
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
NEAR_COST = 0.05  # per s: what a cycle away from the requested time costs more
SHORTER = 0.02  # of equal cycles the shorter is preferred: one stride, not two
STILL = 0.05  # of the motion of the whole clip: an interval with hardly more motion than this counts as standing still
DIFFERENT = 0.8  # of the motion in between: ends that differ by more do not repeat
NOTABLE_TURN, NOTABLE_STEP = 1.0, 0.1  # degrees in a cycle, m in a stride: less is not named


@dataclass(frozen=True)
class Loop:
    """Edit that repeats one cycle of the motion `count` times, or for ever if `count` is None."""

    count: int | None = None
    over: float = OVER  # s, transition into the cycle if the span has a start
    straight: bool = False  # whether the cycle is straightened, so that its repetition does not go in a circle
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if self.count is not None and self.count < 1:
            raise PoiseError(f"cannot loop {self.count} times: the count must be at least 1")

    def __str__(self) -> str:
        times = "" if self.count is None else str(self.count)
        over = None if self.over == OVER else number_text(self.over)
        return edit_text("loop", times, self.span, over=over, straight="yes" if self.straight else None)

    def on(self, take: Take) -> Take:
        """The repeated cycle; if the span has a start, the motion `take` and a transition come before it."""
        start = self.span.start
        if take.cycle is not None and start is None:
            clip, first, last = take.cycle, 0, take.cycle.frames - 1
        else:
            clip = take.clip(SAMPLED + (start or 0.0) if take.duration is None else take.duration)
            first, last = find_cycle(clip, start)
        cycle = close_cycle(clip, first, last, self.straight)
        if start is None:  # the cycle begins where the motion begins
            way = (clip.qpos[0, :3] - cycle.qpos[0, :3]) * [1.0, 1.0, 0.0]
            cycle = replace(cycle, qpos=readonly(displace_poses(cycle.qpos, yaw_quat(0.0), way)))
        endless = take_of(Played(cycle), take.body, take.rate)
        looped = replace(endless, start=take.start)
        if self.count is not None:
            looped = replace(looped, duration=self.count * cycle.seconds, cycle=None)
        result = looped if start is None else crossfaded(take, looped, start, self.over)
        return replace(result, notes=(*take.notes, f"{self}: {_cycle_text(clip, cycle, first, last)}"))


def _cycle_text(clip: BodyClip, cycle: BodyClip, first: int, last: int) -> str:
    """Which part of a clip a cycle repeats, how many strides it has, and by how much it turns."""
    text = f"repeats {first / clip.rate:.2f} to {last / clip.rate:.2f} s"
    feet = [] if cycle.down is None else [cycle.down[:-1, parts].any(axis=1) for parts in foot_parts(cycle.body)]
    strides = max((int(np.sum(bears & ~np.roll(bears, 1))) for bears in feet), default=0)
    yaw, way = planar_displacement(cycle.qpos[0], cycle.qpos[-1])
    yaw, walks = math.degrees(yaw), np.linalg.norm(way[:2]) > NOTABLE_STEP * strides
    counted = f", {strides} stride{'s' if strides > 1 else ''}" if strides and walks else ""
    return text + counted + (f", which turns by {yaw:+.1f} degrees" if abs(yaw) > NOTABLE_TURN else "")


def extract_cycle(clip: BodyClip, near: float | None = None) -> BodyClip:
    """The interval of a clip that repeats best, closed to a cyclic clip; intervals near the time `near` (s) preferred.

    The difference between both ends is spread evenly over the cycle; feet take a constant share during each stance.
    """
    return close_cycle(clip, *find_cycle(clip, near))


def close_cycle(clip: BodyClip, first: int, last: int, straight: bool = False) -> BodyClip:
    """A part of a clip, from frame `first` to `last`, as a cyclic clip; it does not turn if it is to be `straight`.

    The last pose equals the first, except for ground position and, unless `straight`, heading.
    """
    down = None if clip.down is None else readonly(clip.down[first : last + 1], bool)
    cut = replace(clip, qpos=readonly(clip.qpos[first : last + 1]), down=down, cyclic=True)
    body = cut.body
    yaw, shift = planar_displacement(cut.qpos[0], cut.qpos[-1])
    if straight:
        yaw, shift = 0.0, (cut.qpos[-1, :3] - cut.qpos[0, :3]) * [1.0, 1.0, 0.0]
    turn = yaw_quat(yaw)
    gap = np.zeros(body.nv)
    mujoco.mj_differentiatePos(body.model, gap, 1.0, cut.qpos[-1], displace_poses(cut.qpos[0], turn, shift))
    shares = np.repeat((np.arange(cut.frames) / (cut.frames - 1) - 0.5)[:, None], body.nv, axis=1)
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


def find_cycle(clip: BodyClip, near: float | None = None) -> tuple[int, int]:
    """First and last frame of the interval whose ends differ least for its motion, preferably near a time (s)."""
    shortest, longest = round(SHORTEST * clip.rate), min(round(LONGEST * clip.rate), clip.frames - 1)
    table = blend_features(clip.body, _edit_frames_of_clip(clip), clip.rate)
    table = table - table.mean(axis=0)
    sums, squares = (np.concatenate([0 * s[:1], np.cumsum(s, axis=0)]) for s in (table, np.sum(table**2, axis=1)))
    active = math.sqrt(squares[-1] / clip.frames)
    if active < 1e-3:
        raise _no_cycle(clip)
    best, pair = np.inf, None
    for lag in range(shortest, longest + 1):
        apart = np.linalg.norm(table[lag:] - table[:-lag], axis=1)
        mean = (sums[lag:-1] - sums[: -lag - 1]) / lag
        moved = np.sqrt(np.maximum((squares[lag:-1] - squares[: -lag - 1]) / lag - np.sum(mean**2, axis=1), 0.0))
        cost = (apart + STILL * active) / np.maximum(moved, 1e-9) + SHORTER * lag / longest
        if near is not None:
            middle = (np.arange(len(cost)) + lag / 2) / clip.rate
            cost += NEAR_COST * np.abs(middle - near)
        k = int(np.argmin(cost))
        if cost[k] < best:
            best, pair = float(cost[k]), (k, k + lag)
    if pair is None or best > DIFFERENT:
        raise _no_cycle(clip)
    return pair


def _no_cycle(clip: BodyClip) -> PoiseError:
    return PoiseError(f"motion '{clip.name}' has no cycle of {SHORTEST:g} to {LONGEST:g} s: nothing in it repeats")


def _close_foot_gaps_of_loop(cut: BodyClip, down: Mask, closed: BodyClip, turn: Array, shift: Array) -> BodyClip:
    """`closed` without foot sliding: each foot moves by a share, constant in a stance, of its gap in `cut`."""
    placement = EditedFootPlacement(cut.body)
    place, feet = placement.places(cut.qpos)
    gap = quat_rotate(turn, place[0]) + shift - place[-1]  # (F, 3) m
    twist = quat_log(quat_multiply(quat_multiply(turn, feet[0]), quat_conjugate(feet[-1])))  # (F, 3) rad
    for foot, parts in enumerate(foot_parts(cut.body)):
        share = _stance_shares_of_loop(down[:, parts])
        place[:, foot] += share[:, None] * gap[foot]
        feet[:, foot] = quat_multiply(quat_exp(share[:, None] * twist[foot]), feet[:, foot])
    poses, downs = zip(*placement.settled(_edit_frames_of_clip(closed), place, feet), strict=True)
    return replace(closed, qpos=np.array(poses), down=readonly(downs, bool))


def _stance_shares_of_loop(down: Mask) -> Array:
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


def _edit_frames_of_clip(clip: BodyClip) -> list[Frame]:
    downs = [None] * clip.frames if clip.down is None else list(clip.down)
    return [Frame(pose, down) for pose, down in zip(clip.qpos, downs, strict=True)]
