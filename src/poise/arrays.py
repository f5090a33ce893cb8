"""Values that stay as they were made: read-only arrays and mappings that survive pickling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
K = TypeVar("K")
V = TypeVar("V")


def readonly(values: ArrayLike, dtype: type = float) -> NDArray[Any]:
    """A copy that cannot be written to."""
    array: NDArray[Any] = np.array(values, dtype)
    array.flags.writeable = False
    return array


class Frozen(Mapping[K, V]):
    """A mapping without setters. (`MappingProxyType` cannot be sent to a worker process.)"""

    def __init__(self, items: Mapping[K, V] | None = None) -> None:
        """Copy `items`; arrays among the values become read-only."""
        self._items: dict[K, V] = {key: _still(value) for key, value in (items or {}).items()}

    def __getitem__(self, key: K) -> V:
        """The value of a key."""
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        """The keys in order."""
        return iter(self._items)

    def __len__(self) -> int:
        """How many keys there are."""
        return len(self._items)

    def __repr__(self) -> str:
        """As it was made."""
        return f"Frozen({self._items!r})"

    def __reduce__(self) -> tuple[type, tuple[dict[K, V]]]:
        """Pickles as its contents, so that arrays are read-only again when loaded."""
        return type(self), (self._items,)


def _still(value: V) -> V:
    return readonly(value, value.dtype.type) if isinstance(value, np.ndarray) else value  # type: ignore[return-value]


# Runs of frames: stretches in which something holds.

Mask = NDArray[np.bool_]


def runs(holds: Mask) -> list[tuple[int, int]]:
    """(start, stop) of the stretches in which it holds, in order."""
    padded = np.concatenate([[False], holds, [False]]).astype(np.int8)
    edges = np.flatnonzero(np.diff(padded))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def hysteresis(value: Array, enter: float, leave: float) -> Mask:
    """Stretches below `leave` that come below `enter` somewhere."""
    out = np.zeros(len(value), bool)
    for start, stop in runs(value < leave):
        out[start:stop] = bool(np.any(value[start:stop] < enter))
    return out


def without_short(holds: Mask, gap: int, stretch: int) -> Mask:
    """Gaps shorter than `gap` frames filled, then stretches shorter than `stretch` dropped; not at the ends."""
    out = np.array(holds)
    for start, stop in runs(~out):
        if stop - start < gap and start > 0 and stop < len(out):
            out[start:stop] = True
    for start, stop in runs(out):
        if stop - start < stretch and start > 0 and stop < len(out):
            out[start:stop] = False
    return out
