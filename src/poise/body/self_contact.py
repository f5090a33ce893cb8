"""Pairs of geoms of one body that can touch each other."""

from itertools import combinations
from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Ints
from poise.body.body import Body
from poise.body.surface import solid_geoms_of_body

SLACK = 0.004  # Overlap (m) at which links of one body touch; inputs may overlap by this much without a force
DEEPEST = 0.3  # Largest overlap in the standing pose of a pair that can touch, as a share of the thinner geom's radius
_LIMBS = ("left_leg", "right_leg", "left_arm", "right_arm")


class SelfContactPair(NamedTuple):
    """Two geoms of different links of a body, and the overlap at which they touch."""

    first: str  # name of a geom
    second: str
    slack: float  # m: SLACK, plus the overlap in the standing pose
    of_legs: bool  # whether both belong to legs


def self_contact_pairs(body: Body) -> tuple[SelfContactPair, ...]:
    """The pairs of solid geoms of a body that can touch each other.

    They belong to different limbs: legs, arms, and trunk with head. In a body without legs and arms, such as a lamp or
    a snake, they may belong to any two links. Pairs are left out whose links are joined by one joint or are rigidly
    connected, whose links the MJCF excludes, or that overlap deeply in the standing pose, such as shoulder and chest.
    """
    model = body.model
    rigid, limb = _rigid_links(model), _limb_of_links(body)
    excluded = {(int(pair) >> 16, int(pair) & 0xFFFF) for pair in model.exclude_signature}
    above = rigid[model.body_parentid]
    legs = {body.link_id(joint.link) for joint in body.joints if joint.group in _LIMBS[:2]}
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
            found.append(SelfContactPair(*names, SLACK + overlap, {one, other} <= legs))
    return tuple(found)


def _rigid_links(model: mujoco.MjModel) -> Ints:
    """For each link (nbody,), the nearest link with a joint that carries it without one: itself or an ancestor."""
    out = np.zeros(model.nbody, np.int64)
    for link in range(1, model.nbody):  # parents come before their children
        out[link] = link if model.body_jntnum[link] else out[model.body_parentid[link]]
    return out


def _limb_of_links(body: Body) -> Ints:
    """Number (nbody,) of the limb of each link with a joint. A limb is a connected part of a leg, an arm, or the rest.

    In a body without legs and arms, each link is a limb.
    """
    model, groups = body.model, {joint.link: joint.group for joint in body.joints}
    rigid, sided = _rigid_links(model), any(group in _LIMBS for group in groups.values())
    part = ["" if name not in groups or groups[name] not in _LIMBS else groups[name]
            for name in (model.body(b).name for b in range(model.nbody))]  # fmt: skip
    out = np.arange(model.nbody)
    for link in range(1, model.nbody):
        parent = int(rigid[model.body_parentid[link]])
        if sided and parent and model.body_jntnum[link] and part[link] == part[parent]:
            out[link] = out[parent]
    return out


def _thickness(model: mujoco.MjModel, geom: int) -> float:
    """Radius (m) of a geom, or the smallest of its half-sizes."""
    size = model.geom_size[geom]
    return float(size[size > 0].min(initial=np.inf))
