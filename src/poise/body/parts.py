"""The parts of a body: joints, feet, hands."""

from dataclasses import dataclass
from typing import Literal

from poise.arrays import Array

Kind = Literal["free", "ball", "hinge"]


@dataclass(frozen=True, eq=False)
class Joint:
    """The joint between a link and its parent; limits are of a ball's rotation vector, in its frame, or of angles."""

    name: str
    kind: Kind
    link: str
    parent_link: str | None
    dofs: tuple[int, ...]  # indices of its k degrees of freedom in qvel
    qpos: tuple[int, ...]  # addresses in qpos: 7 for free, 4 for a ball, one per hinge
    elements: tuple[str, ...]  # names of the MJCF joints: one for free and ball, one per hinge
    dof_names: tuple[str, ...]
    axes: Array  # (k, 3) in the link frame; of the root: x y z of the world, then x y z of the link
    lower: Array  # (k,) rad
    upper: Array  # (k,) rad
    group: str  # part of the body, such as left_leg


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot and its contact points."""

    link: str
    points: Array  # (4, 3) m in the link frame: heel outer, heel inner, toe outer, toe inner
    ankle: str  # name of the joint that carries the foot


@dataclass(frozen=True, eq=False)
class Hand:
    """A hand and its contact point, for pushing and gripping."""

    link: str
    point: Array  # (3,) m in the link frame
