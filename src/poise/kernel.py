"""Compiled functions.

Kernels that call each other live in one file: numba's cache on disk does not notice changes in other files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function when it is first called, and keep the result on disk."""
    compiled: Callable[P, R] = njit(cache=True)(function)
    return compiled
