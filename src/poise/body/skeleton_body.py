"""A body for any skeleton: a person if the skeleton is humanoid, else a creature with the same bones."""

from dataclasses import replace
from math import isfinite

import numpy as np

from poise.arrays import Array, Frozen, readonly
from poise.body import skeleton_creature, skeleton_person
from poise.body.assemble import assemble_body
from poise.body.body import Body
from poise.body.rigging import Rigging
from poise.body.skeleton_measures import distinct_joints, middle_of_hips, person_measures, zero_pose_rotations
from poise.errors import PoiseError
from poise.motion.roles import find_roles
from poise.motion.skeleton import Skeleton
from poise.rotations import quat_multiply

_IDENTITY = readonly([1.0, 0.0, 0.0, 0.0])


def body_from_skeleton(
    skeleton: Skeleton, mass: float | None, name: str, rate: float | None, symmetric: bool = False
) -> Body:  # fmt: skip
    """Build the body of a skeleton, see `Body.from_skeleton`; joints without links follow the nearest ancestor's."""
    if mass is not None and not (isfinite(mass) and mass > 0):
        raise PoiseError(f"a body cannot weigh {mass} kg: give a positive mass")
    roles = find_roles(skeleton)
    turns: dict[str, Array] = {}  # rotation (4,) of each link from the upright pose to the body's zero pose
    if roles is None:
        plan, drivers = skeleton_creature.creature_plan(skeleton, mass, name)
        origin = skeleton.standing.position[0, next(iter(drivers.values()))]
    else:
        plan = skeleton_person.person_plan(person_measures(skeleton, roles, mass, symmetric), name)
        turns, origin = zero_pose_rotations(skeleton, roles), middle_of_hips(skeleton, roles)
        spine, neck = (distinct_joints(skeleton, joints) for joints in (roles.spine, roles.neck))
        drivers = {f"spine_{k + 1}": joint for k, joint in enumerate(spine[:-1])}
        drivers |= {f"neck_{k + 1}": joint for k, joint in enumerate(neck[:-1])}
        drivers |= {role: joint for role, joint in roles.joints.items() if role != "neck"}
    driven = {joint: link for link, joint in drivers.items()}
    links: list[str] = []
    for joint, parent in enumerate(skeleton.parents):
        links.append(driven.get(joint, links[parent] if parent >= 0 else plan.segments[0].name))
    swung = quat_multiply(np.array([turns.get(link, _IDENTITY) for link in links]), skeleton.standing.rotation[0])
    root = readonly(skeleton.standing.position[0, 0] - origin)
    rigging = Rigging(skeleton, tuple(links), readonly(swung), root, Frozen(drivers), rate)
    return replace(assemble_body(plan), rigging=rigging)
