"""Body: a character as an MJCF model, with the data that MJCF cannot hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Frozen, Ints, readonly
from poise.body.parts import Foot, Hand, Joint
from poise.body.plans.plan import BodyPlan
from poise.body.rigging import Rigging
from poise.body.symmetry import Symmetry
from poise.errors import PoiseError, known_name
from poise.motion.skeleton import Skeleton
from poise.rotations import quat_exp

_GROUPS = ("left_leg", "right_leg", "left_arm", "right_arm", "trunk", "head")
_WORDS = {"mirror": "mirror pairs"}  # features that messages call by other words


@dataclass(frozen=True, eq=False)
class Body:
    """A character. Arrays are read-only; methods that change a body return a new body."""

    name: str
    mjcf: str  # the character alone, without floor and actuators
    joints: tuple[Joint, ...]  # in order of their degrees of freedom; the free root first
    standing: Array  # (nq,) standing pose: facing +x, pelvis above the origin, lowest point at z = 0
    torque_limit: Array  # (nv,) N m, 0 on the root
    torque_limits: Mapping[str, Array] = field(default_factory=Frozen)  # named sets of torque limits
    tables: Mapping[str, Array] = field(default_factory=Frozen)  # further numbers (nv,), by name
    feet: tuple[Foot, ...] = ()
    hands: tuple[Hand, ...] = ()
    head: str | None = None  # name of the link
    symmetry: Symmetry | None = None
    plan: BodyPlan | None = None  # the plan of a generated body; None for a user's MJCF or with a load
    rigging: Rigging | None = None  # maps poses to the skeleton from which the body was built, if any

    @classmethod
    def named(cls, name: str) -> "Body":
        """The bundled body of this name."""
        from poise.body.assemble import bundled_body

        return bundled_body(name)

    @classmethod
    def from_mjcf(cls, source: str | Path) -> "Body":
        """The body of a user's MJCF, a path or text, which must contain exactly one free-rooted character."""
        from poise.body.mjcf_import import import_mjcf

        return import_mjcf(source)

    @classmethod
    def from_skeleton(
        cls,
        skeleton: Skeleton,
        *,
        mass: float | None = None,
        name: str = "figure",
        rate: float | None = None,
        symmetric: bool = False,
    ) -> "Body":
        """A body built from a skeleton (metres, upright pose facing +x), with a rigging that maps poses back to it.

        A humanoid becomes a person of `mass` kg, by default 23 kg/m^2 times stature squared; anything else becomes a
        creature with the density of water. `rate` (Hz) is the frame rate at which performances are written. Each leg of
        a person has its own lengths, unless the body is to be `symmetric`.
        """
        from poise.body.skeleton_body import body_from_skeleton

        return body_from_skeleton(skeleton, mass, name, rate, symmetric)

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The compiled model of this body alone."""
        return mujoco.MjModel.from_xml_string(self.mjcf)

    @property
    def nq(self) -> int:
        """Length of qpos."""
        return len(self.standing)

    @property
    def nv(self) -> int:
        """Number of degrees of freedom, including the root's six."""
        return len(self.torque_limit)

    @cached_property
    def mass(self) -> float:
        """Total mass, kg."""
        return float(np.sum(self.model.body_mass))

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the nv degrees of freedom: root_x ... root_rz, left_hip_x ..."""
        return tuple(name for joint in self.joints for name in joint.dof_names)

    @cached_property
    def lower(self) -> Array:
        """Lower limits (nv,) rad of rotation vectors and angles, -inf on the root."""
        return readonly(np.concatenate([j.lower for j in self.joints]))

    @cached_property
    def upper(self) -> Array:
        """Upper limits (nv,) rad of rotation vectors and angles, +inf on the root."""
        return readonly(np.concatenate([j.upper for j in self.joints]))

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Names of the links in MuJoCo's order, without the world."""
        return tuple(self.model.body(i).name for i in range(1, self.model.nbody))

    @cached_property
    def trunk(self) -> str:
        """Name of the heaviest link on the body's midline other than the root link; the root link if there is none."""
        middle = [link for link in self.links[1:] if self.symmetry and self.link_mirror.get(link) == link]
        return max(middle, key=lambda link: float(self.model.body(link).mass[0]), default=self.links[0])

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Joint names by part of the body (left_leg, legs, trunk ...), without the root."""
        members: dict[str, tuple[str, ...]] = dict.fromkeys(_GROUPS, ())
        for joint in self.joints[1:]:
            members[joint.group] = (*members.get(joint.group, ()), joint.name)
        for pair in ("leg", "arm"):
            members[f"{pair}s"] = members[f"left_{pair}"] + members[f"right_{pair}"]
        return Frozen(members)

    @property
    def link_mirror(self) -> Mapping[str, str]:
        """The left-right counterpart of each link name; links on the midline map to themselves."""
        return Frozen(self._symmetry.links)

    @property
    def mirror_dofs(self) -> Ints:
        """Indices (nv,): the mirrored velocity is `mirror_signs * qvel[mirror_dofs]`."""
        return self._symmetry.dofs

    @property
    def mirror_signs(self) -> Array:
        """Signs (nv,), +1 or -1; see `mirror_dofs`."""
        return self._symmetry.signs

    def mirrored(self, qpos: ArrayLike) -> Array:
        """Poses (..., nq) reflected across the x-z plane."""
        table = self._symmetry
        return np.asarray(table.qpos_signs * np.asarray(qpos, float)[..., table.qpos_index])

    def joint(self, name: str) -> Joint:
        """A joint by its name."""
        return self._joint_by_name[known_name("joint", name, self._joint_by_name)]

    def index(self, name: str) -> tuple[int, ...]:
        """Indices of the degrees of freedom of a joint, or the index of the degree of freedom with this name."""
        if name in self.dof_names and name not in self._joint_by_name:
            return (self.dof_names.index(name),)
        return self.joint(name).dofs

    def link_id(self, name: str) -> int:
        """MuJoCo's body id of a link in `model`."""
        return self.links.index(known_name("link", name, self.links)) + 1

    def qpos_from(self, angles: Mapping[str, float | ArrayLike]) -> Array:
        """The standing pose (nq,) with joints set (rad): rotation vectors of balls, angles of hinges, also of one."""
        qpos = np.array(self.standing)
        hinges = {n: q for j in self.joints if j.kind == "hinge" for n, q in zip(j.dof_names, j.qpos, strict=True)}
        for name, value in angles.items():
            if name in hinges:
                qpos[hinges[name]] = self._checked_angles(name, value, 1)[0]
                continue
            joint = self.joint(name)
            if joint.kind == "free":
                raise PoiseError(f"joint '{name}' is the free root: set its pose in qpos, not by an angle")
            vector = self._checked_angles(name, value, len(joint.dofs))
            qpos[list(joint.qpos)] = quat_exp(vector) if joint.kind == "ball" else vector
        return qpos

    def with_torque_limits(self, limits: str | ArrayLike) -> "Body":
        """The same body with a named set of torque limits, or with the given limits (nv,) in N m."""
        if isinstance(limits, str):
            known_name("set of torque limits", limits, self.torque_limits)
            return replace(self, torque_limit=self.torque_limits[limits])
        values = np.asarray(limits, float)
        if values.shape != (self.nv,) or not np.all(values >= 0):
            raise PoiseError(f"torque limits must be {self.nv} numbers >= 0, one per degree of freedom")
        return replace(self, torque_limit=readonly(np.where(np.arange(self.nv) < 6, 0.0, values)))

    def scaled(self, *, legs: float = 1.0, arms: float = 1.0, size: float = 1.0, mass: float | None = None) -> "Body":
        """This body scaled by the rules of `poise.body.plans.scale`: three factors, and the total `mass` in kg."""
        from poise.body.assemble import assemble_body
        from poise.body.plans.scale import scale_plan

        if self.plan is None:
            why = "comes from MJCF or carries a load and cannot be scaled; scale before loading"
            raise PoiseError(f"body '{self.name}' {why}")
        body = assemble_body(scale_plan(self.plan, legs=legs, arms=arms, size=size, mass=mass))
        fits = legs == arms == size == 1.0  # a rigging is valid only for the skeleton's own proportions
        return replace(body, rigging=self.rigging if fits else None)

    def with_fists(self) -> "Body":
        """This body with closed hands; it must come from a plan whose hands are mittens."""
        from poise.body.assemble import assemble_body
        from poise.body.plans.shapes import fist_geoms

        hands = {hand.link for hand in self.hands}
        plan = self.plan
        if plan is None or not hands or any(len(s.geoms) != 2 for s in plan.segments if s.name in hands):
            raise PoiseError(f"body '{self.name}' has no hands that close")
        closed = (replace(s, geoms=fist_geoms(s.name, s.geoms)) if s.name in hands else s for s in plan.segments)
        body = assemble_body(replace(plan, segments=tuple(closed)))
        return replace(body, torque_limit=self.torque_limit, rigging=self.rigging)

    def loaded(self, loads: Mapping[str, float]) -> "Body":
        """The body with a box as load on each link in `loads` (mass in kg by link); see `poise.body.load`."""
        from poise.body.load import add_load

        body = self
        for link, mass in loads.items():
            body = add_load(body, link, mass)
        return body

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Features that a controller may need and this body lacks, as words for messages."""
        return tuple(_WORDS.get(need, need) for need, present in self._features.items() if not present)

    def require(self, *needs: str, for_whom: str) -> None:
        """Raise if the body lacks any of `needs`, out of feet, hands, head, mirror, torque limits, joint limits."""
        for need in needs:
            known_name("need", need, self._features)
        lacking = [_WORDS.get(need, need) for need in needs if not self._features[need]]
        if lacking:
            raise PoiseError(f"body '{self.name}' lacks {', '.join(lacking)}, which {for_whom} needs")

    @cached_property
    def _features(self) -> dict[str, bool]:
        return {
            "feet": bool(self.feet),
            "hands": bool(self.hands),
            "head": self.head is not None,
            "mirror": self.symmetry is not None,
            "torque limits": bool(np.all(np.isfinite(self.torque_limit))),
            "joint limits": bool(np.all(np.isfinite(self.lower[6:])) and np.all(np.isfinite(self.upper[6:]))),
        }

    @property
    def _symmetry(self) -> Symmetry:
        self.require("mirror", for_whom="mirroring")
        assert self.symmetry is not None
        return self.symmetry

    @cached_property
    def _joint_by_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    def _checked_angles(self, name: str, value: float | ArrayLike, count: int) -> Array:
        vector = np.atleast_1d(np.asarray(value, float))
        if vector.shape != (count,) or not np.all(np.isfinite(vector)):
            raise PoiseError(f"joint '{name}' takes {count} finite number(s) in radians, not {value!r}")
        return vector

    def __repr__(self) -> str:
        return f"Body({self.name}, {self.nv - 6} joint DOFs, {len(self.links)} links, {self.mass:.1f} kg)"
