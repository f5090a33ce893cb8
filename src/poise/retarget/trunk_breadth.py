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
_NARROWEST = 0.6  # of the breadth of the tables
_LITTLE = 0.02  # a smaller change of the breadth is none


def find_trunk_breadth(clip: BodyClip) -> Finding:
    """The finding on the breadth of the trunk; its value is a factor of the breadth that the body has.

    In each frame, the trunk would have to be narrower by the sideways part of its overlap with the arms.
    """
    distances = SelfDistances(clip.body, 0.0)
    groups = {joint.link: joint.group for joint in clip.body.joints} | {clip.body.joints[0].link: "trunk"}
    pairs = [[groups.get(link, "") for link in distances.links(k)] for k in range(len(distances.pairs))]
    trunk_first = np.array([first == "trunk" and second.endswith("arm") for first, second in pairs], bool)
    trunk_last = np.array([second == "trunk" and first.endswith("arm") for first, second in pairs], bool)
    chosen = (trunk_first | trunk_last) & distances.apart
    near = distances.at(clip.qpos, chosen, moves=False)
    turned = quat_multiply(clip.qpos[:, 3:7], quat_conjugate(clip.body.standing[3:7]))
    left = quat_rotate(turned, np.array([0.0, 1.0, 0.0]))
    sideways = np.abs(np.einsum("ki,ki->k", near.normal, left[near.frame])) * np.maximum(-near.distance, 0.0)
    breadth = np.ones(clip.frames)
    np.minimum.at(breadth, near.frame, 1.0 - sideways / distances.half_lengths(trunk_first)[near.pair])
    factor = float(np.clip(np.percentile(breadth, 100.0 - _USUAL), _NARROWEST, 1.0))
    if factor > 1.0 - _LITTLE:
        return Finding("trunk", "the arms keep clear of the trunk", "nothing", "", 1.0)
    found = (
        f"the arms come nearer to the trunk than that of a usual person, by {100 * (1 - factor):.0f} % of its breadth"
    )
    return Finding("trunk", found, "the body's trunk is narrower", "", factor)


def with_trunk_breadth(body: Body, factor: float, mass: float | None, symmetric: bool) -> Body:
    """The body of a skeleton, built again with a trunk of `factor` times the breadth."""
    assert body.rigging is not None
    skeleton = replace(body.rigging.skeleton, breadth=factor)
    return Body.from_skeleton(skeleton, mass=mass, rate=body.rigging.rate, name=body.name, symmetric=symmetric)
