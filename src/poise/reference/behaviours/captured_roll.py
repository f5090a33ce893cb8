"""When a captured roll is in which part of its turn, by the pitch of the pelvis.

Who is captured leaps into a roll and runs out of it: only what lies between, over hands, shoulders and back, is taken.
"""

from __future__ import annotations

import numpy as np

from poise.errors import PoiseError
from poise.frozen import Array
from poise.reference.bodyclip import BodyClip
from poise.spatial import quat_to_matrix

OVER = (120.0, 280.0)
"""degrees of the pelvis' pitch, from the hands until it sits."""
NEAREST = 0.5
"""m: a roll that comes no further has no way that could be told."""
NOT_OF_ROLLS = ("neck_flexion", "ankle_dorsiflexion")
"""What is not taken of them: heads that look ahead, and feet that only swing along. From rest it rolls over neither."""


def roll_times(clip: BodyClip, pitches: Array) -> tuple[float | None, ...]:
    """s at which the pelvis first is at each of some pitches (degrees, rising); None for those not taken."""
    turned = _pitch(clip)
    if turned.max() < OVER[1]:
        raise PoiseError(f"{clip.name} does not roll forward: tell the times of its poses")
    first = [int(np.argmax(turned >= pitch)) / clip.rate for pitch in pitches]
    return tuple(
        time if OVER[0] < pitch < OVER[1] else None for time, pitch in zip(first, pitches.tolist(), strict=True)
    )


def _pitch(clip: BodyClip) -> Array:
    """(T,) degrees of the pelvis in the plane of its way, whole turns counted; forward is positive."""
    way = clip.qpos[-1, :2] - clip.qpos[0, :2]
    far = float(np.linalg.norm(way))
    if far < NEAREST:
        raise PoiseError(f"{clip.name} goes nowhere: tell the times of its poses")
    turn = quat_to_matrix(clip.qpos[:, 3:7])  # (T, 3, 3)
    ahead = turn[:, :2].transpose(0, 2, 1) @ (way / far)  # (T, 3) of the pelvis' own axes, along the way
    angle = np.arctan2(ahead[:, 2] - turn[:, 2, 0], turn[:, 2, 2] + ahead[:, 0])
    return np.asarray(np.degrees(np.unwrap(angle)))
