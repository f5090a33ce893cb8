"""A recording replayed through MuJoCo's kinematics alone: what audit and metrics measure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.world.recording import Recording

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Replay:
    """Kinematics and momenta at every state. Momenta come from body velocities, not from the mass matrix."""

    recording: Recording
    roots: Ints  # (trees,) body ids of free roots
    mass: Array  # (trees,) kg
    com: Array  # (T+1, trees, 3) m
    linear: Array  # (T+1, trees, 3) kg m/s
    angular: Array  # (T+1, trees, 3) kg m^2/s, about the centre of mass
    xpos: Array  # (T+1, nbody, 3) m
    xmat: Array  # (T+1, nbody, 3, 3)
    depth: Array  # (T+1,) m, deepest penetration
    near: tuple[dict[tuple[int, int], float], ...]  # per state: least gap of each pair of bodies that is close

    @classmethod
    def of(cls, recording: Recording) -> Replay:
        """Replay all states."""
        model = recording.model
        data = mujoco.MjData(model)
        free = model.jnt_type == mujoco.mjtJoint.mjJNT_FREE
        roots = model.jnt_bodyid[free].astype(np.int64)
        states = len(recording.time)
        com, linear, angular = (np.zeros((states, len(roots), 3)) for _ in range(3))
        xpos, xmat = np.zeros((states, model.nbody, 3)), np.zeros((states, model.nbody, 3, 3))
        depth = np.zeros(states)
        near = []
        mass = model.body_subtreemass[roots]
        for k in range(states):
            data.qpos[:], data.qvel[:] = recording.qpos[k], recording.qvel[k]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_collision(model, data)
            mujoco.mj_comVel(model, data)
            mujoco.mj_subtreeVel(model, data)
            com[k] = data.subtree_com[roots]
            linear[k] = data.subtree_linvel[roots] * mass[:, None]
            angular[k] = data.subtree_angmom[roots]
            xpos[k], xmat[k] = data.xpos, data.xmat.reshape(-1, 3, 3)
            gaps = data.contact.dist
            depth[k] = max(0.0, -gaps.min()) if len(gaps) else 0.0
            near.append(_least_gaps(model.geom_bodyid[data.contact.geom], gaps))
        return cls(recording, roots, mass, com, linear, angular, xpos, xmat, depth, tuple(near))

    def tree_of(self, bodies: Ints) -> Ints:
        """Index of the floating tree of each body, -1 if it is fixed."""
        lookup = np.full(self.recording.model.nbody, -1)
        for tree, root in enumerate(self.roots):
            lookup[self.recording.model.body_rootid == root] = tree
        found: Ints = lookup[bodies]
        return found

    @cached_property
    def slip(self) -> Array:
        """(N,) m/s: tangential speed of each contact's material point on `contact_body` against `contact_other`."""
        return np.asarray(np.linalg.norm(self.slip_velocity, axis=1))

    @cached_property
    def slip_velocity(self) -> Array:
        """(N, 3) m/s: mean tangential velocity over the step of each contact's material points."""
        r = self.recording
        moved = self._carried(r.contact_body) - self._carried(r.contact_other)
        along = np.einsum("ni,ni->n", moved, r.contact_normal)[:, None] * r.contact_normal
        return np.asarray((moved - along) / r.step)

    def _carried(self, bodies: Ints) -> Array:
        """How far each contact point moves with a body during its step."""
        r, k = self.recording, self.recording.contact_step
        local = np.einsum("nij,ni->nj", self.xmat[k, bodies], r.contact_point - self.xpos[k, bodies])
        after = np.einsum("nij,nj->ni", self.xmat[k + 1, bodies], local) + self.xpos[k + 1, bodies]
        return np.asarray(after - r.contact_point)

    @cached_property
    def apart(self) -> Array:
        """(N,) m: least distance of the two bodies at the start and the end of the step in which they pressed."""
        r = self.recording
        out = np.full(len(r.contact_step), np.inf)
        for n, (k, a, b) in enumerate(zip(r.contact_step, r.contact_body, r.contact_other, strict=True)):
            pair = (min(a, b), max(a, b))
            out[n] = min(self.near[k].get(pair, np.inf), self.near[k + 1].get(pair, np.inf))
        return out


def _least_gaps(bodies: Ints, gaps: Array) -> dict[tuple[int, int], float]:
    least: dict[tuple[int, int], float] = {}
    for (a, b), gap in zip(bodies.tolist(), gaps.tolist(), strict=True):
        pair = (min(a, b), max(a, b))
        least[pair] = min(gap, least.get(pair, np.inf))
    return least
