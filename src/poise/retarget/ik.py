"""Inverse kinematics: poses that bring points and links of a body to target positions and orientations.

Each pose minimises squared errors in the tangent space of poses, by damped Gauss-Newton steps (Levenberg-Marquardt),
within joint limits. All frames are solved at once, independently of each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array, Ints, Mask
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics, LinkPoses
from poise.body.pose_space import PoseSpace
from poise.rotations import quat_conjugate, quat_log, quat_multiply

BATCH = 256  # frames whose Jacobians are in memory at a time


@dataclass(frozen=True, eq=False)
class PoseGoals:
    """Targets for T frames: positions of P points, orientations of L links. Weights multiply errors in m and rad."""

    places: Array  # (T, P, 3) m
    place_weights: Array  # (T, P, 3) per axis x, y, z; 0 for no goal
    turns: Array  # (T, L, 4)
    turn_weights: Array  # (T, L)
    floors: Array | None = None  # (T, P) m: least heights of points whose height has weight 0; -inf for none
    floor_weight: float = 0.0  # weight of points below their floors

    def at_frames(self, frames: Ints | slice) -> "PoseGoals":
        """The goals of some of the frames."""
        own = (self.places, self.place_weights, self.turns, self.turn_weights)
        places, place_weights, turns, turn_weights = (part[frames] for part in own)
        floors = None if self.floors is None else self.floors[frames]
        return PoseGoals(places, place_weights, turns, turn_weights, floors, self.floor_weight)

    def errors(self, places: Array, turns: Array) -> tuple[Array, Array]:
        """What is missing to the goals: shifts (T, P, 3) m and rotation vectors (T, L, 3) rad in the world frame."""
        return self.places - places, quat_log(quat_multiply(self.turns, quat_conjugate(turns)))

    def points_and_links_used(self) -> tuple[Mask, Mask]:
        """Masks of the points (P,) and of the links (L,) that have a goal in any frame."""
        points = np.any(self.place_weights != 0, axis=(0, 2))
        if self.floors is not None:
            points = points | np.any(np.isfinite(self.floors), axis=0)
        return points, np.asarray(np.any(self.turn_weights != 0, axis=0))

    def lifted_to_floors(self, places: Array) -> "PoseGoals":
        """The goals, plus target heights for points whose positions `places` (T, P, 3) m are below their floors."""
        if self.floors is None:
            return self
        sunk = (places[..., 2] < self.floors) & (self.place_weights[..., 2] == 0)
        wanted, weights = np.array(self.places), np.array(self.place_weights)
        wanted[..., 2] = np.where(sunk, self.floors, wanted[..., 2])
        weights[..., 2] += sunk * self.floor_weight
        return replace(self, places=wanted, place_weights=weights)


def normal_equations(kinematics: LinkKinematics, goals: PoseGoals, qpos: Array) -> tuple[Array, Array, Array]:
    """Linearise the goals: matrix (T, nv, nv), vector (T, nv), cost (T,). The step x solves matrix @ x = vector."""
    parts = []
    for first in range(0, len(qpos), BATCH):
        span = slice(first, first + BATCH)
        parts.append(_batch_normal_equations(kinematics.posed(qpos[span]), goals.at_frames(span)))
    matrix, vector, cost = (np.concatenate(each) for each in zip(*parts, strict=True))
    return matrix, vector, cost


def _batch_normal_equations(posed: LinkPoses, goals: PoseGoals) -> tuple[Array, Array, Array]:
    frames, _, _, nv = posed.place_rows.shape
    goals = goals.lifted_to_floors(posed.places)
    shift, turn = goals.errors(posed.places, posed.turns)
    turn_weights = np.broadcast_to(goals.turn_weights[..., None], turn.shape)
    weights = np.concatenate([goals.place_weights, turn_weights], axis=1)
    rows = weights[..., None] * np.concatenate([posed.place_rows, posed.turn_rows], axis=1)
    rows = rows.reshape(frames, -1, nv)
    missing = (weights * np.concatenate([shift, turn], axis=1)).reshape(frames, -1, 1)
    transposed = np.swapaxes(rows, 1, 2)
    return transposed @ rows, (transposed @ missing)[..., 0], np.sum(missing[..., 0] ** 2, axis=1)


_FIRST_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-2, 1e-9, 1e4
_LITTLE, _NOTHING = 1e-5, 1e-10  # relative and absolute change of the cost below which a frame has converged


@dataclass(frozen=True, eq=False)
class PoseSolution:
    """The solved poses and their remaining errors. Without the axis T of frames if `start` was a single pose."""

    qpos: Array  # (T, nq)
    place_error: Array  # (T, P) m
    turn_error: Array  # (T, L) rad
    converged: Mask  # (T,)


class PoseSolver:
    """Solves poses for target positions of `points` (link, position in the link's frame) and orientations of links."""

    def __init__(
        self, body: Body, points: Sequence[tuple[str, ArrayLike]], turns: Sequence[str] = ()
    ) -> None:  # fmt: skip
        self.space = PoseSpace(body)
        self.kinematics = LinkKinematics(body, points, turns)
        self._counts = (len(points), len(turns))

    def goals(
        self,
        frames: int,
        *,
        places: ArrayLike | None = None,
        place_weights: ArrayLike = 1.0,
        turns: ArrayLike | None = None,
        turn_weights: ArrayLike = 1.0,
    ) -> PoseGoals:
        """Goals for a number of frames. Each value has an axis of frames (T, ...), or applies to all frames."""
        points, links = self._counts
        upright = np.array([1.0, 0.0, 0.0, 0.0])
        place_weights, turn_weights = np.asarray(place_weights, float), np.asarray(turn_weights, float)
        if places is None:
            places, place_weights = np.zeros(3), np.asarray(0.0)
        if turns is None:
            turns, turn_weights = upright, np.asarray(0.0)
        return PoseGoals(
            np.broadcast_to(np.asarray(places, float), (frames, points, 3)),
            np.broadcast_to(place_weights[..., None], (frames, points, 3)),
            np.broadcast_to(np.asarray(turns, float), (frames, links, 4)),
            np.broadcast_to(turn_weights, (frames, links)),
        )

    def solve(
        self,
        start: ArrayLike,
        *,
        prior: ArrayLike | None = None,
        prior_weights: ArrayLike = 1e-3,
        iterations: int = 30,
        tolerance: float = 1e-6,
        **wanted: ArrayLike,
    ) -> PoseSolution:
        """The poses that fit the goals `wanted`, see `goals`, best. The search begins at `start` (nq,) or (T, nq).

        `places` (..., P, 3) m and `turns` (..., L, 4) have weights (..., P) and (..., L). `prior_weights`, a number or
        (nv,), keep the solution near `prior` (..., nq), by default `start`. The search ends after `iterations`; for a
        frame it ends when no coordinate of the step exceeds `tolerance` (rad, m) or the cost no longer changes.
        """
        first = np.atleast_2d(np.asarray(start, float))
        near = first if prior is None else np.broadcast_to(np.asarray(prior, float), first.shape)
        goals = self.goals(len(first), **wanted)
        search = _PoseSearch(self, goals, near, np.asarray(prior_weights, float) ** 2)
        qpos, converged = search.run(first, iterations, tolerance)
        shift, turn = goals.errors(*self.kinematics.at(qpos))
        parts: list[NDArray[Any]] = [qpos, np.linalg.norm(shift, axis=-1), np.linalg.norm(turn, axis=-1), converged]
        return PoseSolution(*(parts if np.ndim(start) == 2 else (np.asarray(part[0]) for part in parts)))


class _PoseSearch:
    """Levenberg-Marquardt search, damped per frame; coordinates that press on limits stay (projected Newton)."""

    def __init__(self, solver: PoseSolver, goals: PoseGoals, prior: Array, prior_squares: Array) -> None:
        self._space, self._kinematics = solver.space, solver.kinematics
        self._goals, self._prior, self._squares = goals, prior, prior_squares

    def run(self, start: Array, iterations: int, tolerance: float) -> tuple[Array, Mask]:
        """Search from `start` (T, nq). Returns poses (T, nq), and whether each converged (T,)."""
        qpos = self._space.clamped(start)
        active = np.arange(len(start))
        damping = np.full(len(start), _FIRST_DAMPING)
        matrix, vector, cost = self._linearised(qpos, active)
        for _ in range(iterations):
            step = self._step(qpos[active], matrix[active], vector[active], damping[active])
            tried = self._space.moved_within(qpos[active], step)
            found = self._linearised(tried, active)
            gain = cost[active] - found[2]
            better = gain >= 0
            settled = np.abs(gain) <= _LITTLE * cost[active] + _NOTHING
            taken = active[better]
            qpos[taken] = tried[better]
            matrix[taken], vector[taken], cost[taken] = (part[better] for part in found)
            damping[active] = np.clip(damping[active] * np.where(better, 0.1, 10.0), _LEAST_DAMPING, _MOST_DAMPING)
            stuck = ~better & (damping[active] >= _MOST_DAMPING)
            done = settled | stuck | (np.abs(step).max(axis=1) < tolerance)
            active = active[~done]
            if not len(active):
                break
        return qpos, ~np.isin(np.arange(len(start)), active)

    def _step(self, qpos: Array, matrix: Array, vector: Array, damping: Array) -> Array:
        """(T, nv) damped step in the chart coordinates of `PoseSpace`; 0 for coordinates that press against a limit."""
        charts = self._space.charts(qpos)
        turned = np.swapaxes(charts, 1, 2)
        push = (turned @ vector[..., None])[..., 0]
        free = ~self._space.held(qpos, push)
        inner = (turned @ matrix @ charts) * (free[:, :, None] & free[:, None, :])
        diagonal = np.arange(inner.shape[1])
        inner[:, diagonal, diagonal] += damping[:, None] + ~free
        return np.asarray(np.linalg.solve(inner, (push * free)[..., None])[..., 0])

    def _linearised(self, qpos: Array, frames: Ints) -> tuple[Array, Array, Array]:
        """As `normal_equations`, with the prior added, for poses `qpos` of the given `frames`."""
        matrix, vector, cost = normal_equations(self._kinematics, self._goals.at_frames(frames), qpos)
        away = self._space.difference(qpos, self._prior[frames])
        diagonal = np.arange(matrix.shape[1])
        matrix[:, diagonal, diagonal] += self._squares
        vector += self._squares * away
        cost += np.sum(self._squares * away**2, axis=1)
        return matrix, vector, cost
