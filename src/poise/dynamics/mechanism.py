"""Tables of a compiled scene for the kernels of a step, and the scene's mass matrix and bias in a state."""

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from poise.arrays import Array, Ints


@dataclass(frozen=True)
class Mechanism:
    """Topology of a scene: chains of DOFs, floating trees, joint limits."""

    nv: int
    dof_parent: Ints  # (nv,) preceding DOF in the chain, -1 at a root
    body_last_dof: Ints  # (nbody,) last DOF of the chain that moves a body, -1 if fixed
    body_root: Ints  # (nbody,) root body of the tree; MuJoCo's spatial vectors refer to the tree's centre of mass
    body_tree: Ints  # (nbody,) index of the floating tree, -1 if fixed
    tree_body: Ints  # (trees,) root body of each floating tree
    tree_dof: Ints  # (trees,) first DOF
    tree_end: Ints  # (trees,) one past the last DOF
    tree_qpos: Ints  # (trees,) first coordinate
    tree_mass: Array  # (trees,) kg
    damping: Array  # (nv,) N m s/rad, passive
    limit_dof: Ints  # (limits,) first DOF of each limited joint
    limit_qpos: Ints  # (limits,) first coordinate
    limit_size: Ints  # (limits,) 1 hinge, 3 ball
    limit_lower: Array  # (limits, 3) rad
    limit_upper: Array  # (limits, 3) rad

    @cached_property
    def floating_dofs(self) -> Ints:
        """DOFs of the free roots, which carry no joint torque."""
        return np.concatenate([np.arange(start, start + 6) for start in self.tree_dof] or [np.zeros(0, np.int64)])


def mechanism_of(model: mujoco.MjModel, lower: Array, upper: Array) -> Mechanism:
    """Tables of a compiled model; `lower` and `upper` (nv,) rad bound hinge angles and rotation vectors of balls."""
    carrier = model.body_weldid  # of each body: itself or the nearest ancestor with a joint, 0 if fixed
    last = np.where(carrier > 0, model.body_dofadr[carrier] + model.body_dofnum[carrier] - 1, -1).astype(np.int64)
    free = [j for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE]
    roots = model.jnt_bodyid[free].astype(np.int64)
    tree_of_root = {int(model.body_rootid[body]): index for index, body in enumerate(roots)}
    body_tree = np.array([tree_of_root.get(int(root), -1) for root in model.body_rootid], np.int64)
    dof_tree = body_tree[model.dof_bodyid]
    sizes = {int(mujoco.mjtJoint.mjJNT_HINGE): 1, int(mujoco.mjtJoint.mjJNT_BALL): 3}
    limited = []
    for joint in range(model.njnt):
        size = sizes.get(int(model.jnt_type[joint]), 0)
        dofs = slice(model.jnt_dofadr[joint], model.jnt_dofadr[joint] + size)
        if size and (np.isfinite(lower[dofs]).any() or np.isfinite(upper[dofs]).any()):
            limited.append((joint, size, lower[dofs], upper[dofs]))
    bounds = np.full((2, len(limited), 3), np.inf)
    bounds[0] *= -1
    for row, (_, size, low, high) in enumerate(limited):
        bounds[0, row, :size], bounds[1, row, :size] = low, high
    joints = np.array([joint for joint, *_ in limited], np.int64)
    # fmt: off
    return Mechanism(
        nv=model.nv, dof_parent=model.dof_parentid.astype(np.int64),
        body_last_dof=last, body_root=model.body_rootid.astype(np.int64), body_tree=body_tree,
        tree_body=roots, tree_dof=model.jnt_dofadr[free].astype(np.int64),
        tree_end=np.array([np.flatnonzero(dof_tree == t).max() + 1 for t in range(len(free))], np.int64),
        tree_qpos=model.jnt_qposadr[free].astype(np.int64), tree_mass=model.body_subtreemass[roots].copy(),
        damping=model.dof_damping.copy(),
        limit_dof=model.jnt_dofadr[joints].astype(np.int64), limit_qpos=model.jnt_qposadr[joints].astype(np.int64),
        limit_size=np.array([size for _, size, *_ in limited], np.int64),
        limit_lower=bounds[0], limit_upper=bounds[1],
    )
    # fmt: on


class DynamicsTerms:
    """Mass matrix and bias, with gravity, of the state set last: ``M(q) dv/dt + bias(q, v) = forces``."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self.mass: Array = np.zeros((model.nv, model.nv))
        self.bias: Array = np.zeros(model.nv)

    def set_pose(self) -> None:
        """Update kinematics for the pose in ``data.qpos``; `set_mass` updates the mass matrix."""
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def set_mass(self) -> None:
        """Update the dense mass matrix for the pose."""
        mujoco.mj_makeM(self.model, self.data)
        mujoco.mj_fullM(self.model, self.data, self.mass)

    def set_velocity(self) -> None:
        """Update spatial velocities and the bias for ``data.qvel``."""
        mujoco.mj_comVel(self.model, self.data)
        mujoco.mj_rne(self.model, self.data, 0, self.bias)

    def evaluate(self, qpos: Array, qvel: Array) -> None:
        """Update everything for (qpos, qvel)."""
        self.data.qpos[:] = qpos
        self.data.qvel[:] = qvel
        self.set_pose()
        self.set_mass()
        self.set_velocity()
