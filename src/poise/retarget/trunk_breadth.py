"""Breadth of the trunk of a body that is built for a file: arms that hang beside the trunk show how broad it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.body.body import Body
from poise.body.self_distance import SelfDistances
from poise.motion.repair.finding import Finding
from poise.reference.body_clip import BodyClip
from poise.rotations import quat_conjugate, quat_multiply, quat_rotate

_USUAL = 95.0  # Percentile of the frames in which the arms must have room: rarer overlaps are not those of hanging arms
_NARROWEST = 0.6  # of the breadth by the tables
_LITTLE = 0.02  # a smaller change of the breadth is none
_ROUNDS = 4  # most changes: a narrower trunk leaves room for pairs of links that overlap in the standing pose before


def fit_trunk_breadth(clip: BodyClip, mass: float | None = None, symmetric: bool = False) -> tuple[BodyClip, Finding]:
    """The clip on a body whose trunk is as narrow as its arms show, and the finding on the breadth.

    The clip's body is built for a skeleton, with a `mass` (kg) and legs as in `Body.from_skeleton`.
    """
    rigging, breadth = clip.body.rigging, 1.0
    assert rigging is not None
    for _ in range(_ROUNDS):
        share = _room_for_arms(clip)
        if share > 1.0 - _LITTLE or breadth == _NARROWEST:
            break
        breadth = max(breadth * share, _NARROWEST)
        skeleton = replace(rigging.skeleton, breadth=breadth)
        body = Body.from_skeleton(skeleton, mass=mass, rate=rigging.rate, name=clip.body.name, symmetric=symmetric)
        clip = replace(clip, body=body)
    if breadth == 1.0:
        return clip, Finding("trunk", "the arms keep clear of the trunk", "nothing", "", 1.0)
    found = f"arms hang nearer to the trunk than those of a usual person, by {100 * (1 - breadth):.0f} % of its breadth"
    return clip, Finding("trunk", found, "the body's trunk is narrower", "", breadth)


def _room_for_arms(clip: BodyClip) -> float:
    """Share of the trunk's breadth that leaves room for the arms, at most 1.

    In each frame, the trunk would have to be narrower by the sideways part of its overlap with the arms.
    """
    distances = SelfDistances(clip.body, 0.0)
    groups = {joint.link: joint.group for joint in clip.body.joints} | {clip.body.joints[0].link: "trunk"}
    pairs = [[groups.get(link, "") for link in distances.links(k)] for k in range(len(distances.pairs))]
    trunk_first = np.array([first == "trunk" and second.endswith("arm") for first, second in pairs], bool)
    trunk_last = np.array([second == "trunk" and first.endswith("arm") for first, second in pairs], bool)
    near = distances.at(clip.qpos, (trunk_first | trunk_last) & distances.apart, moves=False)
    turned = quat_multiply(clip.qpos[:, 3:7], quat_conjugate(clip.body.standing[3:7]))
    left = quat_rotate(turned, np.array([0.0, 1.0, 0.0]))
    sideways = np.abs(np.einsum("ki,ki->k", near.normal, left[near.frame])) * np.maximum(-near.distance, 0.0)
    share = np.ones(clip.frames)
    np.minimum.at(share, near.frame, 1.0 - sideways / distances.half_lengths(trunk_first)[near.pair])
    return float(np.percentile(share, 100.0 - _USUAL))
