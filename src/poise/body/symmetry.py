"""Left-right symmetry of a body: counterparts of joints and links, and tables that mirror poses and velocities.

Reflection is across the x-z plane. It maps a rotation about an axis to the opposite rotation about the reflected axis:
a hinge's angle goes to the counterpart with a sign; a ball's quaternion goes to the counterpart with x and z negated,
provided that the counterpart's frame is the reflected frame. Forward kinematics verifies both.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np

from poise.arrays import Array, Ints, readonly
from poise.body.parts import Joint
from poise.rotations import mirror_axial, mirror_vector, quat_conjugate, quat_exp, quat_multiply

UNEQUAL = 0.04  # largest difference of limbs, of the body's size and of their weight
_ROOT_QPOS = (1, -1, 1, 1, -1, 1, -1)
_ROOT_QVEL = (1, -1, 1, -1, 1, -1)
_SIDES = tuple(  # left_hip / right_hip; l_hip, hip.L / r_hip, hip.R; LHip, lHip / RHip, rHip
    (side, re.compile(pattern))
    for side, pattern in (
        ("left", r"(?i:left)"),
        ("right", r"(?i:right)"),
        ("left", r"(?i:(?<![a-z])l(?![a-z]))"),
        ("right", r"(?i:(?<![a-z])r(?![a-z]))"),
        ("left", r"^[lL](?=[A-Z])"),
        ("right", r"^[rR](?=[A-Z])"),
    )
)


@dataclass(frozen=True, eq=False)
class Symmetry:
    """Mirror tables: mirrored qpos = qpos_signs * qpos[qpos_index]; mirrored qvel = signs * qvel[dofs]."""

    joints: dict[str, str]  # counterpart of each joint
    links: dict[str, str]  # counterpart of each link
    dofs: Ints  # (nv,)
    signs: Array  # (nv,)
    qpos_index: Ints  # (nq,)
    qpos_signs: Array  # (nq,)


def mirrored_names(names: Iterable[str]) -> dict[str, str]:
    """The counterpart of each name by its side (left, l_, .L, lFoot), else itself; empty if a sided name has none."""
    keys = {name: _side_and_stem_of_link(name) for name in names}
    named, other = {key: name for name, key in keys.items()}, {"left": "right", "right": "left", "": ""}
    pairs = {name: named.get((other[side], stem), "") for name, (side, stem) in keys.items()}
    return pairs if all(pairs.values()) else {}


def find_symmetry(model: mujoco.MjModel, joints: tuple[Joint, ...], links: Iterable[str]) -> Symmetry | None:
    """The symmetry of a body, or None if its names or its geometry are not symmetric."""
    joint_pairs = mirrored_names(j.name for j in joints)
    link_pairs = mirrored_names(links)
    if not joint_pairs or not link_pairs:
        return None
    candidate = _mirror_tables(model, joints, joint_pairs, link_pairs)
    return candidate if candidate is not None and _is_symmetric(model, candidate) else None


def name_side(name: str) -> str:
    """The side in a name: "left", "right" or ""."""
    return _side_and_stem_of_link(name)[0]


def _side_and_stem_of_link(name: str) -> tuple[str, str]:
    """The side in a name ("left", "right" or ""), and the name with the side replaced by *."""
    for side, pattern in _SIDES:
        if pattern.search(name):
            return side, pattern.sub("*", name, count=1)
    return "", name


def _mirror_tables(
    model: mujoco.MjModel, joints: tuple[Joint, ...], pairs: dict[str, str], links: dict[str, str]
) -> Symmetry | None:
    by_name = {j.name: j for j in joints}
    data = mujoco.MjData(model)  # the model's zero pose
    mujoco.mj_kinematics(model, data)
    axes = {j.name: j.axes @ data.body(j.link).xmat.reshape(3, 3).T for j in joints}  # (k, 3) in the world
    dofs, signs = np.zeros(model.nv, int), np.zeros(model.nv)
    index, qsigns = np.zeros(model.nq, int), np.ones(model.nq)
    for joint in joints:
        other = by_name[pairs[joint.name]]
        if (other.kind, len(other.dofs)) != (joint.kind, len(joint.dofs)):
            return None
        dofs[list(joint.dofs)], index[list(joint.qpos)] = other.dofs, other.qpos
        if joint.kind == "free":
            signs[list(joint.dofs)], qsigns[list(joint.qpos)] = _ROOT_QVEL, _ROOT_QPOS
        elif joint.kind == "ball":
            signs[list(joint.dofs)], qsigns[list(joint.qpos)] = _ROOT_QVEL[3:], _ROOT_QPOS[3:]
        else:
            cosines = np.einsum("ki,ki->k", mirror_axial(axes[other.name]), axes[joint.name])
            signs[list(joint.dofs)] = qsigns[list(joint.qpos)] = np.sign(cosines)
    return Symmetry(pairs, links, readonly(dofs, int), readonly(signs), readonly(index, int), readonly(qsigns))


def _is_symmetric(model: mujoco.MjModel, symmetry: Symmetry) -> bool:
    """Whether mirrored poses turn links like mirror images, with places and weights that differ by a few percent."""
    ids = {name: model.body(name).id for name in symmetry.links}
    here = list(ids.values())
    there = [ids[symmetry.links[name]] for name in ids]
    if not np.allclose(model.body_mass[here], model.body_mass[there], rtol=UNEQUAL):
        return False
    # A pose of fixed irregular angles has no symmetry of its own.
    qpos, step = np.array(model.qpos0), 0.4 * np.sin(1.0 + 1.7 * np.arange(model.nv))
    qpos[3:7] = quat_exp(step[3:6])
    mujoco.mj_integratePos(model, qpos, step, 1.0)
    first, second = mujoco.MjData(model), mujoco.MjData(model)
    first.qpos[:] = qpos
    second.qpos[:] = symmetry.qpos_signs * qpos[symmetry.qpos_index]
    zero = mujoco.MjData(model)
    for data in (first, second, zero):
        mujoco.mj_kinematics(model, data)
    posed = ((first.xquat[here], zero.xquat[here]), (second.xquat[there], zero.xquat[there]))
    turned, mirrored = (quat_multiply(now, quat_conjugate(before)) for now, before in posed)
    alike = np.abs(np.sum(mirrored * turned * np.array([1.0, -1.0, 1.0, -1.0]), axis=1)) > 1 - 1e-9
    near = UNEQUAL * max(1.0, float(model.stat.extent))
    return bool(alike.all() and np.allclose(second.xipos[there], mirror_vector(first.xipos[here]), atol=near))
