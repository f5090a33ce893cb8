"""Compiled functions (kernels), and tables that pass many arrays to them in one argument.

Passing an array to a numba function costs 0.2 microseconds, and a simulation step needs about a hundred of them. An
`ArrayTable` holds the address and shape of each array. A kernel reads views from the table: ``mass =
float_matrix(table, at.MASS)``, where ``at`` is the module that defines the indices. Refer to such constants as
attributes of a module: numba treats constants imported by name as literal types, and compiles a function for each one.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import numba
import numpy as np
from numba import carray, njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from poise.arrays import Array, Ints

P = ParamSpec("P")
R = TypeVar("R")

Table = Ints  # (n, 3) address, rows and columns of each array of an `ArrayTable`: what kernels take as `table`

_SHARED = ("dynamics", "contact")  # Packages whose kernels and constants are used by kernels of other packages
_EXPIRY = 86400.0
"""Age (s) at which code compiled from earlier sources is deleted; another process may still use younger code."""


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function when it is first called, and store the compiled code on disk if a cache folder can be written.

    Numba's cache compares only the file that defines a function, but kernels call each other and share constants
    across files. Each state of the sources therefore has a cache folder of its own.
    """
    folder = kernel_cache_folder(Path(function.__code__.co_filename).parent)
    usual = numba.config.CACHE_DIR
    try:
        numba.config.CACHE_DIR = str(folder)
        compiled: Callable[P, R] = njit(cache=folder is not None)(function)
    finally:
        numba.config.CACHE_DIR = usual
    return compiled


@cache
def kernel_cache_folder(package: Path) -> Path | None:
    """Create and return the folder for the compiled kernels of a package folder; None if none can be written."""
    name = f"kernels-{kernel_fingerprint(package)[:16]}"
    for parent in _kernel_cache_parents(package):
        folder = parent / name
        try:
            if not folder.exists():
                _delete_expired_kernels(parent)
                folder.mkdir(parents=True, exist_ok=True)
            os.utime(folder)  # in use: folders that are not used for a day are deleted
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return folder
    return None


@cache
def kernel_fingerprint(package: Path) -> str:
    """Hash of the source files from which the kernels of a package folder are compiled, including `_SHARED`.

    The names of all modules count as well: compiled kernels refer to types by their module.
    """
    root = Path(__file__).parent
    packages = sorted({package, *(root / shared for shared in _SHARED)})
    files = [Path(__file__), *(file for each in packages for file in sorted(each.glob("*.py")))]
    return hashlib.sha256(b"".join([_module_names(root), *(file.read_bytes() for file in files)])).hexdigest()


@cache
def _module_names(root: Path) -> bytes:
    return "\n".join(sorted(str(file.relative_to(root)) for file in root.rglob("*.py"))).encode()


def _kernel_cache_parents(package: Path) -> Iterator[Path]:
    """Parents of cache folders, best first: numba's setting, the source's `__pycache__`, the user's cache folder."""
    own = hashlib.sha256(os.fsencode(package.resolve())).hexdigest()[:16]
    if numba.config.CACHE_DIR:
        yield Path(numba.config.CACHE_DIR) / f"poise-{own}"
    yield package / "__pycache__"
    user = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if os.path.isabs(user):
        yield Path(user) / "poise" / "kernels" / own


def _delete_expired_kernels(parent: Path) -> None:
    for folder in parent.glob("kernels-*"):
        if time.time() - folder.stat().st_mtime > _EXPIRY:
            shutil.rmtree(folder, ignore_errors=True)


class ArrayTable:
    """Addresses and shapes of arrays, by index. Keeps the arrays alive; cannot be copied or pickled."""

    def __init__(self, arrays: Mapping[int, NDArray[Any]]) -> None:
        self._arrays = dict(arrays)
        self.entries: Table = np.zeros((len(self._arrays), 3), np.int64)
        for place, array in self._arrays.items():
            row = self.entries[place]
            if array.dtype not in (np.float64, np.int64) or not array.flags.c_contiguous or array.ndim > 2:
                raise TypeError("a table takes contiguous arrays of float64 or int64 with one or two axes")
            row[0] = array.ctypes.data
            row[1 : 1 + array.ndim] = array.shape

    def __reduce__(self) -> NoReturn:
        raise TypeError("a table of addresses cannot be copied: build another for the copied arrays")


@intrinsic  # type: ignore[untyped-decorator]
def _pointer_to(_typing: Any, address: Any) -> Any:
    """Convert an integer address to a pointer, inside compiled code."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@kernel
def floats(table: Table, which: int) -> Array:
    """View of array `which` of a table: floats with one axis."""
    view: Array = carray(_pointer_to(table[which, 0]), (table[which, 1],), np.float64)
    return view


@kernel
def float_matrix(table: Table, which: int) -> Array:
    """View of array `which` of a table: floats with two axes."""
    view: Array = carray(_pointer_to(table[which, 0]), (table[which, 1], table[which, 2]), np.float64)
    return view


@kernel
def ints(table: Table, which: int) -> Ints:
    """View of array `which` of a table: integers with one axis."""
    view: Ints = carray(_pointer_to(table[which, 0]), (table[which, 1],), np.int64)
    return view
