"""CSV tables: all numbers of a recording, or where the joints of a clip are."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np

from poise.files import write_file
from poise.motion import Clip
from poise.world.recording import Recording

FREE = ("x", "y", "z", "qw", "qx", "qy", "qz")


def write_csv(source: Recording | Clip, path: Path) -> Path:
    """Write the table of a recording or a clip."""
    rows = _clip_rows(source) if isinstance(source, Clip) else _recording_rows(source)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return write_file(Path(path), out.getvalue().encode())


def _clip_rows(clip: Clip) -> Iterator[list[str]]:
    """One row per frame: the time, and each joint's place (m) and quaternion in the world."""
    yield ["time_s", *(f"{name}_{part}" for name in clip.skeleton.names for part in FREE)]
    table = np.concatenate([clip.places.position, clip.places.rotation], axis=2).reshape(clip.frames, -1)
    for frame, values in enumerate(table):
        yield [f"{frame / clip.rate:.6f}", *(f"{value:.9g}" for value in values)]


def _recording_rows(recording: Recording) -> Iterator[list[str]]:
    """One row per state: time, coordinates, velocities, and torques of the step that begins there, none in the last."""
    model = recording.model
    names = recording.meta.get("dof_names") or [f"dof{i}" for i in range(model.nv)]
    yield ["time_s", *_coordinates(model), *(f"{n}_velocity" for n in names), *(f"{n}_torque" for n in names)]
    for k, time in enumerate(recording.time):
        torque = recording.torque[k] if k < recording.steps else np.array([])
        values = (*recording.qpos[k], *recording.qvel[k], *torque)
        padding = [""] * (model.nv - len(torque))
        yield [f"{time:.6f}", *(f"{value:.9g}" for value in values), *padding]


def _coordinates(model: mujoco.MjModel) -> list[str]:
    parts = {int(mujoco.mjtJoint.mjJNT_FREE): FREE, int(mujoco.mjtJoint.mjJNT_BALL): FREE[3:]}
    names = []
    for joint in range(model.njnt):
        name = model.joint(joint).name
        suffixes = parts.get(int(model.jnt_type[joint]))
        names += [f"{name}_{suffix}" for suffix in suffixes] if suffixes else [name]
    return names
