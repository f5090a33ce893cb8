"""How a mode moves: by itself, and after an impulse, in closed form [Jain2011] Eqs. (4)-(9).

A mode of unit mass obeys  p'' + 2 xi omega p' + omega^2 p = b + impulses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel

_CRITICAL = 1e-6


@kernel
def responses(square: float, damping: float, time: float) -> Any:
    """(a, a', c, c'): place and speed after a unit impulse, and after a unit displacement, a time (s) ago.

    ``square`` is omega^2, ``damping`` 2 xi omega, both at least 0: rigid, undamped, underdamped and overdamped alike.
    """
    half = 0.5 * damping
    rest = square - half * half
    fade = np.exp(-half * time)
    if rest > _CRITICAL * (1.0 + square):
        w = np.sqrt(rest)
        s, c = np.sin(w * time) / w, np.cos(w * time)
    elif rest < -_CRITICAL * (1.0 + square):
        w = np.sqrt(-rest)
        s, c = np.sinh(w * time) / w, np.cosh(w * time)
    else:
        s, c = time * (1.0 - rest * time * time / 6.0), 1.0 - 0.5 * rest * time * time
    a = fade * s
    a_rate = fade * (c - half * s)
    return a, a_rate, fade * (c + half * s), -square * a
