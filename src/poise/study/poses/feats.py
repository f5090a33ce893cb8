"""What scripts are for: whether a performance of one did it."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from poise.measure.impacts import ground_impulse
from poise.measure.metrics import fell_at
from poise.world.recording import Recording

Feat = Callable[[Recording], bool]

HARD = 3.0
"""m/s: a ball that was hit well goes on ahead at least so fast."""
HURT = 10.0
"""N s: a head that the ground gave more than this was hit."""
FLAT = 0.7
"""How far the chest faces up or down, at least, of someone who lies on back or face: 1 is straight."""

STANDS, NEAR = 0.95, 0.2
"""Upward part of the axis of a glass that stands; m from the middle of its tray."""
OFF = 0.5
"""m: who is blown aside by more did not keep to the line."""


def upright(recording: Recording) -> bool:
    """Nothing but feet and hands touched the ground."""
    return fell_at(recording) is None


def punched(recording: Recording) -> bool:
    """The ball flew off ahead, and the boxer stands."""
    return float(_velocity(recording, "ball")[:, 0].max()) > HARD and upright(recording)


def fell_on_face(recording: Recording) -> bool:
    """He lies on his face, which hit the ground."""
    return _chest(recording) < -FLAT and ground_impulse(recording, "head") > HURT


def fell_on_arms(recording: Recording) -> bool:
    """He lies with his chest down and his head was spared."""
    return _chest(recording) < -FLAT and ground_impulse(recording, "head") < HURT


def rolled_on_back(recording: Recording) -> bool:
    """He lies on his back and his head was spared."""
    return _chest(recording) > FLAT and ground_impulse(recording, "head") < HURT


def served(recording: Recording) -> bool:
    """The glass stands on the tray in the end, and the waiter on his feet."""
    data = mujoco.MjData(recording.model)
    data.qpos[:] = recording.qpos[-1]
    mujoco.mj_kinematics(recording.model, data)
    tray, glass = data.body("tray"), data.body("tray_glass")
    above = tray.xmat.reshape(3, 3).T @ (glass.xpos - tray.xpos)
    stands = float(glass.xmat.reshape(3, 3)[2, 2]) > STANDS and 0.0 < above[2] < NEAR and np.hypot(*above[:2]) < NEAR
    return bool(stands) and upright(recording)


def kept_to_the_line(recording: Recording) -> bool:
    """Walked on along x, upright, and was never blown far off."""
    x, y = recording.qpos[:, 0], recording.qpos[:, 1]
    return bool(np.abs(y).max() < OFF and x[-1] > 0.5 * recording.time[-1]) and upright(recording)


FEATS: dict[str, Feat] = {
    "lamp": upright,
    "somersault": upright,
    "strut": upright,
    "footprints": upright,
    "waiter": served,
    "gusts": kept_to_the_line,
    "punch": punched,
    "blow": fell_on_face,
    "blow-arms": fell_on_arms,
    "blow-roll": rolled_on_back,
}
"""By script, those that come with Poise."""


def _velocity(recording: Recording, prop: str) -> np.ndarray:
    """(T+1, 3) m/s."""
    first = int(recording.model.body(prop).dofadr[0])
    return np.asarray(recording.qvel[:, first : first + 3])


def _chest(recording: Recording) -> float:
    """Upward part of where the chest faces in the end."""
    data = mujoco.MjData(recording.model)
    data.qpos[:] = recording.qpos[-1]
    mujoco.mj_kinematics(recording.model, data)
    return float(data.body("torso").xmat.reshape(3, 3)[2, 0])
