"""A motion of a skeleton on a body: each frame the pose of the body that is most like it.

Least squares over the whole pose within joint limits: places of feet, knees, hands, elbows, shoulders and hips, turns
of pelvis, chest, head, feet, hands. On the body that was built from the clip's own skeleton nothing is scaled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from poise.body import Body
from poise.body.rigging import Rigging
from poise.errors import PoiseError
from poise.frozen import Array, Frozen, readonly
from poise.motion import Clip
from poise.motion.skeleton import Skeleton
from poise.reference.bodyclip import BodyClip
from poise.reference.ik import PoseSolver
from poise.reference.ik_kinematics import Kinematics
from poise.reference.retarget_figure import anchor, figure_of_body, figure_of_skeleton
from poise.reference.retarget_goals import place_goals, turn_goals
from poise.reference.retarget_start import believable, first_poses, hips_in_root
from poise.spatial import quat_conjugate, quat_log, quat_multiply, quat_rotate

_PLACES = {"hips": 1.0, "foot": 3.0, "shank": 0.5, "upper_arm": 0.5, "forearm": 0.6, "hand": 1.0}
_TURNS = {
    "pelvis": 0.3, "chest": 0.3, "head": 0.2, "neck": 0.05, "clavicle": 0.05, "thigh": 0.05, "shank": 0.05,
    "foot": 0.4, "toes": 0.1, "upper_arm": 0.15, "forearm": 0.05, "hand": 0.1,
}  # fmt: skip
_TOLERANCE = 1e-4  # rad, m
_CREDIBLE = 0.6  # rad beyond a joint's limits


@dataclass(frozen=True)
class RetargetSettings:
    """How parts are weighed against each other."""

    places: Mapping[str, float] = field(default_factory=lambda: Frozen(_PLACES))  # by part, per m
    turns: Mapping[str, float] = field(default_factory=lambda: Frozen(_TURNS))  # by part, per rad
    stay: float = 0.02  # per rad and m: pull to the pose in which each joint is turned like the skeleton's
    iterations: int = 25


@dataclass(frozen=True, eq=False)
class Retargeted:
    """The motion on the body, and how well it fits."""

    clip: BodyClip
    error: Mapping[str, float]  # by role, m: root mean square over the frames
    turn_error: Mapping[str, float]  # by role, degrees: root mean square
    worst_frame: int  # where the places of all roles are farthest off


def retarget(clip: Clip, body: Body, settings: RetargetSettings | None = None) -> Retargeted:
    """The clip on a body: one that was built from its skeleton, or any humanoid."""
    chosen = settings or RetargetSettings()
    if clip.frames == 0:
        raise PoiseError(f"clip '{clip.name}' has no frames")
    if body.rigging is not None and same_skeleton(body.rigging.skeleton, clip.skeleton):
        return _on_own_body(clip, body, body.rigging, chosen)
    return _on_other_body(clip, body, chosen)


def same_skeleton(a: Skeleton, b: Skeleton) -> bool:
    """Do the skeletons have the same joints at the same places?"""
    return a is b or (a.names == b.names and a.parents == b.parents and bool(np.allclose(a.offsets, b.offsets)))


def _on_own_body(clip: Clip, body: Body, rigging: Rigging, settings: RetargetSettings) -> Retargeted:
    """Joints go where the clip has them; limits, hinges and bones that the body does not move may keep them away."""
    links, joints = list(rigging.drivers), list(rigging.drivers.values())
    solver = PoseSolver(body, _joints_in_links(body, rigging))
    found = solver.solve(
        believable(body, rigging.poses(body, clip)),
        places=clip.places.position[:, joints],
        prior_weights=settings.stay,
        iterations=settings.iterations,
        tolerance=_TOLERANCE,
    )
    return _result(clip, body, found.qpos, links, found.place_error, (), np.zeros((clip.frames, 0)))


def _joints_in_links(body: Body, rigging: Rigging) -> list[tuple[str, Array]]:
    """Each link and the place in its frame of the joint that it follows."""
    links, joints = list(rigging.drivers), list(rigging.drivers.values())
    standing = rigging.clip(body.model, body.standing[None], 1.0, body.name).places.position[0, joints]
    origins, turns = Kinematics(body, [(link, np.zeros(3)) for link in links], links).at(body.standing[None])
    return list(zip(links, quat_rotate(quat_conjugate(turns[0]), standing - origins[0]), strict=True))


def _on_other_body(clip: Clip, body: Body, settings: RetargetSettings) -> Retargeted:
    source, target = figure_of_skeleton(clip.skeleton), figure_of_body(body)
    turns, places = turn_goals(clip, source, target), place_goals(clip, source, target)
    start = first_poses(body, target, turns, places["hips"])
    placed = [role for role in places if _weight(settings.places, role)]
    turned = [role for role in turns if _weight(settings.turns, role)]
    middle = (body.links[0], hips_in_root(body, target))
    solver = PoseSolver(
        body,
        [middle if role == "hips" else anchor(body, target, role) for role in placed],
        [body.links[target.joints[role]] for role in turned],
    )
    wanted = np.stack([quat_multiply(turns[role], target.turn[role]) for role in turned], axis=1)
    start = solver.space.clamped(believable(body, start))
    trust = _trust(solver.kinematics.at(start)[1], wanted)
    found = solver.solve(
        start,
        places=np.stack([places[role] for role in placed], axis=1),
        place_weights=[_weight(settings.places, role) for role in placed],
        turns=wanted,
        turn_weights=[_weight(settings.turns, role) for role in turned] * trust,
        prior_weights=settings.stay,
        iterations=settings.iterations,
        tolerance=_TOLERANCE,
    )
    return _result(clip, body, found.qpos, placed, found.place_error, turned, found.turn_error)


def _trust(reached: Array, wanted: Array) -> Array:
    """(T, L) falls from 1 for turns far beyond what joints can do: capture may have an ankle the wrong way round."""
    beyond = np.linalg.norm(quat_log(quat_multiply(wanted, quat_conjugate(reached))), axis=-1)
    return np.asarray(1.0 / (1.0 + (beyond / _CREDIBLE) ** 4))


def _weight(weights: Mapping[str, float], role: str) -> float:
    """That of a part, whatever its side."""
    return weights.get(role.removeprefix("left_").removeprefix("right_"), 0.0)


def _result(
    clip: Clip,
    body: Body,
    qpos: Array,
    placed: Sequence[str],
    place_error: Array,
    turned: Sequence[str],
    turn_error: Array,
) -> Retargeted:
    far, off = (np.sqrt(np.mean(e**2, axis=0)) for e in (place_error, turn_error))
    return Retargeted(
        BodyClip(clip.name, body, clip.rate, readonly(qpos)),
        Frozen({role: float(e) for role, e in zip(placed, far, strict=True)}),
        Frozen({role: float(e) for role, e in zip(turned, np.degrees(off), strict=True)}),
        int(np.argmax(np.sum(place_error**2, axis=1))),
    )
