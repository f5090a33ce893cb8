"""Similarity of a walk to its clip in gait and posture, its speed and its footwork: [Tsai2010] section 5.1."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from poise.arrays import Array, true_runs
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.body.surface import descendant_links
from poise.control.pendulum.gait import leg_tracks
from poise.control.pendulum.legs import walker_legs
from poise.control.pendulum.pendulum import Pendulum
from poise.measure.metrics import fell_at
from poise.measure.replay import Replay
from poise.motion.gait_shape import APART, FIRST_STRIDE, MID_STANCE, part_of_interval, peaks_apart, running_mean
from poise.reference.archive import motion_display_name
from poise.reference.reference import Reference
from poise.rotations import quat_to_matrix, yaw_of
from poise.study.experiment import table
from poise.study.experiment.plots import curves, drawn_of, picture
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.trial import Trial, perform_until_sunk, stage_trial
from poise.study.pendulum.case import STEP_RATE, late_speed_of_trial, walk_trial


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
            stance = part_of_interval(a, off, MID_STANCE)
            way = tracks.ankle[b, side, :2] - tracks.ankle[a, side, :2]
            seconds = (b - a) / rate
            found.append((
                seconds, 0.5 * float(np.hypot(*way)), float(np.hypot(*(hips[b, :2] - hips[a, :2]))) / seconds,
                knee[stance].min(), knee[off : b + 1].max(), knee[b], pitch[b, side], pitch[off, side],
                np.ptp(turned[own]), np.ptp(roll[own]), 1e3 * hips[own, 2].mean(), 1e3 * np.ptp(hips[own, 2]),
            ))  # fmt: skip
    return GaitShape(*map(float, np.mean(found, axis=0))) if found else None


# Footwork: stance phases, creep and scuffs.

WEIGHED = 0.1  # Least impulse of a stance phase, as the time (s) in which the weight gives that impulse
FLICKER = 0.04  # Longest loss of contact (s) that does not end a stance phase
SCUFFED = (0.2, 0.8)  # Part of the swing phase in which a touch counts as a scuff

Stance = tuple[int, int]  # First simulation step of a stance phase, and first step after the phase


@dataclass(frozen=True)
class FootContact:
    """The contact of a foot with the ground in each of T steps."""

    force: Array  # (T,) normal force, N
    crept: Array  # (T,) slip (m), weighted by normal force; points that have just touched down count as 0


def foot_contact_in_trial(replay: Replay, foot: str) -> FootContact:
    """The contact of a foot and its toes with the ground; `foot` is the name of the foot's link."""
    recording = replay.recording
    links = descendant_links(recording.model, recording.model.body(foot).id)
    own = np.isin(recording.contact_body, links) & (recording.contact_kind == 0)
    at, steps = recording.contact_step[own], recording.steps
    bears = np.einsum("ni,ni->n", recording.contact_force[own], recording.contact_normal[own])
    force = np.bincount(at, bears, steps).astype(float)
    slipped = np.bincount(at, bears * replay.touching_at_start[own] * replay.slip[own] * recording.step, steps)
    return FootContact(force, np.divide(slipped, force, out=np.zeros(steps), where=force > 0))


def stance_phases_in_trial(force: Array, weight: float, step: float) -> list[Stance]:
    """Stance phases of a foot from its normal force (T,), N, the body's weight (N) and the time step (s)."""
    touches = np.array(force > 0.0)
    for (_, end), (begin, _) in pairwise(true_runs(touches)):  # short losses of contact do not end a phase
        if begin - end <= round(FLICKER / step):
            touches[end:begin] = True
    return [(a, b) for a, b in true_runs(touches) if force[a:b].sum() > WEIGHED * weight / step]


def stance_slips_in_trial(crept: Array, found: list[Stance]) -> Array:
    """(n,) slip (m) in each stance phase but the first and the last, which may be incomplete."""
    return np.array([crept[a:b].sum() for a, b in found[1:-1]])


def scuffs_in_trial(force: Array, found: list[Stance]) -> int:
    """The number of swing phases between stance phases in which the foot scuffs the ground."""
    early, late = SCUFFED
    swings = [(end, begin - end) for (_, end), (begin, _) in pairwise(found)]
    return sum(bool(np.any(force[a + round(early * n) : a + round(late * n)] > 0.0)) for a, n in swings)


# The study.

SPEEDS = (-0.6, -0.3, 0.0, 0.4, 0.8, 1.2, 1.6)  # Commanded speeds, m/s
COARSE = (-0.6, 0.8, 1.6)
SAMPLE_RATE = 120.0  # Rate (Hz) at which a reference is sampled
SETTLING = 4.0  # Time (s) after which strides and footwork are evaluated
COMPARED = 60.0  # Time (s) of a finite reference that is compared; ENDLESS of an endless one
ENDLESS = 6.0
PARTS = tuple(field.name for field in fields(GaitShape))
"""Quantities that are compared; the row has each as walked, and of the clip with the prefix `clip_`."""
UPPER = "upper_deg"  # Column of the difference of posture above the legs


def clip_poses(reference: Reference) -> Array:
    """Poses (T, nq) of a reference at SAMPLE_RATE."""
    seconds = ENDLESS if reference.duration is None else min(reference.duration, COMPARED)
    return np.array([reference.at(t).qpos for t in np.arange(0.0, seconds, 1.0 / SAMPLE_RATE)])


def upper_difference(body: Body, walked: Array, clip: Array) -> float:
    """Difference (degrees, rms over joints above the legs) of mean and half range of poses (T, nq) from a clip's."""
    space = PoseSpace(body)
    legs = [dof for name in body.groups["legs"] for dof in body.joint(name).dofs]
    upper = np.setdiff1d(np.arange(6, body.nv), legs)
    held = [space.difference(np.tile(body.standing, (len(each), 1)), each)[:, upper] for each in (walked, clip)]
    marks = [np.stack([each.mean(axis=0), 0.5 * np.ptp(each, axis=0)]) for each in held]
    return float(np.degrees(np.sqrt(np.mean((marks[0] - marks[1]) ** 2))))


def imitation_cases(scope: Scope) -> list[Trial]:
    """Trials of each motion at its own speed, and of the first motion also at each commanded speed."""
    speeds = COARSE if scope.coarse else SPEEDS
    tried = [(motion, None) for motion in scope.motions] + [(scope.motions[0], speed) for speed in speeds]
    return [walk_trial(speed, scope.seconds, seed, motion) for motion, speed in tried for seed in range(scope.seeds)]


def run_imitation_case(trial: Trial) -> Row:
    """Row of a walk: differences of its strides from the clip, footwork, and speed."""
    run, steps = stage_trial(trial, Pendulum()), round(trial.seconds * STEP_RATE)
    recording = perform_until_sunk(run, steps).recording
    replay = Replay.of(recording)
    scene, fell = run.world.scene, fell_at(recording)
    body = scene.body
    survived = fell is None and recording.steps == steps
    first = min(round(SETTLING * STEP_RATE), recording.steps)
    feet = [foot_contact_in_trial(replay, foot.link) for foot in body.feet]
    stood = [stance_phases_in_trial(foot.force[first:], body.mass * scene.gravity, recording.step) for foot in feet]
    poses, clip = recording.qpos[first:, : body.nq], clip_poses(run.reference)
    stances = list(zip(feet, stood, strict=True))
    slips = np.concatenate([stance_slips_in_trial(foot.crept[first:], own) for foot, own in stances])
    return {
        "motion": motion_display_name(trial.motion),
        "wanted": trial.commands[0].speed if trial.commands else None,
        "seed": trial.seed,
        "survived": survived,
        "fell_at": fell,
        "speed": late_speed_of_trial(replay.com[:, 0, :2], STEP_RATE) if survived else None,
        "steps": sum(map(len, stood)),
        "creep_mm": 1e3 * float(np.median(slips)) if len(slips) else None,
        "scuffs": sum(scuffs_in_trial(foot.force[first:], own) for foot, own in stances),
        **_shape_columns(gait_shape(body, poses, STEP_RATE), ""),
        **_shape_columns(gait_shape(body, clip, SAMPLE_RATE), "clip_"),
        UPPER: upper_difference(body, poses, clip) if len(poses) > SETTLING * STEP_RATE else None,
    }


def _shape_columns(shape: GaitShape | None, prefix: str) -> Row:
    return {prefix + name: None if shape is None else getattr(shape, name) for name in PARTS}


def gait_points(rows: Sequence[Row]) -> list[Row]:
    """Each quantity of the gait, walked and of the clip, for each motion at its own speed."""
    return [
        {"part": part, "of": of, "motion": row["motion"], "value": row[prefix + part]}
        for part in PARTS
        for of, prefix in (("walked", ""), ("clip", "clip_"))
        for row in table.rows_where(rows, wanted=None)
    ]


STUDY: Study[Trial] = Study(
    name="pendulum-imitation",
    title="gait and posture beside the clip's, walking speeds, creeping and scuffing feet",
    reproduces="Tsai et al. 2010, section 5.1",
    whole=Scope(seeds=3, seconds=60.0, motions=("walk", "walk-slow", "walk-fast")),
    quick=Scope(seeds=1, seconds=12.0, motions=("walk", "walk-slow", "walk-fast"), coarse=True),
    cases=imitation_cases,
    run_case=run_imitation_case,
    summary=table.summary_by(
        ("motion", "wanted"),
        trials=table.row_count,
        **table.column_totals("survived"),
        **table.column_means("speed", *(prefix + part for part in PARTS for prefix in ("", "clip_")), UPPER),
        **table.column_totals("steps"),
        **table.column_means("creep_mm"),
        **table.column_totals("scuffs"),
    ),
    plot=picture(
        drawn_of(gait_points, curves("motion", ("value",), ("of",), ("part",), "o", ylabel="")),
        drawn_of(
            lambda rows: [row for row in rows if row["wanted"] is not None],
            curves("wanted", ("speed", "creep_mm"), mark="o", xlabel="m/s wanted"),
        ),
    ),
)
