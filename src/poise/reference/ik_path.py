"""Poses of a whole clip solved together: goals are met by corrections that change slowly from frame to frame.

With c_t the tangent step from the given pose of frame t to the found one, minimise

    goals + sum_t |w c_t|^2 + tau^4 sum_t |w c_t''|^2

so that a correction that is needed in one frame fades in and out over about tau seconds. Gauss-Newton; the frames
couple only with their neighbours, so each step is one solve of a banded system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.reference.ik import PoseSolver
from poise.reference.ik_goals import Goals, normal_equations
from poise.spatial import Array

_Bands = tuple[tuple[int, Array], ...]  # diagonals of a symmetric matrix over frames, by distance from the main one
_FIRST_DAMPING = 1.0
_LITTLE = 1e-4  # of the cost: no gain worth another step


def solve_path(
    solver: PoseSolver,
    given: Array,
    goals: Goals,
    *,
    rate: float,
    fade: float,
    weights: Array,
    start: Array | None = None,
    iterations: int = 20,
    tolerance: float = 5e-4,
) -> Array:
    """Poses (T, nq) that meet the goals with slow corrections of the `given` ones (T, nq), within joint limits.

    `rate` in frames per second, `fade` (tau) in s, `weights` (nv,) of corrections, `start` of the search where it is
    not `given`. Ends after `iterations` or when no step exceeds `tolerance` (rad, m) or gains anything.
    """
    problem = _Path(solver, given, goals, weights**2, _coupling(len(given), (fade * rate) ** 4))
    qpos = solver.space.clamped(given if start is None else start)
    here = problem.linearised(qpos)
    damping = _FIRST_DAMPING
    for _ in range(iterations):
        step = problem.step(qpos, here, damping)
        tried = solver.space.moved_within(qpos, step)
        there = problem.linearised(tried)
        gain = here.cost - there.cost
        if gain >= 0:
            qpos, here, damping = tried, there, 0.1 * damping
        else:
            damping *= 10.0
        if np.abs(step).max() < tolerance or abs(gain) < _LITTLE * here.cost:
            break
    return qpos


@dataclass(frozen=True, eq=False)
class _Linearised:
    """The goals about some poses, as least squares in the tangent space."""

    matrix: Array  # (T, nv, nv) of the goals alone
    vector: Array  # (T, nv) what pulls at each coordinate, all terms together
    cost: float


class _Path:
    """The sum that is minimised."""

    def __init__(self, solver: PoseSolver, given: Array, goals: Goals, squares: Array, bands: _Bands) -> None:
        self._space, self._kinematics = solver.space, solver.kinematics
        self._given, self._goals, self._squares, self._bands = given, goals, squares, bands

    def linearised(self, qpos: Array) -> _Linearised:
        """All terms at some poses."""
        matrix, vector, cost = normal_equations(self._kinematics, self._goals, qpos)
        correction = self._space.difference(self._given, qpos)
        pull = self._squares * _coupled(self._bands, correction)
        return _Linearised(matrix, vector - pull, float(cost.sum() + np.sum(correction * pull)))

    def step(self, qpos: Array, here: _Linearised, damping: float) -> Array:
        """(T, nv) the damped step in the chart, without the coordinates that press against a limit."""
        charts = self._space.charts(qpos)
        turned = np.swapaxes(charts, 1, 2)
        push = (turned @ here.vector[..., None])[..., 0]
        free = ~self._space.held(qpos, push)
        blocks = [
            turned[apart:] * (band[:, None] * self._squares)[:, None] @ charts[: len(band)]
            for apart, band in self._bands
        ]
        blocks[0] += turned @ here.matrix @ charts
        diagonal = np.arange(push.shape[1])
        blocks[0][:, diagonal, diagonal] += damping
        return _solve_banded(blocks, push, free)


def _coupling(frames: int, bend: float) -> _Bands:
    """The diagonals, by distance, of the symmetric matrix 1 + bend D'D over frames, D the second difference."""
    main, next_, far = np.ones(frames), np.zeros(max(frames - 1, 0)), np.zeros(max(frames - 2, 0))
    for k, factor in enumerate((1.0, -2.0, 1.0)):
        main[k : frames - 2 + k] += bend * factor**2
    next_[: frames - 2] += -2.0 * bend
    next_[1 : frames - 1] += -2.0 * bend
    far += bend
    return (0, main), (1, next_), (2, far)


def _coupled(bands: _Bands, values: Array) -> Array:
    """The symmetric matrix of `bands` times values (T, nv)."""
    out = bands[0][1][:, None] * values
    for apart, band in bands[1:]:
        out[apart:] += band[:, None] * values[: len(band)]
        out[: len(band)] += band[:, None] * values[apart:]
    return out


def _solve_banded(blocks: list[Array], push: Array, free: NDArray[np.bool_]) -> Array:
    """The step (T, nv), zero where it is not free. `blocks[d][t]` (nv, nv) couples frame t + d with frame t."""
    from scipy.linalg import solveh_banded

    frames, size = push.shape
    rows, columns = (grid.ravel() for grid in np.meshgrid(np.arange(size), np.arange(size), indexing="ij"))
    band = np.zeros((3 * size, frames, size))
    for apart, block in enumerate(blocks):
        block *= free[apart:, :, None] & free[: len(block), None, :]
        if apart == 0:
            block[:, np.arange(size), np.arange(size)] += ~free
        below = apart * size + rows - columns
        used = below >= 0
        band[below[used], : len(block), columns[used]] = block[:, rows[used], columns[used]].T
    solved = solveh_banded(
        band.reshape(3 * size, -1), (push * free).ravel(), overwrite_ab=True, lower=True, check_finite=False
    )
    return np.asarray(solved.reshape(frames, size))
