"""A body for any skeleton: a person if the skeleton is humanoid, else a creature with the same bones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite

import numpy as np

from poise.arrays import Array, Frozen, readonly
from poise.body import skeleton_creature, skeleton_person
from poise.body.assemble import assemble_body
from poise.body.body import Body
from poise.body.rigging import Rigging
from poise.body.skeleton_measures import distinct_joints, middle_of_hips, person_measures
from poise.body.skeleton_pose import UprightSkeleton, zero_pose_rotations
from poise.errors import PoiseError
from poise.motion.roles import Roles, find_roles
from poise.motion.skeleton import Skeleton
from poise.rotations import quat_multiply

_IDENTITY = readonly([1.0, 0.0, 0.0, 0.0])


def body_from_skeleton(skeleton: Skeleton, mass: float | None, name: str, rate: float | None) -> Body:
    """See `Body.from_skeleton`."""
    if mass is not None and not (isfinite(mass) and mass > 0):
        raise PoiseError(f"a body cannot weigh {mass} kg: give a positive mass")
    upright, roles = UprightSkeleton(skeleton), find_roles(skeleton)
    if roles is None:
        plan, drivers = skeleton_creature.creature_plan(upright, mass, name)
        origin, turns = upright.position[next(iter(drivers.values()))], dict.fromkeys(drivers, _IDENTITY)
    else:
        plan, drivers = (
            skeleton_person.person_plan(person_measures(upright, roles, mass), name),
            _person_drivers(upright, roles),
        )
        limbs = zero_pose_rotations(upright, roles)
        origin, turns = middle_of_hips(upright, roles), {link: limbs.get(link, _IDENTITY) for link in drivers}
    first = plan.segments[0].name
    return replace(assemble_body(plan), rigging=_skeleton_rigging(upright, first, drivers, turns, origin, rate))


def _person_drivers(upright: UprightSkeleton, roles: Roles) -> dict[str, int]:
    """The joint that each link of a person follows."""
    spine, neck = (distinct_joints(upright, joints) for joints in (roles.spine, roles.neck))
    drivers = {f"spine_{k + 1}": joint for k, joint in enumerate(spine[:-1])}
    drivers |= {f"neck_{k + 1}": joint for k, joint in enumerate(neck[:-1])}
    return drivers | {role: joint for role, joint in roles.joints.items() if role != "neck"}


def _skeleton_rigging(
    upright: UprightSkeleton,
    first: str,
    drivers: Mapping[str, int],
    turns: Mapping[str, Array],
    origin: Array,
    rate: float | None,
) -> Rigging:
    """The rigging: each joint on the link of its nearest ancestor with one; joints above all of them on the first."""
    skeleton = upright.skeleton
    driven = {joint: link for link, joint in drivers.items()}
    links: list[str] = []
    for joint, parent in enumerate(skeleton.parents):
        links.append(driven.get(joint, links[parent] if parent >= 0 else first))
    swung = quat_multiply(np.array([turns[link] for link in links]), upright.rotation)
    return Rigging(
        skeleton, tuple(links), readonly(swung), readonly(upright.position[0] - origin), Frozen(drivers), rate
    )
