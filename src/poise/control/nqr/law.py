"""The control law of one step, in compiled code.

All is seen from the frame of the motion, which is the world's turned about the vertical and shifted: of the degrees of
freedom only the first three, the root's translations, look different there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.dynamics.factor import factor_mass, solve_columns, solve_mass
from poise.dynamics.tree import move_pose, pose_difference
from poise.kernel import kernel

# Jacobians of points of the body, seen from the frame of a motion, in compiled code.


@kernel
def turn_rows(matrix: Any, cos: float, sin: float) -> None:
    """Turn the first two rows as the components of a vector."""
    for j in range(matrix.shape[1]):
        x, y = matrix[0, j], matrix[1, j]
        matrix[0, j], matrix[1, j] = cos * x - sin * y, sin * x + cos * y


@kernel
def turn_columns(matrix: Any, cos: float, sin: float) -> None:
    """Turn the first two columns as the components of a vector."""
    for i in range(matrix.shape[0]):
        x, y = matrix[i, 0], matrix[i, 1]
        matrix[i, 0], matrix[i, 1] = cos * x - sin * y, sin * x + cos * y


@kernel
def place(now: Any, link: int, local: Any, out: Any) -> None:
    """A point of a link (3,) m in the world."""
    for i in range(3):
        out[i] = now.xpos[link, i]
        for j in range(3):
            out[i] += now.xmat[link, 3 * i + j] * local[j]


@kernel
def point_jacobian(figure: Any, now: Any, link: int, point: Any, out: Any) -> None:
    """(3, nv) Jacobian of a world point of a link."""
    out[:] = 0.0
    x, y, z = point[0] - now.com[0], point[1] - now.com[1], point[2] - now.com[2]
    i = figure.link_dof[link]
    while i >= 0:
        axis = now.cdof[i]
        out[0, i] = axis[3] + axis[1] * z - axis[2] * y
        out[1, i] = axis[4] + axis[2] * x - axis[0] * z
        out[2, i] = axis[5] + axis[0] * y - axis[1] * x
        i = figure.dof_below[i]


@kernel
def feature_rows(figure: Any, now: Any, view: Any, nv: int) -> Any:
    """(3 F, nv) Jacobians of the features that are points of links."""
    f = figure.feature_link.shape[0]
    out, point = np.empty((3 * f, nv)), np.empty(3)
    for k in range(f):
        rows = out[3 * k : 3 * k + 3]
        place(now, figure.feature_link[k], figure.feature_point[k], point)
        point_jacobian(figure, now, figure.feature_link[k], point, rows)
        turn_rows(rows, view.cos, -view.sin)
        turn_columns(rows, view.cos, -view.sin)
    return out


@kernel
def feature_velocities(figure: Any, rows: Any, columns: Any) -> Any:
    """(3 F + nv - 6, r) what velocities (nv, r) are for the features, points of links and then joints, in their
    weights: the square of its length is what they cost."""
    f, (nv, r) = rows.shape[0], columns.shape
    out = np.zeros((f + nv - 6, r))
    for k in range(f):
        for i in range(nv):
            value = figure.feature_root[k] * rows[k, i]
            if value != 0.0:
                for j in range(r):
                    out[k, j] += value * columns[i, j]
    for k in range(f, f + nv - 6):
        for j in range(r):
            out[k, j] = figure.feature_root[k] * columns[k - f + 6, j]
    return out


# Small symmetric systems of equations, solved in compiled code.


@kernel
def solve_symmetric(system: Any) -> None:
    """Overwrite [S B], S symmetric and positive definite, with [U S^-1 B], U'U = S.

    Of S only the upper triangle is read. Loops run over slices of rows: they start at 0, which is what makes numba
    vectorise them.
    """
    n = system.shape[0]
    for k in range(n):
        row = system[k, k:]
        inverse = 1.0 / np.sqrt(row[0])
        for j in range(row.shape[0]):
            row[j] *= inverse
        for i in range(1, n - k):
            _take_off(row[i], row[i:], system[k + i, k + i :])
    for k in range(n - 1, -1, -1):
        answer = system[k, n:]
        for i in range(k + 1, n):
            _take_off(system[k, i], system[i, n:], answer)
        inverse = 1.0 / system[k, k]
        for j in range(answer.shape[0]):
            answer[j] *= inverse


@kernel
def _take_off(share: float, row: Any, out: Any) -> None:
    for j in range(out.shape[0]):
        out[j] -= share * row[j]


class LawState(NamedTuple):
    """The state as MuJoCo has it, of a scene whose first degrees of freedom are the body's."""

    qpos: Array  # (.. nq)
    qvel: Array  # (.. nv)
    mass: Array  # (.. nv, .. nv)
    bias: Array  # (.. nv)
    cdof: Array  # (.. nv, 6) motions about the centre of mass
    com: Array  # (3,) m, of the whole body
    xpos: Array  # (.. L, 3) m
    xmat: Array  # (.. L, 9)
    contact: Array  # (3 c, .. nv) Jacobian of the contacts in reach


class MotionFrame(NamedTuple):
    """Where the motion takes place: turned by an angle with this cosine and sine, then shifted."""

    cos: float
    sin: float
    way: Array  # (3,) m


class LegAdjustment(NamedTuple):
    """How the pose that is tracked differs from the motion's."""

    now: Array  # (nv,) rad, m
    ahead: Array  # (nv,) after the step
    speed: Array  # (nv,) rad/s, m/s


class LawOutput(NamedTuple):
    """What is done in a step."""

    torque: Array  # (.. nv,) N m of the scene, zero on the root and on all but the body
    feedback: Array  # (.. nv, 3 c) N m per N s
    control: Array  # (m,) the torques and forces that were wished for
    deviation: Array  # (2 nv,) from what is tracked, now


@kernel
def answer(figure: Any, plan: Any, k: int, now: Any, view: Any, reach: Any, h: float, linear: bool) -> Any:
    """Look ahead from frame k, then adapt to the contacts there are."""
    nv = plan.qvel.shape[1]
    nu = nv - 6
    used = plan.used[k, : np.argmin(plan.used[k])] if plan.used[k, -1] < 0 else plan.used[k]
    pose, mass, bias, speed = _seen(now, view, plan.qpos.shape[1], nv)
    by_control = _by_control(figure, plan, now, view, used, h)
    factor = np.zeros((nv, nv))
    factor_mass(mass, h * figure.damping, figure.dof_below, factor)
    solve_columns(factor, figure.dof_below, by_control)
    deviation = np.empty(2 * nv)
    pose_difference(figure, plan.qpos[k], pose, deviation[:nv])
    deviation[:nv] -= reach.now
    deviation[nv:] = speed - plan.qvel[k] - reach.speed
    control = np.zeros(plan.control.shape[1])
    if linear:
        control[:] = plan.control[k] + plan.offset[k] + plan.gain[k] @ deviation
    else:
        reached = _unforced(mass, bias, speed, factor, figure.dof_below, h) + by_control @ plan.control[k][used]
        control[used] = _look_ahead(figure, plan, k, used, pose, reached, by_control, reach, h)
    torque, feedback = _adapt(figure, now, view, control[used], by_control, factor, nu, h)
    return LawOutput(torque, feedback, control, deviation)


@kernel
def _seen(now: Any, view: Any, nq: int, nv: int) -> Any:
    """Pose, mass matrix, bias and velocity in the motion's frame."""
    pose, speed = now.qpos[:nq].copy(), now.qvel[:nv].copy()
    mass, bias = now.mass[:nv, :nv].copy(), now.bias[:nv].copy()
    cos, sin = view.cos, -view.sin
    pose[:3] -= view.way
    for vector in (pose, speed, bias):
        x, y = vector[0], vector[1]
        vector[0], vector[1] = cos * x - sin * y, sin * x + cos * y
    turn_rows(mass, cos, sin)
    turn_columns(mass, cos, sin)
    c, s = np.sqrt(0.5 * (1.0 + cos)), np.sqrt(0.5 * (1.0 - cos))  # of half the angle
    s = -s if sin < 0.0 else s
    a, b, d, e = pose[3], pose[4], pose[5], pose[6]
    pose[3], pose[4], pose[5], pose[6] = c * a - s * e, c * b - s * d, c * d + s * b, c * e + s * a
    return pose, mass, bias, speed


@kernel
def _by_control(figure: Any, plan: Any, now: Any, view: Any, used: Any, h: float) -> Any:
    """(nv, m) impulses of the controls that there are, per unit: torques of joints and forces on contacts."""
    nv = plan.qvel.shape[1]
    out = np.zeros((nv, used.shape[0]))
    rows, point, ball = np.zeros((3, nv)), np.empty(3), -1
    for j in range(used.shape[0]):
        index = used[j] - (nv - 6)
        if index < 0:
            out[6 + used[j], j] = h
            continue
        if index // 3 != ball:
            ball = index // 3
            link = plan.ball_link[ball]
            place(now, link, plan.ball_centre[ball], point)
            point[2] -= plan.ball_radius[ball]
            point_jacobian(figure, now, link, point, rows)
            turn_rows(rows, view.cos, -view.sin)
            turn_columns(rows, view.cos, -view.sin)
        for i in range(nv):
            out[i, j] = h * rows[index % 3, i]
    return out


@kernel
def _unforced(mass: Any, bias: Any, speed: Any, factor: Any, below: Any, h: float) -> Any:
    """(nv,) the velocity after a step without controls."""
    out = mass @ speed - h * bias
    solve_mass(factor, below, out)
    return out


@kernel
def _look_ahead(
    figure: Any, plan: Any, k: int, used: Any, pose: Any, reached: Any, by_control: Any, reach: Any, h: float
) -> Any:
    """Controls (m,) that cost least from here on [Muico2009] Eq. (11).

    `reached` (nv,) is the velocity that the motion's own controls give here. The deviation that they leave is told
    against where the motion's state moves with the same equations, so that it vanishes on the motion itself; by how
    much that misses the next state is in the plan's slope.
    """
    nv, m = by_control.shape
    deviation = np.empty(2 * nv)
    move_pose(figure, pose, reached, h)
    pose_difference(figure, plan.ahead[k], pose, deviation[:nv])
    deviation[:nv] -= reach.ahead
    deviation[nv:] = reached - plan.velocity[k] - reach.speed
    system = np.empty((m, m + 1))
    system[:, :m] = by_control.T @ (plan.matrix[k] @ by_control)
    system[:, m] = by_control.T @ (plan.pull[k] @ deviation + plan.slope[k])
    for j in range(m):
        system[j, j] += figure.change[used[j]] + figure.size[used[j]]
        system[j, m] += figure.size[used[j]] * plan.control[k, used[j]]
    solve_symmetric(system)
    return plan.control[k][used] - system[:, m]


@kernel
def _adapt(figure: Any, now: Any, view: Any, control: Any, by_control: Any, factor: Any, nu: int, h: float) -> Any:
    """Torques and contact feedback that keep the features' accelerations [Muico2009] Eq. (14), (15).

    tau = tau~ + C (B_c chi - B~_c chi~), with impulses h chi as the world has them.
    """
    nv = nu + 6
    torque, feedback = np.zeros(now.qvel.shape[0]), np.zeros((now.qvel.shape[0], now.contact.shape[0]))
    torque[6:nv] = control[:nu]
    if figure.effort == np.inf:
        return torque, feedback
    acting = _acting(now.contact, nv)
    c = acting.shape[0]
    columns = np.zeros((nv, nu + c + 1))  # accelerations by torques, impulses, planned forces
    by_contact = _by_contact(now.contact, acting, view, figure.dof_below, factor)
    for i in range(nv):
        for j in range(nu):
            columns[i, j] = by_control[i, j] / h
        for j in range(c):
            columns[i, nu + j] = by_contact[i, j] / h
        for j in range(nu, control.shape[0]):
            columns[i, nu + c] += by_control[i, j] * control[j] / h
    wanted = feature_velocities(figure, feature_rows(figure, now, view, nv), columns)
    system = wanted[:, :nu].T.copy() @ wanted
    for i in range(nu):
        system[i, i] += figure.effort
    solve_symmetric(system)  # [U, -C B_c / h, -C B~_c chi~]
    for i in range(nu):
        torque[6 + i] += system[i, nu + c]
        for j in range(c):
            feedback[6 + i, acting[j]] = -system[i, nu + j]
    return torque, feedback


@kernel
def _acting(contact: Any, nv: int) -> Any:
    """Rows of the contacts that move the body: those of other bodies do not, nor tangents of what does not touch."""
    out, count = np.empty(contact.shape[0], np.int64), 0
    for row in range(contact.shape[0]):
        for i in range(nv):
            if contact[row, i] != 0.0:
                out[count] = row
                count += 1
                break
    return out[:count]


@kernel
def _by_contact(contact: Any, acting: Any, view: Any, below: Any, factor: Any) -> Any:
    """(nv, c) velocities by unit impulses on contacts."""
    nv = factor.shape[0]
    out = np.empty((nv, acting.shape[0]))
    for j in range(acting.shape[0]):
        for i in range(nv):
            out[i, j] = contact[acting[j], i]
    turn_rows(out, view.cos, -view.sin)
    solve_columns(factor, below, out)
    return out
