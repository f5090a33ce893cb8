"""Rows of a sparse problem: values, and the derivatives of each value by the variables that it depends on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Ints


@dataclass(frozen=True, eq=False)
class TaskRows:
    """A batch of B blocks, each of R rows. The rows of a block depend on the same m variables."""

    name: str  # description for messages
    columns: Ints  # (B, m) indices of each block's variables; -1 for a column without a variable
    jacobian: Array  # (B, R, m) derivatives of the rows by the block's variables
    value: Array  # (B, R) values of the rows
    whose: NDArray[np.str_] | None = None  # subject of each row, for messages; broadcasts to (B, R)
    unit: str = ""  # unit of the values, for messages

    def along(self, step: Array) -> Array:
        """(B, R) first-order change of the rows if the n variables change by `step` (n,)."""
        taken = np.append(step, 0.0)[self.columns]  # index -1 reads the appended 0
        return np.asarray(np.matmul(self.jacobian, taken[:, :, None])[:, :, 0])

    def pulled(self, weights: Array, size: int) -> Array:
        """(n,) sum of the gradients of all rows, times `weights` (B, R). `size` is n, the number of variables."""
        parts = np.matmul(weights[:, None, :], self.jacobian)
        return np.asarray(np.bincount(self.columns.ravel() + 1, parts.ravel(), size + 1)[1:], float)


@dataclass(frozen=True, eq=False)
class BoundedRows:
    """Rows whose values must stay between the bounds `lower` (B, R) and `upper` (B, R), which may be infinite."""

    rows: TaskRows
    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False)
class LinearisedProblem:
    """The rows at a point of: minimise half the sum of squares of `cost`; `equal`, `tied` are 0, `bounded` in bounds.

    Columns of one block of `cost`, `equal` and `bounded` are at most the problem's bandwidth apart. `tied` rows may
    couple any variables, such as the first and the last; there should be few `tied` rows.
    """

    cost: Sequence[TaskRows]
    equal: Sequence[TaskRows]
    bounded: Sequence[BoundedRows] = ()
    tied: Sequence[TaskRows] = ()


def stacked_values(batches: Sequence[TaskRows]) -> Array:
    """The values of all rows of several batches in one vector, batch after batch."""
    return joined_vector([rows.value for rows in batches])


def joined_vector(parts: Sequence[Array]) -> Array:
    """Flatten several arrays and join them into one vector."""
    return np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(0)


def split_by_rows(values: Array, batches: Sequence[TaskRows]) -> list[Array]:
    """Split a vector over all rows into one array (B, R) per batch: the inverse of `stacked_values`."""
    ends = np.cumsum([0] + [rows.value.size for rows in batches])
    spans = zip(ends[:-1], ends[1:], batches, strict=True)
    return [values[start:end].reshape(rows.value.shape) for start, end, rows in spans]


def cost_of(here: LinearisedProblem) -> float:
    """The cost: half the sum of squares of all cost rows."""
    return 0.5 * sum(float(np.sum(rows.value**2)) for rows in here.cost)


def violations(here: LinearisedProblem) -> list[tuple[TaskRows, Array]]:
    """Each batch of constraints with the violations (B, R) of its rows, which are 0 where a row satisfies it."""
    out = [(rows, np.abs(rows.value)) for rows in (*here.equal, *here.tied)]
    for bounded in here.bounded:
        value = bounded.rows.value
        out.append((bounded.rows, np.maximum(np.maximum(bounded.lower - value, value - bounded.upper), 0.0)))
    return out


def largest_violation(here: LinearisedProblem) -> float:
    """The largest violation of all constraints; 0 if there are none."""
    return max((float(excess.max(initial=0.0)) for _, excess in violations(here)), default=0.0)
