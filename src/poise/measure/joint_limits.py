"""Limits of a recording's joints: angles, torques, and the impulses with which joints press on their limits.

Limits of angles bound hinge angles, and the components of a ball's rotation vector in its own frame.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.assemble import body_names, bundled_body
from poise.body.body import Body
from poise.body.load import parse_body_load
from poise.errors import PoiseError
from poise.rotations import inverse_right_jacobian, quat_log
from poise.world.recording import Recording

SAME = 1e-6  # Largest relative difference of equal numbers
MASS_TABLES = ("body_inertia", "body_ipos")  # of links without loads
LINK_TABLES = ("body_pos", "body_quat")  # of links with a parent
DOF_TABLES = ("dof_damping", "dof_armature")
SLIGHT = 1e-9  # N m s, impulses below this are rounding errors


@dataclass(frozen=True)
class JointLimits:
    """Limits of the DOFs of a recording; infinite where there are none."""

    recording: Recording
    lower: Array  # (nv,) rad
    upper: Array  # (nv,) rad
    torque: Array  # (nv,) N m; zero on free roots
    source: str  # whose limits of torque these are, in words
    unknown: bool  # whether a ball's limits of angle are not known
    body: Body | None  # the bundled body that the performer is

    @classmethod
    def of(cls, recording: Recording) -> "JointLimits":
        """The limits of the bundled body that the recording names, if the model is that body's; else the file's own."""
        model, meta = recording.model, recording.meta
        stated = [_numbers(meta.get(key), model.nv, sign) for key, sign in (("joint_lower", -1), ("joint_upper", 1))]
        lower, upper = (np.full(model.nv, s * np.inf) if v is None else v for v, s in zip(stated, (-1, 1), strict=True))
        hinges = np.flatnonzero((model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE) & (model.jnt_limited != 0))
        dof = model.jnt_dofadr[hinges]
        lower[dof] = np.maximum(lower[dof], model.jnt_range[hinges, 0])
        upper[dof] = np.minimum(upper[dof], model.jnt_range[hinges, 1])
        torque = _numbers(meta.get("torque_limits"), model.nv, 1)
        source = "the file, which states none" if torque is None else "the file"
        body = named_body(recording)
        if body is not None:
            first = int(model.body_dofadr[recording.root])
            own = slice(first, first + body.nv)
            lower[own], upper[own] = body.lower, body.upper  # a file must not state limits that give impulses anywhere
            permitted, source = _permitted_torque(body, None if torque is None else torque[own])
            torque = np.zeros(model.nv) if torque is None else torque
            torque[own] = permitted
        torque = np.zeros(model.nv) if torque is None else torque
        free = model.jnt_dofadr[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
        roots = (free[:, None] + np.arange(6)).ravel()
        lower[roots], upper[roots], torque[roots] = -np.inf, np.inf, 0.0
        balls = bool(np.any(model.jnt_type == mujoco.mjtJoint.mjJNT_BALL))
        told = body is not None or (stated[0] is not None and stated[1] is not None)
        return cls(recording, lower, upper, torque, source, balls and not told, body)

    @cached_property
    def angles(self) -> Array:
        """(T+1, nv) rad: hinge angles and rotation vectors of balls, those nearer to the limits; zero on free roots."""
        r, model = self.recording, self.recording.model
        out = np.zeros((len(r.time), model.nv))
        hinges = model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE
        out[:, model.jnt_dofadr[hinges]] = r.qpos[:, model.jnt_qposadr[hinges]]
        for dofs, first in self._balls():
            vector = quat_log(r.qpos[:, first : first + 4])
            middle = 0.5 * (np.maximum(self.lower[dofs], -np.pi) + np.minimum(self.upper[dofs], np.pi))
            size = np.linalg.norm(vector, axis=1, keepdims=True)
            other = vector * (1 - 2 * np.pi / np.maximum(size, 1.0))
            nearer = np.linalg.norm(other - middle, axis=1) < np.linalg.norm(vector - middle, axis=1)
            out[:, dofs] = np.where((nearer & (size[:, 0] >= 1.0))[:, None], other, vector)
        return out

    @property
    def excess(self) -> Array:
        """(T+1, nv) rad by which angles are beyond their limits."""
        return np.maximum(np.maximum(self.lower - self.angles, self.angles - self.upper), 0.0)

    def distance_of_impulses(self, impulse: Array) -> Array:
        """(T, nv) rad: distance of each angle from the limit that its impulse (T, nv) N m s presses on; 0 without.

        That of a ball joint is the largest of its components.
        """
        along = impulse.copy()
        for dofs, _ in self._balls():  # impulses along the components of the rotation vector
            rate = inverse_right_jacobian(self.angles[:-1, dofs])
            along[:, dofs] = np.linalg.solve(np.swapaxes(rate, 1, 2), impulse[:, dofs, None])[..., 0]
        rooms = [np.where(along > 0, q - self.lower, self.upper - q) for q in (self.angles[:-1], self.angles[1:])]
        presses = np.abs(along) > SLIGHT + SAME * np.abs(impulse).max(axis=1, initial=0.0, keepdims=True)
        out = np.where(presses, np.maximum(np.minimum(*rooms), 0.0), 0.0)
        for dofs, _ in self._balls():
            out[:, dofs] = out[:, dofs].max(axis=1, keepdims=True)
        return out

    @property
    def torque_ratio(self) -> float:
        """Largest joint torque relative to its limit; infinite where a joint may have none."""
        peak = np.abs(self.recording.torque).max(axis=0, initial=0.0)
        shares = np.divide(peak, self.torque, out=np.where(peak > 0, np.inf, 0.0), where=self.torque > 0)
        return float(np.max(shares, initial=0.0))

    def _balls(self) -> Iterator[tuple[slice, int]]:
        """DOFs and first coordinate of each ball joint."""
        model = self.recording.model
        for joint in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_BALL):
            first = int(model.jnt_dofadr[joint])
            yield slice(first, first + 3), int(model.jnt_qposadr[joint])


def named_body(recording: Recording) -> Body | None:
    """The bundled body that a recording names, if the model of its performer is that body, apart from loads."""
    model, meta = recording.model, recording.meta
    if meta.get("body") not in body_names():
        return None
    body = bundled_body(meta["body"])
    root, first = recording.root, int(model.body_dofadr[recording.root])
    links, dofs = slice(root, root + body.model.nbody - 1), slice(first, first + body.nv)
    names = tuple(model.body(k).name for k in range(model.nbody))[links]
    if first < 0 or names != body.links or np.any(model.body_rootid[links] != root):
        return None
    loads = dict.fromkeys(names, 0.0)  # kg
    for event in (each for each in recording.events if each.get("kind") == "load"):
        with suppress(PoiseError):
            link, mass = parse_body_load(str(event.get("text")))
            loads[link] = mass if mass > 0 else 0.0
    carried = np.array([loads[name] for name in names])
    bare = carried == 0
    if not np.allclose(model.body_mass[links], body.model.body_mass[1:] + carried, SAME):
        return None
    mass = all(_same(getattr(model, t)[links][bare], getattr(body.model, t)[1:][bare]) for t in MASS_TABLES)
    shape = all(_same(getattr(model, t)[links][1:], getattr(body.model, t)[2:]) for t in LINK_TABLES)
    drive = all(_same(getattr(model, t)[dofs], getattr(body.model, t)) for t in DOF_TABLES)
    return body if mass and shape and drive else None


def _same(table: Array, other: Array) -> bool:
    """Whether two tables of a model are equal but for rounding."""
    return np.allclose(table, other, SAME, SAME**2)


def _numbers(values: object, count: int, sign: float) -> Array | None:
    """Limits (count,) from JSON, in which null is infinite, with this sign; None unless they are that many numbers."""
    if not isinstance(values, list) or len(values) != count:
        return None
    if not all(value is None or isinstance(value, int | float) for value in values):
        return None
    return np.array([sign * np.inf if value is None else value for value in values], float)


def _permitted_torque(body: Body, stated: Array | None) -> tuple[Array, str]:
    """The `stated` torque limits (nv,) if a named set of the body allows them, else the body's; and the set's name."""
    for name, values in body.torque_limits.items():
        if stated is not None and np.all(stated[6:] <= np.asarray(values)[6:] * (1 + SAME)):
            return stated, f"{body.name}, set '{name}'"
    return body.torque_limit, body.name
