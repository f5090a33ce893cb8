"""The legs of a body: bones, joints and soles, and the check that closed-form inverse kinematics holds for them."""

import math
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array, Ints
from poise.body.body import Body
from poise.body.parts import Foot, Joint
from poise.errors import PoiseError

ADULT = 0.874  # Leg length (m) of the paper's character, for which values marked "adult" hold
LIMIT_MARGIN = 0.05  # Margin (rad) that joint targets keep from the joint limits
KNEE_STRAIGHT, KNEE_BENT = 0.3, 1.5  # Angles (rad) that the range of a knee must include
Y_AXIS = 0.9  # Minimum y component of a unit axis that counts as lateral
_EXACT = 1e-6


class Legs(NamedTuple):
    """Both legs, left first: lengths and positions in link frames (m), and addresses of their joints in qpos."""

    hip: Array  # (2, 3) position of the hip in the root link
    thigh: Array  # (2, 3) position of the knee in the thigh
    shank: Array  # (2, 3) position of the ankle in the shank
    axis: Array  # (2, 3) axis of the knee
    hip_axes: Array  # (2, 3, 3) columns: hinge axes, completed to three; the identity for a ball joint
    ankle_axes: Array  # (2, 3, 3) likewise
    lower: Array  # (2, 2, 3) rad: lower bounds of hip and ankle, with a margin
    upper: Array  # (2, 2, 3) rad: upper bounds likewise
    hinges: Ints  # (2, 2) number of hinges of hip and ankle; 0 for a ball joint
    places: Ints  # (2, 4) qpos addresses: hip, knee, ankle, toe; -1 without a toe
    sole: Array  # (2, K, 3) points in the foot that may touch the ground, with straight toes
    ball: Array  # (2, 3) position, in the foot, of the ball about which the foot rolls
    length: float  # m of a whole leg
    ankle_height: float  # m from the ground to the ankle of a flat foot

    @property
    def scale(self) -> float:
        """Leg length as a multiple of ADULT. Lengths marked "adult" are multiplied by this factor."""
        return self.length / ADULT

    @property
    def time_scale(self) -> float:
        """Square root of `scale`. Times and speeds marked "adult" are multiplied by this factor, as for pendulums."""
        return math.sqrt(self.scale)


def walker_legs(body: Body) -> Legs:
    """The legs of a body; raise unless there are two, each with a hip, a hinge knee, an ankle and optionally toes."""
    parts = [_leg_geometry(body, foot.link, foot.points) for foot in walker_feet(body)]
    lengths = [float(np.linalg.norm(part["thigh"]) + np.linalg.norm(part["shank"])) for part in parts]
    stacked = {key: np.array([part[key] for part in parts]) for key in parts[0]}
    ankle = -float(np.mean(stacked["sole"][..., 2].min(axis=1)))
    for values in stacked.values():
        values.setflags(write=False)
    return Legs(**stacked, length=float(np.mean(lengths)), ankle_height=ankle)


def walker_feet(body: Body) -> list[Foot]:
    """Both feet, left first; raise unless the body has two."""
    if len(body.feet) != 2:
        raise PoiseError(f"body '{body.name}' has {len(body.feet)} feet: the pendulum controller needs two")
    return sorted(body.feet, key=lambda foot: -float(_zero_pose_origin(body, foot.link)[1]))


def _leg_geometry(body: Body, foot: str, points: Array) -> dict[str, Any]:
    model, (hip, knee, ankle, toe) = body.model, leg_joints(body, foot)
    return {
        "hip": _zero_pose_origin(body, hip.link),
        "thigh": np.array(model.body(knee.link).pos),
        "shank": np.array(model.body(ankle.link).pos),
        "axis": np.array(knee.axes[0]),
        "hip_axes": _completed_leg_axes(hip),
        "ankle_axes": _completed_leg_axes(ankle),
        "lower": np.array([np.pad(j.lower + LIMIT_MARGIN, (0, 3 - len(j.lower))) for j in (hip, ankle)]),
        "upper": np.array([np.pad(j.upper - LIMIT_MARGIN, (0, 3 - len(j.upper))) for j in (hip, ankle)]),
        "hinges": np.array([0 if j.kind == "ball" else len(j.dofs) for j in (hip, ankle)]),
        "places": np.array([hip.qpos[0], knee.qpos[0], ankle.qpos[0], toe.qpos[0] if toe else -1]),
        "sole": np.vstack([points, _toe_tips(body, toe, points)]),
        "ball": points[2:].mean(axis=0),
    }


def _zero_pose_origin(body: Body, link: str) -> Array:
    """Origin (3,) m of a link relative to the root, in the zero pose."""
    model, place, at = body.model, np.zeros(3), body.link_id(link)
    while at > 1:
        place += model.body_pos[at]
        at = int(model.body_parentid[at])
    return place


def _toe_tips(body: Body, toe: Joint | None, points: Array) -> Array:
    """Front corners (2, 3) m of the toes, in the foot; without toes, the corners of the ball."""
    if toe is None:
        return points[2:]
    model, link = body.model, body.link_id(toe.link)
    solid = [g for g in range(model.ngeom) if model.geom_bodyid[g] == link and model.geom_contype[g]]
    ahead = max((float(model.geom_pos[g, 0]) for g in solid), default=0.0)
    front = np.array(points[2:])
    front[:, 0] = model.body(toe.link).pos[0] + ahead
    return front


def _completed_leg_axes(joint: Joint) -> Array:
    """Axes of a joint as columns (3, 3); missing axes are added, perpendicular to the others."""
    if joint.kind == "ball":
        return np.eye(3)
    axes = list(joint.axes)
    if len(axes) == 1:
        other = np.eye(3)[np.argmin(np.abs(axes[0]))]
        axes.append(np.cross(axes[0], other) / np.linalg.norm(np.cross(axes[0], other)))
    return np.array([*axes, np.cross(axes[0], axes[1])][:3]).T


class LegJoints(NamedTuple):
    """The joints of a leg."""

    hip: Joint
    knee: Joint
    ankle: Joint
    toe: Joint | None


def leg_joints(body: Body, foot: str) -> LegJoints:
    """The joints of the leg whose foot is the link `foot`; raise if closed-form inverse kinematics does not hold."""
    by_link = {joint.link: joint for joint in body.joints}
    ankle = by_link.get(foot)
    knee = by_link.get(str(ankle.parent_link)) if ankle else None
    hip = by_link.get(str(knee.parent_link)) if knee else None
    if ankle is None or knee is None or hip is None or len(knee.dofs) != 1 or hip.kind == "free":
        raise PoiseError(f"body '{body.name}': '{foot}' must be carried by an ankle, a knee with one hinge, and a hip")
    toe = next((joint for joint in body.joints if joint.parent_link == foot and joint.kind == "hinge"), None)
    chain = LegJoints(hip, knee, ankle, toe)
    _check_leg_geometry(body, chain)
    for joint in (hip, ankle):
        _check_leg_hinges(body, joint)
    if knee.axes[0, 1] < Y_AXIS or knee.lower[0] > KNEE_STRAIGHT or knee.upper[0] < KNEE_BENT:
        raise _leg_error(body, knee, f"must bend about its y axis, from {KNEE_STRAIGHT:g} to {KNEE_BENT:g} rad")
    if toe is not None and toe.axes[0, 1] < Y_AXIS:
        raise _leg_error(body, toe, "must rotate about its y axis")
    return chain


def _check_leg_geometry(body: Body, chain: LegJoints) -> None:
    """Raise unless joints are at link origins, links parallel to the root, thigh and shank in line, hip on the root."""
    model, joints = body.model, {joint.link: joint for joint in body.joints}
    for joint in chain[:3]:
        if any(np.abs(model.joint(name).pos).max() > _EXACT for name in joint.elements):
            raise _leg_error(body, joint, "must be at the origin of its link")
    above = body.link_id(chain.ankle.link)
    while above > 1:
        name = model.body(above).name
        if np.abs(model.body_quat[above, 1:]).max() > _EXACT:
            raise PoiseError(f"body '{body.name}': link '{name}' of a leg must be parallel to the root at rest")
        if name in joints and joints[name] not in chain:
            raise _leg_error(body, joints[name], f"is above '{chain.hip.name}', which must be attached to the root")
        above = int(model.body_parentid[above])
    thigh, shank = (model.body(joint.link).pos for joint in (chain.knee, chain.ankle))
    if np.linalg.norm(np.cross(thigh, shank)) > _EXACT or thigh @ shank <= 0:
        raise _leg_error(body, chain.knee, "must have thigh and shank in line at rest")
    if abs(chain.knee.axes[0] @ thigh) > _EXACT:
        raise _leg_error(body, chain.knee, "must have its axis perpendicular to the thigh")


def _check_leg_hinges(body: Body, joint: Joint) -> None:
    """Raise unless the hinges of a hip or ankle are perpendicular, with room between their limits."""
    axes = joint.axes
    if np.abs(axes @ axes.T - np.eye(len(axes))).max() > _EXACT:
        raise _leg_error(body, joint, "must have hinges perpendicular to each other")
    if np.any(joint.upper - joint.lower < 2 * LIMIT_MARGIN):
        raise _leg_error(body, joint, f"must have a range of at least {2 * LIMIT_MARGIN:g} rad")


def _leg_error(body: Body, joint: Joint, why: str) -> PoiseError:
    return PoiseError(f"body '{body.name}': joint '{joint.name}' {why}")
