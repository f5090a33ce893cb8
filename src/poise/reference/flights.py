"""Flights of a motion as it is wished for: is it in the air wherever nothing bears it?"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.errors import PoiseError
from poise.reference.contacts_runs import runs
from poise.reference.supports import Sketch


def check_flights(sketch: Sketch, far: float) -> None:
    """Refuse a motion that nothing bears for longer than it could fly without coming `far` (m) from where it is.

    Free fall bends the path of the centre of mass: half way it is g T^2 / 8 above the middle of both ends. If the
    wished one is less or more by b, any flight is b / 2 away from it somewhere.
    """
    clip, body = sketch.clip, sketch.clip.body
    borne = np.zeros(clip.frames, bool)
    for support in sketch.supports:
        borne |= support.down
    fall = float(np.linalg.norm(body.model.opt.gravity))
    for start, stop in runs(~borne):
        half = (stop - 1 - start) // 2
        first, middle, last = _heights(sketch, np.array([start, start + half, start + 2 * half], np.int64))
        bend = middle - 0.5 * (first + last)
        if abs(fall * (half / clip.rate) ** 2 / 2 - bend) > 2 * far:
            raise PoiseError(
                f"motion '{clip.name}' finds no way to obey physics: nothing bears it from {start / clip.rate:.2f} to "
                f"{(stop - 1) / clip.rate:.2f} s, where it does not fly"
            )


def _heights(sketch: Sketch, frames: NDArray[np.int64]) -> list[float]:
    """m: of the centre of mass."""
    model = sketch.clip.body.model
    data, out = mujoco.MjData(model), []
    for pose in sketch.clip.qpos[frames]:
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        out.append(float(data.subtree_com[1, 2]))
    return out
