"""Frames outside the actual motion: T-poses (artificial first poses), a root at the origin, jumps of the root."""

import numpy as np

from poise.arrays import Array
from poise.errors import PoiseError
from poise.motion.clip import Clip
from poise.motion.repair.finding import Finding, ImportSettings
from poise.motion.repair.upright import pose_asymmetry
from poise.motion.roles import Roles
from poise.rotations import quat_conjugate, quat_log, quat_multiply

LOOK = 12  # frames after the T-pose from which the usual speed of the joints is measured
JUMP = 0.05  # of the leg: least mean displacement of the joints from the T-pose to the next frame
T_POSE_RATIO = 4.0  # least ratio of that displacement to the median of the next displacements (2: to their maximum)
STAYS = 0.2  # of the leg: largest displacement of the pelvis from the T-pose to the next frame
SAME = 1e-6  # largest difference between quaternions (or rad) that count as equal
SYMMETRIC = 0.02  # of the leg: largest asymmetry of a T-pose
LEAP = 0.15 / 0.85  # of the leg: least displacement of the root in one frame that may be a jump
LEAP_RATIO = 5.0  # least ratio of a jump to the median displacement nearby: a sprint at 30 Hz is no jump
NEARBY = 5  # frames to each side from which that median is taken
BEGINNING = 0.1  # of the clip: a jump in this part ends the leading frames that are cut


def drop_tpose(clip: Clip, roles: Roles | None, leg: float, settings: ImportSettings) -> tuple[Clip, Finding]:
    """The clip without the T-pose (any artificial pose) that a converter put at its beginning, and the finding."""
    count = 0 if roles is None else count_tpose_frames(clip, roles, leg)
    found = "no artificial first pose"
    if count:
        frames = "frame 0" if count == 1 else f"frame 0 to {count - 1}"
        found = f"{frames} is an artificial pose: the figure jumps out of it at once"
    dropped = 0 if settings.tpose == "keep" else count
    if settings.tpose == "drop" and not count and clip.frames > 1:
        dropped = 1
    done = f"dropped, {clip.frames - dropped} frames left" if dropped else "nothing"
    return clip.cut(dropped, clip.frames), Finding("tpose", found, done, "tpose=keep", dropped)


def count_tpose_frames(clip: Clip, roles: Roles, leg: float) -> int:
    """Number of first frames that hold a T-pose (any artificial pose); `leg` is the leg's length in the clip's unit."""
    changed = np.flatnonzero(np.abs(clip.rotation - clip.rotation[0]).max(axis=(1, 2)) > SAME)
    held = int(changed[0]) if len(changed) else clip.frames  # frames at the beginning that equal the first
    if held >= clip.frames - 2:
        return 0
    start = clip.cut(held - 1, held + LOOK)
    pelvis = start.places.position[:, roles.joints["pelvis"]]
    steps = np.linalg.norm(np.diff(start.places.position - pelvis[:, None], axis=0), axis=-1).mean(axis=1) / leg
    away = np.linalg.norm(pelvis[1] - pelvis[0]) / leg
    stays = away < STAYS or not np.any(start.position[0])
    jumps = steps[0] > max(JUMP, T_POSE_RATIO * np.median(steps[1:]), 2 * steps[1:].max())
    artificial = _first_pose_mostly_zero(clip) or pose_asymmetry(start.places.position[0], roles) < SYMMETRIC * leg
    return held if stays and jumps and artificial else 0


def _first_pose_mostly_zero(clip: Clip) -> bool:
    """Whether most joints that move later have zero rotation in the first frame."""
    rotated = np.linalg.norm(quat_log(clip.rotation[0]), axis=-1) > SAME
    later = clip.rotation[min(clip.frames - 1, 1 + LOOK)]
    moves = np.linalg.norm(quat_log(quat_multiply(quat_conjugate(clip.rotation[0]), later)), axis=-1) > 1e-3
    return bool(np.mean(rotated[moves]) < 0.5) if moves.any() else False


def cut_leading_frames(
    clip: Clip, roles: Roles | None, leg: float, settings: ImportSettings
) -> tuple[Clip, Finding, Finding]:
    """The clip without leading frames at the origin or before a jump, and findings on both and on later jumps."""
    position = clip.position
    if roles is not None and roles.joints["pelvis"] > 0:  # a root above the pelvis may not move at all
        position = clip.places.position[:, roles.joints["pelvis"]]
    bad = count_bad_frames(position, leg)
    if settings.leading is not None and settings.leading >= clip.frames:
        raise PoiseError(f"cannot cut {settings.leading} leading frames of '{clip.name}': it has {clip.frames}")
    cut = min(bad, clip.frames - 1) if settings.leading is None else settings.leading
    kept = clip.cut(cut, clip.frames)
    found = f"the root is at the origin or jumps in the first {bad} frames" if bad else "the first frames are sound"
    done = f"{cut} frames cut" if cut else "nothing"
    start = Finding("leading", found, done, "leading=FRAMES", cut)
    return kept, start, _root_jump_finding(root_jump_frames_of_file(position[cut:], leg))


def count_bad_frames(position: Array, leg: float) -> int:
    """Number of first frames, of root positions (T, 3), at the origin or before an early jump: frames to cut."""
    placed = np.flatnonzero(np.any(position != 0.0, axis=1))
    away = len(placed) > 0 and np.linalg.norm(position[placed[0]]) > LEAP * leg
    at_origin = int(placed[0]) if away else 0
    early = [k for k in root_jump_frames_of_file(position[at_origin:], leg) if k <= BEGINNING * len(position)]
    return at_origin + (early[-1] if early else 0)


def root_jump_frames_of_file(position: Array, leg: float) -> list[int]:
    """The frames that the root reaches by a jump."""
    steps = np.linalg.norm(np.diff(position, axis=0), axis=-1)
    far = [int(k) for k in np.flatnonzero(steps > LEAP * leg)]
    return [k + 1 for k in far if steps[k] > LEAP_RATIO * _usual_root_step(steps, k)]


def _usual_root_step(steps: Array, k: int) -> float:
    """Median displacement of the root in the frames around step k, without step k."""
    near = np.concatenate([steps[max(0, k - NEARBY) : k], steps[k + 1 : k + 1 + NEARBY]])
    return float(np.median(near)) if len(near) else 0.0


def _root_jump_finding(frames: list[int]) -> Finding:
    if not frames:
        return Finding("leaps", "the root never jumps", "nothing", "", frames)
    where = ", ".join(map(str, frames[:5])) + (", ..." if len(frames) > 5 else "")
    found = f"the root jumps in {len(frames)} frames (of the imported clip): {where}"
    return Finding("leaps", found, "nothing; cut or repair these by hand", "", frames)
