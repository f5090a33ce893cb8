"""A first frame that nobody performed: a T-pose that a converter put there."""

from __future__ import annotations

import numpy as np

from poise.motion.clip import Clip
from poise.motion.repair.finding import Finding
from poise.motion.repair.masses import SIDES
from poise.motion.repair.settings import ImportSettings
from poise.motion.roles import Roles
from poise.spatial import Array, quat_conjugate, quat_log, quat_multiply

LOOK = 12  # frames after the artificial one, which tell how fast the figure really moves
JUMP = 0.05  # of the leg, that joints leap on average when the performance begins
FASTER = 4.0  # times faster than anything just after
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
    drop = count and settings.tpose != "keep"
    done = f"dropped, {clip.frames - count} frames left" if drop else "nothing"
    kept = clip.cut(count, clip.frames) if drop else clip
    return kept, Finding("tpose", found, done, "tpose=keep", count)


def artificial_frames(clip: Clip, roles: Roles, leg: float) -> int:
    """How many frames at the beginning hold an artificial pose; `leg` is its length in the clip's unit."""
    held = _held(clip.rotation)
    if held >= clip.frames - 2:
        return 0
    start = clip.cut(held - 1, held + LOOK)
    joints = start.places.position - start.places.position[:, :1]
    steps = np.linalg.norm(np.diff(joints, axis=0), axis=-1).mean(axis=1) / leg
    away = np.linalg.norm(start.position[1] - start.position[0]) / leg
    stays = away < STAYS or not np.any(start.position[0])
    leaps = steps[0] > max(JUMP, FASTER * steps[1:].max())
    artificial = _mostly_zero(clip) or _mirrored(start.places.position[0], roles, leg)
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


def _mirrored(position: Array, roles: Roles, leg: float) -> bool:
    """Is the pose (J, 3) its own mirror image? Compared by distances, which need no axes."""
    pairs = [
        r.removeprefix("left_") for r in roles.joints if r.startswith("left_") and f"right_{r[5:]}" in roles.joints
    ]
    left, right = (position[[roles.joints[f"{side}_{role}"] for role in pairs]] for side in SIDES)
    straight = np.linalg.norm(left[:, None] - left, axis=-1) - np.linalg.norm(right[:, None] - right, axis=-1)
    crossed = np.linalg.norm(left[:, None] - right, axis=-1)
    return bool(max(np.abs(straight).max(), np.abs(crossed - crossed.T).max()) < SYMMETRIC * leg)
