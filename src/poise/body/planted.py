"""Feet of an animator's skeleton where the simulated feet are.

Built bodies are alike on both sides, captured skeletons are not: with the orientations of the links alone, feet of the
skeleton would be millimetres away from the simulated ones, and slide by as much. Here the skeleton's own legs bend a
little differently, so that feet that stand still in the simulation stand still in the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from poise.body.rigging import Rigging
from poise.frozen import Array, readonly
from poise.motion import Clip
from poise.spatial import quat_between, quat_conjugate, quat_from_axis_angle, quat_multiply, quat_rotate

MOST = np.radians(5.0)  # by which a knee bends differently; a nearly straight leg would ask for much more
STRAIGHTEST = 0.99999  # of the length of a leg


@dataclass(frozen=True)
class _Leg:
    """Joints of a skeleton, and of the body that carries it: the foot's link and the knee."""

    thigh: int
    shank: int
    foot: int
    link: int
    knee: int


def planted(clip: Clip, rigging: Rigging, model: mujoco.MjModel, qpos: Array, feet: Sequence[str]) -> Clip:
    """A rigging's clip of poses (T, nq), the skeleton's feet brought to where the links of that name are."""
    legs = [leg for name in feet if (leg := _leg(rigging, model, name)) is not None]
    if not legs:
        return clip
    data, links, knees = mujoco.MjData(model), [leg.link for leg in legs], [leg.knee for leg in legs]
    goals, axes = np.empty((len(qpos), len(legs), 3)), np.empty((len(qpos), len(legs), 3))
    for k, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        goals[k], axes[k] = data.xpos[links], data.xaxis[knees]
    rotation = np.array(clip.rotation)
    for i, leg in enumerate(legs):
        _bring(clip, rotation, leg, goals[:, i], axes[:, i])
    return replace(clip, rotation=readonly(rotation))


def _bring(clip: Clip, rotation: Array, leg: _Leg, goal: Array, axis: Array) -> None:
    """Turn a leg in local rotations (T, J, 4) so that its foot is at `goal` (T, 3), bending its knee about `axis`."""
    places, parents = clip.places, clip.skeleton.parents
    hip, knee, foot = (places.position[:, joint] for joint in (leg.thigh, leg.shank, leg.foot))
    bend = quat_from_axis_angle(axis, _bend(hip, knee, foot, goal))
    swing = quat_between(knee + quat_rotate(bend, foot - knee) - hip, goal - hip)
    thigh, shank, end = (places.rotation[:, joint] for joint in (leg.thigh, leg.shank, leg.foot))
    above = {joint: quat_conjugate(places.rotation[:, parents[joint]]) for joint in (leg.thigh, leg.shank, leg.foot)}
    back = quat_conjugate(quat_multiply(swing, bend))
    rotation[:, leg.thigh] = quat_multiply(above[leg.thigh], quat_multiply(swing, thigh))
    rotation[:, leg.shank] = quat_multiply(above[leg.shank], quat_multiply(bend, shank))
    rotation[:, leg.foot] = quat_multiply(above[leg.foot], quat_multiply(back, end))


def _bend(hip: Array, knee: Array, foot: Array, goal: Array) -> Array:
    """(T,) rad by which a knee bends more, so that the foot is as far from the hip as the goal; never by much."""
    a, b = np.linalg.norm(knee - hip, axis=1), np.linalg.norm(foot - knee, axis=1)
    reach = np.stack([np.linalg.norm(end - hip, axis=1) for end in (foot, goal)])
    chord = np.clip(reach, np.abs(a - b), STRAIGHTEST * (a + b))
    now, then = np.arccos(np.clip((a**2 + b**2 - chord**2) / (2 * a * b), -1.0, 1.0))
    more = now - then
    return np.asarray(more / (1.0 + (more / MOST) ** 4) ** 0.25)


def _leg(rigging: Rigging, model: mujoco.MjModel, name: str) -> _Leg | None:
    """The leg that ends in a link, if it has a knee and its parts are joints of the skeleton, one below the other."""
    link = model.body(name).id
    shank = int(model.body_parentid[link])
    names = [model.body(body).name for body in (int(model.body_parentid[shank]), shank, link)]
    hinge = model.body_jntnum[shank] == 1 and model.jnt_type[model.body_jntadr[shank]] == mujoco.mjtJoint.mjJNT_HINGE
    if not hinge or any(name not in rigging.drivers for name in names):
        return None
    thigh, calf, foot = (rigging.drivers[name] for name in names)
    if not (_below(rigging, thigh, calf) and _below(rigging, calf, foot)):
        return None
    return _Leg(thigh, calf, foot, link, int(model.body_jntadr[shank]))


def _below(rigging: Rigging, upper: int, lower: int) -> bool:
    while lower > upper:
        lower = rigging.skeleton.parents[lower]
    return lower == upper
