"""Rigging: the mapping between poses of a body and an animator's skeleton.

The frame of each skeleton joint has a constant rotation in the frame of the link that carries the joint. Joints without
a link of their own (fingers, zero-length helpers) are carried by the link of their nearest moving ancestor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from poise.arrays import Array, Frozen, readonly
from poise.motion.clip import Clip, clip_from
from poise.motion.skeleton import End, Skeleton, joint_ancestors, skeleton_kinematics
from poise.rotations import (
    matrix_to_euler,
    quat_between,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    quat_to_matrix,
)

if TYPE_CHECKING:
    from poise.body.body import Body


MOST_KNEE_CHANGE = np.radians(5.0)  # rad; a nearly straight leg would need a much larger change
STRAIGHTEST = 0.99999  # of the length of a leg: largest distance from hip to foot


@dataclass(frozen=True, eq=False)
class Rigging:
    """A skeleton with, for each joint, the link that carries it and the joint's rotation in the frame of that link."""

    skeleton: Skeleton
    links: tuple[str, ...]  # (J,) name of the link that carries each joint
    turns: Array  # (J, 4) the joint's frame in its link's frame
    root: Array  # (3,) m, position of the root joint in its link's frame
    drivers: Mapping[str, int]  # the joint that each link follows
    rate: float | None = None  # Hz, frame rate of the user's file; None for the recording's rate

    def clip(self, model: mujoco.MjModel, qpos: Array, rate: float, name: str) -> Clip:
        """The clip for poses (T, nq); ancestors of a root joint that has positions of its own stay at the origin."""
        data = mujoco.MjData(model)
        bodies = [model.body(link).id for link in self.links]
        position, world = np.empty((len(qpos), 3)), np.empty((len(qpos), len(bodies), 4))
        for k, pose in enumerate(qpos):
            data.qpos[:] = pose
            mujoco.mj_kinematics(model, data)
            position[k], world[k] = data.xpos[bodies[0]], data.xquat[bodies]
        position += quat_rotate(world[:, 0], self.root)
        local = self._local_rotations(quat_multiply(world, self.turns))
        clip = clip_from(name, self.skeleton, rate, position, local)
        top = self.drivers[self.links[0]]
        return self._with_marker(clip, top) if top > 0 and self.skeleton.travels(top) else clip

    def poses(self, body: "Body", clip: Clip) -> Array:
        """Poses (T, nq) that follow a clip, the inverse of `clip`; hinges follow as far as they can, beyond limits."""
        model, places = body.model, clip.places
        world = {link: quat_multiply(places.rotation[:, joint], quat_conjugate(self.turns[joint]))
                 for link, joint in self.drivers.items()}  # fmt: skip
        qpos = np.tile(body.standing, (clip.frames, 1))
        root, *moving = body.joints
        qpos[:, 3:7] = world[root.link]
        driver = self._root_driver_position(root.link)
        qpos[:, :3] = places.position[:, self.drivers[root.link]] - quat_rotate(world[root.link], driver)
        for joint in moving:
            if joint.link in world:
                above = quat_multiply(world[str(joint.parent_link)], model.body(joint.link).quat)
                rotation = quat_multiply(quat_conjugate(above), world[joint.link])
                qpos[:, joint.qpos] = rotation if joint.kind == "ball" else hinge_angles(rotation, joint.axes)
        return qpos

    def _root_driver_position(self, link: str) -> Array:
        """Position (3,) m, in the frame of the root link `link`, of the skeleton joint that the root link follows."""
        place = np.array(self.root)
        for joint in joint_ancestors(self.skeleton, self.drivers[link])[-2::-1]:
            place += quat_rotate(self.turns[self.skeleton.parents[joint]], self.skeleton.offsets[joint])
        return place

    def _local_rotations(self, world: Array) -> Array:
        """World rotations (..., J, 4) as rotations in the parents' frames."""
        parents = np.array(self.skeleton.parents[1:], dtype=int)
        below = quat_multiply(quat_conjugate(world[..., parents, :]), world[..., 1:, :])
        return np.concatenate([world[..., :1, :], below], axis=-2)

    def _with_marker(self, clip: Clip, top: int) -> Clip:
        """The clip with all ancestors of the joint `top` at rest at the origin."""
        still, above = self._local_rotations(self.turns), self.skeleton.parents[top]
        rest = skeleton_kinematics(self.skeleton, np.zeros((1, 3)), still[None])
        at, frame = rest.position[0, above], rest.rotation[0, above]
        rotation = np.array(clip.rotation)
        rotation[:, :top] = still[:top]
        rotation[:, top] = quat_multiply(quat_conjugate(frame), clip.places.rotation[:, top])
        placed = np.tile(self.skeleton.offsets, (clip.frames, 1, 1))
        placed[:, top] = quat_rotate(quat_conjugate(frame), clip.places.position[:, top] - at)
        return clip_from(clip.name, clip.skeleton, clip.rate, np.zeros_like(clip.position), rotation, placed)

    def as_dict(self) -> dict[str, Any]:
        """The rigging as plain values for JSON; `from_dict` is the inverse."""
        return {
            "skeleton": self.skeleton.as_dict(),
            "links": list(self.links),
            "turns": self.turns.tolist(),
            "root": self.root.tolist(),
            "drivers": dict(self.drivers),
            "rate": self.rate,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Rigging":
        """The rigging from the values of `as_dict`."""
        return cls(
            Skeleton.from_dict(data["skeleton"]),
            tuple(data["links"]),
            readonly(np.reshape(data["turns"], (-1, 4))),
            readonly(data["root"]),
            Frozen({str(link): int(joint) for link, joint in data["drivers"].items()}),
            data["rate"],
        )


def hinge_angles(turn: Array, axes: Array) -> Array:
    """Angles (T, k) rad of k hinges about `axes` (k, 3), outermost first, that best follow rotations `turn` (T, 4)."""
    if len(axes) == 1:
        half = np.arctan2(turn[..., 1:] @ axes[0], turn[..., 0])
        return np.asarray((2 * half[:, None] + np.pi) % (2 * np.pi) - np.pi)
    first = axes[0]
    third = np.cross(first, axes[1])
    basis = np.stack([first, np.cross(third, first), third], axis=-1)
    angles = matrix_to_euler(basis.T @ quat_to_matrix(turn) @ basis, "XYZ")
    if len(axes) == 3:
        angles[:, 2] *= np.sign(third @ axes[2])
    return np.asarray(angles[:, : len(axes)])


def joint_anchors(model: mujoco.MjModel) -> Array:
    """Position (nbody, 3) m of each link's joint in the link's frame; 0 for welded links."""
    own = [model.jnt_pos[first] if count else np.zeros(3)
           for first, count in zip(model.body_jntadr, model.body_jntnum, strict=True)]  # fmt: skip
    return np.array(own)


def plain_rigging(model: mujoco.MjModel, root: int) -> Rigging:
    """A rigging with one skeleton joint per link in the tree of body `root`, with the link's name, at its joint."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    # MuJoCo numbers bodies depth first.
    bodies = [b for b in range(1, model.nbody) if model.body_rootid[b] == model.body_rootid[root]]
    where = {body: index for index, body in enumerate(bodies)}
    anchors = joint_anchors(model)[bodies]
    places = data.xpos[bodies] + quat_rotate(data.xquat[bodies], anchors)
    parents = tuple(where.get(int(model.body_parentid[b]), -1) for b in bodies)
    offsets = np.array([places[i] - places[p] if p >= 0 else np.zeros(3) for i, p in enumerate(parents)])
    tips = tuple(End(i, readonly(2 * (data.xipos[b] - places[i]))) for i, b in enumerate(bodies) if i not in parents)
    links = tuple(model.body(b).name for b in bodies)
    names = tuple("_".join(link.split()) for link in links)  # readers of BVH files split at spaces
    skeleton, turns = Skeleton(names, parents, readonly(offsets), tips), readonly(quat_conjugate(data.xquat[bodies]))
    drivers = Frozen({link: joint for joint, link in enumerate(links)})
    return Rigging(skeleton, links, turns, readonly(anchors[0]), drivers)


@dataclass(frozen=True)
class _RiggedLeg:
    """Joints of a leg of the skeleton, and the ids of the foot's link and of the knee joint in the body's model."""

    thigh: int
    shank: int
    foot: int
    link: int
    knee: int


def plant_feet_of_rigged_body(
    clip: Clip, rigging: Rigging, model: mujoco.MjModel, qpos: Array, feet: Sequence[str]
) -> Clip:
    """The clip of poses (T, nq), its feet at the simulated `feet`: bodies are symmetric, captured skeletons not."""
    legs = [leg for name in feet if (leg := _leg_of_rigged_body(rigging, model, name)) is not None]
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
        _solve_leg_of_rigged_body(clip, rotation, leg, goals[:, i], axes[:, i])
    return replace(clip, rotation=readonly(rotation))


def _solve_leg_of_rigged_body(clip: Clip, rotation: Array, leg: _RiggedLeg, goal: Array, axis: Array) -> None:
    """Change a leg's local rotations (T, J, 4) in place: its foot goes to `goal` (T, 3) m, its knee bends on `axis`."""
    places, parents = clip.places, clip.skeleton.parents
    hip, knee, foot = (places.position[:, joint] for joint in (leg.thigh, leg.shank, leg.foot))
    bend = quat_from_axis_angle(axis, _knee_bend_change(hip, knee, foot, goal))
    swing = quat_between(knee + quat_rotate(bend, foot - knee) - hip, goal - hip)
    thigh, shank, end = (places.rotation[:, joint] for joint in (leg.thigh, leg.shank, leg.foot))
    above = {joint: quat_conjugate(places.rotation[:, parents[joint]]) for joint in (leg.thigh, leg.shank, leg.foot)}
    back = quat_conjugate(quat_multiply(swing, bend))
    rotation[:, leg.thigh] = quat_multiply(above[leg.thigh], quat_multiply(swing, thigh))
    rotation[:, leg.shank] = quat_multiply(above[leg.shank], quat_multiply(bend, shank))
    rotation[:, leg.foot] = quat_multiply(above[leg.foot], quat_multiply(back, end))


def _knee_bend_change(hip: Array, knee: Array, foot: Array, goal: Array) -> Array:
    """Change (T,) rad of the knee, at most MOST_KNEE_CHANGE, that brings the foot as far from the hip as the goal."""
    a, b = np.linalg.norm(knee - hip, axis=1), np.linalg.norm(foot - knee, axis=1)
    reach = np.stack([np.linalg.norm(end - hip, axis=1) for end in (foot, goal)])
    chord = np.clip(reach, np.abs(a - b), STRAIGHTEST * (a + b))
    now, then = np.arccos(np.clip((a**2 + b**2 - chord**2) / (2 * a * b), -1.0, 1.0))
    more = now - then
    return np.asarray(more / (1.0 + (more / MOST_KNEE_CHANGE) ** 4) ** 0.25)


def _leg_of_rigged_body(rigging: Rigging, model: mujoco.MjModel, name: str) -> _RiggedLeg | None:
    """The leg that ends in a link; None without a hinge knee or if its joints are no chain in the skeleton."""
    link = model.body(name).id
    shank = int(model.body_parentid[link])
    names = [model.body(body).name for body in (int(model.body_parentid[shank]), shank, link)]
    hinge = model.body_jntnum[shank] == 1 and model.jnt_type[model.body_jntadr[shank]] == mujoco.mjtJoint.mjJNT_HINGE
    if not hinge or any(name not in rigging.drivers for name in names):
        return None
    thigh, calf, foot = (rigging.drivers[name] for name in names)
    skeleton = rigging.skeleton
    if thigh not in joint_ancestors(skeleton, calf) or calf not in joint_ancestors(skeleton, foot):
        return None
    return _RiggedLeg(thigh, calf, foot, link, int(model.body_jntadr[shank]))
