"""Pairs of geoms of one body that can touch each other, and their signed distances for many poses at once."""

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array, Ints, Mask
from poise.body.body import Body
from poise.body.link_kinematics import links_moved_by_dofs
from poise.body.surface import solid_geoms_of_body

SLACK = 0.004  # Overlap (m) at which links of one body touch; inputs may overlap by this much without a force
DEEPEST = 0.3  # Largest overlap in the standing pose of a pair that can touch, as a share of the thinner geom's radius
_LIMBS = ("left_leg", "right_leg", "left_arm", "right_arm")


class SelfContactPair(NamedTuple):
    """Two geoms of different links of a body, and the overlap at which they touch."""

    first: str  # name of a geom
    second: str
    slack: float  # m: SLACK, plus the overlap in the standing pose


def self_contact_pairs(body: Body) -> tuple[SelfContactPair, ...]:
    """The pairs of solid geoms of a body that can touch each other.

    They belong to different limbs: legs, arms, and trunk with head. In a body without legs and arms, such as a lamp or
    a snake, they may belong to any two links. Pairs are left out whose links are joined by one joint or are rigidly
    connected, whose links the MJCF excludes, or that overlap deeply in the standing pose, such as shoulder and chest.
    """
    model = body.model
    # A link without a joint is rigid with the nearest ancestor that has one.
    rigid, limb = model.body_weldid, _limb_of_links(body)
    excluded = {(int(pair) >> 16, int(pair) & 0xFFFF) for pair in model.exclude_signature}
    above = rigid[model.body_parentid]
    data = mujoco.MjData(model)
    data.qpos[:] = body.standing
    mujoco.mj_kinematics(model, data)
    found = []
    for first, second in combinations(solid_geoms_of_body(model), 2):
        a, b = int(model.geom_bodyid[first]), int(model.geom_bodyid[second])
        one, other = int(rigid[a]), int(rigid[b])
        joined = one == other or above[one] == other or above[other] == one
        if joined or limb[one] == limb[other] or {(a, b), (b, a)} & excluded:
            continue
        overlap = max(0.0, -mujoco.mj_geomDistance(model, data, first, second, SLACK, None))
        if overlap <= DEEPEST * min(_thickness(model, first), _thickness(model, second)):
            names = model.geom(first).name, model.geom(second).name
            found.append(SelfContactPair(*names, SLACK + overlap))
    return tuple(found)


def _limb_of_links(body: Body) -> Ints:
    """Number (nbody,) of each jointed link's limb: a connected part of leg, arm or rest; each link if there is none."""
    model, groups = body.model, {joint.link: joint.group for joint in body.joints}
    sided = any(group in _LIMBS for group in groups.values())
    part = ["" if name not in groups or groups[name] not in _LIMBS else groups[name]
            for name in (model.body(b).name for b in range(model.nbody))]  # fmt: skip
    out = np.arange(model.nbody)
    for link in range(1, model.nbody):
        parent = int(model.body_weldid[model.body_parentid[link]])
        if sided and parent and model.body_jntnum[link] and part[link] == part[parent]:
            out[link] = out[parent]
    return out


def _thickness(model: mujoco.MjModel, geom: int) -> float:
    """Radius (m) of a geom, or the smallest of its half-sizes."""
    size = model.geom_size[geom]
    return float(size[size > 0].min(initial=np.inf))


_NEIGHBOURS = 0.005  # m: links that overlap by more in the standing pose are neighbours


@dataclass(frozen=True, eq=False)
class Proximities:
    """K places in T poses where two geoms of a body are near each other or overlap."""

    frame: Ints  # (K,) index of the pose, ascending
    pair: Ints  # (K,) index in `SelfDistances.pairs`
    distance: Array  # (K,) m, negative where the geoms overlap by more than in the standing pose
    normal: Array  # (K, 3) unit vector in the world, from the pair's first geom to its second
    moves: Array  # (K, 3, nv) derivative by the pose of the second geom's place there, relative to the first geom


class SelfDistances:
    """Measures distances up to `within` (m) between the geoms of a body that can touch each other."""

    def __init__(self, body: Body, within: float) -> None:
        self.pairs: tuple[SelfContactPair, ...] = self_contact_pairs(body)
        spec = mujoco.MjSpec.from_string(body.mjcf)
        for geom in spec.geoms:
            geom.contype = geom.conaffinity = 0
        for pair in self.pairs:
            spec.add_pair(geomname1=pair.first, geomname2=pair.second, margin=within)
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        named = self._model.geom
        self._geoms = np.array([(named(p.first).id, named(p.second).id) for p in self.pairs], np.int64).reshape(-1, 2)
        self._number = np.full((self._model.ngeom, self._model.ngeom), -1)
        self._number[self._geoms.min(axis=1), self._geoms.max(axis=1)] = np.arange(len(self.pairs))
        self._overlap = np.array([pair.slack - SLACK for pair in self.pairs])
        self.apart: Mask = self._overlap < _NEIGHBOURS
        """(P,) whether joints can move the geoms of a pair apart; neighbours, as neck and collar bone, stay together"""
        arms = [body.link_id(joint.link) for joint in body.joints if joint.group.endswith("arm")]
        armed = np.isin(self._model.body_weldid, arms)  # a link without a joint, such as a hand, goes with its parent
        self.of_arms: Mask = armed[self._model.geom_bodyid[self._geoms]].any(axis=1)
        """(P,) whether a pair has a link of an arm"""
        half = [float(size[size > 0].min(initial=1.0)) for size in self._model.geom_size]  # m, or radius
        self.radii: Array = np.array([half[first] + half[second] for first, second in self._geoms])
        """(P,) m, sum of the radii of both geoms of each pair"""
        moved = links_moved_by_dofs(self._model)
        first, second = (moved[self._model.geom_bodyid[side]] for side in self._geoms.T)
        self._turned = second - first  # (P, nv)

    def links(self, pair: int) -> tuple[str, str]:
        """Names of the links of a pair's geoms."""
        first, second = (self._model.body(self._model.geom_bodyid[geom]).name for geom in self._geoms[pair])
        return first, second

    def half_lengths(self, of_first: Mask) -> Array:
        """(P,) m, half the length of the capsule that is the first geom of a pair where `of_first`, else the other."""
        return np.asarray(self._model.geom_size[np.where(of_first, *self._geoms.T), 1])

    def at(self, qpos: Array, pairs: Mask | None = None, *, moves: bool = True) -> Proximities:
        """The near places in poses (T, nq), of all pairs or those in mask `pairs` (P,); `moves` take much memory."""
        model, data = self._model, self._data
        found: list[tuple[Array, ...]] = []
        axes, centre = np.empty((len(qpos) * moves, model.nv, 6)), np.empty((len(qpos), 3))
        for k, pose in enumerate(qpos):
            data.qpos[:] = pose
            mujoco.mj_kinematics(model, data)
            mujoco.mj_collision(model, data)
            if moves:
                mujoco.mj_comPos(model, data)
                axes[k], centre[k] = data.cdof, data.subtree_com[1]
            if data.ncon:
                near = data.contact
                turns = near.frame[:, :3]
                found.append((np.full(data.ncon, k), near.geom.copy(), near.dist.copy(), near.pos.copy(), turns.copy()))
        if not found:
            none = np.zeros(0, np.int64)
            return Proximities(none, none, np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, model.nv)))
        frame, geom, distance, place, normal = (np.concatenate(part) for part in zip(*found, strict=True))
        pair = self._number[geom.min(axis=1), geom.max(axis=1)]
        if pairs is not None:
            chosen = [part[pairs[pair]] for part in (frame, geom, distance, place, normal, pair)]
            frame, geom, distance, place, normal, pair = chosen
        swapped = self._geoms[pair, 0] != geom[:, 0]
        normal[swapped] *= -1.0
        distance += self._overlap[pair]
        if not moves:
            return Proximities(frame, pair, distance, normal, np.zeros(0))
        arms = place - centre[frame]
        spin, shift = axes[frame, :, :3], axes[frame, :, 3:]  # twists of the degrees of freedom at the centre of mass
        ahead, behind = [1, 2, 0], [2, 0, 1]  # the axes of the cross product of spin and arms
        moved = spin[..., ahead] * arms[:, None, behind] - spin[..., behind] * arms[:, None, ahead] + shift
        moved *= self._turned[pair][:, :, None]
        return Proximities(frame, pair, distance, normal, moved.transpose(0, 2, 1))
