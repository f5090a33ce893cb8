"""A first frame that nobody performed: a T-pose that a converter put there."""

from __future__ import annotations

import numpy as np

from poise.frozen import Array
from poise.motion.clip import Clip
from poise.motion.repair.finding import Finding
from poise.motion.repair.settings import ImportSettings
from poise.motion.repair.stance import asymmetry
from poise.motion.roles import Roles
from poise.spatial import quat_conjugate, quat_log, quat_multiply

LOOK = 12  # frames after the artificial one, which tell how fast the figure really moves
JUMP = 0.05  # of the leg, that joints leap on average when the performance begins
FASTER = 4.0  # times faster than just after, and twice as fast as anything there
STAYS = 0.2  # of the leg, that the root may move meanwhile
SAME = 1e-6  # rad
SYMMETRIC = 0.02  # of the leg


def drop_tpose(clip: Clip, roles: Roles | None, leg: float, settings: ImportSettings) -> tuple[Clip, Finding]:
    """The clip without an artificial beginning."""
    count = 0 if roles is None else artificial_frames(clip, roles, leg)
    found = (
        f"frame 0{'' if count == 1 else f' to {count - 1}'} is an artificial pose: the figure leaps out of it at once"
        if count
        else "no artificial first pose"
    )
    dropped = 0 if settings.tpose == "keep" else count
    if settings.tpose == "drop" and not count and clip.frames > 1:
        dropped = 1  # whoever asks for it knows better
    done = f"dropped, {clip.frames - dropped} frames left" if dropped else "nothing"
    return clip.cut(dropped, clip.frames), Finding("tpose", found, done, "tpose=keep", dropped)


def artificial_frames(clip: Clip, roles: Roles, leg: float) -> int:
    """How many frames at the beginning hold an artificial pose; `leg` is its length in the clip's unit."""
    held = _held(clip.rotation)
    if held >= clip.frames - 2:
        return 0
    start = clip.cut(held - 1, held + LOOK)
    pelvis = start.places.position[:, roles.joints["pelvis"]]
    steps = np.linalg.norm(np.diff(start.places.position - pelvis[:, None], axis=0), axis=-1).mean(axis=1) / leg
    away = np.linalg.norm(pelvis[1] - pelvis[0]) / leg
    stays = away < STAYS or not np.any(start.position[0])
    leaps = steps[0] > max(JUMP, FASTER * np.median(steps[1:]), 2 * steps[1:].max())
    artificial = _mostly_zero(clip) or asymmetry(start.places.position[0], roles) < SYMMETRIC * leg
    return held if stays and leaps and artificial else 0


def _held(rotation: Array) -> int:
    """Frames at the beginning that equal the first."""
    changed = np.flatnonzero(np.abs(rotation - rotation[0]).max(axis=(1, 2)) > SAME)
    return int(changed[0]) if len(changed) else len(rotation)


def _mostly_zero(clip: Clip) -> bool:
    """Are most joints that move later exactly unturned in the first frame?"""
    turned = np.linalg.norm(quat_log(clip.rotation[0]), axis=-1) > SAME
    later = clip.rotation[min(clip.frames - 1, 1 + LOOK)]
    moves = np.linalg.norm(quat_log(quat_multiply(quat_conjugate(clip.rotation[0]), later)), axis=-1) > 1e-3
    return bool(np.mean(turned[moves]) < 0.5) if moves.any() else False
