"""Frames that are no motion: a root at the origin before the capture starts, and leaps between two frames."""

from __future__ import annotations

import numpy as np

from poise.errors import PoiseError
from poise.frozen import Array
from poise.motion.clip import Clip
from poise.motion.repair.finding import Finding
from poise.motion.repair.settings import ImportSettings
from poise.motion.roles import Roles

LEAP = 0.15 / 0.85  # of the leg, in one frame
FASTER = 5.0  # times the steps nearby: a sprint at 30 frames per second is no leap
NEARBY = 5  # steps on each side
BEGINNING = 0.1  # of the clip


def cut_leading(clip: Clip, roles: Roles | None, leg: float, settings: ImportSettings) -> tuple[Clip, Finding, Finding]:
    """The clip from where it makes sense, and the leaps that remain inside."""
    position = clip.position
    if roles is not None and roles.joints["pelvis"] > 0:  # what is above it may stand still and mean nothing
        position = clip.places.position[:, roles.joints["pelvis"]]
    bad = bad_frames(position, leg)
    if settings.leading is not None and settings.leading >= clip.frames:
        raise PoiseError(f"cannot cut {settings.leading} leading frames of '{clip.name}': it has {clip.frames}")
    cut = min(bad, clip.frames - 1) if settings.leading is None else settings.leading
    kept = clip.cut(cut, clip.frames)
    found = f"the root is nowhere or leaps in the first {bad} frames" if bad else "the clip begins in place"
    done = f"{cut} frames cut" if cut else "nothing"
    start = Finding("leading", found, done, "leading=FRAMES", cut)
    return kept, start, _remaining(leaps(position[cut:], leg))


def bad_frames(position: Array, leg: float) -> int:
    """How many frames to cut from the beginning of root positions (T, 3)."""
    placed = np.flatnonzero(np.any(position != 0.0, axis=1))
    away = len(placed) > 0 and np.linalg.norm(position[placed[0]]) > LEAP * leg
    nowhere = int(placed[0]) if away else 0
    early = [k for k in leaps(position[nowhere:], leg) if k <= BEGINNING * len(position)]
    return nowhere + (early[-1] if early else 0)


def leaps(position: Array, leg: float) -> list[int]:
    """The frames that the root reaches from far away."""
    steps = np.linalg.norm(np.diff(position, axis=0), axis=-1)
    far = [int(k) for k in np.flatnonzero(steps > LEAP * leg)]
    return [k + 1 for k in far if steps[k] > FASTER * _usual(steps, k)]


def _usual(steps: Array, k: int) -> float:
    near = np.concatenate([steps[max(0, k - NEARBY) : k], steps[k + 1 : k + 1 + NEARBY]])
    return float(np.median(near)) if len(near) else 0.0


def _remaining(frames: list[int]) -> Finding:
    where = ", ".join(map(str, frames[:5])) + (", ..." if len(frames) > 5 else "")
    found = (
        f"the root leaps in {len(frames)} frames (of the imported clip): {where}" if frames else "the root never leaps"
    )
    return Finding("leaps", found, "nothing; cut or mend these by hand" if frames else "nothing", "", frames)
