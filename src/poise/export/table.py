"""A recording as a CSV table: time, coordinates, velocities, joint torques."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import mujoco
import numpy as np

from poise.files import write_file
from poise.world.recording import Recording


def write_csv(recording: Recording, path: Path) -> Path:
    """One row per state; torques are those of the step that begins there, empty in the last row."""
    model = recording.model
    names = recording.meta.get("dof_names") or [f"dof{i}" for i in range(model.nv)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["time_s", *_coordinates(model), *(f"{n}_velocity" for n in names), *(f"{n}_torque" for n in names)]
    )
    for k, time in enumerate(recording.time):
        torque = recording.torque[k] if k < recording.steps else np.array([])
        values = (*recording.qpos[k], *recording.qvel[k], *torque)
        padding = [""] * (model.nv - len(torque))
        writer.writerow([f"{time:.6f}", *(f"{value:.9g}" for value in values), *padding])
    return write_file(Path(path), out.getvalue().encode())


def _coordinates(model: mujoco.MjModel) -> list[str]:
    parts = {
        int(mujoco.mjtJoint.mjJNT_FREE): ["x", "y", "z", "qw", "qx", "qy", "qz"],
        int(mujoco.mjtJoint.mjJNT_BALL): ["qw", "qx", "qy", "qz"],
    }
    names = []
    for joint in range(model.njnt):
        name = model.joint(joint).name
        suffixes = parts.get(int(model.jnt_type[joint]))
        names += [f"{name}_{suffix}" for suffix in suffixes] if suffixes else [name]
    return names
