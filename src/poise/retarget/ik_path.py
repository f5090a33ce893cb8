"""Inverse kinematics of a whole clip: goals are met by corrections that change slowly from frame to frame.

With c_t the tangent step from the given pose of frame t to the solution, minimise

    goals + sum_t |w c_t|^2 + tau^4 sum_t |w c_t''|^2

so that a correction needed in one frame fades in and out over about tau seconds. Frames are coupled only to their
neighbours, so that each Gauss-Newton step solves one banded system.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.arrays import Array, Mask
from poise.body.pose_space import PoseSpace
from poise.ease import cubic_ease
from poise.kernel import kernel
from poise.retarget.ik import PoseGoals, PoseSolver, normal_equations


@kernel
def solve_banded_ik_system(columns: Array, x: Array) -> None:
    """Overwrite x (N,) with A^-1 x by Cholesky factorisation of a positive definite banded A.

    `columns[j, d]` is A[j + d, j]; `columns` is overwritten. LAPACK's solver splits such small systems among threads
    that wait for each other, which takes a hundred times as long on a busy machine.
    """
    size, width = columns.shape
    for j in range(size):
        column = columns[j]
        column /= np.sqrt(column[0])
        x[j] /= column[0]
        for d in range(1, min(width, size - j)):
            factor = column[d]
            if factor != 0.0:
                x[j + d] -= factor * x[j]
                below = columns[j + d]
                for k in range(width - d):
                    below[k] -= factor * column[d + k]
    for j in range(size - 1, -1, -1):
        column = columns[j]
        rest = x[j]
        for d in range(1, min(width, size - j)):
            rest -= column[d] * x[j + d]
        x[j] = rest / column[0]


Bands = tuple[tuple[int, Array], ...]  # (offset, diagonal) pairs of a symmetric matrix over frames; offset >= 0
_FIRST_DAMPING = 1.0
_PIECE = 400  # frames solved at a time, so that work and memory grow linearly with the clip
_FORGOTTEN = 6.0  # overlap of pieces in units of tau, after which a correction has died away
_LITTLE = 3e-4  # relative change of the cost below which the search ends


def solve_path(
    solver: PoseSolver,
    given: Array,
    goals: PoseGoals,
    *,
    rate: float,
    fade: float,
    weights: Array,
    start: Array | None = None,
    iterations: int = 20,
    tolerance: float = 5e-4,
) -> Array:
    """Poses (T, nq) that meet the goals by slow corrections of the poses `given` (T, nq), within joint limits.

    `rate`: frames per second. `fade`: tau (s). `weights` (nv,): w, the weights of corrections. The search begins at
    `start`, by default `given`. The search ends after `iterations`, or when no step exceeds `tolerance` (rad, m), or
    when the cost no longer changes.
    """
    first_guess = given if start is None else start
    overlap = max(2, round(_FORGOTTEN * fade * rate))
    out = np.array(given)
    for begin, end in clip_pieces(len(given), overlap):
        span = slice(begin, end)
        coupling = smoothness_bands(end - begin, (fade * rate) ** 4)
        problem = PathProblem(solver, given[span], goals.at_frames(span), weights**2, coupling)
        found = least_cost_path(problem, solver.space, first_guess[span], iterations, tolerance)
        if begin:  # blend from the previous piece over the shared frames
            shared = slice(begin, begin + overlap)
            share = np.linspace(0.0, 1.0, overlap + 2)[1:-1, None]
            way = solver.space.difference(out[shared], found[:overlap])
            found[:overlap] = solver.space.moved(out[shared], cubic_ease(share) * way)
        out[span] = found
    return out


def clip_pieces(frames: int, overlap: int) -> list[tuple[int, int]]:
    """(begin, end) of each piece. Neighbours share `overlap` frames; corrections further apart are independent."""
    count = max(1, round((frames - overlap) / _PIECE))
    ends = np.linspace(overlap, frames, count + 1).round().astype(int) if count > 1 else np.array([overlap, frames])
    return [(max(0, int(begin) - overlap), int(end)) for begin, end in pairwise(ends)]


def least_cost_path(
    problem: "PathProblem", space: PoseSpace, start: Array, iterations: int, tolerance: float, little: float = _LITTLE
) -> Array:
    """The poses (T, nq) of least cost from `start`, until no step exceeds `tolerance` (rad, m) or gain is `little`."""
    qpos = space.clamped(start)
    here = problem.linearised(qpos)
    damping = _FIRST_DAMPING
    for _ in range(iterations):
        step = problem.step(qpos, here, damping)
        tried = space.moved_within(qpos, step)
        there = problem.linearised(tried)
        gain = here.cost - there.cost
        if gain >= 0:
            qpos, here, damping = tried, there, 0.1 * damping
        else:
            damping *= 10.0
        if np.abs(step).max() < tolerance or abs(gain) < little * here.cost:
            break
    return qpos


@dataclass(frozen=True, eq=False)
class LinearisedPath:
    """The objective of `PathProblem` linearised about poses (T, nq), in the tangent space."""

    matrix: Array  # (T, nv, nv) of the goals alone
    vector: Array  # (T, nv) negative gradient of all terms
    cost: float


class PathProblem:
    """The objective of the module's docstring for one piece of the clip. `squares` (nv,): squared weights w."""

    def __init__(self, solver: PoseSolver, given: Array, goals: PoseGoals, squares: Array, bands: Bands) -> None:
        self._space, self._kinematics = solver.space, solver.kinematics
        self._given, self._goals, self._squares, self._bands = given, goals, squares, bands
        self.moving = solver.kinematics.moving_dofs(*goals.points_and_links_used())
        """Indices of the coordinates that are corrected"""

    def linearised(self, qpos: Array) -> LinearisedPath:
        """All terms of the objective, linearised about poses (T, nq)."""
        matrix, vector, cost = normal_equations(self._kinematics, self._goals, qpos)
        correction = self._space.difference(self._given, qpos)
        pull = self._squares * _banded_product(self._bands, correction)
        return LinearisedPath(matrix, vector - pull, float(cost.sum() + np.sum(correction * pull)))

    def step(self, qpos: Array, here: LinearisedPath, damping: float) -> Array:
        """(T, nv) damped step in the chart coordinates of `PoseSpace`; 0 for coordinates that press against a limit."""
        step = np.zeros_like(here.vector)
        if len(self.moving):  # else there are no goals at all
            blocks, push, _ = self.chart_blocks(qpos, here, damping)
            step[:, self.moving] = self.solved(qpos, blocks, push)
        return step

    def chart_blocks(self, qpos: Array, here: LinearisedPath, damping: float) -> tuple[list[Array], Array, Array]:
        """The damped system in the n moving chart coordinates: matrix blocks, right side (T, n) and chart (T, n, n)."""
        some = self.moving
        charts = self._space.charts(qpos)[:, some[:, None], some]
        turned = np.swapaxes(charts, 1, 2)
        blocks = [
            turned[apart:] * (band[:, None] * self._squares[some])[:, None] @ charts[: len(band)]
            for apart, band in self._bands
        ]
        blocks[0] += turned @ here.matrix[:, some[:, None], some] @ charts
        diagonal = np.arange(len(some))
        blocks[0][:, diagonal, diagonal] += damping
        return blocks, (turned @ here.vector[:, some, None])[..., 0], charts

    def solved(self, qpos: Array, blocks: list[Array], push: Array) -> Array:
        """(T, n) step of the moving coordinates; 0 for coordinates that press against a limit. Overwrites `blocks`."""
        whole = np.zeros((len(qpos), len(self._squares)))
        whole[:, self.moving] = push
        return _solve_frame_blocks(blocks, push, ~self._space.held(qpos, whole)[:, self.moving])


def smoothness_bands(frames: int, bend: float) -> Bands:
    """Diagonals of the symmetric matrix 1 + bend D'D over frames, where D takes second differences of frames."""
    main, next_, far = np.ones(frames), np.zeros(max(frames - 1, 0)), np.zeros(max(frames - 2, 0))
    for k, factor in enumerate((1.0, -2.0, 1.0)):
        main[k : frames - 2 + k] += bend * factor**2
    next_[: frames - 2] += -2.0 * bend
    next_[1 : frames - 1] += -2.0 * bend
    far += bend
    return (0, main), (1, next_), (2, far)


def _banded_product(bands: Bands, values: Array) -> Array:
    """(T, nv) product of the symmetric matrix with diagonals `bands` and `values` (T, nv)."""
    out = bands[0][1][:, None] * values
    for apart, band in bands[1:]:
        out[apart:] += band[:, None] * values[: len(band)]
        out[: len(band)] += band[:, None] * values[apart:]
    return out


def _solve_frame_blocks(blocks: list[Array], push: Array, free: Mask) -> Array:
    """(T, n) step that solves A step = push; 0 where not `free`. `blocks[d][t]` (n, n): A for frames t + d and t."""
    frames, size = push.shape
    rows, columns = (grid.ravel() for grid in np.meshgrid(np.arange(size), np.arange(size), indexing="ij"))
    band = np.zeros((frames, size, 3 * size))
    for apart, block in enumerate(blocks):
        block *= free[apart:, :, None] & free[: len(block), None, :]
        if apart == 0:
            block[:, np.arange(size), np.arange(size)] += ~free
        below = apart * size + rows - columns
        used = below >= 0
        band[: len(block), columns[used], below[used]] = block[:, rows[used], columns[used]]
    out = (push * free).ravel()
    solve_banded_ik_system(band.reshape(-1, 3 * size), out)
    return out.reshape(frames, size)
