"""Ease curves: smooth passages from 0 to 1 for blends and ramps. x is the argument `share`, clipped to 0 ... 1."""

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array


def quintic_ease(share: ArrayLike) -> Array:
    """10 x^3 - 15 x^4 + 6 x^5: zero velocity and zero acceleration at both ends."""
    x = np.clip(np.asarray(share, float), 0.0, 1.0)
    return np.asarray(x * x * x * (10.0 - 15.0 * x + 6.0 * x * x))


def quintic_ease_integral(share: ArrayLike) -> Array:
    """The integral of `quintic_ease` from 0 to `share`; for `share` above 1 the integral grows with slope 1."""
    share = np.asarray(share, float)
    x = np.clip(share, 0.0, 1.0)
    return np.asarray(x**4 * (2.5 - 3.0 * x + x * x) + np.maximum(share - 1.0, 0.0))


def cubic_ease(share: ArrayLike, height: float = 1.0) -> Array:
    """height (3 x^2 - 2 x^3): zero velocity at both ends."""
    x = np.clip(np.asarray(share, float), 0.0, 1.0)
    return np.asarray(height * (x * x) * (3.0 - 2.0 * x))
