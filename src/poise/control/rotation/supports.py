"""Which contacts a controller uses: the ground supervisor of [Zordan2014] section VI."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.dynamics import State
from poise.frozen import Array, Ints
from poise.spatial import cross_matrix

Bools = NDArray[np.bool_]


class Supports(NamedTuple):
    """Contacts that forces are planned for."""

    body: Ints  # (c,) body id
    point: Array  # (c, 3) m, world
    axes: Array  # (c, 3, 3) rows n, t1, t2
    friction: Array  # (c,)
    jacobian: Array  # (3 c, nv) velocity of the body along n, t1, t2
    curve: Array  # (3 c,) m/s along them that paths bend away in the step, beyond the velocity at its end

    def only(self, chosen: Bools | Ints) -> Supports:
        """Some of them."""
        nv = self.jacobian.shape[1]
        rows = self.jacobian.reshape(-1, 3, nv)[chosen].reshape(-1, nv)
        curve = self.curve.reshape(-1, 3)[chosen].ravel()
        return Supports(self.body[chosen], self.point[chosen], self.axes[chosen], self.friction[chosen], rows, curve)


class Finder:
    """Finds supports of the first character of a scene, and their Jacobians."""

    def __init__(self, model: mujoco.MjModel, nv: int, excluded: tuple[int, ...]) -> None:
        """`excluded` are body ids that are never used, such as the head's."""
        self._nv = nv
        self._carried = np.zeros((model.nbody, nv), bool)  # which freedoms move which body
        for body in range(1, model.nbody):
            dof = int(model.body_dofadr[body] + model.body_dofnum[body] - 1) if model.body_dofnum[body] else -1
            parent = int(model.body_parentid[body])
            if dof < 0:
                self._carried[body] = self._carried[parent]
            while dof >= 0:
                if dof < nv:
                    self._carried[body, dof] = True
                dof = int(model.dof_parentid[dof])
        self._mass, self._gravity = float(model.body_subtreemass[1]), np.array(model.opt.gravity)
        self._own = (model.body_rootid == 1) & ~np.isin(np.arange(model.nbody), excluded)

    def near(self, state: State, gap: float) -> Supports:
        """All that are nearer than a gap (m), of the character's own and on something else."""
        found = state.contacts
        chosen = np.flatnonzero((found.gap < gap) & self._own[found.body])
        body, point, axes = found.body[chosen], found.point[chosen], found.frame[chosen]
        moves = self.moves(state, body, point)  # (c, 3, nv)
        curve = 0.5 * state.step * (axes @ self._bending(state, body, point)[:, :, None]).ravel()
        return Supports(body, point, axes, found.friction[chosen], (axes @ moves).reshape(-1, self._nv), curve)

    def moves(self, state: State, body: Ints, point: Array) -> Array:
        """(c, 3, nv) Jacobians of points (c, 3) m of bodies (c,), in the world."""
        axis = state.data.cdof[: self._nv].T  # (6, nv) turning first, about the centre of mass
        arm = cross_matrix(point - state.data.subtree_com[1])
        return np.asarray((axis[3:] - arm @ axis[:3]) * self._carried[body][:, None, :])

    def _bending(self, state: State, body: Ints, point: Array) -> Array:
        """(c, 3) m/s^2 of points (c, 3) m of bodies (c,) that velocities alone cause, and the path of the whole.

        The world keeps momentum exact by moving the whole body after each step: a foot that stays where it is has
        a velocity, of up to 0.5 m/s in a push, and it is the path of the step that must not leave the ground.
        """
        nv = self._nv
        turning = self._carried[body] @ (state.data.cdof_dot[:nv] * state.qvel[:nv, None])  # (c, 6)
        whole = state.bias[:3] / self._mass + self._gravity
        arm = cross_matrix(point - state.data.subtree_com[1])
        return np.asarray(turning[:, 3:] - (arm @ turning[:, :3, None])[:, :, 0] + whole)

    def turns(self, state: State, body: int) -> Array:
        """(3, nv) Jacobian of a body's angular velocity, in the world."""
        return np.asarray((state.data.cdof[: self._nv, :3] * self._carried[body][:, None]).T)


def bearing(supports: Supports, force: Array, com: Array, least_force: float, least_torque: float) -> Bools:
    """(c,) the inclusion test: which forces (c, 3) N along their axes, or torques about the centre of mass, matter."""
    world = np.einsum("cij,ci->cj", supports.axes, force)
    torque = (cross_matrix(supports.point - com) @ world[:, :, None])[:, :, 0]
    strong = np.linalg.norm(world, axis=1) > least_force
    return np.asarray(strong | (np.linalg.norm(torque, axis=1) > least_torque))
