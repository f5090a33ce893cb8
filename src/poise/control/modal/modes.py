"""Modes of a body's linearised dynamics, and how low-frequency modes give way to keep planted points at rest.

Modes are rigid body modes, and deformations by natural frequency [Jain2011] section 3. Coordinates are those of the
tangent space at the present pose. The six rigid body modes are translations of the whole body along the world's axes
and rotations about them through the centre of mass. Deformations change neither linear nor angular momentum, so that
they are functions of the joint angles alone. With M_rj the momenta of joint motion,

    M^ = M_jj - M_rj' M_rr^-1 M_rj,      K phi = omega^2 M^ phi,      phi' M^ phi = 1.

The paper keeps points planted by correcting the contact forces [Jain2011] Eqs. (24)-(28), with the least disturbance
of the rigid body and low-frequency modes. If the accelerations of all modes leave the points at rest, no correction is
needed, and the rigid body modes get the forces planned for them. So the low-frequency modes change their accelerations
by the least amount that achieves this.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Ints, Mask
from poise.body.body import Body
from poise.body.surface import foot_links
from poise.dynamics.mechanism import DynamicsTerms
from poise.kernel import kernel

ROOT = 6  # Degrees of freedom of the root, which come first

FIRM_FOOT = 0.07  # Gain of the motors of soft feet, N m s/rad per kg of the body
SOFT_FOOT, STIFF_FOOT = 90.0, 150.0
"""Squared natural frequencies, (rad/s)^2, of a foot joint alone. If any foot joint is below SOFT_FOOT, all foot joints
are stiffened to at least STIFF_FOOT."""


class Modes(NamedTuple):
    """Modes at a pose, with n deformations."""

    frequency: Array  # (n,) omega^2, (rad/s)^2, ascending, of the deformations
    shape: Array  # (n, n) phi: joint angles, a column per mode
    lever: Array  # (n, n) M^ phi: joint torques per modal force; its transpose projects joint angles: p = lever' dq
    basis: Array  # (6, 6) Phi_r: velocities of the root, a column per rigid body mode (translations, rotations)
    carried: Array  # (6, n) M_rr^-1 M_rj: rigid body velocities that have the same momenta as joint velocities


def modal_stiffness(body: Body) -> Array:
    """(n,) N m/rad: the stiffness of each joint is the mass of the subtree that it carries [Jain2011] section 7.

    Walking bodies fall if the ankles move in low-frequency modes. The ankles of the paper's body are just stiff enough;
    softer foot joints of other bodies are stiffened.
    """
    stiffness = np.array(body.model.body_subtreemass[body.model.dof_bodyid[ROOT:]])
    foot, inertia = _foot_dofs(body), _joint_inertia(body)
    if has_soft_feet(body):
        stiffness[foot] = np.maximum(stiffness[foot], STIFF_FOOT * inertia[foot])
    return stiffness


def has_soft_feet(body: Body) -> bool:
    """Whether a foot joint is softer than the ankles of the paper's body, if it carries the stiffness of its mass."""
    foot = _foot_dofs(body)
    mass = body.model.body_subtreemass[body.model.dof_bodyid[ROOT:]]
    return bool(np.any(mass[foot] < SOFT_FOOT * _joint_inertia(body)[foot]))


def firm_foot_gains(body: Body) -> Array:
    """(n,) N m s/rad: gains of motors that hold soft feet to their poses; 0 for other joints and for firm feet.

    Toes and ankles are light. Contact forces that differ a little from the planned ones bend them by 5 to 20 degrees
    within a stance, and captured walks then stumble.
    """
    return np.where(_foot_dofs(body) & has_soft_feet(body), FIRM_FOOT * body.mass, 0.0)


def _foot_dofs(body: Body) -> Mask:
    """(n,) whether a joint DOF belongs to a foot."""
    return np.isin(body.model.dof_bodyid[ROOT:], [link for foot in foot_links(body) for link in foot])


def _joint_inertia(body: Body) -> Array:
    """(n,) kg m^2: diagonal of the mass matrix in the standing pose."""
    terms = DynamicsTerms(body.model)
    terms.evaluate(body.standing, np.zeros(body.nv))
    return np.array(np.diag(terms.mass)[ROOT:])


@kernel
def modes_at(mass: Array, stiffness: Array, com: Array, place: Array, turn: Array) -> tuple[NDArray[Any], ...]:
    """The fields of `Modes`, from the mass matrix (nv, nv), stiffness (n,) N m/rad, centre of mass (3,) m, and the
    root's place (3,) m and turn (3, 3)."""
    n = mass.shape[0] - ROOT
    basis = np.zeros((6, 6))
    away = place - com
    for i in range(3):
        basis[i, i] = 1.0
        for j in range(3):
            basis[3 + i, 3 + j] = turn[j, i]
    cross = np.array([[0.0, -away[2], away[1]], [away[2], 0.0, -away[0]], [-away[1], away[0], 0.0]])
    basis[:3, 3:] = -cross  # a rotation w moves the root by w x away
    root = np.ascontiguousarray(mass[:ROOT, :ROOT])
    whole = basis.T @ root @ basis
    brought = basis.T @ np.ascontiguousarray(mass[:ROOT, ROOT:])
    carried = np.linalg.solve(whole, brought)
    left = mass[ROOT:, ROOT:] - brought.T @ carried
    soft = 1.0 / np.sqrt(stiffness)
    scaled = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            scaled[i, j] = soft[i] * left[i, j] * soft[j]
    values, vectors = np.linalg.eigh(scaled)  # 1 / omega^2, ascending
    frequency, shape = np.empty(n), np.empty((n, n))
    for k in range(n):
        value = values[n - 1 - k]
        frequency[k] = 1.0 / value
        for i in range(n):
            shape[i, k] = soft[i] * vectors[i, n - 1 - k] / np.sqrt(value)
    return frequency, shape, left @ shape, basis, carried


def modal_forces(modes: Modes, force: Array) -> Array:
    """(n, ...) modal forces on the deformations by generalised forces (nv, ...)."""
    return np.asarray(modes.shape.T @ (force[ROOT:] - modes.carried.T @ (modes.basis.T @ force[:ROOT])))


@kernel
def planted_point_jacobian_of_modes(
    point: Array, link: Ints, bears: Mask, moves: Mask, motion: Array, about: Array
) -> Array:
    """(3 C, nv) Jacobian of points (C, 3) m on links (C,); the rows of points that do not bear are zero.

    ``moves`` (nbody, nv) tells whether a degree of freedom moves a link. ``motion`` (., 6) is MuJoCo's cdof: rotation,
    then translation at ``about`` (3,).
    """
    count, nv = point.shape[0], moves.shape[1]
    out = np.zeros((3 * count, nv))
    for c in range(count):
        if not bears[c]:
            continue
        arm = point[c] - about
        for dof in range(nv):
            if moves[link[c], dof]:
                for i in range(3):
                    j, k = (i + 1) % 3, (i + 2) % 3
                    out[3 * c + i, dof] = motion[dof, 3 + i] + motion[dof, j] * arm[k] - motion[dof, k] * arm[j]
    return out


@kernel
def planted_point_drift_of_modes(
    rows: tuple[Array, Array, Array], qvel: Array, place: Array, point: Array, frame: Array, own: Mask, out: Array
) -> None:
    """Write into out (3 c,) the accelerations (m/s^2) of a link's points, due to the velocities alone, in their frames.

    ``own`` (c,) tells which points (c, 3) m are on the link; ``frame`` (c, 3, 3) has normal and tangents in rows.
    ``rows`` are matrices (3, nv) of the link at its place (3,) m: the time derivatives of the Jacobians of translation
    and of rotation, and the Jacobian of rotation.
    """
    moving, turning, spinning = rows
    n = qvel.shape[0]
    away, twist, spin = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(3):
        for j in range(n):
            away[i] += moving[i, j] * qvel[j]
            twist[i] += turning[i, j] * qvel[j]
            spin[i] += spinning[i, j] * qvel[j]
    for c in range(point.shape[0]):
        if own[c]:
            arm = point[c] - place
            found = away + np.cross(twist, arm) + np.cross(spin, np.cross(spin, arm))
            out[3 * c : 3 * c + 3] = frame[c] @ found


@kernel
def rigid_mode_acceleration(
    bias: Array, force: Array, point: Array, place: Array, turn: Array, mass: Array, basis: Array
) -> Array:
    """(6,) accelerations of the rigid body modes by bias forces (nv,) and contact forces (C, 3) N at points (C, 3) m.

    ``place`` (3,) m and ``turn`` (3, 3) are position and orientation of the root; ``basis`` is `Modes.basis`.
    """
    pull, twist = np.zeros(3), np.zeros(3)
    for c in range(force.shape[0]):
        arm, given = point[c] - place, force[c]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            pull[i] += given[i]
            twist[i] += arm[j] * given[k] - arm[k] * given[j]
    root = -bias[:ROOT].copy()
    root[:3] += pull
    root[3:] += turn.T @ twist
    whole = basis.T @ np.ascontiguousarray(mass[:ROOT, :ROOT]) @ basis
    found: NDArray[Any] = np.linalg.solve(whole, basis.T @ root)
    return found


@kernel
def yielding_modes(modes: Modes, slow: int, rigid: Array, bend: Array, rows: Array, drift: Array, soft: float) -> Array:
    """(slow,) least change of the low-frequency modes' accelerations that leaves planted points at rest.

    ``rigid`` (6,) and ``bend`` (n,) are the planned accelerations of rigid body modes and deformations. ``rows``
    (3 c, nv) are the points' Jacobians along normals and tangents, ``drift`` (3 c,) m/s^2 are their accelerations due
    to the velocities alone. ``soft`` weighs the change against the points' accelerations.
    """
    shape, basis, carried = modes.shape, modes.basis, modes.carried
    n = shape.shape[0]
    some = np.ascontiguousarray(shape[:, :slow])
    joints = shape @ bend
    whole = np.empty(ROOT + n)
    whole[:ROOT] = basis @ (rigid - carried @ joints)
    whole[ROOT:] = joints
    moved = np.ascontiguousarray(rows[:, ROOT:]) @ some
    moved -= np.ascontiguousarray(rows[:, :ROOT]) @ (basis @ (carried @ some))
    bottom = moved.T @ moved
    for m in range(slow):
        bottom[m, m] += soft
    change: NDArray[Any] = -np.linalg.solve(bottom, moved.T @ (rows @ whole + drift))
    return change
