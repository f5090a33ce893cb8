"""The control law of one step, in compiled code: the look-ahead policy, then its adaptation to contacts.

The law works in the frame of the motion: the world's frame turned about the vertical and shifted. Only the first three
degrees of freedom, the root's translations, have other components in the motion's frame than in the world's.
"""

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Ints
from poise.control.nqr.lookahead import LawTables, PolicyTables
from poise.dynamics.factor import factor_mass, solve_mass, solve_mass_columns
from poise.dynamics.tree import advance_pose, tangent_step, transform_point
from poise.kernel import kernel


class NqrState(NamedTuple):
    """State of a scene with n degrees of freedom, in MuJoCo's layout; the first nv are the body's."""

    qpos: Array  # the first nq coordinates are the body's
    qvel: Array  # (n,)
    mass: Array  # (n, n)
    bias: Array  # (n,)
    cdof: Array  # (n, 6) motion of each degree of freedom about `com`: rotation, then translation
    com: Array  # (3,) m, of the whole body
    xpos: Array  # (L, 3) m, of the links
    xmat: Array  # (L, 9)
    contact: Array  # (3 c, n) Jacobian of the candidate contacts


class MotionFrame(NamedTuple):
    """Where the motion takes place in the world: turned about the vertical, then shifted."""

    cos: float
    sin: float
    way: Array  # (3,) m


class LegAdjustment(NamedTuple):
    """Difference between the tracked pose and the motion's pose."""

    now: Array  # (nv,) rad, m: at the beginning of the step
    ahead: Array  # (nv,) rad, m: at the end of the step
    speed: Array  # (nv,) rad/s, m/s: added to the tracked velocity


class NqrOutput(NamedTuple):
    """Actuation of a step of a scene with n degrees of freedom."""

    torque: Array  # (n,) N m, zero on the root and on everything but the body
    feedback: Array  # (n, 3 c) N m per N s of contact impulse
    control: Array  # (m,) N m, N: joint torques and contact forces of the look-ahead policy
    deviation: Array  # (2 nv,) from the tracked state to the present one, at the beginning of the step


@kernel
def nqr_control_law(
    body: LawTables,
    policy: PolicyTables,
    k: int,
    state: NqrState,
    frame: MotionFrame,
    legs: LegAdjustment,
    h: float,
    linear: bool,
) -> NqrOutput:
    """Actuation in frame k for a step of h seconds: controls of the look-ahead policy, adapted to the contacts."""
    nv = policy.qvel.shape[1]
    used = policy.used[k, : np.argmin(policy.used[k])] if policy.used[k, -1] < 0 else policy.used[k]
    pose, mass, bias, speed = _policy_terms_in_motion_frame(state, frame, policy.qpos.shape[1], nv)
    by_control = _impulses_per_control(body, policy, state, frame, used, h)
    factor = np.zeros((nv, nv))
    factor_mass(mass, h * body.damping, body.dof_below, factor)
    solve_mass_columns(factor, body.dof_below, by_control)
    deviation = np.empty(2 * nv)
    tangent_step(body, policy.qpos[k], pose, deviation[:nv])
    deviation[:nv] -= legs.now
    deviation[nv:] = speed - policy.qvel[k] - legs.speed
    control = np.zeros(policy.control.shape[1])
    if linear:
        control[:] = policy.control[k] + policy.offset[k] + policy.gain[k] @ deviation
    else:
        reached = mass @ speed - h * bias
        solve_mass(factor, body.dof_below, reached)
        reached = reached + by_control @ policy.control[k][used]
        control[used] = _nqr_controls(body, policy, k, used, pose, reached, by_control, legs, h)
    torque, feedback = _contact_adapted_torque(body, state, frame, control[used], by_control, factor, h)
    return NqrOutput(torque, feedback, control, deviation)


@kernel
def _policy_terms_in_motion_frame(
    state: NqrState, frame: MotionFrame, nq: int, nv: int
) -> tuple[Array, Array, Array, Array]:
    """Pose (nq,), mass matrix (nv, nv), bias (nv,) and velocity (nv,) of the body in the motion's frame."""
    pose, speed = state.qpos[:nq].copy(), state.qvel[:nv].copy()
    mass, bias = state.mass[:nv, :nv].copy(), state.bias[:nv].copy()
    cos, sin = frame.cos, -frame.sin
    pose[:3] -= frame.way
    for vector in (pose, speed, bias):
        x, y = vector[0], vector[1]
        vector[0], vector[1] = cos * x - sin * y, sin * x + cos * y
    _rotate_ground_axes(mass, cos, sin)
    _rotate_ground_axes(mass.T, cos, sin)
    c, s = np.sqrt(0.5 * (1.0 + cos)), np.sqrt(0.5 * (1.0 - cos))  # of half the angle
    s = -s if sin < 0.0 else s
    a, b, d, e = pose[3], pose[4], pose[5], pose[6]
    pose[3], pose[4], pose[5], pose[6] = c * a - s * e, c * b - s * d, c * d + s * b, c * e + s * a
    return pose, mass, bias, speed


@kernel
def _impulses_per_control(
    body: LawTables, policy: PolicyTables, state: NqrState, frame: MotionFrame, used: Ints, h: float
) -> Array:
    """(nv, m) generalised impulses in h seconds per unit of each used control: joint torques and contact forces."""
    nv = policy.qvel.shape[1]
    out = np.zeros((nv, used.shape[0]))
    rows, point, ball = np.zeros((3, nv)), np.empty(3), -1
    for j in range(used.shape[0]):
        index = used[j] - (nv - 6)
        if index < 0:
            out[6 + used[j], j] = h
            continue
        if index // 3 != ball:
            ball = index // 3
            link = policy.ball_link[ball]
            transform_point(state.xpos[link], state.xmat[link].reshape(3, 3), policy.ball_centre[ball], point)
            point[2] -= policy.ball_radius[ball]
            _adaptation_link_jacobian(body, state, frame, link, point, rows)
        for i in range(nv):
            out[i, j] = h * rows[index % 3, i]
    return out


@kernel
def _nqr_controls(
    body: LawTables,
    policy: PolicyTables,
    k: int,
    used: Ints,
    pose: Array,
    reached: Array,
    by_control: Array,
    legs: LegAdjustment,
    h: float,
) -> Array:
    """(m,) the used controls of the nonlinear quadratic regulator [Muico2009] Eq. (11).

    ``reached`` (nv,) is the velocity after the step with the motion's own controls, ``by_control`` (nv, m) the change
    of this velocity per unit control. The deviation after the step is measured from the pose and velocity to which the
    same equations bring the motion's state, so that the deviation vanishes on the motion itself. The defect of the
    motion's own step is part of the policy's slope. Overwrites ``pose``.
    """
    nv, m = by_control.shape
    deviation = np.empty(2 * nv)
    advance_pose(body, pose, reached, h)
    tangent_step(body, policy.next_pose[k], pose, deviation[:nv])
    deviation[:nv] -= legs.ahead
    deviation[nv:] = reached - policy.velocity[k] - legs.speed
    system = np.empty((m, m + 1))
    system[:, :m] = by_control.T @ (policy.matrix[k] @ by_control)
    system[:, m] = by_control.T @ (policy.pull[k] @ deviation + policy.slope[k])
    for j in range(m):
        system[j, j] += body.change[used[j]] + body.size[used[j]]
        system[j, m] += body.size[used[j]] * policy.control[k, used[j]]
    solve_policy_normal_equations(system)
    control: Array = policy.control[k][used] - system[:, m]
    return control


@kernel
def _contact_adapted_torque(
    body: LawTables, state: NqrState, frame: MotionFrame, control: Array, by_control: Array, factor: Array, h: float
) -> tuple[Array, Array]:
    """Torques (n,) and contact feedback (n, 3 c) of the contact adaptation [Muico2009] Eqs. (14), (15).

    tau = tau~ + C (B_c chi - B~_c chi~); the feedback multiplies the contact impulses h chi of the world's step.
    """
    nv = factor.shape[0]
    nu = nv - 6
    torque, feedback = np.zeros(state.qvel.shape[0]), np.zeros((state.qvel.shape[0], state.contact.shape[0]))
    torque[6:nv] = control[:nu]
    if body.effort == np.inf:
        return torque, feedback
    acting = _policy_contact_rows(state.contact, nv)
    c = acting.shape[0]
    columns = np.zeros((nv, nu + c + 1))  # accelerations by torques, contact impulses, and the planned contact forces
    by_contact = _contact_responses_for_policy(state.contact, acting, frame, body.dof_below, factor)
    for i in range(nv):
        for j in range(nu):
            columns[i, j] = by_control[i, j] / h
        for j in range(c):
            columns[i, nu + j] = by_contact[i, j] / h
        for j in range(nu, control.shape[0]):
            columns[i, nu + c] += by_control[i, j] * control[j] / h
    features = _weighted_feature_accelerations(body, _adaptation_feature_jacobian(body, state, frame, nv), columns)
    system = features[:, :nu].T.copy() @ features
    for i in range(nu):
        system[i, i] += body.effort
    solve_policy_normal_equations(system)  # [U, -C B_c / h, -C B~_c chi~]
    for i in range(nu):
        torque[6 + i] += system[i, nu + c]
        for j in range(c):
            feedback[6 + i, acting[j]] = -system[i, nu + j]
    return torque, feedback


@kernel
def _policy_contact_rows(contact: Array, nv: int) -> Ints:
    """Indices of the rows of the contact Jacobian (3 c, n) that are not zero on the body's nv degrees of freedom."""
    out, count = np.empty(contact.shape[0], np.int64), 0
    for row in range(contact.shape[0]):
        for i in range(nv):
            if contact[row, i] != 0.0:
                out[count] = row
                count += 1
                break
    return out[:count]


@kernel
def _contact_responses_for_policy(
    contact: Array, acting: Ints, frame: MotionFrame, below: Ints, factor: Array
) -> Array:
    """(nv, c) changes of velocity by unit impulses along the acting contact rows."""
    nv = factor.shape[0]
    out = np.empty((nv, acting.shape[0]))
    for j in range(acting.shape[0]):
        for i in range(nv):
            out[i, j] = contact[acting[j], i]
    _rotate_ground_axes(out, frame.cos, -frame.sin)
    solve_mass_columns(factor, below, out)
    return out


@kernel
def _weighted_feature_accelerations(body: LawTables, rows: Array, columns: Array) -> Array:
    """(3 F + nv - 6, r) accelerations of points with Jacobians ``rows``, then of joints; times the roots of W."""
    f, (nv, r) = rows.shape[0], columns.shape
    out = np.zeros((f + nv - 6, r))
    for k in range(f):
        for i in range(nv):
            value = body.feature_root[k] * rows[k, i]
            if value != 0.0:
                for j in range(r):
                    out[k, j] += value * columns[i, j]
    for k in range(f, f + nv - 6):
        for j in range(r):
            out[k, j] = body.feature_root[k] * columns[k - f + 6, j]
    return out


@kernel
def _adaptation_feature_jacobian(body: LawTables, state: NqrState, frame: MotionFrame, nv: int) -> Array:
    """(3 F, nv) Jacobians of the F feature points, in the motion's frame."""
    f = body.feature_link.shape[0]
    out, point = np.empty((3 * f, nv)), np.empty(3)
    for k in range(f):
        link = body.feature_link[k]
        transform_point(state.xpos[link], state.xmat[link].reshape(3, 3), body.feature_point[k], point)
        _adaptation_link_jacobian(body, state, frame, link, point, out[3 * k : 3 * k + 3])
    return out


@kernel
def _adaptation_link_jacobian(
    body: LawTables, state: NqrState, frame: MotionFrame, link: int, point: Array, out: Array
) -> None:
    """Write into out (3, nv) the Jacobian, in the motion's frame, of a link's point (3,) m given in the world."""
    out[:] = 0.0
    x, y, z = point[0] - state.com[0], point[1] - state.com[1], point[2] - state.com[2]
    i = body.link_dof[link]
    while i >= 0:
        axis = state.cdof[i]
        out[0, i] = axis[3] + axis[1] * z - axis[2] * y
        out[1, i] = axis[4] + axis[2] * x - axis[0] * z
        out[2, i] = axis[5] + axis[0] * y - axis[1] * x
        i = body.dof_below[i]
    _rotate_ground_axes(out, frame.cos, -frame.sin)
    _rotate_ground_axes(out.T, frame.cos, -frame.sin)


@kernel
def _rotate_ground_axes(matrix: Array, cos: float, sin: float) -> None:
    """Rotate the columns of a matrix in place about the vertical; the first two rows are x and y components."""
    for j in range(matrix.shape[1]):
        x, y = matrix[0, j], matrix[1, j]
        matrix[0, j], matrix[1, j] = cos * x - sin * y, sin * x + cos * y


@kernel
def solve_policy_normal_equations(system: Array) -> None:
    """Overwrite [S B] with [U S^-1 B], where S is symmetric and positive definite, and U'U = S.

    Only the upper triangle of S is read. Loops run over slices of rows from index 0, which lets numba vectorise them.
    """
    n = system.shape[0]
    for k in range(n):
        row = system[k, k:]
        inverse = 1.0 / np.sqrt(row[0])
        for j in range(row.shape[0]):
            row[j] *= inverse
        for i in range(1, n - k):
            _subtract_scaled_row(row[i], row[i:], system[k + i, k + i :])
    for k in range(n - 1, -1, -1):
        solution = system[k, n:]
        for i in range(k + 1, n):
            _subtract_scaled_row(system[k, i], system[i, n:], solution)
        inverse = 1.0 / system[k, k]
        for j in range(solution.shape[0]):
            solution[j] *= inverse


@kernel
def _subtract_scaled_row(factor: float, row: Array, out: Array) -> None:
    for j in range(out.shape[0]):
        out[j] -= factor * row[j]
