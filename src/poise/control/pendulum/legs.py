"""The legs of a body: their bones, joints and soles."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.body.parts import Foot, Joint
from poise.errors import PoiseError

# The joints of a leg, and whether it can be bent in closed form.

ROOM = 0.05
"""rad: no nearer to its limits is a joint asked to go."""
STRETCHES, BENDS = 0.3, 1.5
"""rad: angles that a knee must be able to have."""
ACROSS = 0.9
"""Of a unit axis, along y: what points less to the left is not across."""
_EXACT = 1e-6


class LegJoints(NamedTuple):
    """The joints of a leg."""

    hip: Joint
    knee: Joint
    ankle: Joint
    toe: Joint | None


def chain_of(body: Body, foot: str) -> LegJoints:
    """The joints that carry a foot, by the name of its link; what cannot be bent in closed form is refused."""
    by_link = {joint.link: joint for joint in body.joints}
    ankle = by_link.get(foot)
    knee = by_link.get(str(ankle.parent_link)) if ankle else None
    hip = by_link.get(str(knee.parent_link)) if knee else None
    if ankle is None or knee is None or hip is None or len(knee.dofs) != 1 or hip.kind == "free":
        raise PoiseError(f"body '{body.name}': '{foot}' must hang on an ankle, a knee that is one hinge, and a hip")
    toe = next((joint for joint in body.joints if joint.parent_link == foot and joint.kind == "hinge"), None)
    chain = LegJoints(hip, knee, ankle, toe)
    _refuse_crooked(body, chain)
    for joint in (hip, ankle):
        _refuse_slanted(body, joint)
    _refuse_stiff(body, knee)
    if toe is not None and toe.axes[0, 1] < ACROSS:
        raise _refused(body, toe, "must turn toes about their y axis")
    return chain


def _refuse_crooked(body: Body, chain: LegJoints) -> None:
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


ADULT = 0.874
"""m: the length of an adult's leg, that of the paper's character."""


class Legs(NamedTuple):
    """Both legs, left first: lengths and places in link frames (m), and where their joints are in a pose."""

    hip: Array  # (2, 3) in the root link
    thigh: Array  # (2, 3) the knee in the thigh
    shank: Array  # (2, 3) the ankle in the shank
    axis: Array  # (2, 3) of the knee
    hip_axes: Array  # (2, 3, 3) columns: hinge axes, completed; of a ball, the identity
    ankle_axes: Array  # (2, 3, 3) likewise
    lower: Array  # (2, 2, 3) rad: bounds of hip and ankle, with some room
    upper: Array  # (2, 2, 3) likewise
    hinges: Any  # (2, 2) how many hinges hip and ankle have: 0 for a ball
    places: Any  # (2, 4) in qpos: hip, knee, ankle, toe; -1 for no toe
    sole: Array  # (2, K, 3) what of a foot may touch the ground, its toes straight, in the foot
    ball: Array  # (2, 3) about which a foot rolls, in the foot
    length: float  # m of a whole leg
    ankle_height: float  # m of a foot that stands

    @property
    def scale(self) -> float:
        """How much longer they are than an adult's: lengths that are told for an adult grow with it."""
        return self.length / ADULT

    @property
    def slow(self) -> float:
        """How much longer pendulums of their length take: times grow with it, and so do speeds."""
        return math.sqrt(self.scale)


def feet_of(body: Body) -> list[Foot]:
    """Both feet, left first."""
    if len(body.feet) != 2:
        raise PoiseError(f"body '{body.name}' has {len(body.feet)} feet: the pendulum walks on two")
    return sorted(body.feet, key=lambda foot: -float(_standing_place(body, foot.link)[1]))


def legs_of(body: Body) -> Legs:
    """The legs of a body with two of them, each a hip, a knee that is a hinge, an ankle and perhaps toes."""
    parts = [_leg(body, foot.link, foot.points) for foot in feet_of(body)]
    lengths = [float(np.linalg.norm(part["thigh"]) + np.linalg.norm(part["shank"])) for part in parts]
    stacked = {key: np.array([part[key] for part in parts]) for key in parts[0]}
    ankle = -float(np.mean(stacked["sole"][..., 2].min(axis=1)))
    for values in stacked.values():
        values.setflags(write=False)
    return Legs(**stacked, length=float(np.mean(lengths)), ankle_height=ankle)


def _standing_place(body: Body, link: str) -> Array:
    """Of a link's origin in the pose of all zeros, relative to the root."""
    model, place, at = body.model, np.zeros(3), body.link_id(link)
    while at > 1:
        place += model.body_pos[at]
        at = int(model.body_parentid[at])
    return place


def _leg(body: Body, foot: str, points: Array) -> dict[str, Any]:
    model, (hip, knee, ankle, toe) = body.model, chain_of(body, foot)
    return {
        "hip": _standing_place(body, hip.link),
        "thigh": np.array(model.body(knee.link).pos),
        "shank": np.array(model.body(ankle.link).pos),
        "axis": np.array(knee.axes[0]),
        "hip_axes": _completed(hip),
        "ankle_axes": _completed(ankle),
        "lower": np.array([_padded(joint.lower + ROOM) for joint in (hip, ankle)]),
        "upper": np.array([_padded(joint.upper - ROOM) for joint in (hip, ankle)]),
        "hinges": np.array([0 if j.kind == "ball" else len(j.dofs) for j in (hip, ankle)]),
        "places": np.array([hip.qpos[0], knee.qpos[0], ankle.qpos[0], toe.qpos[0] if toe else -1]),
        "sole": np.vstack([points, _toe_tips(body, toe, points)]),
        "ball": points[2:].mean(axis=0),
    }


def _toe_tips(body: Body, toe: Joint | None, points: Array) -> Array:
    """(2, 3) the front of a foot; of one without toes its ball."""
    if toe is None:
        return points[2:]
    model, link = body.model, body.link_id(toe.link)
    solid = [g for g in range(model.ngeom) if model.geom_bodyid[g] == link and model.geom_contype[g]]
    ahead = max((float(model.geom_pos[g, 0]) for g in solid), default=0.0)
    front = np.array(points[2:])
    front[:, 0] = model.body(toe.link).pos[0] + ahead
    return front


def _padded(values: Array) -> Array:
    """(3,) of up to three values."""
    return np.concatenate([values, np.zeros(3 - len(values))])


def _completed(joint: Joint) -> Array:
    """(3, 3) axes of a joint as columns; where there are fewer, square to the first ones."""
    if joint.kind == "ball":
        return np.eye(3)
    axes = list(joint.axes)
    if len(axes) == 1:
        other = np.eye(3)[np.argmin(np.abs(axes[0]))]
        axes.append(np.cross(axes[0], other) / np.linalg.norm(np.cross(axes[0], other)))
    return np.array([*axes, np.cross(axes[0], axes[1])][:3]).T
