"""Similarity of a walk to its clip in joints, centre of mass and speed, and its footwork: [Tsai2010] section 5.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from poise.arrays import Array, Mask, true_runs
from poise.body.body import Body
from poise.body.contact_parts import descendant_links
from poise.body.pose_displacement import PoseDisplacement
from poise.body.pose_space import PoseSpace
from poise.control.pendulum.pendulum import Pendulum
from poise.control.pendulum.reference_gait import SAMPLE_RATE, foot_strike_frames, sample_reference_gait
from poise.measure.metrics import fell_at
from poise.measure.replay import Replay
from poise.reference.archive import motion_display_name
from poise.reference.body_clip import centres_of_mass
from poise.reference.reference import Reference
from poise.rotations import yaw_of
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import column_means, column_totals, distinct_names, row_count, rows_where, summary_by
from poise.study.experiment.trial import perform_until_sunk, stage_trial
from poise.study.pendulum.case import COLOUR, STEP_RATE, late_speed_of_trial, walk_trial

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
    touches = true_runs(_close_contact_gaps_in_trial(force > 0.0, round(FLICKER / step)))
    return [(a, b) for a, b in touches if force[a:b].sum() > WEIGHED * weight / step]


def stance_slips_in_trial(crept: Array, found: list[Stance]) -> Array:
    """(n,) slip (m) in each stance phase but the first and the last, which may be incomplete."""
    return np.array([crept[a:b].sum() for a, b in found[1:-1]])


def scuffs_in_trial(force: Array, found: list[Stance]) -> int:
    """The number of swing phases between stance phases in which the foot scuffs the ground."""
    early, late = SCUFFED
    swings = [(end, begin - end) for (_, end), (begin, _) in pairwise(found)]
    return sum(bool(np.any(force[a + round(early * n) : a + round(late * n)] > 0.0)) for a, n in swings)


def _close_contact_gaps_in_trial(truth: Mask, gap: int) -> Mask:
    """A copy of the mask in which runs of at most `gap` false values between true values become true."""
    out = np.array(truth)
    for (_, end), (begin, _) in pairwise(true_runs(truth)):
        if begin - end <= gap:
            out[end:begin] = True
    return out


# Strides, resampled at equal phases: 0 is a strike of the left foot, 1 is its next strike.

STRIDE_PHASES = 24  # Number of phases at which a stride is sampled
COMPARED = 6.0  # Time (s) of the reference from which strides are taken for comparison


@dataclass(frozen=True)
class Strides:
    """n strides, each sampled at STRIDE_PHASES phases."""

    qpos: Array  # (n, STRIDE_PHASES, nq)
    com: Array  # (n, STRIDE_PHASES, 3) m: forward and left relative to steady progress, and above the ground


def strides_in_trial(body: Body, qpos: Array, struck: Sequence[int]) -> Strides:
    """The strides in poses (T, nq) from each strike of the left foot to the next; `struck`: frames of the strikes."""
    space = PoseSpace(body)
    phases = np.arange(STRIDE_PHASES) / STRIDE_PHASES
    poses, coms = [], []
    for a, b in pairwise(struck):
        own = qpos[a : b + 1]
        frames = space.smooth(own, np.append(phases, 1.0) * (b - a))
        poses.append(frames[:-1])
        coms.append(
            _com_off_progress_for_row(centres_of_mass(body, frames), float(np.mean(np.unwrap(yaw_of(own[:, 3:7])))))
        )
    return Strides(np.reshape(poses, (-1, STRIDE_PHASES, body.nq)), np.reshape(coms, (-1, STRIDE_PHASES, 3)))


def _com_off_progress_for_row(com: Array, yaw: float) -> Array:
    """(STRIDE_PHASES, 3) centre of mass (m) relative to steady progress at a yaw (rad).

    `com` (STRIDE_PHASES + 1, 3) ends with the first phase of the next stride.
    """
    way = PoseDisplacement(-yaw, np.zeros(3)).vector(com)
    progress = np.linspace(0.0, 1.0, len(way))[:, None] * (way[-1] - way[0])
    out = (way - progress)[:-1]
    out[:, :2] -= out[:, :2].mean(axis=0)
    return np.asarray(out)


def reference_strides_for_case(body: Body, reference: Reference) -> Strides:
    """The strides of a reference; no strides if the reference does not walk or has no contact schedule."""
    sampled = sample_reference_gait(reference, body, COMPARED)
    return strides_in_trial(body, sampled.poses, foot_strike_frames(sampled.down[:, 0], SAMPLE_RATE))


def stride_errors_for_row(body: Body, walked: Strides, clip: Strides) -> dict[str, Array]:
    """By the names of ERRORS: differences of the strides of a walk from the most similar stride of a clip.

    Each difference is (STRIDE_PHASES,), a root mean square over strides and joints: degrees for upper body and legs, mm
    for the centre of mass.
    """
    space, count = PoseSpace(body), len(walked.qpos)
    flat = walked.qpos.reshape(-1, body.nq)
    off = np.stack([space.difference(np.tile(stride, (count, 1)), flat) for stride in clip.qpos])
    nearest = int(np.argmin(np.mean(off[:, :, 6:] ** 2, axis=(1, 2))))
    angles = off[nearest].reshape(count, STRIDE_PHASES, body.nv)
    legs = [dof for name in body.groups["legs"] for dof in body.joint(name).dofs]
    upper = np.setdiff1d(np.arange(6, body.nv), legs)
    away = np.sum((walked.com - clip.com[nearest]) ** 2, axis=2)
    joints = [np.degrees(np.sqrt(np.mean(angles[:, :, dofs] ** 2, axis=(0, 2)))) for dofs in (upper, legs)]
    return dict(zip(ERRORS, (*joints, 1e3 * np.sqrt(np.mean(away, axis=0))), strict=True))


# The study.

SPEEDS = (-0.6, -0.3, 0.0, 0.4, 0.8, 1.2, 1.6)  # Commanded speeds, m/s
COARSE = (-0.6, 0.8, 1.6)
SETTLING = 4.0  # Time (s) after which strides and footwork are evaluated
ROW_PHASES = 8  # Number of parts of the stride whose errors are in the row
PHASES = (np.arange(ROW_PHASES) + 0.5) / ROW_PHASES
ERRORS = {"upper_deg": "#1f5fa8", "legs_deg": "#c23b22", "com_mm": "#444444"}
"""Errors relative to the clip, with their colours in the plot."""


@dataclass(frozen=True)
class ImitationCase:
    """A motion at its own or at a commanded speed."""

    motion: str
    wanted: float | None  # commanded speed, m/s; None for the motion's own
    seconds: float
    seed: int


def imitation_cases(scope: Scope) -> list[ImitationCase]:
    """Cases for each motion at its own speed, and for the first motion also at each commanded speed."""
    speeds = COARSE if scope.coarse else SPEEDS
    tried = [(motion, None) for motion in scope.motions] + [(scope.motions[0], speed) for speed in speeds]
    return [ImitationCase(motion, speed, scope.seconds, seed) for motion, speed in tried for seed in range(scope.seeds)]


def run_imitation_case(case: ImitationCase) -> Row:
    """Row of a walk: differences of its strides from the clip, footwork, and speed."""
    run = stage_trial(walk_trial(case.wanted, case.seconds, case.seed, case.motion), Pendulum())
    recording = perform_until_sunk(run, round(case.seconds * STEP_RATE)).recording
    replay = Replay.of(recording)
    scene, fell = run.world.scene, fell_at(recording)
    body = scene.body
    survived = fell is None and recording.steps == round(case.seconds * STEP_RATE)
    first = min(round(SETTLING * STEP_RATE), recording.steps)
    feet = [foot_contact_in_trial(replay, foot.link) for foot in body.feet]
    stood = [stance_phases_in_trial(foot.force[first:], body.mass * scene.gravity, recording.step) for foot in feet]
    strides = strides_in_trial(body, recording.qpos[first:], [begin for begin, _ in stood[0][1:]])
    clip = reference_strides_for_case(body, run.reference)
    slips = np.concatenate(
        [stance_slips_in_trial(foot.crept[first:], own) for foot, own in zip(feet, stood, strict=True)]
    )
    return {
        "motion": motion_display_name(case.motion),
        "wanted": case.wanted,
        "seed": case.seed,
        "survived": survived,
        "fell_at": fell,
        "speed": late_speed_of_trial(replay.com[:, 0, :2], STEP_RATE) if survived else None,
        "steps": sum(map(len, stood)),
        "creep_mm": 1e3 * float(np.median(slips)) if len(slips) else None,
        "scuffs": sum(scuffs_in_trial(foot.force[first:], own) for foot, own in zip(feet, stood, strict=True)),
        **_stride_error_columns(
            stride_errors_for_row(body, strides, clip) if len(strides.qpos) and len(clip.qpos) else None
        ),
    }


def _stride_error_columns(errors: dict[str, Array] | None) -> Row:
    """Columns: rms errors over the stride, then over each of ROW_PHASES parts of the stride; None without strides."""
    found: Mapping[str, Array | None] = errors or dict.fromkeys(ERRORS)
    row: Row = {name: _root_mean_square(values) for name, values in found.items()}
    for name, values in found.items():
        parts = [None] * ROW_PHASES if values is None else np.split(values, ROW_PHASES)
        row |= {f"{name}_{phase}": _root_mean_square(part) for phase, part in enumerate(parts)}
    return row


def _root_mean_square(values: Array | None) -> float | None:
    return None if values is None else float(np.sqrt(np.mean(values**2)))


def plot_imitation(rows: Sequence[Row]) -> Figure:
    """Errors over the stride for each motion at its own speed; speed and creep against the commanded speed."""
    own = rows_where(rows, wanted=None)
    names = distinct_names(own, "motion")
    figure, axes = figure_panels(2, len(names) + 1)
    for (top, bottom), name in zip(axes[:, :-1].T, names, strict=True):
        trials = rows_where(own, motion=name)
        for axis, columns in ((top, ("upper_deg", "legs_deg")), (bottom, ("com_mm",))):
            for column in columns:
                means = column_means(*(f"{column}_{phase}" for phase in range(ROW_PHASES)))
                line = [mean(trials) for mean in means.values()]
                axis.plot(PHASES, np.array(line, float), color=ERRORS[column], label=column.partition("_")[0])
            axis.set_ylim(bottom=0.0)
        top.set_title(name)
        bottom.set_xlabel("phase from a left strike")
    axes[0, 0].set_ylabel("joints, rms degrees")
    axes[1, 0].set_ylabel("centre of mass, rms mm")
    axes[0, 0].legend(frameon=False, fontsize=7)
    _plot_walked_speeds(axes[:, -1], [row for row in rows if row["wanted"] is not None])
    return figure


def _plot_walked_speeds(axes: Any, rows: Sequence[Row]) -> None:
    wanted = [row["wanted"] for row in rows]
    for axis, column, title in zip(axes, ("speed", "creep_mm"), ("m/s walked", "creep, mm a step"), strict=True):
        axis.plot(wanted, np.array([row[column] for row in rows], float), "o", color=COLOUR, ms=4)
        axis.set_title(title)
    axes[0].axline((0.0, 0.0), slope=1.0, color="grey", lw=0.8)
    axes[1].set(ylim=(0.0, None), xlabel="m/s wanted")


STUDY: Study[ImitationCase] = Study(
    name="pendulum-imitation",
    title="errors relative to the clip, walking speeds, creeping and scuffing feet",
    reproduces="Tsai et al. 2010, section 5.1",
    whole=Scope(seeds=3, seconds=60.0, motions=("walk", "walk-slow", "walk-fast")),
    quick=Scope(seeds=1, seconds=12.0, motions=("walk", "walk-slow", "walk-fast"), coarse=True),
    cases=imitation_cases,
    run_case=run_imitation_case,
    summary=summary_by(
        ("motion", "wanted"),
        {
            "trials": row_count,
            **column_totals("survived"),
            **column_means("speed", *ERRORS),
            **column_totals("steps"),
            **column_means("creep_mm"),
            **column_totals("scuffs"),
        },
    ),
    plot=plot_imitation,
)
