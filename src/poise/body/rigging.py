"""How a skeleton hangs on a body: the way from poses back to an animator's own joints.

A joint's frame is turned by a constant against the link that carries it. Joints that the body does not move by
themselves (fingers, zero-length helpers) are carried by the link of their nearest moving ancestor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from poise.frozen import readonly
from poise.motion import Clip, End, Skeleton, clip_from
from poise.spatial import Array, quat_conjugate, quat_multiply, quat_rotate


@dataclass(frozen=True, eq=False)
class Rigging:
    """A skeleton, and the link and turn of each of its joints."""

    skeleton: Skeleton
    links: tuple[str, ...]  # (J,) name of the link that carries each joint
    turns: Array  # (J, 4) the joint's frame in its link's
    root: Array  # (3,) m, the root joint's place in its link's frame
    rate: float | None = None  # frames per second that the user's file had; None to keep the recording's

    def clip(self, model: mujoco.MjModel, qpos: Array, rate: float, name: str) -> Clip:
        """Poses (T, nq) of a model that holds the links, as a clip of the skeleton."""
        data = mujoco.MjData(model)
        bodies = [model.body(link).id for link in self.links]
        position, world = np.empty((len(qpos), 3)), np.empty((len(qpos), len(bodies), 4))
        for k, pose in enumerate(qpos):
            data.qpos[:] = pose
            mujoco.mj_kinematics(model, data)
            position[k], world[k] = data.xpos[bodies[0]], data.xquat[bodies]
        position += quat_rotate(world[:, 0], self.root)
        world = quat_multiply(world, self.turns)
        local = np.array(world)
        for joint, parent in enumerate(self.skeleton.parents):
            if parent >= 0:
                local[:, joint] = quat_multiply(quat_conjugate(world[:, parent]), world[:, joint])
        return clip_from(name, self.skeleton, rate, position, local)

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values for JSON; `from_dict` is the inverse."""
        return {
            "skeleton": self.skeleton.as_dict(),
            "links": list(self.links),
            "turns": self.turns.tolist(),
            "root": self.root.tolist(),
            "rate": self.rate,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rigging:
        """The rigging of `as_dict`."""
        return cls(
            Skeleton.from_dict(data["skeleton"]),
            tuple(data["links"]),
            readonly(np.reshape(data["turns"], (-1, 4))),
            readonly(data["root"]),
            data["rate"],
        )


def plain_rigging(model: mujoco.MjModel, root: int) -> Rigging:
    """One joint per link below the body `root`, named like it, placed at the link's joint."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    below = [b for b in range(1, model.nbody) if model.body_rootid[b] == model.body_rootid[root]]
    children: dict[int, list[int]] = {}
    for b in below:
        children.setdefault(int(model.body_parentid[b]), []).append(b)

    def depth_first(body: int) -> list[int]:
        return [body, *(b for child in children.get(body, []) for b in depth_first(child))]

    bodies = depth_first(below[0])
    where = {body: index for index, body in enumerate(bodies)}
    anchors = np.array([model.jnt_pos[model.body_jntadr[b]] if model.body_jntnum[b] else np.zeros(3) for b in bodies])
    places = data.xpos[bodies] + quat_rotate(data.xquat[bodies], anchors)
    parents = tuple(where.get(int(model.body_parentid[b]), -1) for b in bodies)
    offsets = np.array([places[i] - places[p] if p >= 0 else np.zeros(3) for i, p in enumerate(parents)])
    tips = tuple(End(i, readonly(2 * (data.xipos[b] - places[i]))) for i, b in enumerate(bodies) if b not in children)
    names = tuple("_".join(model.body(b).name.split()) for b in bodies)  # readers split at spaces
    return Rigging(
        Skeleton(names, parents, readonly(offsets), tips),
        tuple(model.body(b).name for b in bodies),
        readonly(quat_conjugate(data.xquat[bodies])),
        readonly(anchors[0]),
    )
