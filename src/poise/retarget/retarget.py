"""Retarget the motion of a skeleton to a body: find in each frame the body's pose that is most like the skeleton's.

The pose has the least squared errors within joint limits: of the positions of feet, knees, hands, elbows, shoulders and
hips, and of the orientations of all parts. On a body that was built from the clip's own skeleton nothing is scaled.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.arrays import Array, Frozen, readonly
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.parts import Joint
from poise.body.rigging import Rigging, hinge_angles, joint_anchors
from poise.errors import PoiseError
from poise.motion.clip import Clip
from poise.motion.skeleton import Skeleton
from poise.reference.body_clip import BodyClip
from poise.retarget.figure import SIDES, UprightFigure, figure_of_body, figure_of_skeleton
from poise.retarget.ik import PoseSolution, PoseSolver
from poise.rotations import (
    quat_between,
    quat_conjugate,
    quat_exp,
    quat_from_axis_angle,
    quat_log,
    quat_multiply,
    quat_rotate,
    slerp,
)

_UP = np.array([0.0, 0.0, 1.0])
_LOW = 5.0  # percentile of an ankle's height that is taken as its height in flat stance
_ANKLE = (0.02, 0.16)  # plausible heights of an ankle above the sole, in leg lengths
_CREDIBLE = 0.6  # rad beyond a hinge's limits up to which an angle is plausible
_STAY = 0.02  # weight per rad and m: pull to the initial pose, whose joints are rotated like the skeleton's
_ITERATIONS = 25  # most iterations of the search
_TOLERANCE = 1e-4  # rad, m: the search ends when no step is larger
# Weights of the goals, by part: of positions per m, of orientations per rad.
_PLACES = {"hips": 1.0, "foot": 3.0, "shank": 0.5, "upper_arm": 0.5, "forearm": 0.6, "hand": 1.0}
_TURNS = {
    "pelvis": 0.3, "chest": 0.3, "head": 0.2, "neck": 0.05, "clavicle": 0.05, "thigh": 0.05, "shank": 0.05,
    "foot": 0.4, "toes": 0.1, "upper_arm": 0.15, "forearm": 0.05, "hand": 0.1,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Retargeted:
    """The motion on the body, and the remaining errors from the goals."""

    clip: BodyClip
    error: Mapping[str, float]  # by role, m: root mean square position error
    turn_error: Mapping[str, float]  # by role, degrees: root mean square orientation error


def retarget(clip: Clip, body: Body) -> Retargeted:
    """Retarget a clip to a body. The body is built from the clip's skeleton, or skeleton and body are humanoids."""
    if clip.frames == 0:
        raise PoiseError(f"clip '{clip.name}' has no frames")
    if body.rigging is not None and same_skeleton(body.rigging.skeleton, clip.skeleton):
        return _retarget_to_own_body(clip, body, body.rigging)
    return _retarget_to_other_body(clip, body)


def same_skeleton(a: Skeleton, b: Skeleton) -> bool:
    """Whether two skeletons have the same joints at the same offsets."""
    return a is b or (a.names == b.names and a.parents == b.parents and bool(np.allclose(a.offsets, b.offsets)))


def _retarget_to_own_body(clip: Clip, body: Body, rigging: Rigging) -> Retargeted:
    """Fit a body to the joint positions of the skeleton that it was built from, within the body's limits and hinges."""
    links, joints = list(rigging.drivers), list(rigging.drivers.values())
    standing = rigging.clip(body.model, body.standing[None], 1.0, body.name).places.position[0, joints]
    origins, turns = LinkKinematics(body, [(link, np.zeros(3)) for link in links], links).at(body.standing[None])
    in_links = quat_rotate(quat_conjugate(turns[0]), standing - origins[0])  # m, the joints in the frames of the links
    solver = PoseSolver(body, list(zip(links, in_links, strict=True)))
    found = solver.solve(
        with_plausible_hinges(body, rigging.poses(body, clip)),
        places=clip.places.position[:, joints],
        prior_weights=_STAY,
        iterations=_ITERATIONS,
        tolerance=_TOLERANCE,
    )
    return _retarget_result(clip, body, found, links, [])


def _retarget_to_other_body(clip: Clip, body: Body) -> Retargeted:
    source, target = figure_of_skeleton(clip.skeleton), figure_of_body(body)
    turns, places = turn_goals(clip, source, target), place_goals(clip, source, target)
    start = initial_poses(body, target, turns, places["hips"])
    placed = [role for role in places if _role_weight(_PLACES, role)]
    turned = [role for role in turns if _role_weight(_TURNS, role)]
    middle, anchors = (body.links[0], hips_in_root(body, target)), joint_anchors(body.model)[1:]
    solver = PoseSolver(
        body,
        [
            middle if role == "hips" else (body.links[target.joints[role]], anchors[target.joints[role]])
            for role in placed
        ],
        [body.links[target.joints[role]] for role in turned],
    )
    wanted = np.stack([quat_multiply(turns[role], target.turn[role]) for role in turned], axis=1)
    start = solver.space.clamped(with_plausible_hinges(body, start))
    reached = solver.kinematics.at(start)[1]
    beyond = np.linalg.norm(quat_log(quat_multiply(wanted, quat_conjugate(reached))), axis=-1)
    trust = np.asarray(1.0 / (1.0 + (beyond / _CREDIBLE) ** 4))  # near 0 far beyond what joints reach
    found = solver.solve(
        start,
        places=np.stack([places[role] for role in placed], axis=1),
        place_weights=[_role_weight(_PLACES, role) for role in placed],
        turns=wanted,
        turn_weights=[_role_weight(_TURNS, role) for role in turned] * trust,
        prior_weights=_STAY,
        iterations=_ITERATIONS,
        tolerance=_TOLERANCE,
    )
    return _retarget_result(clip, body, found, placed, turned)


def _role_weight(weights: Mapping[str, float], role: str) -> float:
    """The weight of the part that a role names, regardless of the side; 0 if it has none."""
    return weights.get(role.removeprefix("left_").removeprefix("right_"), 0.0)


def _retarget_result(clip: Clip, body: Body, found: PoseSolution, placed: list[str], turned: list[str]) -> Retargeted:
    far, off = (np.sqrt(np.mean(e**2, axis=0)) for e in (found.place_error, found.turn_error))
    return Retargeted(
        BodyClip(clip.name, body, clip.rate, readonly(found.qpos)),
        Frozen({role: float(e) for role, e in zip(placed, far, strict=True)}),
        Frozen({role: float(e) for role, e in zip(turned, np.degrees(off), strict=True)}),
    )


def turn_goals(clip: Clip, source: UprightFigure, target: UprightFigure) -> dict[str, Array]:
    """By role: target rotation (T, 4) of the part from the body's standing pose, in the world frame."""
    out = {}
    for role, joint in source.joints.items():
        if role in target.joints:
            rest = quat_multiply(quat_conjugate(source.turn[role]), _standing_pose_rotation(source, target, role))
            out[role] = quat_multiply(clip.places.rotation[:, joint], rest)
    return out


def _standing_pose_rotation(source: UprightFigure, target: UprightFigure, role: str) -> Array:
    """(4,) rotation of a part from the body's standing pose to the skeleton's, such as from hanging arms to a T-pose.

    Only directions of bones are compared, because joint frames are arbitrary. A foot takes the rotation of its shank
    and is then turned about the normal of its sole until the toes point the same way.
    """
    side, _, part = role.partition("_")
    if part in ("foot", "toes"):
        leg = _standing_pose_rotation(source, target, f"{side}_shank")
        ours, theirs = target.bone(f"{side}_foot"), source.bone(f"{side}_foot")
        if ours is None or theirs is None:
            return leg
        up = quat_rotate(leg, _UP)
        flat, wanted = (v - up * (v @ up) for v in (quat_rotate(leg, ours), theirs))
        turn = quat_from_axis_angle(up, np.arctan2(up @ np.cross(flat, wanted), flat @ wanted))
        return quat_multiply(turn, leg)
    if part == "hand":
        return _standing_pose_rotation(source, target, f"{side}_forearm")
    ours, theirs = target.bone(role), source.bone(role)
    return np.array([1.0, 0.0, 0.0, 0.0]) if ours is None or theirs is None else quat_between(ours, theirs)


def place_goals(clip: Clip, source: UprightFigure, target: UprightFigure) -> dict[str, Array]:
    """By role: target positions (T, 3) m of joints in the body's proportions. `hips` is the midpoint of the hip joints.

    Legs and travel scale with the leg length, so that feet at rest stay at rest. Trunk and arms scale with their own
    lengths; the trunk starts at the hips, the arms at the shoulders.
    """
    at = {role: clip.places.position[:, joint] for role, joint in source.joints.items()}
    legs = target.leg / source.leg
    lows = [np.percentile(at[f"{side}_foot"][:, 2], _LOW) for side in SIDES]
    ankle = np.clip(np.mean(lows), _ANKLE[0] * source.leg, _ANKLE[1] * source.leg)  # m above the floor in flat stance
    lift = np.array([0.0, 0.0, float(target.middle("foot")[2]) - legs * float(ankle)])
    out = {role: legs * at[role] + lift for side in SIDES for role in (f"{side}_shank", f"{side}_foot")}
    hips = (at["left_thigh"] + at["right_thigh"]) / 2
    out["hips"] = legs * hips + lift
    return out | _shoulder_and_arm_goals(at, hips, out["hips"], source, target)


def _shoulder_and_arm_goals(
    at: Mapping[str, Array], hips: Array, base: Array, source: UprightFigure, target: UprightFigure
) -> dict[str, Array]:  # fmt: skip
    """By role: target positions (T, 3) m of shoulders, elbows and hands. `base` (T, 3) m: the body's `hips` goal."""
    shoulders = (at["left_upper_arm"] + at["right_upper_arm"]) / 2
    ours, theirs = (np.linalg.norm(f.middle("upper_arm") - f.middle("thigh")) for f in (target, source))
    middle = base + float(ours / theirs) * (shoulders - hips)
    width = _shoulder_width(target) / _shoulder_width(source)
    out = {}
    for side in SIDES:
        arm = [f"{side}_{part}" for part in ("upper_arm", "forearm", "hand")]
        out[arm[0]] = middle + width * (at[arm[0]] - shoulders)
        for role, beyond in pairwise(arm):
            if beyond in at and beyond in target.joints:
                bone = at[beyond] - at[role]
                unit = bone / np.maximum(np.linalg.norm(bone, axis=-1, keepdims=True), 1e-9)
                out[beyond] = out[role] + float(np.linalg.norm(target.place[beyond] - target.place[role])) * unit
    return out


def _shoulder_width(figure: UprightFigure) -> float:
    return float(np.linalg.norm(figure.place["left_upper_arm"] - figure.place["right_upper_arm"]))


def initial_poses(body: Body, target: UprightFigure, turns: Mapping[str, Array], hips: Array) -> Array:
    """(T, nq) poses as near, joint by joint, to `turns` (T, 4) from standing as joints allow, and hips (T, 3) m."""
    wanted = _link_rotation_goals(target, turns)
    frames, model = len(hips), body.model
    stand = LinkKinematics(body, (), body.links).at(body.standing[None])[1][0]
    qpos = np.tile(body.standing, (frames, 1))
    world = np.empty((len(body.links), frames, 4))
    joints = {joint.link: joint for joint in body.joints}
    for link, name in enumerate(body.links):
        parent = int(model.body_parentid[link + 1]) - 1
        here = model.body_quat[link + 1] if parent < 0 else quat_multiply(world[parent], model.body_quat[link + 1])
        joint = joints.get(name)
        if joint is None:
            world[link] = here
        elif joint.kind == "free":
            world[link] = quat_multiply(turns["pelvis"], stand[link])
            qpos[:, 3:7] = world[link]
        else:
            local = _retarget_joint_rotation_goal(joint, body, wanted, link, here, stand[link])
            qpos[:, list(joint.qpos)], turned = _joint_values(joint, local)
            world[link] = quat_multiply(here, turned)
    qpos[:, :3] = hips - quat_rotate(qpos[:, 3:7], hips_in_root(body, target))
    return qpos


def hips_in_root(body: Body, target: UprightFigure) -> Array:
    """(3,) m: midpoint of the hips in the root's frame."""
    return quat_rotate(quat_conjugate(body.standing[3:7]), target.middle("thigh") - body.standing[:3])


def _link_rotation_goals(target: UprightFigure, turns: Mapping[str, Array]) -> dict[int, Array]:
    """By link number: target rotation (T, 4) from standing. Given for roles, interpolated along spine and neck."""
    out = {link: turns[role] for role, link in target.joints.items() if role in turns}
    for low, high, chain in (("pelvis", "chest", target.spine), ("chest", "head", target.neck)):
        if low in turns and high in turns:
            for k, link in enumerate(chain):
                out[link] = slerp(turns[low], turns[high], np.asarray((k + 1) / len(chain)))
    return out


def _retarget_joint_rotation_goal(
    joint: Joint, body: Body, wanted: Mapping[int, Array], link: int, here: Array, stand: Array
) -> Array:  # fmt: skip
    """(T, 4) target rotation of a joint; for links without a target, the joint's rotation in the standing pose."""
    if link in wanted:
        return quat_multiply(quat_conjugate(here), quat_multiply(wanted[link], stand))
    values = body.standing[list(joint.qpos)]
    return np.broadcast_to(values if joint.kind == "ball" else _hinge_rotation(joint, values), here.shape)


def _joint_values(joint: Joint, local: Array) -> tuple[Array, Array]:
    """Coordinates (T, k) of a joint for target rotations `local` (T, 4), and the rotations (T, 4) that it reaches."""
    if joint.kind == "ball":
        return local, local
    angles = hinge_angles(local, joint.axes)
    return angles, _hinge_rotation(joint, angles)


def _hinge_rotation(joint: Joint, angles: Array) -> Array:
    """Rotation (..., 4) of k hinges in series at angles (..., k) rad."""
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    for k, axis in enumerate(joint.axes):
        turn = quat_multiply(turn, quat_exp(angles[..., k, None] * axis))
    return turn


def with_plausible_hinges(body: Body, qpos: Array) -> Array:
    """Poses (T, nq) with hinge angles far beyond limits interpolated: captured ankles may be the wrong way round."""
    out, frames = np.array(qpos), np.arange(len(qpos))
    for joint in [j for j in body.joints if j.kind == "hinge"]:
        for column, low, high in zip(joint.qpos, joint.lower, joint.upper, strict=True):
            over = qpos[:, column] - np.clip(qpos[:, column], low, high)
            sound = np.abs((over + np.pi) % (2 * np.pi) - np.pi) < _CREDIBLE
            if not sound.any():
                out[:, column] = body.standing[column]
            elif not sound.all():
                out[:, column] = np.interp(frames, frames[sound], np.clip(qpos[sound, column], low, high))
    return out
