"""Inverse kinematics: the poses that bring points and links of a body to wanted places.

Least squares over the whole pose in its tangent space, by Levenberg's damped Gauss-Newton steps, within joint limits.
All frames are solved at once, each on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.body import Body
from poise.body.poses import PoseSpace
from poise.frozen import Array
from poise.reference.ik_goals import Goals, goals_for, normal_equations
from poise.reference.ik_kinematics import Kinematics

_FIRST_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-2, 1e-9, 1e4
_LITTLE, _NOTHING = 1e-5, 1e-10  # of the cost, and at all: no gain worth another step


@dataclass(frozen=True, eq=False)
class PoseSolution:
    """Poses, and how near they come. Without a leading axis if one pose was asked for."""

    qpos: Array  # (T, nq)
    place_error: Array  # (T, P) m
    turn_error: Array  # (T, L) rad
    iterations: int
    converged: NDArray[np.bool_]  # (T,)


class PoseSolver:
    """Solves poses of a body for places of `points` (link, place in its frame) and turns of links."""

    def __init__(
        self, body: Body, points: Sequence[tuple[str, ArrayLike]], turns: Sequence[str] = ()
    ) -> None:  # fmt: skip
        self.space = PoseSpace(body)
        self.kinematics = Kinematics(body, points, turns)
        self._counts = (len(points), len(turns))

    def goals(
        self,
        frames: int,
        *,
        places: ArrayLike | None = None,
        place_weights: ArrayLike = 1.0,
        turns: ArrayLike | None = None,
        turn_weights: ArrayLike = 1.0,
    ) -> Goals:
        """Goals of a number of frames; each value for all of them, or (T, ...)."""
        return goals_for(frames, places, place_weights, turns, turn_weights, self._counts)

    def solve(
        self,
        start: ArrayLike,
        *,
        places: ArrayLike | None = None,
        place_weights: ArrayLike = 1.0,
        turns: ArrayLike | None = None,
        turn_weights: ArrayLike = 1.0,
        prior: ArrayLike | None = None,
        prior_weights: ArrayLike = 1e-3,
        iterations: int = 30,
        tolerance: float = 1e-6,
    ) -> PoseSolution:
        """The poses nearest to the goals, from `start` (nq,) or (T, nq).

        places (..., P, 3) m and turns (..., L, 4) with weights (..., P) and (..., L); `prior` (..., nq) is the pose
        to stay near to (`start` if not given) with weights of a number or (nv,). Ends after `iterations`, or when
        no coordinate of a frame's step exceeds `tolerance` (rad, m) or it gains nothing.
        """
        first = np.atleast_2d(np.asarray(start, float))
        near = first if prior is None else np.broadcast_to(np.asarray(prior, float), first.shape)
        goals = self.goals(
            len(first), places=places, place_weights=place_weights, turns=turns, turn_weights=turn_weights
        )
        search = _Search(self, goals, near, np.asarray(prior_weights, float) ** 2)
        qpos, converged, used = search.run(first, iterations, tolerance)
        found = self._measured(qpos, goals, converged, used)
        return found if np.ndim(start) == 2 else _single(found)

    def _measured(self, qpos: Array, goals: Goals, converged: NDArray[np.bool_], used: int) -> PoseSolution:
        shift, turn = goals.errors(*self.kinematics.at(qpos))
        return PoseSolution(
            qpos, np.linalg.norm(shift, axis=-1), np.linalg.norm(turn, axis=-1), used, np.asarray(converged)
        )


class _Search:
    """Levenberg's search: per frame a damping that falls with success; frames that are done rest.

    Coordinates that press against a limit are held in a step (Bertsekas' projected Newton method).
    """

    def __init__(self, solver: PoseSolver, goals: Goals, prior: Array, prior_squares: Array) -> None:
        self._space, self._kinematics = solver.space, solver.kinematics
        self._goals, self._prior, self._squares = goals, prior, prior_squares

    def run(self, start: Array, iterations: int, tolerance: float) -> tuple[Array, NDArray[np.bool_], int]:
        """Poses, whether each has converged, and the iterations used."""
        qpos = self._space.clamped(start)
        active = np.arange(len(start))
        damping = np.full(len(start), _FIRST_DAMPING)
        matrix, vector, cost = self._linearised(qpos, active)
        used = 0
        while used < iterations and len(active):
            used += 1
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
        converged = np.ones(len(start), bool)
        converged[active] = False
        return qpos, converged, used

    def _step(self, qpos: Array, matrix: Array, vector: Array, damping: Array) -> Array:
        """The damped step in the chart, without the coordinates that are held."""
        charts = self._space.charts(qpos)
        turned = np.swapaxes(charts, 1, 2)
        push = (turned @ vector[..., None])[..., 0]
        free = ~self._space.held(qpos, push)
        inner = (turned @ matrix @ charts) * (free[:, :, None] & free[:, None, :])
        diagonal = np.arange(inner.shape[1])
        inner[:, diagonal, diagonal] += damping[:, None] + ~free
        return np.asarray(np.linalg.solve(inner, (push * free)[..., None])[..., 0])

    def _linearised(self, qpos: Array, frames: NDArray[np.int64]) -> tuple[Array, Array, Array]:
        """Matrix, vector and cost of goals and prior, in the tangent space."""
        matrix, vector, cost = normal_equations(self._kinematics, self._goals.take(frames), qpos)
        away = self._space.difference(qpos, self._prior[frames])
        diagonal = np.arange(matrix.shape[1])
        matrix[:, diagonal, diagonal] += self._squares
        vector += self._squares * away
        cost += np.sum(self._squares * away**2, axis=1)
        return matrix, vector, cost


def _single(found: PoseSolution) -> PoseSolution:
    return PoseSolution(
        found.qpos[0], found.place_error[0], found.turn_error[0], found.iterations, np.asarray(found.converged[0])
    )
