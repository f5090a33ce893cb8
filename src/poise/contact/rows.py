"""Rows of the contact problem: their Jacobians and their constant parts.

For each surface pair the kernel gives the velocity Jacobian along n, t1, t2 and the ``offset`` of the row: what is
added to J v+ to give the speed at which the points really part. It holds the gap, and the curve of the motion,
(h/2)(dJ/dt v + a): how far, beyond h J v+, the points move in the step because their paths are curved. ``a`` is the
acceleration with which the momentum-exact position update shifts a floating tree. Without the curve, planted feet
sink about a millimetre a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.dynamics.workspace import (
    BIAS,
    BODY_LAST_DOF,
    BODY_ROOT,
    BODY_TREE,
    CDOF,
    CDOF_DOT,
    CLOSING,
    CONTACT_AXES,
    CONTACT_BODY,
    CONTACT_FRICTION,
    CONTACT_GAP,
    CONTACT_IMPULSE,
    CONTACT_JACOBIAN,
    CONTACT_KIND,
    CONTACT_OFFSET,
    CONTACT_OTHER,
    CONTACT_POINT,
    CONTACTS,
    COUNTS,
    CVEL,
    DOF_PARENT,
    DRIFT,
    FAR,
    FREE,
    GEOM_BODY,
    GEOM_RADIUS,
    GEOM_XMAT,
    GRAVITY,
    QVEL,
    RECOVERY,
    SETTINGS,
    STEP,
    SUBTREE_COM,
    TOUCH,
    TOUCHED,
    TREE_DOF,
    TREE_MASS,
    VELOCITY,
)
from poise.kernel import floats, floats2, ints, kernel

FASTEST_RECOVERY = 1.0
"""m/s: surfaces that overlap part no faster than this."""


@kernel
def drift(table: Any) -> None:
    """The acceleration of each tree's centre of mass that the velocity alone causes, dJ_com/dt v (DRIFT)."""
    bias, gravity, out = floats(table, BIAS), floats(table, GRAVITY), floats2(table, DRIFT)
    tree_dof, mass = ints(table, TREE_DOF), floats(table, TREE_MASS)
    for t in range(tree_dof.shape[0]):
        for i in range(3):
            out[t, i] = bias[tree_dof[t] + i] / mass[t] + gravity[i]


@kernel
def point_rows(
    table: Any, sign: float, body: int, moving: bool, point: Any, axes: Any, rows: int, jacobian: Any, curve: Any
) -> None:
    """Add sign times the rows of a point moving with a body; curve gets dJ/dt v + a along the axes.

    A point that will be at rest at the end of the step has no omega x velocity there, whatever it has now: left
    out (``moving`` false), the points of one body that stick stay consistent, and their forces do not fight.
    """
    i = ints(table, BODY_LAST_DOF)[body]
    if i < 0:
        return
    parent, cdof, cdof_dot = ints(table, DOF_PARENT), floats2(table, CDOF), floats2(table, CDOF_DOT)
    qvel = floats(table, QVEL)
    origin = floats2(table, SUBTREE_COM)[ints(table, BODY_ROOT)[body]]
    rx, ry, rz = point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]
    ax = ay = az = lx = ly = lz = 0.0
    while i >= 0:
        wx, wy, wz = cdof[i, 0], cdof[i, 1], cdof[i, 2]
        vx = cdof[i, 3] + wy * rz - wz * ry
        vy = cdof[i, 4] + wz * rx - wx * rz
        vz = cdof[i, 5] + wx * ry - wy * rx
        for k in range(rows):
            jacobian[k, i] += sign * (axes[3 * k] * vx + axes[3 * k + 1] * vy + axes[3 * k + 2] * vz)
        speed = qvel[i]
        ax += cdof_dot[i, 0] * speed
        ay += cdof_dot[i, 1] * speed
        az += cdof_dot[i, 2] * speed
        lx += cdof_dot[i, 3] * speed
        ly += cdof_dot[i, 4] * speed
        lz += cdof_dot[i, 5] * speed
        i = parent[i]
    px = lx + ay * rz - az * ry
    py = ly + az * rx - ax * rz
    pz = lz + ax * ry - ay * rx
    if moving:
        # From the spatial acceleration to that of the material point: + omega x velocity.
        cvel = floats2(table, CVEL)[body]
        ox, oy, oz = cvel[0], cvel[1], cvel[2]
        ux = cvel[3] + oy * rz - oz * ry
        uy = cvel[4] + oz * rx - ox * rz
        uz = cvel[5] + ox * ry - oy * rx
        px += oy * uz - oz * uy
        py += oz * ux - ox * uz
        pz += ox * uy - oy * ux
    tree = ints(table, BODY_TREE)[body]
    if tree >= 0:
        shift = floats2(table, DRIFT)[tree]
        px += shift[0]
        py += shift[1]
        pz += shift[2]
    for k in range(rows):
        curve[k] += sign * (axes[3 * k] * px + axes[3 * k + 1] * py + axes[3 * k + 2] * pz)


@kernel
def _rounding(table: Any, geom: int, normal: Any) -> float:
    """m: how far behind a geom's surface point the centre of its curvature lies, for a normal there."""
    radius = floats(table, GEOM_RADIUS)[geom]
    if radius >= 0.0:
        return float(radius)
    turn = floats2(table, GEOM_XMAT)[geom]
    along = turn[2] * normal[0] + turn[5] * normal[1] + turn[8] * normal[2]
    return float(-radius) if abs(along) < 0.1 else 0.0


@kernel
def _contact_curve(table: Any, c: int, geom: Any, moving: bool, rows: int, jacobian: Any, curve: Any) -> None:
    """Jacobian and (h/2)(dJ/dt v + a) of a contact's rows.

    Along the normal the surfaces part as the centres of their curvature do: the lowest point of a rolling ball is
    another at every moment, and its own path, a cusp, is not that of the gap. Along the tangents it is the material
    point that must stay.
    """
    half_step = 0.5 * floats(table, SETTINGS)[STEP]
    body, other = ints(table, CONTACT_BODY)[c], ints(table, CONTACT_OTHER)[c]
    axes, point, gap = floats2(table, CONTACT_AXES)[c], floats2(table, CONTACT_POINT)[c], floats(table, CONTACT_GAP)[c]
    own, its = (geom[c, 1], geom[c, 0]) if ints(table, GEOM_BODY)[geom[c, 1]] == body else (geom[c, 0], geom[c, 1])
    centre = np.empty(3)
    curve[:] = 0.0
    for sign, what, shape in ((1.0, body, own), (-1.0, other, its)):
        # MuJoCo gives the point midway between the surfaces.
        back = sign * (_rounding(table, shape, axes) + 0.5 * gap)
        for k in range(3):
            centre[k] = point[k] + back * axes[k]
        point_rows(table, sign, what, True, centre, axes, 1, jacobian, curve)
        if rows == 3:
            point_rows(table, sign, what, moving, point, axes[3:], 2, jacobian[1:], curve[1:])
    for k in range(3):
        curve[k] *= half_step


@kernel
def _add_velocity(table: Any, sign: float, body: int, point: Any, out: Any) -> None:
    """Add sign times the velocity of a body's material point to out."""
    if ints(table, BODY_LAST_DOF)[body] < 0:
        return
    origin = floats2(table, SUBTREE_COM)[ints(table, BODY_ROOT)[body]]
    cvel = floats2(table, CVEL)[body]
    rx, ry, rz = point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]
    out[0] += sign * (cvel[3] + cvel[1] * rz - cvel[2] * ry)
    out[1] += sign * (cvel[4] + cvel[2] * rx - cvel[0] * rz)
    out[2] += sign * (cvel[5] + cvel[0] * ry - cvel[1] * rx)


@kernel
def _align_tangents(axes: Any, slip: Any, h: float, gravity: Any) -> None:
    """Turn t1 along the slip, or where gravity pulls: the frame that a controller's feedback refers to."""
    nx, ny, nz = axes[0], axes[1], axes[2]
    ux, uy, uz = slip[0] + h * gravity[0], slip[1] + h * gravity[1], slip[2] + h * gravity[2]
    along = nx * ux + ny * uy + nz * uz
    ux, uy, uz = ux - along * nx, uy - along * ny, uz - along * nz
    size = np.sqrt(ux * ux + uy * uy + uz * uz)
    if size < 1e-3:  # m/s: at rest on level ground the given directions stay
        return
    ux, uy, uz = ux / size, uy / size, uz / size
    axes[3], axes[4], axes[5] = ux, uy, uz
    axes[6], axes[7], axes[8] = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux


@kernel
def contact_rows(table: Any, position: Any, frame: Any, distance: Any, geom: Any, friction: Any) -> None:
    """Take over MuJoCo's contacts as candidates; the force acts on `body`, the normal points out of `other`."""
    settings, gravity = floats(table, SETTINGS), floats(table, GRAVITY)
    h, near, recovery = settings[STEP], settings[TOUCH], settings[RECOVERY]
    geom_body, last_dof = ints(table, GEOM_BODY), ints(table, BODY_LAST_DOF)
    body, other, kind = ints(table, CONTACT_BODY), ints(table, CONTACT_OTHER), ints(table, CONTACT_KIND)
    point, axes = floats2(table, CONTACT_POINT), floats2(table, CONTACT_AXES)
    gap, mu = floats(table, CONTACT_GAP), floats(table, CONTACT_FRICTION)
    jacobian, offset = floats2(table, CONTACT_JACOBIAN), floats(table, CONTACT_OFFSET)
    slip = np.empty(3)
    count = position.shape[0]
    ints(table, COUNTS)[CONTACTS] = count
    for c in range(count):
        first, second = geom_body[geom[c, 0]], geom_body[geom[c, 1]]
        # MuJoCo's normal points from the first to the second; what is fixed must be `other`.
        flip = -1.0 if last_dof[second] < 0 else 1.0
        body[c], other[c] = (first, second) if flip < 0 else (second, first)
        gap[c], mu[c] = distance[c], friction[c, 0]
        kind[c] = TOUCHED if gap[c] <= near else (CLOSING if gap[c] <= 4.0 * near else FAR)  # likely to close
        for k in range(3):
            point[c, k] = position[c, k]
            axes[c, k] = flip * frame[c, k]
            axes[c, 3 + k] = frame[c, 3 + k]
            axes[c, 6 + k] = flip * frame[c, 6 + k]
        rows = 1
        if kind[c] == TOUCHED:
            rows = 3
            slip[:] = 0.0
            _add_velocity(table, 1.0, body[c], point[c], slip)
            _add_velocity(table, -1.0, other[c], point[c], slip)
            _align_tangents(axes[c], slip, h, gravity)
        own, curve = jacobian[3 * c : 3 * c + 3], offset[3 * c : 3 * c + 3]
        own[:] = 0.0
        _contact_curve(table, c, geom, False, rows, own, curve)
        curve[0] += gap[c] / h if gap[c] > 0 else max(recovery * gap[c], -FASTEST_RECOVERY)


@kernel
def turn_to_slip(table: Any) -> None:
    """Turn the tangents of touching contacts so that t1 points where they would slip without friction (FREE).

    Then a vertex of the polygon opposes that slip, and a contact sticks up to the whole of its friction.
    """
    kind, free = ints(table, CONTACT_KIND), floats(table, FREE)
    jacobian, offset, axes = (
        floats2(table, CONTACT_JACOBIAN),
        floats(table, CONTACT_OFFSET),
        floats2(table, CONTACT_AXES),
    )
    for c in range(ints(table, COUNTS)[CONTACTS]):
        if kind[c] != TOUCHED:
            continue
        a, b = 3 * c + 1, 3 * c + 2
        u, v = offset[a], offset[b]
        for i in range(free.shape[0]):
            u += jacobian[a, i] * free[i]
            v += jacobian[b, i] * free[i]
        size = np.sqrt(u * u + v * v)
        if size < 1e-6:
            continue
        cosine, sine = u / size, v / size
        for i in range(free.shape[0]):
            p, q = jacobian[a, i], jacobian[b, i]
            jacobian[a, i], jacobian[b, i] = cosine * p + sine * q, cosine * q - sine * p
        offset[a], offset[b] = cosine * offset[a] + sine * offset[b], cosine * offset[b] - sine * offset[a]
        for k in range(3):
            p, q = axes[c, 3 + k], axes[c, 6 + k]
            axes[c, 3 + k], axes[c, 6 + k] = cosine * p + sine * q, cosine * q - sine * p


@kernel
def jolt(table: Any, assumed: Any) -> float:
    """m/s: how far the velocity of a contact point, of those that carry force, is from the one that was assumed."""
    velocity = floats(table, VELOCITY)
    jacobian, impulse = floats2(table, CONTACT_JACOBIAN), floats(table, CONTACT_IMPULSE)
    largest = 0.0
    for c in range(ints(table, COUNTS)[CONTACTS]):
        if impulse[3 * c] <= 0.0:
            continue
        for row in range(3 * c, 3 * c + 3):
            change = 0.0
            for i in range(velocity.shape[0]):
                change += jacobian[row, i] * (velocity[i] - assumed[i])
            largest = max(largest, abs(change))
    return largest


@kernel
def bend(table: Any, geom: Any, bias_after: Any) -> None:
    """Offsets of the contacts anew, for the path that the velocity at the end of the step gives.

    Expects QVEL, CVEL and CDOF_DOT of that velocity in place of the first one's, its bias, and DRIFT of the first. The
    centre of mass is shifted by h^2 (a(v) - a(v+)/2), which is the usual h^2 a/2 when the velocity hardly changes.
    """
    settings, gravity = floats(table, SETTINGS), floats(table, GRAVITY)
    h, recovery = settings[STEP], settings[RECOVERY]
    drifted, tree_dof, mass = floats2(table, DRIFT), ints(table, TREE_DOF), floats(table, TREE_MASS)
    for t in range(tree_dof.shape[0]):
        for i in range(3):
            drifted[t, i] = 2.0 * drifted[t, i] - (bias_after[tree_dof[t] + i] / mass[t] + gravity[i])
    kind, gap, offset = ints(table, CONTACT_KIND), floats(table, CONTACT_GAP), floats(table, CONTACT_OFFSET)
    unused = np.zeros((3, floats(table, QVEL).shape[0]))
    for c in range(ints(table, COUNTS)[CONTACTS]):
        rows = 3 if kind[c] == TOUCHED else 1
        curve = offset[3 * c : 3 * c + 3]
        before = curve[0]
        _contact_curve(table, c, geom, True, rows, unused, curve)
        # A light limb may whip: of the two paths, the one that comes nearer decides.
        away = gap[c] / h if gap[c] > 0 else max(recovery * gap[c], -FASTEST_RECOVERY)
        curve[0] = min(before, curve[0] + away)
