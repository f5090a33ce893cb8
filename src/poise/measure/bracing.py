"""How much a body was held up: what was applied to the orientation of its root, without what pushed it."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from poise.frozen import Array
from poise.world.pushes import Push
from poise.world.recording import Recording

NOTHING = 1e-6
"""N m: torques below this come of rounding."""


def bracing(recording: Recording) -> dict[str, float]:
    """Stabilising torques: largest and mean size, N m, and for which part of the time they acted."""
    size = np.linalg.norm(brace(recording), axis=1)
    acting = size > NOTHING
    mean = float(size[acting].mean()) if acting.any() else 0.0
    share = float(acting.mean()) if acting.size else 0.0
    return {"peak_nm": float(size.max(initial=0.0)), "mean_nm": mean, "share": share}


def brace(recording: Recording) -> Array:
    """(T, 3) N m: stabilising torques in the frame of the root."""
    first = int(recording.model.body_dofadr[recording.root])
    pushed = np.zeros_like(recording.external)
    for event in recording.meta.get("events", ()):
        if event.get("kind") == "push":
            pushed += _push_forces(recording, event)
    return np.asarray((recording.external - pushed)[:, first + 3 : first + 6])


def _push_forces(recording: Recording, event: dict[str, Any]) -> Array:
    """(T, nv) generalised forces of a push that the recording tells of."""
    model, out = recording.model, np.zeros_like(recording.external)
    data, link = mujoco.MjData(model), model.body(event["body"]).id
    push = Push(event["force"], event["time"], event["duration"])
    for step in range(recording.steps):
        share = push.share(float(recording.time[step]), recording.step)
        if share > 0:
            data.qpos[:] = recording.qpos[step]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            force = share * np.array(event["world_force"])
            mujoco.mj_applyFT(model, data, force, np.zeros(3), data.xipos[link], link, out[step])
    return out
