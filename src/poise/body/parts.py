"""What a body is made of, as the rest of the program sees it: joints, feet, hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from poise.arrays import Array

Kind = Literal["free", "ball", "hinge"]


@dataclass(frozen=True, eq=False)
class Joint:
    """Everything that lets one link turn against its parent: a free or ball joint, or one to three hinges.

    For a ball `lower` and `upper` bound the three components of its rotation vector in the joint frame, for
    hinges their angles; for the free root they are infinite.
    """

    name: str
    kind: Kind
    link: str
    parent_link: str | None
    dofs: tuple[int, ...]
    qpos: tuple[int, ...]  # addresses in qpos: 7 for free, 4 for a ball, one per hinge
    elements: tuple[str, ...]  # names of the MJCF joints: one for free and ball, one per hinge
    dof_names: tuple[str, ...]
    axes: Array  # (k, 3) in the link frame; for the root: x y z of the world, then of the link
    lower: Array  # (k,) rad
    upper: Array  # (k,) rad
    group: str


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot and where it can touch the ground."""

    name: str
    link: str
    points: Array  # (4, 3) m in the link frame: heel outer, heel inner, toe outer, toe inner
    ankle: str  # name of the joint that carries the foot


@dataclass(frozen=True, eq=False)
class Hand:
    """A hand and the point with which it pushes or grips."""

    name: str
    link: str
    point: Array  # (3,) m in the link frame
