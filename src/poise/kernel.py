"""Compiled functions, and arrays handed to them by address.

Handing numba an array costs 0.2 microseconds, and a step needs a hundred of them; a `Table` hands over all at once.
It holds the address and shape of each array; a kernel asks it for views: ``mass = floats2(table, MASS)``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import numpy as np
from numba import carray, njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from poise.arrays import Array, Ints

P = ParamSpec("P")
R = TypeVar("R")

Table = Ints
"""(n, 3): address, rows and columns of each array of an `ArrayTable`; what kernels take as `table`."""

_SHARED = ("dynamics", "contact")  # rooms whose kernels those of other rooms use


@cache
def fingerprint(room: Path) -> str:
    """Of all files that the kernels of a room may be made from: its own, and those of the rooms that all share."""
    package = Path(__file__).parent
    rooms = sorted({room, *(package / shared for shared in _SHARED)})
    files = [Path(__file__), *(file for each in rooms for file in sorted(each.glob("*.py")))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function when it is first called, and keep the result on disk.

    Numba's cache looks only at the file that a function stands in, but kernels call each other and share constants
    across files: its stamp is extended by the fingerprint of its room.
    """
    compiled: Any = njit(function)
    compiled._compiler.fold_argument_types = partial(_folded, compiled._compiler.fold_argument_types)
    compiled.enable_caching()
    index = compiled._cache._cache_file
    index._source_stamp = (index._source_stamp, fingerprint(Path(function.__code__.co_filename).parent))
    made: Callable[P, R] = compiled
    return made


def _folded(fold: Any, positional: Any, keywords: Any) -> Any:
    """Types of the arguments of a call among kernels. Constants count as any other number: numba would compile a
    function anew for each constant that it is called with, which takes a third of all time."""
    signature, arguments = fold(positional, keywords)
    return signature, tuple(types.unliteral(argument) for argument in arguments)


class ArrayTable:
    """Addresses and shapes of arrays, each at its place. It keeps the arrays alive."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("a table of addresses cannot be copied: build another for the copied arrays")

    def __init__(self, arrays: Mapping[int, NDArray[Any]]) -> None:
        self._arrays = dict(arrays)
        self.entries = np.zeros((len(self._arrays), 3), np.int64)
        for place, array in self._arrays.items():
            row = self.entries[place]
            if array.dtype not in (np.float64, np.int64) or not array.flags.c_contiguous or array.ndim > 2:
                raise TypeError("a table takes contiguous arrays of float64 or int64 with one or two axes")
            row[0] = array.ctypes.data
            row[1 : 1 + array.ndim] = array.shape


@intrinsic  # type: ignore[untyped-decorator]
def _pointer(_typing: Any, address: Any) -> Any:
    """An address as a pointer."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@kernel
def floats(table: Table, which: int) -> Array:
    """A table's array of floats with one axis."""
    view: Array = carray(_pointer(table[which, 0]), (table[which, 1],), np.float64)
    return view


@kernel
def floats2(table: Table, which: int) -> Array:
    """A table's array of floats with two axes."""
    view: Array = carray(_pointer(table[which, 0]), (table[which, 1], table[which, 2]), np.float64)
    return view


@kernel
def ints(table: Table, which: int) -> Ints:
    """A table's array of integers."""
    view: Ints = carray(_pointer(table[which, 0]), (table[which, 1],), np.int64)
    return view
