"""Array aliases, read-only arrays and mappings, and runs of true values in masks."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
K = TypeVar("K")
V = TypeVar("V")


def readonly(values: ArrayLike, dtype: type = float) -> NDArray[Any]:
    """A read-only copy of `values`."""
    array: NDArray[Any] = np.array(values, dtype)
    array.flags.writeable = False
    return array


class Frozen(Mapping[K, V]):
    """A read-only mapping that, unlike `MappingProxyType`, can be pickled and sent to worker processes."""

    def __init__(self, items: Mapping[K, V] | None = None) -> None:
        """Copy `items`; arrays among the values become read-only."""
        self._items: dict[K, V] = {key: _readonly_value(value) for key, value in (items or {}).items()}

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"Frozen({self._items!r})"

    def __reduce__(self) -> tuple[type, tuple[dict[K, V]]]:
        """Pickle the contents only; unpickling calls the constructor, which makes arrays read-only again."""
        return type(self), (self._items,)


def _readonly_value(value: V) -> V:
    return readonly(value, value.dtype.type) if isinstance(value, np.ndarray) else value  # type: ignore[return-value]


def true_runs(holds: Mask) -> list[tuple[int, int]]:
    """(start, stop) of each run of true values, in order; `stop` is exclusive."""
    padded = np.concatenate([[False], holds, [False]]).astype(np.int8)
    edges = np.flatnonzero(np.diff(padded))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def hysteresis_mask(value: Array, enter: float, leave: float) -> Mask:
    """Mask that is true in every run of values below `leave` that contains a value below `enter`."""
    out = np.zeros(len(value), bool)
    for start, stop in true_runs(value < leave):
        out[start:stop] = bool(np.any(value[start:stop] < enter))
    return out


def drop_short_runs(holds: Mask, gap: int, stretch: int) -> Mask:
    """Fill gaps shorter than `gap`, then clear runs shorter than `stretch`; those at an end of the mask stay."""
    out = np.array(holds)
    for start, stop in true_runs(~out):
        if stop - start < gap and start > 0 and stop < len(out):
            out[start:stop] = True
    for start, stop in true_runs(out):
        if stop - start < stretch and start > 0 and stop < len(out):
            out[start:stop] = False
    return out


def finite_or_null(values: Array) -> list[float | None]:
    """Numbers for JSON, which lacks infinity: None instead."""
    return [value if isfinite(value) else None for value in values.tolist()]


def brief_repr(value: Any) -> str:
    """One-line text of a dataclass or named tuple: arrays as type and shape, long texts and sequences as length."""
    names = getattr(value, "_fields", None) or [field.name for field in fields(value)]
    given = ((name, getattr(value, name)) for name in names)
    parts = ", ".join(f"{name}={_brief_value(part)}" for name, part in given if part is not None)
    return f"{type(value).__name__}({parts})"


def _brief_value(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}"
    if isinstance(value, str | tuple | list | Mapping) and len(value) > 40:
        return f"<{type(value).__name__} of {len(value)}>"
    text = repr(value)
    return text if len(text) <= 60 and " object at 0x" not in text else f"<{type(value).__name__}>"
