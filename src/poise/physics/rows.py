"""Rows of a sparse problem: values, and their derivatives by the variables that they depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Ints


@dataclass(frozen=True, eq=False)
class TaskRows:
    """A batch of B blocks of R rows; each block depends on m variables of its own."""

    name: str  # description for messages
    columns: Ints  # (B, m) indices of variables; -1 for a column without one
    jacobian: Array  # (B, R, m)
    value: Array  # (B, R)
    whose: NDArray[np.str_] | None = None  # subject of each row, for messages; broadcasts to (B, R)
    unit: str = ""  # unit of the values, for messages

    def along(self, step: Array) -> Array:
        """(B, R) first-order change of the rows with a step (n,)."""
        taken = np.append(step, 0.0)[self.columns]  # index -1 reads the appended 0
        return np.asarray(np.matmul(self.jacobian, taken[:, :, None])[:, :, 0])

    def pulled(self, weights: Array, size: int) -> Array:
        """(n,) sum of the rows' gradients, weighted by (B, R)."""
        parts = np.matmul(weights[:, None, :], self.jacobian)
        return np.asarray(np.bincount(self.columns.ravel() + 1, parts.ravel(), size + 1)[1:], float)


@dataclass(frozen=True, eq=False)
class BoundedRows:
    """Rows that must stay between bounds (B, R), which may be infinite."""

    rows: TaskRows
    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False)
class LinearisedProblem:
    """A problem at a point: minimise half the sum of squares of `cost` with `equal` and `tied` 0, `bounded` in bounds.

    Columns of one block of `cost`, `equal` and `bounded` are at most the problem's bandwidth apart. `tied` rows may
    couple any variables, such as the first and the last, and should be few.
    """

    cost: Sequence[TaskRows]
    equal: Sequence[TaskRows]
    bounded: Sequence[BoundedRows] = ()
    tied: Sequence[TaskRows] = ()


def stacked_values(batches: Sequence[TaskRows]) -> Array:
    """The values of several batches in one vector."""
    return joined_vector([rows.value for rows in batches])


def joined_vector(parts: Sequence[Array]) -> Array:
    """Several arrays in one vector."""
    return np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(0)


def split_by_rows(values: Array, batches: Sequence[TaskRows]) -> list[Array]:
    """A vector over all rows, split into the shapes of the batches."""
    ends = np.cumsum([0] + [rows.value.size for rows in batches])
    spans = zip(ends[:-1], ends[1:], batches, strict=True)
    return [values[start:end].reshape(rows.value.shape) for start, end, rows in spans]


def cost_of(here: LinearisedProblem) -> float:
    """Half the sum of squares of the cost rows."""
    return 0.5 * sum(float(np.sum(rows.value**2)) for rows in here.cost)


def violations(here: LinearisedProblem) -> list[tuple[TaskRows, Array]]:
    """All constraints, each with the violation (B, R) of its rows; 0 where they hold."""
    out = [(rows, np.abs(rows.value)) for rows in (*here.equal, *here.tied)]
    for bounded in here.bounded:
        value = bounded.rows.value
        out.append((bounded.rows, np.maximum(np.maximum(bounded.lower - value, value - bounded.upper), 0.0)))
    return out


def largest_violation(here: LinearisedProblem) -> float:
    """The largest violation of any constraint."""
    return max((float(excess.max(initial=0.0)) for _, excess in violations(here)), default=0.0)
