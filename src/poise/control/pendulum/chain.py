"""The joints of a leg, and whether it can be bent in closed form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.body import Body
from poise.body.parts import Joint
from poise.errors import PoiseError

ROOM = 0.05
"""rad: no nearer to its limits is a joint asked to go."""
STRETCHES, BENDS = 0.3, 1.5
"""rad: angles that a knee must be able to have."""
ACROSS = 0.9
"""Of a unit axis, along y: what points less to the left is not across."""
_EXACT = 1e-6


class Chain(NamedTuple):
    """The joints of a leg."""

    hip: Joint
    knee: Joint
    ankle: Joint
    toe: Joint | None


def chain_of(body: Body, foot: str) -> Chain:
    """The joints that carry a foot, by the name of its link; what cannot be bent in closed form is refused."""
    by_link = {joint.link: joint for joint in body.joints}
    ankle = by_link.get(foot)
    knee = by_link.get(str(ankle.parent_link)) if ankle else None
    hip = by_link.get(str(knee.parent_link)) if knee else None
    if ankle is None or knee is None or hip is None or len(knee.dofs) != 1 or hip.kind == "free":
        raise PoiseError(f"body '{body.name}': '{foot}' must hang on an ankle, a knee that is one hinge, and a hip")
    toe = next((joint for joint in body.joints if joint.parent_link == foot and joint.kind == "hinge"), None)
    chain = Chain(hip, knee, ankle, toe)
    _refuse_crooked(body, chain)
    for joint in (hip, ankle):
        _refuse_slanted(body, joint)
    _refuse_stiff(body, knee)
    if toe is not None and toe.axes[0, 1] < ACROSS:
        raise _refused(body, toe, "must turn toes about their y axis")
    return chain


def _refuse_crooked(body: Body, chain: Chain) -> None:
    """Links: each at its joint, parallel to the root, thigh and shank in line, and no joint above the hip."""
    model, joints = body.model, {joint.link: joint for joint in body.joints}
    for joint in chain[:3]:
        if any(np.abs(model.joint(name).pos).max() > _EXACT for name in joint.elements):
            raise _refused(body, joint, "must be at the origin of its link")
    above = body.link_id(chain.ankle.link)
    while above > 1:
        name = model.body(above).name
        if np.abs(model.body_quat[above, 1:]).max() > _EXACT:
            raise PoiseError(f"body '{body.name}': link '{name}' of a leg must be parallel to the root at rest")
        if name in joints and joints[name] not in chain:
            raise _refused(body, joints[name], f"is above '{chain.hip.name}', which must be fast on the root")
        above = int(model.body_parentid[above])
    thigh, shank = (model.body(joint.link).pos for joint in (chain.knee, chain.ankle))
    if np.linalg.norm(np.cross(thigh, shank)) > _EXACT or thigh @ shank <= 0:
        raise _refused(body, chain.knee, "must have thigh and shank in line at rest")
    if abs(chain.knee.axes[0] @ thigh) > _EXACT:
        raise _refused(body, chain.knee, "must have its axis square to the thigh")


def _refuse_slanted(body: Body, joint: Joint) -> None:
    """Hinges of a hip or ankle: square to each other, and with room between their limits."""
    axes = joint.axes
    if np.abs(axes @ axes.T - np.eye(len(axes))).max() > _EXACT:
        raise _refused(body, joint, "must have hinges square to each other")
    if np.any(joint.upper - joint.lower < 2 * ROOM):
        raise _refused(body, joint, f"must have a range of at least {2 * ROOM:g} rad")


def _refuse_stiff(body: Body, knee: Joint) -> None:
    """A knee: it bends backward when its angle grows."""
    if knee.axes[0, 1] < ACROSS or knee.lower[0] > STRETCHES or knee.upper[0] < BENDS:
        raise _refused(body, knee, f"must bend about its y axis, from {STRETCHES:g} to {BENDS:g} rad")


def _refused(body: Body, joint: Joint, why: str) -> PoiseError:
    return PoiseError(f"body '{body.name}': joint '{joint.name}' {why}")
