"""Rows of a sparse problem: values, and how they change with the variables they touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rows:
    """A batch of B blocks of R rows, each block on m variables of its own."""

    name: str  # what the rows say, for messages
    columns: Ints  # (B, m) the variables; -1 for a column without one
    jacobian: Array  # (B, R, m)
    value: Array  # (B, R)

    def along(self, step: Array) -> Array:
        """(B, R) how the rows change with a step (n,), to first order."""
        return np.asarray(np.matmul(self.jacobian, _taken(step, self.columns)[:, :, None])[:, :, 0])

    def pulled(self, weights: Array, size: int) -> Array:
        """(n,) the sum of rows' gradients times weights (B, R)."""
        parts = np.matmul(weights[:, None, :], self.jacobian)[:, 0]
        out = np.zeros(size + 1)
        np.add.at(out, self.columns, parts)
        return out[:-1]


@dataclass(frozen=True, eq=False)
class Bounded:
    """Rows that must stay between bounds (B, R); infinite where there is none."""

    rows: Rows
    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False)
class Linearised:
    """A problem at a point: minimise half the squares of `cost` with `equal` and `tied` at zero and `bounded` in bounds.

    Columns of one block of `cost`, `equal` and `bounded` are at most the problem's bandwidth apart; `tied` rows may join
    any variables, such as the first and the last, and should be few.
    """

    cost: Sequence[Rows]
    equal: Sequence[Rows]
    bounded: Sequence[Bounded] = ()
    tied: Sequence[Rows] = ()


def _taken(step: Array, columns: Ints) -> Array:
    """(B, m) entries of a vector, 0 where there is no variable."""
    return np.append(step, 0.0)[columns]


def stacked(batches: Sequence[Rows]) -> Array:
    """All values of several batches, one after the other."""
    return np.concatenate([rows.value.ravel() for rows in batches]) if batches else np.zeros(0)


def split(values: Array, batches: Sequence[Rows]) -> list[Array]:
    """A vector over all rows in the shapes of the batches."""
    ends = np.cumsum([rows.value.size for rows in batches])
    return [part.reshape(rows.value.shape) for part, rows in zip(np.split(values, ends[:-1]), batches, strict=True)]


def violations(here: Linearised) -> list[tuple[Rows, Array]]:
    """All constraints, each with how far its rows are off: 0 where they hold."""
    out = [(rows, np.abs(rows.value)) for rows in (*here.equal, *here.tied)]
    for bounded in here.bounded:
        value = bounded.rows.value
        out.append((bounded.rows, np.maximum(np.maximum(bounded.lower - value, value - bounded.upper), 0.0)))
    return out
