"""The bones of any tree of joints: which joints move, what they carry; left and right exact mirror images."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from poise.body.skeletal_pose import Upright
from poise.body.symmetry import counterparts
from poise.errors import PoiseError
from poise.frozen import Array
from poise.motion import Skeleton
from poise.spatial import mirror_vector

_SHORT = 0.05  # of the longest bone: a joint that moves no longer one is carried along
_NOTHING = 1e-3  # of the same: no bone
_SIZES = (0.02, 1e3)  # m, of the longest bone: beyond, masses are nothing that a simulation can compute with
_ALIKE = 0.05  # of the size: left and right that differ by less are meant to be mirror images


@dataclass(frozen=True, eq=False)
class Limb:
    """A moving joint and what it carries, in the upright pose."""

    joint: int
    name: str  # of the link
    parent: int | None  # place of the parent in the list of limbs
    place: Array  # (3,) m
    tips: Array  # (k, 3) m, free ends
    knots: Array  # (c, 3) m, the joints of the limbs below

    @property
    def bones(self) -> Array:
        """(k + c, 3) m, from the joint to all ends; the free ones first."""
        return np.concatenate([self.tips, self.knots]) - self.place


def limbs(upright: Upright) -> tuple[Limb, ...]:
    """All limbs of a skeleton, the root first, parents before children."""
    skeleton = upright.skeleton
    position, ends = _mirrored(upright)
    reach = _reach(upright, position, ends)
    moving = _moving(upright, reach)
    below = upright.below(moving[0])
    carrier = _carriers(skeleton.parents, moving)
    names = link_names(skeleton.names)
    above = {j: carrier[skeleton.parents[j]] for j in moving[1:]}
    free = [(end.joint, tip) for end, tip in zip(skeleton.ends, ends, strict=True) if end.joint in below]
    free += [(j, position[j]) for j in below if not skeleton.children[j] and j not in moving]
    longest = float(np.max(reach[moving]))

    def limb(j: int) -> Limb:
        tips = _apart([tip for owner, tip in free if carrier[owner] == j], position[j], longest)
        knots = _apart([position[k] for k in moving if above.get(k) == j], position[j], longest)
        if not len(tips) and not len(knots):  # a point from which others branch needs some substance
            tips = position[j] + np.array([[0.0, 0.0, _SHORT * longest]])
        return Limb(j, names[j], moving.index(above[j]) if j in above else None, position[j], tips, knots)

    return tuple(limb(j) for j in moving)


def _apart(places: list[Array], joint: Array, longest: float) -> Array:
    """(k, 3) m, those places that are not in the joint itself."""
    return np.reshape([p for p in places if np.linalg.norm(p - joint) > _NOTHING * longest], (-1, 3))


def _reach(upright: Upright, position: Array, ends: Array) -> Array:
    """(J,) m, the longest bone of each joint."""
    skeleton = upright.skeleton
    reach = np.zeros(skeleton.count)
    for end, tip in zip(skeleton.ends, ends, strict=True):
        reach[end.joint] = max(reach[end.joint], np.linalg.norm(tip - position[end.joint]))
    for joint, parent in enumerate(skeleton.parents[1:], 1):
        reach[parent] = max(reach[parent], np.linalg.norm(position[joint] - position[parent]))
    return reach


def _moving(upright: Upright, reach: Array) -> list[int]:
    """The joints with bones; the first carries all others."""
    own = upright.below(_beginning(upright.skeleton))
    reach = np.where(np.isin(np.arange(len(reach)), own), reach, 0.0)
    moving = [j for j, length in enumerate(reach) if length > _SHORT * np.max(reach)]
    if len(moving) < 2:
        raise PoiseError("the skeleton has no two joints with bones, so nothing in it can move")
    if not _SIZES[0] < np.max(reach) < _SIZES[1]:
        raise PoiseError(f"the skeleton's longest bone measures {np.max(reach):.3g} m: is its unit right?")
    top = moving[0]
    while not set(moving) <= set(upright.below(top)):
        top = upright.skeleton.parents[top]
    return moving if top == moving[0] else [top, *moving]


def _beginning(skeleton: Skeleton) -> int:
    """The root, or what alone travels below it: a root may be a mark on the ground and no part of the creature."""
    top = 0
    while len(skeleton.children[top]) == 1 and skeleton.travels(skeleton.children[top][0]):
        (top,) = skeleton.children[top]
    return top


def link_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The user's names as names of links: letters, digits and underscores, no two alike."""
    taken: dict[str, None] = {}
    for name in names:
        plain = "_".join(re.findall(r"\w+", name)) or "joint"
        while plain in taken:
            plain += "_"
        taken[plain] = None
    return tuple(taken)


def _carriers(parents: tuple[int, ...], moving: list[int]) -> list[int]:
    """The moving joint that carries each joint: itself, or the nearest above; else the first."""
    own = set(moving)
    carriers: list[int] = []
    for joint, parent in enumerate(parents):
        carriers.append(joint if joint in own else carriers[parent] if parent >= 0 else moving[0])
    return carriers


def _mirrored(upright: Upright) -> tuple[Array, Array]:
    """Joints (J, 3) and ends (E, 3) upright; where names and places agree, averaged with their mirror images."""
    position, ends = np.array(upright.position), np.array(upright.places.ends[0])
    names = link_names(upright.skeleton.names)
    pairs = counterparts(names)
    if not pairs:
        return position, ends
    partner = [names.index(pairs[name]) for name in names]
    tips = [_twin(upright, k, partner, ends) for k in range(len(ends))]
    images = mirror_vector(position[partner]), mirror_vector(ends[tips])
    size = float(np.linalg.norm(np.ptp(position, axis=0)))
    if any(np.max(np.abs(a - b), initial=0.0) > _ALIKE * size for a, b in zip((position, ends), images, strict=True)):
        return position, ends
    return (position + images[0]) / 2, (ends + images[1]) / 2


def _twin(upright: Upright, end: int, partner: list[int], places: Array) -> int:
    """The end of the counterpart's that lies nearest to an end's mirror image; itself where there is none."""
    all_ends = upright.skeleton.ends
    there = [k for k, other in enumerate(all_ends) if other.joint == partner[all_ends[end].joint]]
    image = mirror_vector(places[end])
    return min(there, key=lambda k: float(np.linalg.norm(places[k] - image)), default=end)
