"""The height of the floor on which the figure stands.

Files have neither heel nor sole, so the floor is derived from the joints of flat feet: ankles are 0.039 of stature
above it [DrillisContini1966], toe joints about 0.0165.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, true_runs
from poise.motion.clip import Clip
from poise.motion.repair.bones import leg_length
from poise.motion.repair.finding import Finding
from poise.motion.repair.point_masses import joint_track, local_parabolas
from poise.motion.repair.settings import ImportSettings
from poise.motion.roles import SIDES, Roles
from poise.motion.skeleton import joint_ancestors

ANKLE, TOES, LEG = 0.039, 0.0165, 0.491  # of stature: ankle and toe joints above the sole; ankle to hip
TOES_ERR = 0.03  # m: largest correction by the toe joint, which is captured worse than any other joint
FLESH = 0.035  # of stature: distance from the joints of the trunk to the surface on which a figure lies
SEAT = 0.25  # of the leg: least height of a seat above the floor
STILL = 0.15  # m/s: largest speed of the joints of a standing foot
UPRIGHT = 0.7  # of the leg: least height of the hips above the ankles of a standing figure
UPRIGHT_SHARE = 0.2  # of the clip: if upright for longer, feet rather than trunk give the floor
LONG_ENOUGH = 0.1  # s: shortest stance of a foot that counts
LEVEL = 0.04  # m: range of heights that count as one level
SUPPORTED = 0.4  # of the most used level's standing time: the floor is the lowest level with this much time


@dataclass(frozen=True, eq=False)
class FlatFootPhases:
    """Phases in which a foot is flat on the ground."""

    ground: Array  # (n,) m, height of the ground under the foot
    toes: Array  # (n,) m, height of the toe joint
    frames: Array  # (n,) duration


def find_floor(clip: Clip, roles: Roles | None, rate: float, settings: ImportSettings) -> Finding:
    """The finding on the height of the floor under a clip captured at `rate` (Hz)."""
    if roles is None:
        height = float(np.percentile(_lowest_joint_heights(clip, range(clip.skeleton.count)), 5))
        found = f"the lowest joint is at {height * 100:+.1f} cm most of the time"
    else:
        height, found = _floor_of_person(clip, roles, rate)
    floor = height if settings.floor is None else settings.floor
    asked = "" if settings.floor is None else ", as asked"
    done = f"everything moved by {-floor * 100:+.1f} cm{asked}" if floor else "nothing" + asked
    return Finding("floor", found, done, "floor=METRES", floor)


def _floor_of_person(clip: Clip, roles: Roles, rate: float) -> tuple[float, str]:
    leg = leg_length(clip, roles)
    phases = _flat_foot_phases(clip, roles, leg, rate)
    if not len(phases.frames):
        return _floor_without_stance(clip, roles, leg)
    floor = _lowest_stance_level(phases.ground, phases.frames)
    here = np.abs(phases.ground - floor) < LEVEL
    toes = float(np.median(phases.toes[here]))
    share = phases.frames[here].sum() / phases.frames.sum()
    return floor, f"feet stand on {floor * 100:+.1f} cm ({share:.0%} of their time), toe joints at {toes * 100:+.1f} cm"


def _floor_without_stance(clip: Clip, roles: Roles, leg: float) -> tuple[float, str]:
    """Floor (m) and evidence in words for a figure that never stands on a flat foot: it runs on toes, sits or lies."""
    where = clip.places.position[..., 2]
    ankles = where[:, [roles.joints[f"{side}_foot"] for side in SIDES]].min(axis=1)
    if np.mean(where[:, roles.joints["pelvis"]] - ankles > UPRIGHT * leg) > UPRIGHT_SHARE:
        feet = {roles.joints[f"{side}_foot"] for side in SIDES}
        parts = [j for j in range(clip.skeleton.count) if not feet.isdisjoint(joint_ancestors(clip.skeleton, j))]
        low = float(np.percentile(_lowest_joint_heights(clip, parts), 5)) - TOES / 2 * leg / LEG
        return low, f"no foot ever stands flat; the lowest points of the feet put the floor at {low * 100:+.1f} cm"
    trunk = [joint for role, joint in roles.joints.items() if role.endswith(("pelvis", "chest", "thigh", "upper_arm"))]
    low = float(np.percentile(where[:, trunk].min(axis=1), 10)) - FLESH * leg / LEG
    under_feet = float(np.percentile(ankles, 10)) - ANKLE * leg / LEG
    if low - under_feet > SEAT * leg:
        return under_feet, f"the figure never stands; it sits, and its feet rest on {under_feet * 100:+.1f} cm"
    return low, f"the figure never stands; its trunk lies on {low * 100:+.1f} cm"


def _flat_foot_phases(clip: Clip, roles: Roles, leg: float, rate: float) -> FlatFootPhases:
    half = min(max(1, round(0.04 * rate)), (clip.frames - 1) // 2)
    hips = local_parabolas(clip.places.position[:, roles.joints["pelvis"], 2], half).value
    stature = leg / LEG
    rows = []
    for side in SIDES:
        ankle = local_parabolas(joint_track(clip.places.position, roles, f"{side}_foot"), half)
        ball = local_parabolas(joint_track(clip.places.position, roles, f"{side}_toes", f"{side}_foot"), half)
        flat = hips - ankle.value[:, 2] > UPRIGHT * leg
        for point in (ankle, ball):
            flat &= np.linalg.norm(point.speed, axis=-1) * rate < STILL
        for start, stop in true_runs(flat):
            if stop - start >= LONG_ENOUGH * rate:
                high, low = (float(np.median(point.value[start:stop, 2])) for point in (ankle, ball))
                rows.append((_ground_under_foot(high, low, stature), low, stop - start))
    return FlatFootPhases(*np.array(rows).reshape(-1, 3).T)


def _ground_under_foot(ankle: float, toes: float, stature: float) -> float:
    """Height (m) of the ground under a foot whose joints are at these heights (m).

    Ankles are captured better than toes, but a heel may be raised: toes below the ankle's estimate count in full,
    toes above it by half.
    """
    by_ankle = ankle - ANKLE * stature
    higher = float(np.clip(toes - TOES * stature - by_ankle, -TOES_ERR, TOES_ERR))
    return by_ankle + (higher / 2 if higher > 0 else higher)


def _lowest_stance_level(height: Array, frames: Array) -> float:
    """The lowest height (m) at which the figure stands long enough, by heights (n,) m and frames (n,) of n phases."""
    order = np.argsort(height)
    height, frames = height[order], frames[order]
    low = height[:, None]
    near = (height >= low) & (height < low + LEVEL)  # (n, n): row k is the level that starts at k
    time = near @ frames
    level = near[np.argmax(time >= SUPPORTED * time.max())]
    return float(np.average(height[level], weights=frames[level]))


def _lowest_joint_heights(clip: Clip, joints: Sequence[int]) -> Array:
    """Height (T,) m of the lowest point among the given joints and their tips."""
    places = clip.places
    tips = [k for k, end in enumerate(clip.skeleton.ends) if end.joint in joints]
    heights = np.concatenate([places.position[:, list(joints), 2], places.ends[:, tips, 2]], axis=1)
    return np.asarray(heights.min(axis=1))
