"""Rows of a sparse problem: values, and how they change with the variables they touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Ints


@dataclass(frozen=True, eq=False)
class Rows:
    """A batch of B blocks of R rows, each block on m variables of its own."""

    name: str  # what the rows say, for messages
    columns: Ints  # (B, m) the variables; -1 for a column without one
    jacobian: Array  # (B, R, m)
    value: Array  # (B, R)
    whose: NDArray[np.str_] | None = None  # what each row is about, for messages; broadcasts to (B, R)
    unit: str = ""  # of values, for messages

    def along(self, step: Array) -> Array:
        """(B, R) how the rows change with a step (n,), to first order."""
        taken = np.append(step, 0.0)[self.columns]  # the last for columns without a variable
        return np.asarray(np.matmul(self.jacobian, taken[:, :, None])[:, :, 0])

    def pulled(self, weights: Array, size: int) -> Array:
        """(n,) the sum of rows' gradients times weights (B, R)."""
        parts = np.matmul(weights[:, None, :], self.jacobian)
        return np.asarray(np.bincount(self.columns.ravel() + 1, parts.ravel(), size + 1)[1:], float)


@dataclass(frozen=True, eq=False)
class Bounded:
    """Rows that must stay between bounds (B, R); infinite where there is none."""

    rows: Rows
    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False)
class Linearised:
    """A problem at a point: least half the squares of `cost`, `equal` and `tied` zero, and `bounded` in bounds.

    Columns of one block of `cost`, `equal` and `bounded` are at most the problem's bandwidth apart; `tied` rows may
    join any variables, such as the first and the last, and should be few.
    """

    cost: Sequence[Rows]
    equal: Sequence[Rows]
    bounded: Sequence[Bounded] = ()
    tied: Sequence[Rows] = ()


def stacked(batches: Sequence[Rows]) -> Array:
    """All values of several batches, one after the other."""
    return joined([rows.value for rows in batches])


def joined(parts: Sequence[Array]) -> Array:
    """All numbers of several arrays in one vector."""
    return np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(0)


def split(values: Array, batches: Sequence[Rows]) -> list[Array]:
    """A vector over all rows in the shapes of the batches."""
    ends = np.cumsum([0] + [rows.value.size for rows in batches])
    spans = zip(ends[:-1], ends[1:], batches, strict=True)
    return [values[start:end].reshape(rows.value.shape) for start, end, rows in spans]


def cost_of(here: Linearised) -> float:
    """Half the squares of all that costs."""
    return 0.5 * sum(float(np.sum(rows.value**2)) for rows in here.cost)


def violations(here: Linearised) -> list[tuple[Rows, Array]]:
    """All constraints, each with how far its rows (B, R) are off: 0 where they hold."""
    out = [(rows, np.abs(rows.value)) for rows in (*here.equal, *here.tied)]
    for bounded in here.bounded:
        value = bounded.rows.value
        out.append((bounded.rows, np.maximum(np.maximum(bounded.lower - value, value - bounded.upper), 0.0)))
    return out


def largest_violation(here: Linearised) -> float:
    """How far the worst row of all constraints is off."""
    return max((float(excess.max(initial=0.0)) for _, excess in violations(here)), default=0.0)
