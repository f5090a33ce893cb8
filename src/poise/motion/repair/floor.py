"""The floor: what the figure stands on.

Files have neither heel nor sole, so the ground is told from the joints of flat feet: ankles are at 0.039 of stature
above it [DrillisContini1966], the joints of the toes at about 0.0165.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.motion.clip import Clip
from poise.motion.repair.bones import leg_length
from poise.motion.repair.finding import Finding
from poise.motion.repair.flight_evidence import runs
from poise.motion.repair.point_masses import first_joint, local_parabolas
from poise.motion.repair.settings import ImportSettings
from poise.motion.role_topology import ancestors
from poise.motion.roles import SIDES, Roles

ANKLE, TOES, LEG = 0.039, 0.0165, 0.491  # of stature: heights of the joints above the sole, and from ankle to hip
TOES_ERR = 0.03  # m: the joint of the toes is the worst captured of all, and is believed no further than this
FLESH = 0.035  # of stature, between the joints of the trunk and what a figure lies on
SEAT = 0.25  # of the leg, above the floor at least
STILL = 0.15  # m/s
UPRIGHT = 0.7  # of the leg, that the hips of a standing figure are above its ankles at least
UPRIGHT_SHARE = 0.2  # of the clip, from which on its feet tell more than its trunk
LONG_ENOUGH = 0.1  # s that a foot stands
LEVEL = 0.04  # m, that one level may vary
SUPPORTED = 0.4  # of what the favourite level carries, that the lowest one does


@dataclass(frozen=True, eq=False)
class FlatFootPhases:
    """Stretches in which a foot is flat on the ground."""

    ground: Array  # (n,) m, height of what is under it
    toes: Array  # (n,) m, height of their joint
    frames: Array  # (n,)


def find_floor(clip: Clip, roles: Roles | None, rate: float, settings: ImportSettings) -> Finding:
    """The height of the floor under a clip that was captured at a rate."""
    height, found = _lowest(clip) if roles is None else _stood_on(clip, roles, rate)
    floor = height if settings.floor is None else settings.floor
    asked = "" if settings.floor is None else ", as asked"
    done = f"everything moved by {-floor * 100:+.1f} cm{asked}" if floor else "nothing" + asked
    return Finding("floor", found, done, "floor=METRES", floor)


def _lowest(clip: Clip) -> tuple[float, str]:
    """For whatever is no person."""
    low = float(np.percentile(_low_points(clip, range(clip.skeleton.count)), 5))
    return low, f"the lowest joint is at {low * 100:+.1f} cm most of the time"


def _stood_on(clip: Clip, roles: Roles, rate: float) -> tuple[float, str]:
    leg = leg_length(clip, roles)
    footing = _footing(clip, roles, leg, rate)
    if not len(footing.frames):
        return _touched(clip, roles, leg)
    floor = _lowest_level(footing.ground, footing.frames)
    here = np.abs(footing.ground - floor) < LEVEL
    toes = float(np.median(footing.toes[here]))
    share = footing.frames[here].sum() / footing.frames.sum()
    return floor, f"feet stand on {floor * 100:+.1f} cm ({share:.0%} of their time), toe joints at {toes * 100:+.1f} cm"


def _touched(clip: Clip, roles: Roles, leg: float) -> tuple[float, str]:
    """For who never stands: runs on toes, sits, or lies."""
    where = clip.places.position[..., 2]
    ankles = where[:, [roles.joints[f"{side}_foot"] for side in SIDES]].min(axis=1)
    if np.mean(where[:, roles.joints["pelvis"]] - ankles > UPRIGHT * leg) > UPRIGHT_SHARE:
        feet = {roles.joints[f"{side}_foot"] for side in SIDES}
        parts = [j for j in range(clip.skeleton.count) if not feet.isdisjoint(ancestors(clip.skeleton, j))]
        low = float(np.percentile(_low_points(clip, parts), 5)) - TOES / 2 * leg / LEG
        return low, f"no foot ever stands flat; their lowest points put the floor at {low * 100:+.1f} cm"
    trunk = [joint for role, joint in roles.joints.items() if role.endswith(("pelvis", "chest", "thigh", "upper_arm"))]
    low = float(np.percentile(where[:, trunk].min(axis=1), 10)) - FLESH * leg / LEG
    under_feet = float(np.percentile(ankles, 10)) - ANKLE * leg / LEG
    if low - under_feet > SEAT * leg:
        return under_feet, f"the figure never stands; where it sits its feet rest on {under_feet * 100:+.1f} cm"
    return low, f"the figure never stands; its trunk lies on {low * 100:+.1f} cm"


def _footing(clip: Clip, roles: Roles, leg: float, rate: float) -> FlatFootPhases:
    half = min(max(1, round(0.04 * rate)), (clip.frames - 1) // 2)
    hips = local_parabolas(clip.places.position[:, roles.joints["pelvis"], 2], half).value
    stature = leg / LEG
    rows = []
    for side in SIDES:
        ankle = local_parabolas(first_joint(clip.places.position, roles, f"{side}_foot"), half)
        ball = local_parabolas(first_joint(clip.places.position, roles, f"{side}_toes", f"{side}_foot"), half)
        flat = hips - ankle.value[:, 2] > UPRIGHT * leg
        for point in (ankle, ball):
            flat &= np.linalg.norm(point.speed, axis=-1) * rate < STILL
        for start, stop in runs(flat):
            if stop - start >= LONG_ENOUGH * rate:
                high, low = (float(np.median(point.value[start:stop, 2])) for point in (ankle, ball))
                rows.append((_ground(high, low, stature), low, stop - start))
    return FlatFootPhases(*np.array(rows).reshape(-1, 3).T)


def _ground(ankle: float, toes: float, stature: float) -> float:
    """m, the ground under a foot whose joints are at these heights.

    Ankles are captured better than toes, but a heel may be raised: lower toes count in full, higher ones by half.
    """
    by_ankle = ankle - ANKLE * stature
    higher = float(np.clip(toes - TOES * stature - by_ankle, -TOES_ERR, TOES_ERR))
    return by_ankle + (higher / 2 if higher > 0 else higher)


def _lowest_level(height: Array, frames: Array) -> float:
    """The lowest height around which the figure stands for long enough, m."""
    order = np.argsort(height)
    height, frames = height[order], frames[order]
    near = (height >= height[:, None]) & (height < height[:, None] + LEVEL)  # (n, n): row k is the level that k begins
    carried = near @ frames
    level = near[np.argmax(carried >= SUPPORTED * carried.max())]
    return float(np.average(height[level], weights=frames[level]))


def _low_points(clip: Clip, joints: Sequence[int]) -> Array:
    """(T,) m, the lowest of some joints and their tips."""
    places = clip.places
    tips = [k for k, end in enumerate(clip.skeleton.ends) if end.joint in joints]
    return np.asarray(
        np.concatenate([places.position[:, list(joints), 2], places.ends[:, tips, 2]], axis=1).min(axis=1)
    )
