"""Values that stay as they were made: read-only arrays and mappings that survive pickling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

K = TypeVar("K")
V = TypeVar("V")


def readonly(values: ArrayLike, dtype: type = float) -> NDArray[Any]:
    """A copy that cannot be written to."""
    array = np.array(values, dtype)
    array.flags.writeable = False
    return array


class Frozen(Mapping[K, V]):
    """A mapping without setters. (`MappingProxyType` cannot be sent to a worker process.)"""

    def __init__(self, items: Mapping[K, V] | None = None) -> None:
        """Copy `items`; arrays among the values become read-only."""
        self._items = {k: readonly(v, v.dtype.type) if isinstance(v, np.ndarray) else v
                       for k, v in (items or {}).items()}  # fmt: skip

    def __getitem__(self, key: K) -> V:
        return self._items[key]  # type: ignore[return-value]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"Frozen({self._items!r})"

    def __reduce__(self) -> tuple[type, tuple[dict[K, Any]]]:
        return type(self), (self._items,)
