"""The shape of a walk, measured from poses alone, by the same code for a clip and for its performance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.pendulum.gait import leg_tracks
from poise.control.pendulum.legs import walker_legs
from poise.motion.gait_shape import APART, FIRST_STRIDE, MID_STANCE, part_of_frames, peaks_apart, running_mean
from poise.rotations import quat_to_matrix, yaw_of


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


def gait_shape(body: Body, qpos: Array, rate: float) -> GaitShape | None:
    """The shape of a walk of poses (T, nq) at a rate (Hz); None with fewer than one stride of each foot."""
    legs = walker_legs(body)
    tracks = leg_tracks(qpos, body, legs)
    hips, yaw = tracks.hip.mean(axis=1), np.unwrap(yaw_of(qpos[:, 3:7]))
    stride = FIRST_STRIDE
    for _ in range(2):  # the second time with the heading averaged over a stride as long as found
        heading = running_mean(yaw, round(stride * rate))
        way = tracks.ankle - hips[:, None]
        ahead = np.cos(heading)[:, None] * way[..., 0] + np.sin(heading)[:, None] * way[..., 1]
        strikes = [peaks_apart(ahead[:, side], APART * stride * rate) for side in (0, 1)]
        if min(map(len, strikes)) < 2:
            return None
        stride = float(np.mean([np.mean(np.diff(each)) for each in strikes])) / rate
    offs = [peaks_apart(-ahead[:, side], APART * stride * rate) for side in (0, 1)]
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
            stance = part_of_frames(a, off, MID_STANCE)
            way = tracks.ankle[b, side, :2] - tracks.ankle[a, side, :2]
            seconds = (b - a) / rate
            found.append((
                seconds, 0.5 * float(np.hypot(*way)), float(np.hypot(*(hips[b, :2] - hips[a, :2]))) / seconds,
                knee[stance].min(), knee[off : b + 1].max(), knee[b], pitch[b, side], pitch[off, side],
                np.ptp(turned[own]), np.ptp(roll[own]), 1e3 * hips[own, 2].mean(), 1e3 * np.ptp(hips[own, 2]),
            ))  # fmt: skip
    return GaitShape(*map(float, np.mean(found, axis=0))) if found else None
