"""Rows of the contact problem: their Jacobians and their constant parts.

For each surface pair the kernel gives the velocity Jacobian along n, t1, t2 and the ``curve`` of the row,
(h/2)(dJ/dt v + a): how far, beyond J v+, the points move apart in the step because the motion is curved. ``a``
is the acceleration with which the momentum-exact position update shifts a floating tree; without the curve,
planted feet sink about a millimetre a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel


@kernel
def _point_rows(
    sign: float,
    body: int,
    moving: bool,
    point: Any,
    axes: Any,
    rows: int,
    last_dof: Any,
    dof_parent: Any,
    root: Any,
    tree: Any,
    cdof: Any,
    cdof_dot: Any,
    cvel: Any,
    com: Any,
    drift: Any,
    qvel: Any,
    jacobian: Any,
    curve: Any,
) -> None:
    """Add sign times the rows of a point moving with a body; curve gets dJ/dt v + a along the axes.

    A point that will be at rest at the end of the step has no omega x velocity there, whatever it has now: left
    out (``moving`` false), the points of one body that stick stay consistent, and their forces do not fight.
    """
    i = last_dof[body]
    if i < 0:
        return
    origin = com[root[body]]
    rx, ry, rz = point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]
    ax = ay = az = lx = ly = lz = 0.0
    while i >= 0:
        wx, wy, wz = cdof[i, 0], cdof[i, 1], cdof[i, 2]
        vx = cdof[i, 3] + wy * rz - wz * ry
        vy = cdof[i, 4] + wz * rx - wx * rz
        vz = cdof[i, 5] + wx * ry - wy * rx
        for k in range(rows):
            jacobian[k, i] += sign * (axes[k, 0] * vx + axes[k, 1] * vy + axes[k, 2] * vz)
        speed = qvel[i]
        ax += cdof_dot[i, 0] * speed
        ay += cdof_dot[i, 1] * speed
        az += cdof_dot[i, 2] * speed
        lx += cdof_dot[i, 3] * speed
        ly += cdof_dot[i, 4] * speed
        lz += cdof_dot[i, 5] * speed
        i = dof_parent[i]
    px = lx + ay * rz - az * ry
    py = ly + az * rx - ax * rz
    pz = lz + ax * ry - ay * rx
    if moving:
        # From the spatial acceleration to that of the material point: + omega x velocity.
        ox, oy, oz = cvel[body, 0], cvel[body, 1], cvel[body, 2]
        ux = cvel[body, 3] + oy * rz - oz * ry
        uy = cvel[body, 4] + oz * rx - ox * rz
        uz = cvel[body, 5] + ox * ry - oy * rx
        px += oy * uz - oz * uy
        py += oz * ux - ox * uz
        pz += ox * uy - oy * ux
    t = tree[body]
    if t >= 0:
        px += drift[t, 0]
        py += drift[t, 1]
        pz += drift[t, 2]
    for k in range(rows):
        curve[k] += sign * (axes[k, 0] * px + axes[k, 1] * py + axes[k, 2] * pz)


@kernel
def _point_velocity(body: int, point: Any, last_dof: Any, root: Any, cvel: Any, com: Any, out: Any) -> None:
    """Velocity of a body's material point, added to out with the given sign in out[3]."""
    if last_dof[body] < 0:
        return
    origin = com[root[body]]
    rx, ry, rz = point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]
    wx, wy, wz = cvel[body, 0], cvel[body, 1], cvel[body, 2]
    sign = out[3]
    out[0] += sign * (cvel[body, 3] + wy * rz - wz * ry)
    out[1] += sign * (cvel[body, 4] + wz * rx - wx * rz)
    out[2] += sign * (cvel[body, 5] + wx * ry - wy * rx)


@kernel
def _align_tangents(axes: Any, slip: Any, h: float, gravity: Any) -> None:
    """Turn t1 along the slip, or where it would slip under gravity, so that the polygon is exact that way."""
    nx, ny, nz = axes[0, 0], axes[0, 1], axes[0, 2]
    ux, uy, uz = slip[0] + h * gravity[0], slip[1] + h * gravity[1], slip[2] + h * gravity[2]
    along = nx * ux + ny * uy + nz * uz
    ux, uy, uz = ux - along * nx, uy - along * ny, uz - along * nz
    size = np.sqrt(ux * ux + uy * uy + uz * uz)
    if size < 1e-3:  # m/s: at rest on level ground the given directions stay
        return
    axes[1, 0], axes[1, 1], axes[1, 2] = ux / size, uy / size, uz / size
    axes[2, 0] = ny * axes[1, 2] - nz * axes[1, 1]
    axes[2, 1] = nz * axes[1, 0] - nx * axes[1, 2]
    axes[2, 2] = nx * axes[1, 1] - ny * axes[1, 0]


@kernel
def contact_rows(
    position: Any,
    frame: Any,
    distance: Any,
    geom: Any,
    geom_body: Any,
    near: float,
    h: float,
    gravity: Any,
    last_dof: Any,
    dof_parent: Any,
    root: Any,
    tree: Any,
    cdof: Any,
    cdof_dot: Any,
    cvel: Any,
    com: Any,
    drift: Any,
    qvel: Any,
) -> Any:
    """(body, other, axes, jacobian, curve) of all candidate contacts; force acts on `body`."""
    count = position.shape[0]
    nv = qvel.shape[0]
    body = np.empty(count, np.int64)
    other = np.empty(count, np.int64)
    axes = np.empty((count, 3, 3))
    jacobian = np.zeros((3 * count, nv))
    curve = np.zeros(3 * count)
    slip = np.empty(4)
    for c in range(count):
        first, second = geom_body[geom[c, 0]], geom_body[geom[c, 1]]
        # MuJoCo's normal points from the first to the second; the ground must be `other`.
        flip = -1.0 if last_dof[second] < 0 else 1.0
        body[c], other[c] = (first, second) if flip < 0 else (second, first)
        for k in range(3):
            axes[c, 0, k] = flip * frame[c, k]
            axes[c, 1, k] = frame[c, 3 + k]
            axes[c, 2, k] = flip * frame[c, 6 + k]
        rows = 1
        if distance[c] <= near:
            rows = 3
            slip[:] = 0.0
            slip[3] = 1.0
            _point_velocity(body[c], position[c], last_dof, root, cvel, com, slip)
            slip[3] = -1.0
            _point_velocity(other[c], position[c], last_dof, root, cvel, com, slip)
            _align_tangents(axes[c], slip, h, gravity)
        for side in range(2):
            _point_rows(
                1.0 if side == 0 else -1.0,
                body[c] if side == 0 else other[c],
                rows == 1,
                position[c],
                axes[c],
                rows,
                last_dof,
                dof_parent,
                root,
                tree,
                cdof,
                cdof_dot,
                cvel,
                com,
                drift,
                qvel,
                jacobian[3 * c : 3 * c + 3],
                curve[3 * c : 3 * c + 3],
            )
    curve *= 0.5 * h
    return body, other, axes, jacobian, curve


@kernel
def grip_rows(
    body: Any,
    other: Any,
    point: Any,
    h: float,
    last_dof: Any,
    dof_parent: Any,
    root: Any,
    tree: Any,
    cdof: Any,
    cdof_dot: Any,
    cvel: Any,
    com: Any,
    drift: Any,
    qvel: Any,
) -> Any:
    """(jacobian, curve) along the world axes of points where two bodies are held together."""
    count = body.shape[0]
    jacobian = np.zeros((3 * count, qvel.shape[0]))
    curve = np.zeros(3 * count)
    axes = np.eye(3)
    for c in range(count):
        for side in range(2):
            _point_rows(
                1.0 if side == 0 else -1.0,
                body[c] if side == 0 else other[c],
                True,
                point[c],
                axes,
                3,
                last_dof,
                dof_parent,
                root,
                tree,
                cdof,
                cdof_dot,
                cvel,
                com,
                drift,
                qvel,
                jacobian[3 * c : 3 * c + 3],
                curve[3 * c : 3 * c + 3],
            )
    curve *= 0.5 * h
    return jacobian, curve
