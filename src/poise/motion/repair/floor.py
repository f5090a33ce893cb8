"""The floor on which the figure stands: its slope, its height, and the thickness of the feet above it.

Files have neither heel nor sole, so the floor is derived from the joints of flat feet: ankles are 0.039 of stature
above it [DrillisContini1966], toe joints about 0.0165. The heights at which the joints of this figure's flat feet are
then found give the soles of its body. Capture volumes lean by up to 1.6 cm/m against gravity.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Ints, Mask, readonly, true_runs
from poise.motion.clip import Clip
from poise.motion.repair.bones import leg_length
from poise.motion.repair.finding import Finding, ImportSettings
from poise.motion.repair.point_masses import Smoothed, joint_track, local_parabolas
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
SLOW, BRIEF = 0.3, 0.05  # m/s and s: a toe joint that is slower for longer rests, also in a run
LEVEL = 0.04  # m: range of heights that count as one level
SUPPORTED = 0.4  # of the most used level's standing time: the floor is the lowest level with this much time
PASSING = 15  # percentile of the speed of a foot that never rests flat, below which it is on the ground
RESTS, REACH = 4, 1.0  # least number of rests, and least distance (m) between rests, that show a lean
LEAST_LEAN, MOST_LEAN = 0.002, 0.03  # m per m: a lesser lean is none; a steeper floor is a slope, not a fault
OFF_PLANE = 0.025  # m: largest distance of a rest from a leaning floor


@dataclass(frozen=True, eq=False)
class FlatFootPhases:
    """Phases in which a foot is flat on the ground."""

    side: Ints  # (n,) 0 left, 1 right
    ground: Array  # (n,) m, height of the ground under the foot
    ankle: Array  # (n,) m, height of the ankle
    toes: Array  # (n, 3) m, place of the toe joint
    frames: Array  # (n,) duration

    def __len__(self) -> int:
        return len(self.frames)

    def near_level(self, height: float) -> Mask:
        """(n,) whether the ground is at a height (m)."""
        return np.asarray(np.abs(self.ground - height) < LEVEL)


def find_lean(clip: Clip, roles: Roles | None, rate: float, settings: ImportSettings) -> Finding:
    """The finding on the lean of the floor; its value is the rise (2,) in m per m of x and y."""
    known = settings.floor is not None or roles is None
    lean = np.zeros(2) if known or roles is None else _lean_of_rests(*_toe_rests(clip, roles, rate))
    if not lean.any():
        return Finding("lean", "no lean of the floor is seen", "nothing", "", [0.0, 0.0])
    rise, way = 100 * float(np.hypot(*lean)), float(np.degrees(np.arctan2(lean[1], lean[0])))
    found = f"resting feet show a floor that rises by {rise:.1f} cm/m towards {way:.0f} degrees"
    return Finding("lean", found, "levelled: heights follow the floor", "floor=METRES keeps it", lean.tolist())


def level_clip(clip: Clip, lean: Sequence[float], height: float) -> Clip:
    """The clip with its floor, at `height` (m) above the origin and rising by `lean` (2,), moved to height 0."""
    position = np.array(clip.position)
    position[:, 2] -= position[:, :2] @ np.asarray(lean) + height
    return replace(clip, position=readonly(position))


def _toe_rests(clip: Clip, roles: Roles, rate: float) -> tuple[Array, Ints]:
    """Places (n, 3) m and sides (n,) of resting toe joints: of flat feet, or of all feet if few are ever flat."""
    phases = _flat_foot_phases(clip, roles, rate)
    if len(phases) >= RESTS:
        return phases.toes, phases.side
    hips = _smooth_track(clip, clip.places.position[:, roles.joints["pelvis"], 2], rate).value
    leg, rows = leg_length(clip, roles), []
    for index, side in enumerate(SIDES):
        ball = _smooth_track(clip, joint_track(clip.places.position, roles, f"{side}_toes", f"{side}_foot"), rate)
        upright = hips - ball.value[:, 2] > UPRIGHT * leg
        for start, stop in true_runs(upright & (np.linalg.norm(ball.speed, axis=-1) * rate < SLOW)):
            if stop - start >= BRIEF * rate:
                rows.append((*np.median(ball.value[start:stop], axis=0), index))
    x, y, z, sides = np.array(rows, float).reshape(-1, 4).T
    return np.column_stack([x, y, z]), sides.astype(np.int64)


def _smooth_track(clip: Clip, track: Array, rate: float) -> Smoothed:
    """A track (T, ...) smoothed over 0.08 s."""
    return local_parabolas(track, min(max(1, round(0.04 * rate)), (clip.frames - 1) // 2))


def _lean_of_rests(place: Array, side: Ints) -> Array:
    """(2,) slope of the plane through resting toe joints, each foot with its own height; zeros if there is none."""
    if len(place) < RESTS or np.ptp(place[:, :2], axis=0).max() < REACH:
        return np.zeros(2)
    rows = np.column_stack([place[:, :2], side == 0, side == 1])
    thin = 0.3 * np.eye(2, 4)  # m: regularises the slope across a straight line of steps
    found = np.linalg.lstsq(np.append(rows, thin, axis=0), np.append(place[:, 2], [0.0, 0.0]), rcond=None)[0]
    fits = np.abs(rows @ found - place[:, 2]).max() < OFF_PLANE
    return np.asarray(found[:2]) if fits and LEAST_LEAN < np.hypot(*found[:2]) < MOST_LEAN else np.zeros(2)


def find_soles(clip: Clip, roles: Roles | None, rate: float) -> tuple[Array | None, Finding]:
    """Heights (2, 2) m of ankle and toe joint of each flat foot above the floor at 0, None if unknown; the finding."""
    if roles is None:
        return None, Finding("soles", "not a person", "nothing", "", None)
    phases = _flat_foot_phases(clip, roles, rate)
    flat, rows = phases.near_level(0.0), []
    for side, name in enumerate(SIDES):
        own = flat & (phases.side == side)
        if own.any():
            rows.append([_weighted_median(h[own], phases.frames[own]) for h in (phases.ankle, phases.toes[:, 2])])
        else:
            rows.append(_passing_foot(clip, roles, name, rate))
    heights = np.array(rows)
    (left, left_toes), (right, right_toes) = 100 * heights
    toes = f"toe joints at {left_toes:.1f} and {right_toes:.1f} cm"
    found = f"ankles of flat feet are at {left:.1f} and {right:.1f} cm, {toes}"
    return readonly(heights), Finding("soles", found, "the body's feet get these heights", "", heights.tolist())


def _passing_foot(clip: Clip, roles: Roles, side: str, rate: float) -> list[float]:
    """Heights (m) of ankle and toe joint of a foot that never rests flat, as in a run: while its ball is slowest."""
    ankle = clip.places.position[:, roles.joints[f"{side}_foot"], 2]
    ball = joint_track(clip.places.position, roles, f"{side}_toes", f"{side}_foot")
    speed = np.linalg.norm(np.gradient(ball, axis=0), axis=1) * rate if len(ball) > 1 else np.zeros(len(ball))
    slow = speed <= np.percentile(speed, PASSING)
    return [float(np.percentile(ankle[slow], 25)), float(np.median(ball[slow, 2]))]


def _weighted_median(values: Array, weights: Array) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, total[-1] / 2)])


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
    phases = _flat_foot_phases(clip, roles, rate)
    if not len(phases):
        return _floor_without_stance(clip, roles, leg)
    floor = _lowest_stance_level(phases.ground, phases.frames)
    here = phases.near_level(floor)
    toes = float(np.median(phases.toes[here, 2]))
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


def _flat_foot_phases(clip: Clip, roles: Roles, rate: float) -> FlatFootPhases:
    leg = leg_length(clip, roles)
    hips = _smooth_track(clip, clip.places.position[:, roles.joints["pelvis"], 2], rate).value
    stature = leg / LEG
    rows = []
    for index, side in enumerate(SIDES):
        ankle = _smooth_track(clip, joint_track(clip.places.position, roles, f"{side}_foot"), rate)
        ball = _smooth_track(clip, joint_track(clip.places.position, roles, f"{side}_toes", f"{side}_foot"), rate)
        flat = hips - ankle.value[:, 2] > UPRIGHT * leg
        for point in (ankle, ball):
            flat &= np.linalg.norm(point.speed, axis=-1) * rate < STILL
        for start, stop in true_runs(flat):
            if stop - start >= LONG_ENOUGH * rate:
                high = float(np.median(ankle.value[start:stop, 2]))
                toes = np.median(ball.value[start:stop], axis=0)
                rows.append((index, _ground_under_foot(high, float(toes[2]), stature), high, *toes, stop - start))
    side_, ground, ankles, x, y, z, frames = np.array(rows, float).reshape(-1, 7).T
    return FlatFootPhases(side_.astype(np.int64), ground, ankles, np.column_stack([x, y, z]), frames)


def _ground_under_foot(ankle: float, toes: float, stature: float) -> float:
    """Height (m) of the ground under a foot with joints at these heights (m); a raised toe counts by half."""
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
