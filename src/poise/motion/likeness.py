"""Likeness: how near a prepared or performed motion is to the user's file, by the positions of joints alone."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np

from poise.arrays import Array, Mask
from poise.motion.clip import Clip
from poise.motion.gait_shape import SIDES, GaitShape, angles_between, gait_shape, knee_flexion, leg_length
from poise.motion.repair.upright import sampled_clip
from poise.motion.roles import Roles, find_roles

SHORT_BONE = 0.03  # m: the direction of a shorter bone says little
SWING = 0.5  # m/s: a foot whose ball is faster is in swing
REST = 5.0  # percentile of an ankle's height that is taken as its height in flat stance
LIMBS = (("thigh", "shank", "foot"), ("upper_arm", "forearm", "hand"))
PELVIS_MOVED, KNEE_MOVED = 2.0, 5.0  # cm at most, and degrees root mean square: differences beyond these are named
Tracks = Mapping[str, Array]  # joint positions (T, 3) m by role or by the joint's name
Bones = Sequence[tuple[str, str]]  # the joints at their ends


@dataclass(frozen=True)
class MomentLikeness:
    """Differences from the file at the same moments."""

    seconds: float  # that were compared
    pelvis_mean_cm: float  # height, positive above the file
    pelvis_worst_cm: float  # height, with its sign
    knee_deg: float | None  # root mean square, of the worse side
    joints_deg: float  # of the directions of bones, root mean square
    worst_joint: str  # the joint whose bones are furthest from their directions in the file
    worst_joint_deg: float
    joints_cm: float | None  # of joint positions after one planar alignment, root mean square; None on other bodies
    swing_ankle_cm: float | None  # height of ankles in swing, root mean square


@dataclass(frozen=True)
class Likeness:
    """A motion beside the file: the same moments, and the gaits of both; each is None where it does not apply."""

    moments: MomentLikeness | None
    file_gait: GaitShape | None
    gait: GaitShape | None

    def as_dict(self) -> dict[str, Any]:
        """JSON values: each difference of moments, and each value of the gait as {"file", "here"}; null if unknown."""
        timed = {field.name: getattr(self.moments, field.name, None) for field in fields(MomentLikeness)}
        mean, worst = timed.pop("pelvis_mean_cm"), timed.pop("pelvis_worst_cm")
        height = None if self.moments is None else {"mean": mean, "worst": worst}
        seconds = timed.pop("seconds")
        both = {}
        for field in fields(GaitShape):
            file, here = (getattr(shape, field.name, None) for shape in (self.file_gait, self.gait))
            both[field.name] = None if file is None else {"file": file, "here": here}
        return {"seconds": seconds, "pelvis_cm": height, **timed, **both}

    def lines(self) -> list[str]:
        """The likeness in one line of text; none if there is nothing to compare."""
        texts = []
        if (now := self.moments) is not None:
            knee = "" if now.knee_deg is None else f", knees {now.knee_deg:.1f} degrees"
            texts.append(
                f"pelvis {now.pelvis_mean_cm:+.1f} cm ({now.pelvis_worst_cm:+.1f} at worst){knee}, bones "
                f"{now.joints_deg:.1f} degrees, {now.worst_joint} most with {now.worst_joint_deg:.1f}"
            )
        if self.file_gait is not None and self.gait is not None:
            file, here = self.file_gait, self.gait
            texts.append(
                f"stride {file.stride_s:.2f} -> {here.stride_s:.2f} s, step {file.step_m:.2f} -> {here.step_m:.2f} m, "
                f"knee in mid-stance {file.knee_mid_stance_deg:.0f} -> {here.knee_mid_stance_deg:.0f} degrees"
            )
        elif self.file_gait is not None:
            texts.append("no two strides to compare with the gait of the file")
        return [f"beside the file: {'; '.join(texts)}"] if texts else []

    def departs(self, earlier: "Likeness | None" = None) -> bool:
        """Whether pelvis or knees are further from the file, or than at an earlier stage, than a person overlooks."""
        now, then = self.moments, None if earlier is None else earlier.moments
        if now is None:
            return False
        pelvis, knee = (0.0, 0.0) if then is None else (abs(then.pelvis_worst_cm), then.knee_deg or 0.0)
        return abs(now.pelvis_worst_cm) - pelvis > PELVIS_MOVED or (now.knee_deg or 0.0) - knee > KNEE_MOVED


def likeness(file: Clip, here: Clip, same_moments: bool = True) -> Likeness:
    """Compare the motion `here` with the file, both on a level floor; compare only gaits without `same_moments`."""
    own = (file.skeleton.names, file.skeleton.parents) == (here.skeleton.names, here.skeleton.parents)
    roles = _roles(file)
    other = roles if own else _roles(here)
    if roles is None or other is None:
        moments = _moment_likeness(file, here, None, None) if own and same_moments else None
        return Likeness(moments, None, None)
    gaits = []
    for clip, found in ((file, roles), (here, other)):
        tracks = {role: clip.places.position[:, joint] for role, joint in found.joints.items()}  # (T, 3) m
        gaits.append(gait_shape(tracks, clip.rate))
    return Likeness(_moment_likeness(file, here, roles, None if own else other) if same_moments else None, *gaits)


def likeness_table(columns: Mapping[str, Likeness]) -> list[str]:
    """Lines of text with a column per motion, such as the prepared one, and the file's gait before them."""
    file = next(iter(columns.values())).file_gait
    rows: list[tuple[str, str, list[str]]] = []
    for field in fields(MomentLikeness):
        values = [getattr(like.moments, field.name, None) for like in columns.values()]
        if any(value is not None for value in values):
            rows.append((field.name, "", [_text(value) for value in values]))
    for name, value in ({} if file is None else asdict(file)).items():
        rows.append((name, _text(value), [_text(getattr(like.gait, name, None)) for like in columns.values()]))
    cells = [("beside the file", "file", list(columns)), *rows]
    wide = [max(len(row[2][k]) for row in cells) for k in range(len(columns))]
    return [
        f"{name.replace('_', ' '):20} {first:>8}  {'  '.join(f'{v:>{w}}' for v, w in zip(values, wide, strict=True))}"
        for name, first, values in cells
    ]


def _text(value: float | str | None) -> str:
    return "-" if value is None else value if isinstance(value, str) else f"{value:.2f}"


def _roles(clip: Clip) -> Roles | None:
    return find_roles(clip.skeleton, sampled_clip(clip).places.position)


def _moment_likeness(file: Clip, here: Clip, roles: Roles | None, other: Roles | None) -> MomentLikeness:
    """Differences in the frames of the file that `here` has too. `other`: the roles of a different skeleton."""
    frames = min(file.frames, int(here.seconds * file.rate + 1e-6) + 1)
    times = np.arange(frames) / file.rate
    if roles is not None and other is not None:
        theirs, ours, bones = _limb_tracks(file, here, roles, other, times)
        keys, pelvis = {role: role for role in theirs}, "hips"
    else:
        theirs, ours, bones = _joint_tracks(file, here, roles, times)
        keys = {} if roles is None else {role: file.skeleton.names[joint] for role, joint in roles.joints.items()}
        pelvis = keys.get("pelvis", file.skeleton.names[0])
    ours = _aligned(ours, theirs)
    height = 100 * (ours[pelvis] - theirs[pelvis])[:, 2]
    joints = _bone_errors(ours, theirs, bones)
    worst = max(joints, key=lambda joint: joints[joint][0], default=pelvis)
    far = np.concatenate([ours[joint] - theirs[joint] for joint in theirs])
    knees, lifted = [], np.zeros(0)
    now, then = ({role: tracks[key] for role, key in keys.items()} for tracks in (ours, theirs))
    for side in SIDES if keys else ():
        knees.append(_rms(knee_flexion(now, side) - knee_flexion(then, side)))
        higher = 100 * (now[f"{side}_foot"] - then[f"{side}_foot"])[:, 2]
        lifted = np.append(lifted, higher[_swing_frames(then, side, file.rate)])
    count = sum(weight for _, weight in joints.values())
    return MomentLikeness(
        seconds=(frames - 1) / file.rate,
        pelvis_mean_cm=float(height.mean()),
        pelvis_worst_cm=float(height[np.argmax(np.abs(height))]),
        knee_deg=max(knees) if knees else None,
        joints_deg=float(np.sqrt(sum(w * e**2 for e, w in joints.values()) / max(count, 1))),
        worst_joint=worst,
        worst_joint_deg=joints[worst][0] if worst in joints else 0.0,
        joints_cm=None if other is not None else 100 * _rms(np.linalg.norm(far, axis=-1)),
        swing_ankle_cm=_rms(lifted) if len(lifted) else None,
    )


def _joint_tracks(file: Clip, here: Clip, roles: Roles | None, times: Array) -> tuple[Tracks, Tracks, Bones]:
    """Tracks of the joints of one skeleton in both motions, by name, and its bones; without fingers if it has roles."""
    names, parents = file.skeleton.names, file.skeleton.parents
    used = range(len(names)) if roles is None else {*roles.joints.values(), *roles.spine, *roles.neck}
    theirs, ours = ({names[joint]: _at_times(clip.places.position[:, joint], clip.rate, times) for joint in used}
                    for clip in (file, here))  # fmt: skip
    return theirs, ours, [(names[parents[joint]], names[joint]) for joint in used if parents[joint] in used]


def _limb_tracks(file: Clip, here: Clip, roles: Roles, other: Roles, times: Array) -> tuple[Tracks, Tracks, Bones]:
    """Tracks of joints by role, the file's scaled by the leg and raised to our ankles; and the limbs and the trunk."""
    shared = [role for role in roles.joints if role in other.joints]
    theirs, ours = ({role: _at_times(clip.places.position[:, found.joints[role]], clip.rate, times) for role in shared}
                    for clip, found in ((file, roles), (here, other)))  # fmt: skip
    scale = leg_length(ours) / leg_length(theirs)
    lift = np.array([0.0, 0.0, _rest_height(ours) - scale * _rest_height(theirs)])
    theirs = {role: scale * track + lift for role, track in theirs.items()}
    limbs = [(f"{side}_{a}", f"{side}_{b}") for side in SIDES for limb in LIMBS for a, b in pairwise(limb)]
    bones = [(a, b) for a, b in (*limbs, ("hips", "shoulders")) if b in shared or a == "hips"]
    return _with_middles(theirs), _with_middles(ours), bones


def _with_middles(at: Mapping[str, Array]) -> dict[str, Array]:
    """The tracks with the middle of the hips and of the shoulders."""
    middles = {"hips": "thigh", "shoulders": "upper_arm"}
    return {**at, **{name: (at[f"left_{part}"] + at[f"right_{part}"]) / 2 for name, part in middles.items()}}


def _rest_height(at: Mapping[str, Array]) -> float:
    """Height (m) of the ankles in flat stance, mean of both."""
    return float(np.mean([np.percentile(at[f"{side}_foot"][:, 2], REST) for side in SIDES]))


def _at_times(track: Array, rate: float, times: Array) -> Array:
    """Positions (K, 3) at times (K,) s, interpolated between frames (T, 3) at a rate (Hz)."""
    clock = np.arange(len(track)) / rate
    return np.stack([np.interp(times, clock, column) for column in track.T], axis=-1)


def _aligned(ours: Tracks, theirs: Tracks) -> dict[str, Array]:
    """Our tracks moved along the ground and turned about the vertical, as near as possible to theirs, as a whole."""
    points = [np.concatenate([tracks[joint] for joint in theirs])[:, :2] for tracks in (ours, theirs)]
    here, there = (xy @ [1.0, 1.0j] for xy in points)
    turn = np.vdot(here - here.mean(), there - there.mean())
    turn /= max(abs(turn), 1e-12)
    out = {}
    for joint, track in ours.items():
        moved = turn * (track[:, :2] @ [1.0, 1.0j] - here.mean()) + there.mean()
        out[joint] = np.column_stack([moved.real, moved.imag, track[:, 2]])
    return out


def _bone_errors(ours: Tracks, theirs: Tracks, bones: Bones) -> dict[str, tuple[float, int]]:
    """By joint: root mean square angle (degrees) between the bones that start there, and the number of these bones."""
    found: dict[str, list[float]] = {}
    for a, b in bones:
        pair = [tracks[b] - tracks[a] for tracks in (ours, theirs)]
        if min(np.linalg.norm(bone, axis=-1).mean() for bone in pair) > SHORT_BONE:
            found.setdefault(a, []).append(_rms(angles_between(*pair)))
    return {joint: (_rms(np.array(errors)), len(errors)) for joint, errors in found.items()}


def _swing_frames(at: Mapping[str, Array], side: str, rate: float) -> Mask:
    """Frames (T,) in which the ball of a foot, or the ankle where it is unknown, moves fast."""
    ball = at.get(f"{side}_toes", at[f"{side}_foot"])
    if len(ball) < 2:
        return np.zeros(len(ball), bool)
    return np.asarray(np.linalg.norm(np.gradient(ball, axis=0), axis=-1) * rate > SWING)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
