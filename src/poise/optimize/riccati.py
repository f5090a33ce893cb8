"""Linear dynamics and quadratic costs, solved backwards in time.

    minimise  sum_k |x_k|^2_Q + |u_k|^2_R + |u_k + c_k|^2_P   with   x_{k+1} = A_k x_k + B_k u_k + d_k

x and u are deviations from a motion, c its controls, d the defects of its dynamics. What is still to be paid from a
state on is half of x'S x + 2 s'x, up to a constant [Muico2009] Eq. (8)-(10).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from poise.frozen import Array


@dataclass(frozen=True, eq=False)
class Stage:
    """One step of the problem."""

    by_state: Array  # (n, n) A
    by_control: Array  # (n, m) B
    defect: Array  # (n,) d
    state_cost: Array  # (n, n) Q
    change_cost: Array  # (m,) diagonal of R
    size_cost: Array  # (m,) diagonal of P
    control: Array  # (m,) c


@dataclass(frozen=True, eq=False)
class Future:
    """What remains to be paid, as a function of the state: its slope is s + S x."""

    matrix: Array  # (n, n) S
    slope: Array  # (n,) s


@dataclass(frozen=True, eq=False)
class Gain:
    """The best control of a stage, u = offset + matrix x."""

    matrix: Array  # (m, n)
    offset: Array  # (m,)


def step_back(stage: Stage, later: Future) -> tuple[Future, Gain]:
    """What remains to be paid before a stage, and its best control [Muico2009] Eq. (10)."""
    a, b, s = stage.by_state, stage.by_control, later.matrix
    ahead = s @ stage.defect + later.slope
    sb = s @ b
    effort = b.T @ sb
    effort[np.diag_indices_from(effort)] += stage.change_cost + stage.size_cost
    wish = np.column_stack([sb.T @ a, b.T @ ahead + stage.size_cost * stage.control])
    answer = -cho_solve(cho_factor(effort, check_finite=False), wish, check_finite=False)
    gain = Gain(answer[:, :-1], answer[:, -1])
    closed = a + b @ gain.matrix
    matrix = a.T @ (s @ closed)
    matrix += stage.state_cost
    slope = a.T @ (ahead + sb @ gain.offset)
    return Future(0.5 * (matrix + matrix.T), slope), gain


def look_back(stages: Sequence[Stage], end: Future) -> tuple[list[Future], list[Gain]]:
    """Futures before each stage and after the last (K + 1), and gains (K)."""
    futures, gains = [end], []
    for stage in reversed(stages):
        before, gain = step_back(stage, futures[-1])
        futures.append(before)
        gains.append(gain)
    return futures[::-1], gains[::-1]
