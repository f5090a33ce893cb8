"""The shape of a walk or run, from joint positions alone: the same code measures a file and its performance."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Ints

SIDES = ("left", "right")
FIRST_STRIDE = 1.0  # s: duration of a stride that is assumed until the strides are found
PROMINENT = 0.4  # of the range of an ankle's way: an extreme stands out by this much
APART = 0.5  # of a stride: shortest time between two strikes of a foot
MID_STANCE = (0.3, 0.75)  # of the time from strike to toe-off: where the least flexion of the knee is its mid-stance
MID_SWING = (0.3, 0.8)  # of the time from toe-off to strike: where the foot's least height is its clearance
SHORTEST = 0.25  # of the leg: a shorter step is no gait


@dataclass(frozen=True)
class GaitShape:
    """Medians over the strides of a walk or run. A foot strikes where its ankle is foremost, and lets go rearmost."""

    stride_s: float  # from strike to strike of the same foot
    step_m: float  # half the way of an ankle from strike to strike
    speed_m_s: float
    knee_mid_stance_deg: float  # least flexion in the middle of stance
    knee_swing_deg: float  # greatest flexion from toe-off to strike
    knee_strike_deg: float
    foot_strike_deg: float | None  # toes up, from the foot's pitch in the middle of stance; None without toe joints
    foot_toe_off_deg: float | None  # likewise
    swing_clearance_cm: float  # least height of toe joint, or ankle without one, in mid-swing, above that in stance
    pelvis_yaw_deg: float  # range over a stride
    pelvis_roll_deg: float  # range over a stride


def gait_shape(at: Mapping[str, Array], rate: float) -> GaitShape | None:
    """The shape of the gait in joint positions (T, 3) m by role at a rate (Hz); None without two strides."""
    hip = np.stack([at[f"{side}_thigh"] for side in SIDES], axis=1)
    ankle = np.stack([at[f"{side}_foot"] for side in SIDES], axis=1)
    toes = np.stack([at.get(f"{side}_toes", at[f"{side}_foot"]) for side in SIDES], axis=1)
    hips, across = hip.mean(axis=1), hip[:, 0] - hip[:, 1]
    yaw = np.unwrap(np.arctan2(-across[:, 0], across[:, 1]))
    stride = FIRST_STRIDE
    for _ in range(2):  # the second time with the heading averaged over a stride as long as found
        heading = running_mean(yaw, round(stride * rate))
        way = ankle - hips[:, None]
        ahead = np.cos(heading)[:, None] * way[..., 0] + np.sin(heading)[:, None] * way[..., 1]
        strikes = [peaks_apart(ahead[:, side], APART * stride * rate) for side in (0, 1)]
        if min(map(len, strikes)) < 2:
            return None
        stride = float(np.median(np.concatenate([np.diff(each) for each in strikes]))) / rate
    offs = [peaks_apart(-ahead[:, side], APART * stride * rate) for side in (0, 1)]
    reach = np.linalg.norm(toes - ankle, axis=-1)
    pitch = np.degrees(np.arcsin((toes - ankle)[..., 2] / np.where(reach > 0, reach, 1.0)))
    roll = np.degrees(np.arctan2(across[:, 2], np.hypot(across[:, 0], across[:, 1])))
    turned = np.degrees(yaw - heading)
    found: list[tuple[float, ...]] = []
    for side, name in enumerate(SIDES):
        knee = knee_flexion(at, name)
        for a, b in zip(strikes[side], strikes[side][1:], strict=False):
            off = next((int(k) for k in offs[side] if a < k < b), None)
            if off is None:
                continue
            stance, swing = part_of_interval(a, off, MID_STANCE), part_of_interval(off, b, MID_SWING)
            flat, seconds = float(np.median(pitch[stance, side])), (b - a) / rate
            height = toes[swing, side, 2].min() - np.median(toes[stance, side, 2])
            step, hips_way = (float(np.hypot(*(x[b, :2] - x[a, :2]))) for x in (ankle[:, side], hips))
            found.append((
                seconds, step / 2, hips_way / seconds,
                knee[stance].min(), knee[off : b + 1].max(), knee[b], pitch[b, side] - flat, pitch[off, side] - flat,
                100 * height, float(np.ptp(turned[a : b + 1])), float(np.ptp(roll[a : b + 1])),
            ))  # fmt: skip
    if not found:
        return None
    shape = GaitShape(*map(float, np.median(found, axis=0)))
    if not all(f"{side}_toes" in at for side in SIDES):
        shape = replace(shape, foot_strike_deg=None, foot_toe_off_deg=None)
    return shape if shape.step_m > SHORTEST * leg_length(at) else None


def knee_flexion(at: Mapping[str, Array], side: str) -> Array:
    """Angle (T,) in degrees between thigh and shank; 0 for a straight leg."""
    hip, knee, ankle = (at[f"{side}_{part}"] for part in ("thigh", "shank", "foot"))
    return angles_between(knee - hip, ankle - knee)


def angles_between(a: Array, b: Array) -> Array:
    """Angles (...,) in degrees between vectors (..., 3)."""
    return np.asarray(np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))))


def leg_length(at: Mapping[str, Array]) -> float:
    """Length (m) of a leg: thigh plus shank, mean over both sides and all frames."""
    bones = [at[f"{side}_{low}"] - at[f"{side}_{high}"]
             for side in SIDES for high, low in (("thigh", "shank"), ("shank", "foot"))]  # fmt: skip
    return float(sum(np.linalg.norm(bone, axis=-1).mean() for bone in bones)) / 2


def part_of_interval(start: int, stop: int, shares: tuple[float, float]) -> slice:
    """Frames of a part of the interval `start` to `stop`; `shares` (0 to 1) are where the part begins and ends."""
    first, last = (start + round(share * (stop - start)) for share in shares)
    return slice(first, last + 1)


def running_mean(values: Array, width: int) -> Array:
    """Mean (T,) over `width` frames around each frame; at the ends, the mean nearest to them."""
    width = max(1, min(width, len(values)))
    means = np.convolve(values, np.full(width, 1.0 / width), "valid")
    before = (len(values) - len(means)) // 2
    return np.pad(means, (before, len(values) - len(means) - before), mode="edge")


def peaks_apart(values: Array, apart: float) -> Ints:
    """Frames of local maxima that stand out, at least `apart` frames from each higher one; not at the very ends."""
    inner = np.flatnonzero((values[1:-1] >= values[:-2]) & (values[1:-1] > values[2:])) + 1
    least = values.min() + (1.0 - PROMINENT) * np.ptp(values) if len(values) else 0.0
    kept: list[int] = []
    for k in sorted(inner[values[inner] > least], key=lambda k: -values[k]):
        if all(abs(k - other) >= apart for other in kept):
            kept.append(int(k))
    return np.array(sorted(kept), int)
