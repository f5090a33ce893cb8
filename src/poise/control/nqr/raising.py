"""How legs raise their feet."""

from __future__ import annotations

import numpy as np

from poise.frozen import Array
from poise.reference.bodyclip import BodyClip
from poise.reference.ik_kinematics import Kinematics

ARM = 0.1
"""Of the standing root's height: how far a turn of a foot by a radian is deemed to move it."""
SLACK = 1e-3
"""Of that height squared: a leg that is almost straight reaches less far, lest its knee jumps."""


def raising_of(clip: BodyClip) -> Array:
    """(T, F, nv) rad/m: damped inverse kinematics of each leg, of which the foot keeps its place and direction."""
    body = clip.body
    feet, tall = [foot.link for foot in body.feet], float(body.standing[2])
    posed = Kinematics(body, [(foot, np.zeros(3)) for foot in feet], feet).posed(clip.qpos)
    rows = np.concatenate([posed.place_rows, ARM * tall * posed.turn_rows], axis=2)  # (T, F, 6, nv) m
    rows[..., :6] = 0.0
    upward = np.zeros((6, 1))
    upward[2] = 1.0
    square = rows @ rows.swapaxes(-1, -2) + SLACK * tall**2 * np.eye(6)
    return (rows.swapaxes(-1, -2) @ np.linalg.solve(square, np.broadcast_to(upward, (*rows.shape[:2], 6, 1))))[..., 0]
