"""Arrays that the kernels of a world share, and their indices in its address table (imported as `at`)."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Ints
from poise.dynamics.mechanism import DynamicsTerms, Mechanism
from poise.kernel import ArrayTable

# fmt: off
(
    # kinematics, in MuJoCo's memory
    QPOS, QVEL, XPOS, XMAT, XIPOS, GEOM_XPOS, GEOM_XMAT, SITE_XPOS, XANCHOR, SUBTREE_COM, CDOF, CDOF_DOT, CVEL,
    # constant tables; GEOM_REACH is the bounding radius (m) about a geom's centre, 0 for planes and visual geoms
    DOF_PARENT, BODY_LAST_DOF, BODY_ROOT, BODY_TREE, GEOM_BODY, GEOM_RADIUS, GEOM_REACH, SITE_BODY, JOINT_BODY,
    JOINT_TYPE, JOINT_QPOS, JOINT_DOF, TREE_BODY, TREE_DOF, TREE_END, TREE_QPOS, TREE_MASS,
    DAMPING, TORQUE_LIMIT, GRAVITY, LIMIT_DOF, LIMIT_QPOS, LIMIT_SIZE, LIMIT_LOWER, LIMIT_UPPER, SETTINGS,
    # equations of motion
    MASS, BIAS, DRIFT,
    # actuation in the step
    TORQUE, GAIN, TARGET, EXTERNAL,
    # intermediate results of the step
    MOMENTUM, FACTOR, RHS, FREE, VELOCITY, APPLIED, CONSTRAINT, LIMIT_IMPULSE, SATURATED, STRENGTH, AFTER, COUNTS,
    # rows: joint limits (at most three DOFs each; SIDE is plus or minus the number of the component, from 1), contacts,
    # grips
    LIMIT_ROW_DOF, LIMIT_ROW_SIZE, LIMIT_ROW_RATE, LIMIT_ROW_OFFSET, LIMIT_ROW_USED, LIMIT_ROW_SIDE,
    CONTACT_BODY, CONTACT_OTHER, CONTACT_POINT, CONTACT_AXES, CONTACT_GAP, CONTACT_FRICTION,
    CONTACT_JACOBIAN, CONTACT_OFFSET, CONTACT_KIND, CONTACT_IMPULSE,
    GRIP_JACOBIAN, GRIP_OFFSET,
) = range(76)
# fmt: on

STEP, TOUCH, RECOVERY, COMPLIANCE, FASTEST = range(5)  # Indices in SETTINGS
LIMIT_ROWS, CONTACTS, GRIP_ROWS, UNILATERAL, CLOSED = range(5)
"""Indices in COUNTS: rows of each kind; unilateral rows in use, and the contacts among those."""
FAR, CLOSING, TOUCHED, IGNORED = range(4)
"""Kinds of contact: far and open; far, but closed in this step (normal row only); touching; left out."""

Pairs = NDArray[np.int32]  # (k, 2) ids of the two geoms of each contact candidate


class Workspace:
    """The arrays of a world's kernels, reallocated when contacts or grips exceed their capacity."""

    def __init__(self, terms: DynamicsTerms, mechanism: Mechanism, torque_limit: Array, settings: Array) -> None:
        self._terms, self._mechanism = terms, mechanism
        self.torque_limit, self._settings = torque_limit.copy(), settings
        nv, trees = mechanism.nv, len(mechanism.tree_dof)
        self.torque, self.gain, self.target, self.external = (np.zeros(nv) for _ in range(4))
        self.momentum, self.rhs, self.free, self.velocity = (np.zeros(nv) for _ in range(4))
        self.applied, self.constraint, self.limit_impulse = (np.zeros(nv) for _ in range(3))
        self.factor = np.zeros((nv, nv))
        self.saturated, self.strength = np.zeros(nv, np.int64), np.ones(nv)
        self.drift, self.after = np.zeros((trees, 3)), np.zeros((trees, 9))
        self.counts = np.zeros(5, np.int64)
        rows = 6 * len(mechanism.limit_dof)
        self.limit_dof, self.limit_size, self.limit_used, self.limit_side = (np.zeros(rows, np.int64) for _ in range(4))
        self.limit_rate, self.limit_offset = np.zeros((rows, 3)), np.zeros(rows)
        self.reserve(contacts=32, grips=2)

    def reserve(self, contacts: int, grips: int) -> None:
        """Allocate rows for contacts and grips, and rebuild the table of addresses."""
        nv = self._mechanism.nv
        self.contact_room, self.grip_room = contacts, grips
        self.contact_body, self.contact_other, self.contact_kind = (np.zeros(contacts, np.int64) for _ in range(3))
        self.contact_point, self.contact_axes = np.zeros((contacts, 3)), np.zeros((contacts, 9))
        self.contact_gap, self.contact_friction = np.zeros(contacts), np.zeros(contacts)
        self.contact_jacobian = np.zeros((3 * contacts, nv))
        self.contact_offset, self.contact_impulse = np.zeros(3 * contacts), np.zeros(3 * contacts)
        self.grip_jacobian, self.grip_offset = np.zeros((3 * grips, nv)), np.zeros(3 * grips)
        self._table = ArrayTable(self._arrays())
        self.table = self._table.entries

    def _arrays(self) -> dict[int, Array | Ints]:
        """The array at each index of the table."""
        model, data, mech = self._terms.model, self._terms.data, self._mechanism
        # fmt: off
        return {
            QPOS: data.qpos, QVEL: data.qvel, XPOS: data.xpos, XMAT: data.xmat, XIPOS: data.xipos,
            GEOM_XPOS: data.geom_xpos, GEOM_XMAT: data.geom_xmat, SITE_XPOS: data.site_xpos, XANCHOR: data.xanchor,
            SUBTREE_COM: data.subtree_com, CDOF: data.cdof, CDOF_DOT: data.cdof_dot, CVEL: data.cvel,
            DOF_PARENT: mech.dof_parent, BODY_LAST_DOF: mech.body_last_dof, BODY_ROOT: mech.body_root,
            BODY_TREE: mech.body_tree,
            GEOM_BODY: model.geom_bodyid.astype(np.int64), GEOM_RADIUS: _geom_radii(model),
            GEOM_REACH: np.where(model.geom_margin > 0, model.geom_rbound, 0.0),
            SITE_BODY: model.site_bodyid.astype(np.int64), JOINT_BODY: model.jnt_bodyid.astype(np.int64),
            JOINT_TYPE: model.jnt_type.astype(np.int64), JOINT_QPOS: model.jnt_qposadr.astype(np.int64),
            JOINT_DOF: model.jnt_dofadr.astype(np.int64),
            TREE_BODY: mech.tree_body, TREE_DOF: mech.tree_dof, TREE_END: mech.tree_end, TREE_QPOS: mech.tree_qpos,
            TREE_MASS: mech.tree_mass, DAMPING: mech.damping, TORQUE_LIMIT: self.torque_limit,
            GRAVITY: np.array(model.opt.gravity), SETTINGS: self._settings,
            LIMIT_DOF: mech.limit_dof, LIMIT_QPOS: mech.limit_qpos, LIMIT_SIZE: mech.limit_size,
            LIMIT_LOWER: mech.limit_lower, LIMIT_UPPER: mech.limit_upper,
            MASS: self._terms.mass, BIAS: self._terms.bias, DRIFT: self.drift,
            TORQUE: self.torque, GAIN: self.gain, TARGET: self.target, EXTERNAL: self.external,
            MOMENTUM: self.momentum, FACTOR: self.factor, RHS: self.rhs, FREE: self.free, VELOCITY: self.velocity,
            APPLIED: self.applied, CONSTRAINT: self.constraint, LIMIT_IMPULSE: self.limit_impulse,
            SATURATED: self.saturated, STRENGTH: self.strength, AFTER: self.after, COUNTS: self.counts,
            LIMIT_ROW_DOF: self.limit_dof, LIMIT_ROW_SIZE: self.limit_size, LIMIT_ROW_RATE: self.limit_rate,
            LIMIT_ROW_OFFSET: self.limit_offset, LIMIT_ROW_USED: self.limit_used,
            LIMIT_ROW_SIDE: self.limit_side,
            CONTACT_BODY: self.contact_body, CONTACT_OTHER: self.contact_other, CONTACT_POINT: self.contact_point,
            CONTACT_AXES: self.contact_axes, CONTACT_GAP: self.contact_gap, CONTACT_FRICTION: self.contact_friction,
            CONTACT_JACOBIAN: self.contact_jacobian, CONTACT_OFFSET: self.contact_offset,
            CONTACT_KIND: self.contact_kind, CONTACT_IMPULSE: self.contact_impulse,
            GRIP_JACOBIAN: self.grip_jacobian, GRIP_OFFSET: self.grip_offset,
        }
        # fmt: on


def _geom_radii(model: mujoco.MjModel) -> Array:
    """Radius (ngeom,) m of spheres and capsules; minus the radius for cylinders (round about one axis only); else 0."""
    kind, size = model.geom_type, model.geom_size[:, 0]
    ball = (kind == mujoco.mjtGeom.mjGEOM_SPHERE) | (kind == mujoco.mjtGeom.mjGEOM_CAPSULE)
    return np.where(ball, size, np.where(kind == mujoco.mjtGeom.mjGEOM_CYLINDER, -size, 0.0))


FREE_JOINT = int(mujoco.mjtJoint.mjJNT_FREE)
BALL_JOINT = int(mujoco.mjtJoint.mjJNT_BALL)
