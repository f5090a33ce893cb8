"""What forces on balls that touch the ground add to inverse dynamics, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.dynamics.placing import carry
from poise.dynamics.screws import cross, dot
from poise.kernel import kernel


@kernel
def bear(bearings: Any, force: Any, pos: Any, quat: Any, turn: Any, load: Any, point: Any, attitude: Any) -> None:
    """Take what the balls bear from the loads (L, 6) of their links; centres (C, 3) m and attitudes (C, 4)."""
    lowest, moment = np.empty(3), np.empty(3)
    for c in range(bearings.link.shape[0]):
        b = bearings.link[c]
        attitude[c] = quat[b]
        carry(pos[b], turn[b], bearings.centre[c], point[c])
        lowest[:] = point[c]
        lowest[2] -= bearings.radius[c]
        cross(lowest, force[c], moment)
        for j in range(3):
            load[b, j] -= moment[j]
            load[b, 3 + j] -= force[c, j]


@kernel
def add_contact_slopes(
    tree: Any, axes: Any, bearings: Any, force: Any, point: Any,
    torque_q: Any, wrench_q: Any, spin: Any, point_q: Any,
) -> None:  # fmt: skip
    """How links of balls turn and centres move with the pose; and forces, which do not turn with the links.

    The slopes so far have carried forces along with the links: what was turned is turned back.
    """
    spin[:], point_q[:] = 0.0, 0.0
    arm, back = np.empty(3), np.empty(6)
    for c in range(bearings.link.shape[0]):
        last = tree.link_dof[bearings.link[c]]
        loaded = force[c, 0] != 0.0 or force[c, 1] != 0.0 or force[c, 2] != 0.0
        i = last
        while i >= 0:
            cross(axes[i], point[c], arm)
            for j in range(3):
                spin[c, j, i] = axes[i, j]
                point_q[c, j, i] = axes[i, 3 + j] + arm[j]
            if loaded:
                _turned_back(axes[i], point[c], bearings.radius[c], force[c], back)
                for j in range(6):
                    wrench_q[j, i] += back[j]
                other = last
                while other >= 0:
                    torque_q[other, i] += dot(axes[other], back)
                    other = tree.dof_below[other]
            i = tree.dof_below[i]


@kernel
def _turned_back(axis: Any, centre: Any, radius: float, force: Any, out: Any) -> None:
    """(6,) the force, and the lever from the ball's centre to the ground, that a motion has turned too much."""
    cross(axis, force, out[3:])
    x, y, z = centre[0], centre[1], centre[2] - radius
    east, north = axis[1] * radius, -axis[0] * radius  # omega x radius z: how far the lever came
    out[0] = y * out[5] - z * out[4] - north * force[2]
    out[1] = z * out[3] - x * out[5] + east * force[2]
    out[2] = x * out[4] - y * out[3] - east * force[1] + north * force[0]
