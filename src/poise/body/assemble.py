"""Building bodies from plans, the bundled bodies, and reading the joints of an MJCF model with one free-rooted tree."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from os.path import commonprefix

import mujoco
import numpy as np
from mujoco import mjtJoint

from poise.arrays import Array, Frozen, readonly
from poise.body import symmetry
from poise.body.body import Body
from poise.body.mjcf import plan_mjcf
from poise.body.parts import Joint, Kind
from poise.body.plans.plan import BodyPlan, JointPlan
from poise.body.surface import lowest_geom_height
from poise.errors import known_name
from poise.rotations import quat_exp

_NAMES = ("biped29", "human37", "human42", "human43", "human58", "lamp14", "baby")


def body_names() -> tuple[str, ...]:
    """Names of the bundled bodies."""
    return _NAMES


@cache
def bundled_body(name: str) -> Body:
    """A bundled body, built once from the plan in `poise.body.plans.<name>`."""
    return assemble_body(import_module(f"poise.body.plans.{known_name('body', name, _NAMES)}").body_plan())


_ROOT_DOFS = ("root_x", "root_y", "root_z", "root_rx", "root_ry", "root_rz")
_LETTERS = "xyz"
_KINDS: dict[int, Kind] = {
    int(mjtJoint.mjJNT_FREE): "free",
    int(mjtJoint.mjJNT_BALL): "ball",
    int(mjtJoint.mjJNT_HINGE): "hinge",
}
_ALIGNED = 0.999  # cosine above which a hinge axis counts as parallel to a link axis


def assemble_body(plan: BodyPlan) -> Body:
    """Build the body of a plan."""
    mjcf = plan_mjcf(plan)
    model = mujoco.MjModel.from_xml_string(mjcf)
    by_link = {segment.name: segment for segment in plan.segments}
    joints = model_joints(model, lambda link: by_link[link].joint, lambda link: by_link[link].group)
    sets = _numbers_per_dof(plan, model, lambda joint: joint.torque)
    return Body(
        name=plan.name,
        mjcf=mjcf,
        joints=joints,
        standing=_plan_standing_pose(plan, model, joints),
        torque_limit=sets[plan.default_torque],
        torque_limits=sets,
        tables=_numbers_per_dof(plan, model, lambda joint: joint.numbers),
        feet=plan.feet,
        hands=plan.hands,
        head=plan.head,
        symmetry=symmetry.find_symmetry(model, joints, by_link),
        plan=plan,
    )


def grounded_pose(model: mujoco.MjModel, qpos: Array) -> Array:
    """The pose `qpos` (nq,), moved so that the root is above the origin and the lowest solid point is at z = 0."""
    pose = np.array(qpos)
    pose[:2] = 0.0
    for _ in range(2):  # the second pass removes the rounding of the first
        height = lowest_geom_height(model, pose)
        pose[2] -= height if np.isfinite(height) else 0.0
    return readonly(pose)


def model_joints(
    model: mujoco.MjModel, planned: Callable[[str], JointPlan | None], group: Callable[[str], str]
) -> tuple[Joint, ...]:
    """The joints of a model, one per moving link; `planned` and `group` give the plan and group of a link's joint."""
    links = [model.body(b).name for b in range(1, model.nbody) if model.body_jntnum[b]]
    return tuple(_joint_of_link(model, link, planned(link), group(link)) for link in links)


def _joint_of_link(model: mujoco.MjModel, link: str, plan: JointPlan | None, group: str) -> Joint:
    body = model.body(link).id
    parent, first = int(model.body_parentid[body]), int(model.body_jntadr[body])
    ids = range(first, first + int(model.body_jntnum[body]))
    elements = tuple(model.joint(i).name for i in ids)
    kind = _KINDS[int(model.jnt_type[first])]
    name = plan.name if plan else _common_joint_name(elements, link)
    width, places = {"free": (6, 7), "ball": (3, 4)}.get(kind, (len(ids), len(ids)))
    start, place = int(model.jnt_dofadr[first]), int(model.jnt_qposadr[first])
    axes = {"free": np.tile(np.eye(3), (2, 1)), "ball": np.eye(3)}.get(kind, model.jnt_axis[list(ids)])
    lower, upper = _joint_limits(model, ids, kind, plan)
    return Joint(
        name=name,
        kind=kind,
        link=link,
        parent_link=model.body(parent).name if parent else None,
        dofs=tuple(range(start, start + width)),
        qpos=tuple(range(place, place + places)),
        elements=elements,
        dof_names=_ROOT_DOFS if kind == "free" else _dof_names(name, elements, axes),
        axes=readonly(axes),
        lower=readonly(lower),
        upper=readonly(upper),
        group=group,
    )


def _joint_limits(model: mujoco.MjModel, ids: range, kind: str, plan: JointPlan | None) -> tuple[Array, Array]:
    """Lower and upper limits (k,) rad of the MJCF joints `ids` of one link, which have k degrees of freedom."""
    if kind == "free":
        return np.full(6, -np.inf), np.full(6, np.inf)
    if kind == "hinge":
        limited = model.jnt_limited[list(ids)].astype(bool)
        low, high = model.jnt_range[list(ids)].T
        return np.where(limited, low, -np.inf), np.where(limited, high, np.inf)
    if plan:
        return np.array(plan.lower), np.array(plan.upper)
    # MuJoCo limits the rotation angle of a ball: a sphere of rotation vectors. The limits here are the box around it.
    reach = float(model.jnt_range[ids[0], 1]) if model.jnt_limited[ids[0]] else np.inf
    return np.full(3, -reach), np.full(3, reach)


def _common_joint_name(elements: tuple[str, ...], link: str) -> str:
    """The common beginning of the names of a joint's hinges (hip of hip_x and hip_y), else the link's name."""
    if len(elements) == 1:
        return elements[0]
    stem = commonprefix(elements).rstrip("_-. ")  # noqa: RUF071 (letter by letter is meant)
    return stem if len(stem) > 2 else link


def _dof_names(name: str, elements: tuple[str, ...], axes: Array) -> tuple[str, ...]:
    if len(elements) > 1:
        return elements
    letters = [_LETTERS[int(np.argmax(np.abs(a)))] if np.max(np.abs(a)) > _ALIGNED else "angle" for a in axes]
    return tuple(name if name.endswith(f"_{letter}") else f"{name}_{letter}" for letter in letters)


def _numbers_per_dof(
    plan: BodyPlan, model: mujoco.MjModel, columns: Callable[[JointPlan], Mapping[str, float]]
) -> Mapping[str, Array]:
    """By name, an array (nv,) of the numbers that `columns` gives for the plan's joints; 0 where a joint has none."""
    arrays: dict[str, Array] = {}
    for segment in plan.segments:
        start = int(model.body_dofadr[model.body(segment.name).id])
        for name, value in columns(segment.joint).items():
            arrays.setdefault(name, np.zeros(model.nv))[start : start + len(segment.joint.axes)] = value
    return Frozen(arrays)


def _plan_standing_pose(plan: BodyPlan, model: mujoco.MjModel, joints: tuple[Joint, ...]) -> Array:
    """The standing pose (nq,) of a plan: its `standing` joint angles, the lowest solid point at z = 0."""
    qpos = np.array(model.qpos0)
    for joint in joints:
        if joint.name in plan.standing:
            value = np.atleast_1d(plan.standing[joint.name])
            qpos[list(joint.qpos)] = quat_exp(value) if joint.kind == "ball" else value
    return grounded_pose(model, qpos)
