"""Poses told by where hands and feet are to be: angles by inverse kinematics."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.animation.entry import Entry
from poise.body import Body
from poise.body.poses import PoseSpace
from poise.errors import PoiseError
from poise.reference.edit.limbs import chain_joints
from poise.reference.ik import PoseSolver
from poise.reference.keyposes import posed, standing_coordinates

NEAR = 0.02
"""m: a limb that stays further away than this cannot reach its place."""
FIRM, LOOSE = 30.0, 0.03
"""Weights of what stays as told, and of what may bend."""


def reached(body: Body, angles: Mapping[int, float], entry: Entry) -> dict[int, float]:
    """Angles with those of the limbs bent so that their ends are at places, m, in front of the standing body.

    Places are told as the body stands, its root where the standing pose has it and turned as the pose says: x ahead,
    y to the left, z above the ground. Only the joints of the limb bend, and only those the pose does not tell.
    """
    limbs = {hand.name: (hand.link, hand.point) for hand in body.hands}
    limbs |= {foot.name: (foot.link, foot.points.mean(axis=0)) for foot in body.feet}
    limbs |= {link: (link, np.zeros(3)) for link in body.links if link not in limbs}
    for name in entry.keys:
        if name not in limbs:
            raise entry.fail(f"'{name}' cannot reach: it is neither hand, foot nor link", name)
    places = np.array([entry.numbers(name, 3) for name in entry.keys])
    told = standing_coordinates(body)
    told[list(angles)] = list(angles.values())
    start = posed(body, told)
    bends = {dof for name in entry.keys for dof in _limb(body, limbs[name][0])} - set(angles)
    weights = np.full(body.nv, FIRM)
    weights[sorted(bends)] = LOOSE
    solver = PoseSolver(body, [limbs[name] for name in entry.keys])
    found = solver.solve(start, places=places, place_weights=30.0, prior_weights=weights, iterations=100)
    for name, away in zip(entry.keys, found.place_error, strict=True):
        if away > NEAR:
            raise entry.fail(f"'{name}' stays {away:.2f} m away from where it is to reach", name)
    coordinates = PoseSpace(body).angles(found.qpos[None])[0]
    return {**angles, **{dof: float(coordinates[dof]) for dof in sorted(bends)}}


def _limb(body: Body, link: str) -> list[int]:
    """Freedoms of the limb that a link is the end of."""
    chain = chain_joints(body, link)
    if not chain:
        raise PoiseError(f"'{link}' is the root: it cannot reach")
    return [dof for joint in chain if joint.group == chain[-1].group for dof in joint.dofs]
