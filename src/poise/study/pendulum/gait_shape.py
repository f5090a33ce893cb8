"""The shape of a walk, measured from poses alone, by the same code for a clip and for its performance."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from poise.arrays import Array, Ints
from poise.body.body import Body
from poise.control.pendulum.gait import leg_tracks
from poise.control.pendulum.legs import walker_legs
from poise.rotations import quat_to_matrix, yaw_of

FIRST_STRIDE = 1.0  # Duration (s) of a stride that is assumed until the strides are found
PROMINENT = 0.4  # Share of the range of an ankle's way that an extreme must stand out by
APART = 0.5  # Shortest time between two strikes of a foot, as a share of the stride
MID_STANCE = (0.3, 0.75)  # Part of the time from strike to toe-off in which the knee's least angle is its mid-stance


@dataclass(frozen=True)
class GaitShape:
    """Means over the strides of a walk. A foot strikes where its ankle is foremost, and lets go where rearmost."""

    stride_s: float  # from strike to strike of the same foot
    step_m: float  # half the way of an ankle from strike to strike
    pace: float  # m/s, mean speed of the hips
    knee_mid_deg: float  # least flexion in the middle of stance
    knee_swing_deg: float  # greatest flexion from toe-off to strike
    knee_strike_deg: float
    foot_strike_deg: float  # pitch of the foot, toes up
    foot_off_deg: float  # pitch of the foot at toe-off
    pelvis_yaw_deg: float  # range over a stride
    pelvis_roll_deg: float  # range over a stride
    hip_mm: float  # mean height of the hips
    bob_mm: float  # range of that height over a stride

    def row(self) -> dict[str, float]:
        """The values by name."""
        return asdict(self)


def gait_shape(body: Body, qpos: Array, rate: float) -> GaitShape | None:
    """The shape of a walk of poses (T, nq) at a rate (Hz); None with fewer than one stride of each foot."""
    legs = walker_legs(body)
    tracks = leg_tracks(qpos, body, legs)
    hips, yaw = tracks.hip.mean(axis=1), np.unwrap(yaw_of(qpos[:, 3:7]))
    stride = FIRST_STRIDE
    for _ in range(2):  # the second time with the heading averaged over a stride as long as found
        heading = _running_mean(yaw, round(stride * rate))
        ahead = _along(heading, tracks.ankle - hips[:, None])
        strikes = [_peaks(ahead[:, side], APART * stride * rate) for side in (0, 1)]
        if min(map(len, strikes)) < 2:
            return None
        stride = float(np.mean([np.mean(np.diff(each)) for each in strikes])) / rate
    offs = [_peaks(-ahead[:, side], APART * stride * rate) for side in (0, 1)]
    pitch = np.degrees(np.arcsin(quat_to_matrix(tracks.foot)[..., 2, 0]))
    roll = np.degrees(np.arcsin(quat_to_matrix(qpos[:, 3:7])[:, 2, 1]))
    turned = np.degrees(yaw - heading)
    found: list[tuple[float, ...]] = []
    for side in (0, 1):
        knee = np.degrees(qpos[:, legs.places[side, 1]])
        for a, b in zip(strikes[side], strikes[side][1:], strict=False):
            left = [int(k) for k in offs[side] if a < k < b]
            if not left:
                continue
            off, own = left[0], slice(a, b + 1)
            first, last = (a + round(share * (off - a)) for share in MID_STANCE)
            way = tracks.ankle[b, side, :2] - tracks.ankle[a, side, :2]
            seconds = (b - a) / rate
            found.append((
                seconds, 0.5 * float(np.hypot(*way)), float(np.hypot(*(hips[b, :2] - hips[a, :2]))) / seconds,
                knee[first : last + 1].min(), knee[off : b + 1].max(), knee[b], pitch[b, side], pitch[off, side],
                np.ptp(turned[own]), np.ptp(roll[own]), 1e3 * hips[own, 2].mean(), 1e3 * np.ptp(hips[own, 2]),
            ))  # fmt: skip
    return GaitShape(*map(float, np.mean(found, axis=0))) if found else None


def _along(heading: Array, way: Array) -> Array:
    """Component (T, 2) of horizontal vectors (T, 2, 3) along the headings (T,)."""
    return np.asarray(np.cos(heading)[:, None] * way[..., 0] + np.sin(heading)[:, None] * way[..., 1])


def _running_mean(values: Array, width: int) -> Array:
    """Mean (T,) over `width` frames around each frame; at the ends, the mean nearest to them."""
    width = min(width, len(values))
    means = np.convolve(values, np.full(width, 1.0 / width), "valid")
    before = (len(values) - len(means)) // 2
    return np.pad(means, (before, len(values) - len(means) - before), mode="edge")


def _peaks(values: Array, apart: float) -> Ints:
    """Frames of local maxima that stand out, at least `apart` frames from each higher one; not at the very ends."""
    inner = np.flatnonzero((values[1:-1] >= values[:-2]) & (values[1:-1] > values[2:])) + 1
    least = values.min() + (1.0 - PROMINENT) * np.ptp(values)
    kept: list[int] = []
    for k in sorted(inner[values[inner] > least], key=lambda k: -values[k]):
        if all(abs(k - other) >= apart for other in kept):
            kept.append(int(k))
    return np.array(sorted(kept), int)
