"""Modes of a body's linearised dynamics: rigid ones, and deformations by their natural frequencies.

[Jain2011] section 3. Everything is told in the tangent space at the present pose. The six rigid modes are moves of the
whole body along the world's axes and turns about them through the centre of mass; deformations leave both momenta
alone, so that they depend on joint angles only: with M_rj the momenta that joints bring along,

    M^ = M_jj - M_rj' M_rr^-1 M_rj,      K phi = omega^2 M^ phi,      phi' M^ phi = 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.body.body import Body
from poise.body.contact_parts import foot_links
from poise.dynamics.terms import Terms
from poise.kernel import kernel
from poise.reference.reference import Reference

ROOT = 6
"""Freedoms of the root, which come first."""


class Modes(NamedTuple):
    """At a pose."""

    frequency: Array  # (n,) omega^2, (rad/s)^2, ascending, of the n deformations
    shape: Array  # (n, n) phi, a column per mode, of the joints
    lever: Array  # (n, n) M^ phi: torques per modal force; also what projects joint angles: p = lever' dq
    rigid: Array  # (6, 6) Phi_r^-1 at the root: rigid motion (moves, turns) by the root's velocities
    basis: Array  # (6, 6) Phi_r: root velocities by rigid motion
    inertia: Array  # (3, 3) kg m^2 about the centre of mass
    carried: Array  # (6, n) M_rr^-1 M_rj: rigid motion that joints bring along


SOFT_FOOT, STIFF_FOOT = 90.0, 150.0
"""(rad/s)^2 that a joint of a foot has by itself: no less in the paper's body; and what it is given in others."""


def usual_stiffness(body: Body) -> Array:
    """(n,) N m/rad: joints as stiff as what they carry is heavy, [Jain2011] section 7.

    Ankles that are planned ahead make walks fall. Those of the paper's body are just too fast for it; feet of a body
    that has slower ones are stiffer.
    """
    model = body.model
    links = model.dof_bodyid[ROOT:]
    stiffness = np.array(model.body_subtreemass[links])
    foot = np.isin(links, [link for foot in foot_links(body) for link in foot])
    terms = Terms(model)
    terms.evaluate(body.standing, np.zeros(body.nv))
    inertia = np.diag(terms.mass)[ROOT:]
    if np.any(stiffness[foot] < SOFT_FOOT * inertia[foot]):
        stiffness[foot] = np.maximum(stiffness[foot], STIFF_FOOT * inertia[foot])
    return stiffness


@kernel
def modes_at(mass: Any, stiffness: Any, com: Any, place: Any, turn: Any) -> Any:
    """`Modes`, from the mass matrix (nv, nv), stiffness (n,), centre of mass, and place and turn (3, 3) of the root."""
    n = mass.shape[0] - ROOT
    basis, rigid = np.zeros((6, 6)), np.zeros((6, 6))
    away = place - com
    for i in range(3):
        basis[i, i] = rigid[i, i] = 1.0
        for j in range(3):
            basis[3 + i, 3 + j] = turn[j, i]
            rigid[3 + i, 3 + j] = turn[i, j]
    cross = np.array([[0.0, -away[2], away[1]], [away[2], 0.0, -away[0]], [-away[1], away[0], 0.0]])
    basis[:3, 3:] = -cross  # a turn w moves the root by w x away
    rigid[:3, 3:] = cross @ turn
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
    values, vectors = np.linalg.eigh(scaled)  # 1 / omega^2, ascending: the fastest first
    frequency, shape = np.empty(n), np.empty((n, n))
    for k in range(n):
        value = values[n - 1 - k]
        frequency[k] = 1.0 / value
        for i in range(n):
            shape[i, k] = soft[i] * vectors[i, n - 1 - k] / np.sqrt(value)
    return frequency, shape, left @ shape, rigid, basis, whole[3:, 3:].copy(), carried


def modal_forces(modes: Modes, force: Array) -> Array:
    """(n, ...) forces on the deformations of generalised forces (nv, ...)."""
    return np.asarray(modes.shape.T @ (force[ROOT:] - modes.carried.T @ (modes.basis.T @ force[:ROOT])))


# How long a window should be: as long as the body hardly changes its shape, since it is planned for as if it did not.
#
# [Jain2011] leaves the choice to people (section 9): 12 frames for walking, 16 for squatting, 24 for swinging.

TURN = 0.1
"""rad, in the root-mean-square: how far joints may turn within a window."""
SHORTEST, LONGEST = 6, 24
"""Frames."""
SEEN, EVERY = 4.0, 1 / 30
"""s of the reference that are looked at, and how densely."""


def fitting_window(reference: Reference, step: float) -> int:
    """Frames in which the joints of a reference turn a little, on average."""
    speeds = np.array([reference.at(time).qvel[ROOT:] for time in np.arange(0.0, SEEN, EVERY)])
    speed = float(np.sqrt(np.mean(speeds**2)))  # rad/s
    return int(np.clip(round(TURN / (max(speed, 1e-9) * step)), SHORTEST, LONGEST))


# Jacobians of many points at once, from how MuJoCo tells the motion that each freedom makes.


def moved_by(model: Any, nv: int) -> NDArray[np.bool_]:
    """(nbody, nv) which links each of the first freedoms moves: its own, and all that hang on it."""
    out = np.zeros((model.nbody, nv), bool)
    for link in range(1, model.nbody):
        out[link] = out[model.body_parentid[link]]
        first = model.body_dofadr[link]
        out[link, max(first, 0) : max(first, 0) + model.body_dofnum[link]] = True
    return out


@kernel
def jacobians(point: Any, link: Any, chosen: Any, moves: Any, motion: Any, about: Any) -> Any:
    """(3 C, nv) those of chosen points (C, 3) of links (C,), and zeros for others.

    ``moves`` (nbody, nv) tells which freedoms move a link, ``motion`` (., 6) their turns and moves about a place (3,).
    """
    count, nv = point.shape[0], moves.shape[1]
    out = np.zeros((3 * count, nv))
    for c in range(count):
        if not chosen[c]:
            continue
        arm = point[c] - about
        for dof in range(nv):
            if moves[link[c], dof]:
                for i in range(3):
                    j, k = (i + 1) % 3, (i + 2) % 3
                    out[3 * c + i, dof] = motion[dof, 3 + i] + motion[dof, j] * arm[k] - motion[dof, k] * arm[j]
    return out
