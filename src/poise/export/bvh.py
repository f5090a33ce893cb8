"""The performer's motion as a BVH file.

One joint per link, named like it, placed at the link's joint; the rest pose (all rotations zero) is the model's own.
Centimetres and y up, facing +z with +x to the figure's left, as most tools expect.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.files import write_file
from poise.spatial import continuous_euler, matrix_to_euler
from poise.world.recording import Recording

Array = NDArray[np.float64]

TO_BVH = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
"""Our x forward, y left, z up to BVH's z forward, x left, y up."""
CENTIMETRES = 100.0


@dataclass(frozen=True)
class Rig:
    """The links of a character as a BVH hierarchy, at rest, in BVH axes and centimetres."""

    bodies: tuple[int, ...]  # MuJoCo body ids, parents first
    parent: tuple[int, ...]  # index in `bodies`, -1 for the root
    names: tuple[str, ...]
    offset: Array  # (n, 3) cm from the parent's joint
    tip: Array  # (n, 3) cm to the end site, for links without children
    anchor: Array  # (n, 3) m, the joint's place in the link's frame
    rest: Array  # (n, 3, 3) orientation of the link's frame at rest, our axes


def rig_of(model: mujoco.MjModel, root: int) -> Rig:
    """The hierarchy below a root body."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    bodies = [b for b in range(1, model.nbody) if model.body_rootid[b] == model.body_rootid[root]]
    where = {body: index for index, body in enumerate(bodies)}
    anchor = np.array([model.jnt_pos[model.body_jntadr[b]] if model.body_jntnum[b] else np.zeros(3) for b in bodies])
    rest = np.array([data.xmat[b].reshape(3, 3) for b in bodies])
    place = np.array([data.xpos[b] for b in bodies]) + np.einsum("nij,nj->ni", rest, anchor)
    parent = [where.get(int(model.body_parentid[b]), -1) for b in bodies]
    offset = np.array([place[i] - place[p] if p >= 0 else np.zeros(3) for i, p in enumerate(parent)])
    tip = 2 * (np.array([data.xipos[b] for b in bodies]) - place)
    return Rig(
        bodies=tuple(bodies),
        parent=tuple(parent),
        names=tuple("_".join(model.body(b).name.split()) for b in bodies),  # readers split at spaces
        offset=CENTIMETRES * offset @ TO_BVH.T,
        tip=CENTIMETRES * tip @ TO_BVH.T,
        anchor=anchor,
        rest=rest,
    )


def write_bvh(recording: Recording, path: Path) -> Path:
    """Write the performer's motion."""
    model = recording.model
    rig = rig_of(model, recording.root)
    position, turn = _tracks(recording, rig)
    angles = np.degrees(continuous_euler(matrix_to_euler(turn, "ZXY")))  # (T+1, n, 3) in channel order
    order = _depth_first(rig)
    rows = np.concatenate([position[:, None], angles[:, order]], axis=1).reshape(len(position), -1)
    lines = _hierarchy(rig, 0, 0)
    lines += ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {recording.step:.9f}"]
    lines += [" ".join(f"{value:.6f}" for value in row) for row in rows]
    return write_file(Path(path), ("HIERARCHY\n" + "\n".join(lines) + "\n").encode())


def _tracks(recording: Recording, rig: Rig) -> tuple[Array, Array]:
    """Root position (T+1, 3) in cm and rotations relative to the parent (T+1, n, 3, 3), in BVH axes."""
    model, data = recording.model, mujoco.MjData(recording.model)
    bodies = list(rig.bodies)
    position = np.zeros((len(recording.qpos), 3))
    world = np.zeros((len(recording.qpos), len(bodies), 3, 3))
    for k, qpos in enumerate(recording.qpos):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        turn = data.xmat[bodies].reshape(-1, 3, 3)
        position[k] = data.xpos[bodies[0]] + turn[0] @ rig.anchor[0]
        world[k] = turn
    world = TO_BVH @ (world @ np.swapaxes(rig.rest, 1, 2)) @ TO_BVH.T
    local = world.copy()
    for index, parent in enumerate(rig.parent):
        if parent >= 0:
            local[:, index] = np.swapaxes(world[:, parent], 1, 2) @ world[:, index]
    return CENTIMETRES * position @ TO_BVH.T, local


def _children(rig: Rig, index: int) -> list[int]:
    return [i for i, parent in enumerate(rig.parent) if parent == index]


def _depth_first(rig: Rig, index: int = 0) -> list[int]:
    return [index, *(i for child in _children(rig, index) for i in _depth_first(rig, child))]


def _hierarchy(rig: Rig, index: int, depth: int) -> list[str]:
    pad = "\t" * depth
    kind = "ROOT" if depth == 0 else "JOINT"
    place = "Xposition Yposition Zposition " if depth == 0 else ""
    lines = [
        f"{pad}{kind} {rig.names[index]}",
        f"{pad}{{",
        f"{pad}\tOFFSET " + " ".join(f"{value:.6f}" for value in rig.offset[index]),
        f"{pad}\tCHANNELS {6 if depth == 0 else 3} {place}Zrotation Xrotation Yrotation",
    ]
    children = _children(rig, index)
    for child in children:
        lines += _hierarchy(rig, child, depth + 1)
    if not children:
        tip = " ".join(f"{value:.6f}" for value in rig.tip[index])
        lines += [f"{pad}\tEnd Site", f"{pad}\t{{", f"{pad}\t\tOFFSET {tip}", f"{pad}\t}}"]
    return [*lines, f"{pad}}}"]
