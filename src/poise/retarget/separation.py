"""Separation of limbs: a clip's overlapping links are moved apart by small, smooth corrections of the joints.

Contacts with the ground stay where they are. Where one leg passes the other and overlaps, the left leg is moved to the
left of the pelvis. The direction between two overlapping legs would not do: it turns round where their axes cross.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Ints, Mask, readonly, true_runs
from poise.body.body import Body
from poise.body.pose_space import PoseDisplacement, PoseSpace, planar_displacement
from poise.body.self_contact import Proximities, SelfDistances
from poise.ease import quintic_ease
from poise.motion.repair.finding import Finding
from poise.reference.body_clip import BodyClip
from poise.reference.supports import Support
from poise.retarget.ik import PoseGoals, PoseSolver
from poise.retarget.ik_path import LinearisedPath, PathProblem, clip_pieces, least_cost_path, smoothness_bands
from poise.rotations import quat_conjugate, quat_multiply, quat_rotate

TOLERANCE = 0.002  # m: links that overlap by less stay as they are
_CLEARANCE, _ARM = 0.002, -0.002  # m between legs and trunk that were moved apart, and between arms and all else
_NEAR = 0.03  # m: links that are farther from each other are not watched
_FADE = 0.1  # s over which corrections fade in and out
_AROUND = 0.3  # s before and after an overlap in which poses may change
_GRIP, _APART, _FLOOR = 2000.0, 500.0, 300.0  # 1/m: weights of contacts, distances and heights; joints have 1 per rad
_STAY, _TILT = 10.0, 3.0  # weights of the root's shifts (per hip height) and rotations
_BESIDE = 0.9  # s of the cycles before and after that are solved with a cycle
_SHARED = 0.5  # s that successive pieces of a long interval share
_ENDS = 1e4  # weight of corrections in the two outermost frames of an interval
_ASIDE = 0.5  # legs are beside each other, not one before the other, if their direction has this lateral part
_GAP = 0.05  # s: overlaps of two legs that are this close in time are one passing
_GUESSES = 6  # most guesses of the places that lack distance after a step
_LONGEST = 0.15  # rad or m: longest step of a search
_ROUNDS, _STEPS, _STEADY, _LITTLE = 3, 30, 2e-4, 0.003  # searches; steps of each; last step (rad, m) and gain


@dataclass(frozen=True)
class Overlap:
    """The deepest overlap of two links of a body in a clip."""

    depth: float  # m, 0 for none
    links: tuple[str, str]
    time: float  # s

    def __str__(self) -> str:
        first, second = (link.replace("_", " ") for link in self.links)
        return f"{first} passes through {second} by {1e3 * self.depth:.0f} mm at {self.time:.2f} s"


@dataclass(frozen=True)
class Separation:
    """A clip with its links moved apart, and what was changed."""

    clip: BodyClip
    before: Overlap
    after: Overlap
    turned_deg: float  # largest change of a joint, degrees
    joint: str  # that joint

    def finding(self) -> Finding:
        """What was found and done, for the report on an import."""
        deep, after = self.before.depth >= TOLERANCE, 1e3 * self.after.depth
        found = str(self.before) if deep else "links of the body do not pass through each other"
        where = f" ({' and '.join(self.after.links)})".replace("_", " ") if after > 0 else ""
        worst = f"at most {self.turned_deg:.1f} degrees ({self.joint.replace('_', ' ')})"
        moved = f"moved apart, {worst}; {after:.0f} mm remain{where}" if self.joint else "nothing"
        value = {
            "before_m": self.before.depth,
            "after_m": self.after.depth,
            "links": list(self.before.links),
            "time": self.before.time,
            "turned_deg": self.turned_deg,
            "joint": self.joint,
        }
        return Finding("overlap", found, moved, "overlap=keep" if deep else "", value)


def separate_limbs(clip: BodyClip, pins: Sequence[Support] | None = None, *, move: bool = True) -> Separation:
    """Move overlapping links of a clip apart, or only measure if not `move`; `pins`, by default all contacts, stay."""
    distances = SelfDistances(clip.body, _NEAR)
    near = distances.at(clip.qpos, moves=False)
    before = _deepest(distances, near, clip.rate)
    deep = distances.apart[near.pair] & (near.distance < -TOLERANCE)
    if not (move and deep.any()):
        return Separation(clip, before, before, 0.0, "")
    fixed = _contact_pins(clip) if pins is None else [pin for pin in pins if pin.down.any()]
    apart = replace(clip, qpos=readonly(_separated_poses(clip, fixed, distances)))
    change = np.abs(PoseSpace(clip.body).difference(clip.qpos, apart.qpos)[:, 6:]).max(axis=0)
    after, worst = _deepest(distances, distances.at(apart.qpos, moves=False), clip.rate), int(change.argmax())
    return Separation(apart, before, after, float(np.degrees(change[worst])), clip.body.dof_names[6 + worst])


def _deepest(distances: SelfDistances, near: Proximities, rate: float) -> Overlap:
    """The deepest overlap among near places."""
    if not len(near.frame) or near.distance.min() >= 0:
        return Overlap(0.0, ("", ""), 0.0)
    k = int(near.distance.argmin())
    return Overlap(-float(near.distance[k]), distances.links(int(near.pair[k])), float(near.frame[k]) / rate)


def _contact_pins(clip: BodyClip) -> list[Support]:
    """The points of all contact parts of the clip that are ever down."""
    if clip.down is None:
        return []
    return [
        Support(part.name, part.link, point, clip.down[:, p])
        for p, part in enumerate(clip.parts)
        for point in part.points
        if clip.down[:, p].any()
    ]


def _separated_poses(clip: BodyClip, pins: Sequence[Support], distances: SelfDistances) -> Array:
    """(T, nq) poses of the clip with links moved apart. A cycle is solved between parts of the cycles beside it."""
    qpos, frames = clip.qpos, clip.frames
    down = np.array([pin.down for pin in pins], bool).reshape(len(pins), frames).T
    beside = min(frames - 1, round(_BESIDE * clip.rate)) if clip.cyclic else 0
    if beside:
        first, last = clip.qpos[[0, -1]]
        before, after = (PoseDisplacement(*planar_displacement(*ends)).pose(clip.qpos)
                         for ends in ((last, first), (first, last)))  # fmt: skip
        qpos = np.concatenate([before[-1 - beside : -1], clip.qpos, after[1 : 1 + beside]])
        down = np.concatenate([down[-1 - beside : -1], down, down[1 : 1 + beside]])
    out = qpos
    for arms in (False, True):  # legs and trunk first; then only arms move
        out = _Separator(clip, out, pins, down, distances, arms).run()
    return _closed_cycle(clip, qpos, out, beside) if beside else out


def _closed_cycle(clip: BodyClip, given: Array, moved: Array, beside: int) -> Array:
    """(T, nq) one cycle of `moved` poses (beside + T + beside, nq). Its corrections of `given` poses go on at the seam.

    In its first `beside` frames the corrections go over from those of the next cycle's first frames.
    """
    own = slice(beside, beside + clip.frames)
    space, start = PoseSpace(clip.body), slice(beside, 2 * beside)
    corrections = space.difference(given[own], moved[own])
    back = PoseDisplacement(*planar_displacement(clip.qpos[-1], clip.qpos[0]))
    again = back.pose(moved[own.stop - 1 :][:beside])
    share = quintic_ease(np.arange(beside) / beside)[:, None]
    corrections[:beside] = (1 - share) * space.difference(given[start], again) + share * corrections[:beside]
    out = space.moved(given[own], corrections)
    out[-1] = PoseDisplacement(*planar_displacement(clip.qpos[0], clip.qpos[-1])).pose(out[0])
    return out


class _Separator:
    """Moves links apart in poses `given` (T, nq), within intervals around overlaps: only `arms`, or all else."""

    def __init__(
        self, clip: BodyClip, given: Array, pins: Sequence[Support], down: Mask, distances: SelfDistances, arms: bool
    ) -> None:
        self._body, self.rate, self.given, self._down, self._distances = clip.body, clip.rate, given, down, distances
        self.solver = PoseSolver(clip.body, [(pin.link, pin.centre) for pin in pins])
        self._places = self.solver.kinematics.at(given)[0]
        turned = quat_multiply(given[:, 3:7], quat_conjugate(clip.body.standing[3:7]))
        self._left = quat_rotate(turned, np.array([0.0, 1.0, 0.0]))
        limbs, links = _limb_of_links(clip.body), [distances.links(k) for k in range(len(distances.pairs))]
        pairs = [(limbs[first], limbs[second]) for first, second in links]
        self._mine = (distances.of_arms == arms) & distances.apart
        sides = {("right_leg", "left_leg"): 1.0, ("left_leg", "right_leg"): -1.0}
        self._legs = np.array([sides.get(pair, 0.0) for pair in pairs])
        """(P,) 1 for pairs of a right and a left leg, -1 for a left and a right one, else 0"""
        self._free = np.array([joint.group.endswith("arm") == arms for joint in clip.body.joints for _ in joint.dofs])
        self._clearance = _ARM if arms else _CLEARANCE
        self._passing = self._passing_frames(distances.at(given, moves=False))
        self._sideways = np.zeros((len(given), len(pairs)), bool)

    def run(self) -> Array:
        """(T, nq) the separated poses."""
        out = np.array(self.given)
        for _ in range(_ROUNDS):
            near = self._distances.at(out, moves=False)
            deep = np.zeros(len(out), bool)
            deep[near.frame[self._mine[near.pair] & (near.distance < -TOLERANCE)]] = True
            if not deep.any():
                break
            self._sideways |= self._sideways_places(near)
            changed = PoseSpace(self._body).difference(self.given, out).any(axis=1)
            reach = round(_AROUND * self.rate)
            for start, stop in true_runs(_spread(deep, reach) | changed):
                if deep[start:stop].any():
                    for begin, end in clip_pieces(stop - start, round(_SHARED * self.rate)):
                        self._solve_interval(out, slice(start + begin, start + end), end < stop - start)
        return out

    def _solve_interval(self, out: Array, span: slice, goes_on: bool) -> None:
        """Replace the poses `out[span]` by separated poses. If it `goes_on`, the last poses are solved again later."""
        places, down = self._places[span], self._down[span]
        held = np.repeat(_GRIP * down[:, :, None], 3, axis=2)
        none = np.zeros((len(places), 0, 4)), np.zeros((len(places), 0))
        goals = PoseGoals(places, held, *none, np.broadcast_to(places[..., 2].min(axis=0), places.shape[:2]), _FLOOR)
        ends = np.zeros(len(places))
        ends[:2], ends[-2:] = _ENDS * (span.start > 0), _ENDS * (span.stop < len(out) and not goes_on)
        problem = _SeparationProblem(self, goals, span, ends, out[span])
        out[span] = least_cost_path(problem, self.solver.space, out[span], _STEPS, _STEADY, _LITTLE)

    def _passing_frames(self, near: Proximities) -> Mask:
        """(T,) whether legs overlap while one passes the other, so that they are moved apart to the sides."""
        legs = np.flatnonzero((self._legs[near.pair] != 0) & (near.distance < 0))
        frames = len(self.given)
        depth, side = np.zeros(frames), np.zeros(frames)
        for k in legs[np.argsort(-near.distance[legs])]:  # the deepest is written last
            depth[near.frame[k]] = -near.distance[k]
            side[near.frame[k]] = abs(near.normal[k] @ self._left[near.frame[k]])
        out, close = np.zeros(frames, bool), max(1, round(_GAP * self.rate))
        for start, stop in true_runs(_spread(depth > 0, close)):
            out[start:stop] = side[start + int(depth[start:stop].argmax())] > _ASIDE
        return out

    def _lateral_parts(self, near: Proximities, span: slice) -> tuple[Array, Mask]:
        """(K,) lateral part of the direction from right leg to left, 0 for other pairs; and whether legs pass there."""
        sign = self._legs[near.pair]
        part = sign * np.einsum("ki,ki->k", near.normal, self._left[span][near.frame])
        return part, self._passing[span][near.frame] & (sign != 0)

    def _sideways_places(self, near: Proximities) -> Mask:
        """(T, P) whether a pair is moved apart to the sides: it overlaps, but does not cross in front or behind."""
        out = np.zeros((len(self.given), len(self._legs)), bool)
        part, passing = self._lateral_parts(near, slice(None))
        some = passing & (near.distance < 0) & ((part > 0) | (part < -_ASIDE))
        out[near.frame[some], near.pair[some]] = True
        return out

    def missing(self, qpos: Array, span: slice) -> tuple[Ints, Array, Array]:
        """Frames (K,) of near places, distances that they lack (K,) m, and by how much poses lessen the lack (K, nv).

        Sideways, the lack of two round legs is how far the left one must move to the left to touch the right one.
        """
        near = self._distances.at(qpos, self._mine)
        part, passing = self._lateral_parts(near, span)
        wrong = passing & (part < -_ASIDE)  # the left leg is to the right
        sideways = self._sideways[span][near.frame, near.pair]
        radius = self._distances.radii[near.pair]
        axes = near.distance + radius  # m between the axes
        across = axes * part  # m, how far the left leg is to the left
        aside = np.sqrt(np.maximum(radius**2 - axes**2 + across**2, 0.0)) - across
        lack = self._clearance + np.where(sideways, aside, -near.distance)
        left = self._legs[near.pair, None] * self._left[span][near.frame]
        direction = np.where(sideways[:, None], left, near.normal)
        some = sideways | ~wrong
        return near.frame[some], lack[some], np.matmul(direction[some, None], near.moves[some])[:, 0]

    @property
    def weights(self) -> Array:
        """(nv,) weights of corrections."""
        out = np.ones(self._body.nv)
        out[:3], out[3:6] = _STAY / self._body.standing[2], _TILT
        return out

    def moving_dofs(self, qpos: Array, span: slice) -> Ints:
        """DOFs that move overlapping links; if the root is free and one moves a planted contact, all that do."""
        _, lack, rows = self.missing(qpos, span)
        some = np.any(rows[lack > 0] != 0, axis=0) & self._free
        down = np.asarray(self._down[span].any(axis=0))
        carried = np.zeros(self._body.nv, bool)
        carried[self.solver.kinematics.moving_dofs(down, np.zeros(0, bool))] = True
        together = np.any((some & carried)[6:]) and self._free[0]
        return np.flatnonzero(some | (carried & self._free) if together else some)


@dataclass(frozen=True, eq=False)
class _SeparatedPath(LinearisedPath):
    """The linearised objective without the lacks of distance, whose rows are apart."""

    frame: Ints  # (K,)
    lack: Array  # (K,) m
    rows: Array  # (K, nv)


class _SeparationProblem(PathProblem):
    """The objective of `ik_path` with squared lacks of distance, and with corrections that end at the interval's ends.

    `ends` (T,): weights with which the corrections of a frame stay what they are in the poses `now` (T, nq).
    """

    def __init__(self, separator: _Separator, goals: PoseGoals, span: slice, ends: Array, now: Array) -> None:
        given = separator.given[span]
        bands = smoothness_bands(len(given), (_FADE * separator.rate) ** 4)
        super().__init__(separator.solver, given, goals, separator.weights**2, bands)
        self._separator, self._span, self._ends = separator, span, ends[:, None] ** 2
        self._kept = self._space.difference(given, now)
        self.moving = separator.moving_dofs(given, span)

    def linearised(self, qpos: Array) -> _SeparatedPath:
        """All terms of the objective, linearised about poses (T, nq)."""
        here, (frame, lack, rows) = super().linearised(qpos), self._separator.missing(qpos, self._span)
        correction = self._space.difference(self._given, qpos) - self._kept
        pull = self._ends * correction
        every = np.arange(len(pull[0]))
        here.matrix[:, every, every] += self._ends
        cost = here.cost + _APART**2 * float(np.sum(np.maximum(lack, 0.0) ** 2)) + float(np.sum(correction * pull))
        return _SeparatedPath(here.matrix, here.vector - pull, cost, frame, lack, rows)

    def step(self, qpos: Array, here: LinearisedPath, damping: float) -> Array:
        """(T, nv) damped step in the chart. Distances count that are lacking after the step, to first order."""
        assert isinstance(here, _SeparatedPath)
        if not len(self.moving):  # no free joint moves what overlaps
            return np.zeros_like(here.vector)
        blocks, push, charts = self.chart_blocks(qpos, here, damping)
        rows = _APART * np.matmul(here.rows[:, None, self.moving], charts[here.frame])[:, 0]
        lack = _APART * here.lack
        short, found = lack > 0, np.zeros_like(push)
        for _ in range(_GUESSES):
            now, right = [np.array(block) for block in blocks], np.array(push)
            some = rows[short]
            frame, first = np.unique(here.frame[short], return_index=True)
            if len(frame):
                now[0][frame] += np.add.reduceat(some[:, :, None] * some[:, None], first)
                right[frame] += np.add.reduceat(lack[short][:, None] * some, first)
            found = self.solved(qpos, now, right)
            before, short = short, lack > np.sum(rows * found[here.frame], axis=1)
            if np.array_equal(before, short):
                break
        step = np.zeros_like(here.vector)
        step[:, self.moving] = found * min(1.0, _LONGEST / max(np.abs(found).max(initial=0.0), _LONGEST))
        return step


def _limb_of_links(body: Body) -> dict[str, str]:
    """By link: the group of its joint, such as left_leg; of welded links, the group of the link that carries them."""
    model, own = body.model, {joint.link: joint.group for joint in body.joints[1:]}
    carriers = (model.body(carrier).name for carrier in model.body_weldid[1:])
    return {link: own.get(carrier, "") for link, carrier in zip(body.links, carriers, strict=True)}


def _spread(mask: Mask, reach: int) -> Mask:
    """The mask (T,), also true up to `reach` frames before and after."""
    return np.asarray(np.convolve(mask, np.ones(2 * reach + 1), mode="full")[reach : len(mask) + reach] > 0.5)
