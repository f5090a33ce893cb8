"""From what joints should do to motors [Tsai2010] section 4.3."""

from __future__ import annotations

import numpy as np

from poise.body import Body
from poise.spatial import Array

WIDEST = 1.2
"""rad: the error beyond which the wanted velocity hardly grows."""
RATE = 10.0
"""1/s: c_i of joints for which a body's tables tell none."""


def response(body: Body) -> Array:
    """(nv,) 1/s: c_i of [Tsai2010] Table 1, zero on the root."""
    rate = np.array(body.tables["response_rate"]) if "response_rate" in body.tables else np.full(body.nv, RATE)
    rate[:6] = 0.0
    return rate


def wanted_velocity(error: Array) -> Array:
    """rad: the error-velocity curve: linear near zero, level far away."""
    return np.asarray(WIDEST * np.tanh(error / WIDEST))
