"""How much does it walk like the clip? [Tsai2010] section 5.1: joints, centre of mass, speed and feet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.body.body import Body
from poise.body.carriage import Carriage
from poise.body.contact_parts import links_from
from poise.body.pose_space import PoseSpace
from poise.control.pendulum.pendulum import Pendulum
from poise.control.pendulum.reference_gait import SAMPLE_RATE, sample_reference, strikes
from poise.measure.metrics import fell_at
from poise.measure.replay import Replay
from poise.reference.archive import spoken_name
from poise.reference.reference import Reference
from poise.rotations import yaw_of
from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import count, grouped, mean, total
from poise.study.experiment.trial import Trial, performed, staged
from poise.study.pendulum.case import BODY, COLOUR, STEP_RATE, late_speed, walking

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What feet do in a recording: when they stand, how far they creep, whether they scuff.

WEIGHED = 0.1
"""s: a touch that gives no more impulse than the weight does in this time is no stance."""
FLICKER = 0.04
"""s: a foot that is up for no longer has not left the ground."""
SCUFFED = (0.2, 0.8)
"""Of a swing: a touch between is one that should not be."""

Stance = tuple[int, int]
"""The step in which a foot comes down, and the first in which it is up again."""


@dataclass(frozen=True)
class Tread:
    """What a foot does in each of T steps."""

    force: Array  # (T,) N that bears it
    crept: Array  # (T,) m by which contact points slip, the mean by their force; one that just meets the ground by 0


def tread(replay: Replay, foot: str) -> Tread:
    """Of a foot, by the name of its link, with its toes."""
    recording = replay.recording
    links = links_from(recording.model, recording.model.body(foot).id)
    own = np.isin(recording.contact_body, links) & (recording.contact_kind == 0)
    at, steps = recording.contact_step[own], recording.steps
    bears = np.einsum("ni,ni->n", recording.contact_force[own], recording.contact_normal[own])
    force = np.bincount(at, bears, steps).astype(float)
    slipped = np.bincount(at, bears * replay.touched[own] * replay.slip[own] * recording.step, steps)
    return Tread(force, np.divide(slipped, force, out=np.zeros(steps), where=force > 0))


def stances(force: Array, weight: float, step: float) -> list[Stance]:
    """When a foot stands, from the force (T,) N that bears it in steps of so many seconds."""
    touches = _runs(_closed(force > 0.0, round(FLICKER / step)))
    return [(a, b) for a, b in touches if force[a:b].sum() > WEIGHED * weight / step]


def creeps(crept: Array, found: list[Stance]) -> Array:
    """(n,) m: how far contact points slip in each stance but the first and last, which may not be whole."""
    return np.array([crept[a:b].sum() for a, b in found[1:-1]])


def scuffs(force: Array, found: list[Stance]) -> int:
    """In how many of the swings between stances the foot touches when it should be on its way."""
    early, late = SCUFFED
    swings = [(end, begin - end) for (_, end), (begin, _) in pairwise(found)]
    return sum(bool(np.any(force[a + round(early * n) : a + round(late * n)] > 0.0)) for a, n in swings)


def _runs(truth: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Begin and end of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], truth, [False]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _closed(truth: NDArray[np.bool_], gap: int) -> NDArray[np.bool_]:
    """With runs of at most so many false values between true ones filled."""
    out = np.array(truth)
    for (_, end), (begin, _) in pairwise(_runs(truth)):
        if begin - end <= gap:
            out[end:begin] = True
    return out


# Strides of a walk, at phases that are alike: 0 is a strike of the left foot, 1 the next.

STRIDE_PHASES = 24
HEARD = 6.0
"""s of a reference that are compared with."""


@dataclass(frozen=True)
class Strides:
    """n strides at STRIDE_PHASES phases."""

    qpos: Array  # (n, STRIDE_PHASES, nq)
    com: Array  # (n, STRIDE_PHASES, 3) m about its steady progress, ahead and to the left; above the ground


@dataclass(frozen=True)
class StrideErrors:
    """How strides differ from one of a clip, at each phase: root mean squares over strides and joints."""

    upper: Array  # (STRIDE_PHASES,) rad
    legs: Array  # (STRIDE_PHASES,) rad
    com: Array  # (STRIDE_PHASES,) m


def strides_of(body: Body, qpos: Array, struck: Sequence[int]) -> Strides:
    """Those between strikes of the left foot, at frames of poses (T, nq)."""
    space = PoseSpace(body)
    phases = np.arange(STRIDE_PHASES) / STRIDE_PHASES
    poses, coms = [], []
    for a, b in pairwise(struck):
        own = qpos[a : b + 1]
        frames = space.smooth(own, np.append(phases, 1.0) * (b - a))
        poses.append(frames[:-1])
        coms.append(_steadied(_com(body, frames), float(np.mean(np.unwrap(yaw_of(own[:, 3:7]))))))
    return Strides(np.reshape(poses, (-1, STRIDE_PHASES, body.nq)), np.reshape(coms, (-1, STRIDE_PHASES, 3)))


def _com(body: Body, frames: Array) -> Array:
    """(T, 3) m."""
    data = mujoco.MjData(body.model)
    out = np.zeros((len(frames), 3))
    for frame, place in zip(frames, out, strict=True):
        data.qpos[:] = frame
        mujoco.mj_kinematics(body.model, data)
        mujoco.mj_comPos(body.model, data)
        place[:] = data.subtree_com[1]
    return out


def _steadied(com: Array, yaw: float) -> Array:
    """(STRIDE_PHASES, 3) of a stride's centre of mass (STRIDE_PHASES + 1, 3), its last that of the next stride."""
    way = Carriage(-yaw, np.zeros(3)).vector(com)
    progress = np.linspace(0.0, 1.0, len(way))[:, None] * (way[-1] - way[0])
    out = (way - progress)[:-1]
    out[:, :2] -= out[:, :2].mean(axis=0)
    return np.asarray(out)


def reference_strides(body: Body, reference: Reference) -> Strides:
    """Those of what is imitated; none if it does not walk, or does not tell when its feet bear."""
    heard = sample_reference(reference, body, HEARD)
    return strides_of(body, heard.poses, strikes(heard.down[:, 0], SAMPLE_RATE))


def compared(body: Body, walked: Strides, clip: Strides) -> StrideErrors:
    """How a walk differs from the one stride of a clip that it is nearest to."""
    space, count = PoseSpace(body), len(walked.qpos)
    flat = walked.qpos.reshape(-1, body.nq)
    off = np.stack([space.difference(np.tile(stride, (count, 1)), flat) for stride in clip.qpos])
    nearest = int(np.argmin(np.mean(off[:, :, 6:] ** 2, axis=(1, 2))))
    angles = off[nearest].reshape(count, STRIDE_PHASES, body.nv)
    legs = [dof for name in body.groups["legs"] for dof in body.joint(name).dofs]
    upper = np.setdiff1d(np.arange(6, body.nv), legs)
    away = np.sum((walked.com - clip.com[nearest]) ** 2, axis=2)
    return StrideErrors(
        np.sqrt(np.mean(angles[:, :, upper] ** 2, axis=(0, 2))),
        np.sqrt(np.mean(angles[:, :, legs] ** 2, axis=(0, 2))),
        np.sqrt(np.mean(away, axis=0)),
    )


SPEEDS = (-0.6, -0.3, 0.0, 0.4, 0.8, 1.2, 1.6)
"""m/s."""
COARSE = (-0.6, 0.8, 1.6)
SETTLING = 4.0
"""s after which strides and steps are looked at."""
TOLD_PHASES = 8
PHASES = (np.arange(TOLD_PHASES) + 0.5) / TOLD_PHASES
ERRORS = {"upper_deg": "#1f5fa8", "legs_deg": "#c23b22", "com_mm": "#444444"}
"""What is compared with the clip, and how it is drawn."""


@dataclass(frozen=True)
class ImitationCase:
    """A motion at its own speed, or at another."""

    motion: str
    wanted: float | None  # m/s
    seconds: float
    seed: int


def cases(scope: Scope) -> list[ImitationCase]:
    """Each motion at its own speed; the first one at all others too."""
    speeds = COARSE if scope.coarse else SPEEDS
    tried = [(motion, None) for motion in scope.motions] + [(scope.motions[0], speed) for speed in speeds]
    return [ImitationCase(motion, speed, scope.seconds, seed) for motion, speed in tried for seed in range(scope.seeds)]


def measure(case: ImitationCase) -> Row:
    """Let it walk, and compare."""
    trial = Trial(
        case.motion,
        BODY,
        seconds=case.seconds,
        seed=case.seed,
        commands=() if case.wanted is None else walking(case.wanted),
        rate=STEP_RATE,
    )
    run, world, reference = staged(trial, Pendulum())
    recording = performed(run, world, round(case.seconds * STEP_RATE)).recording
    replay = Replay.of(recording)
    body, fell = world.scene.body, fell_at(recording)
    survived = fell is None and recording.steps == round(case.seconds * STEP_RATE)
    first = min(round(SETTLING * STEP_RATE), recording.steps)
    feet = [tread(replay, foot.link) for foot in body.feet]
    stood = [stances(foot.force[first:], body.mass * world.scene.gravity, recording.step) for foot in feet]
    strides = strides_of(body, recording.qpos[first:], [begin for begin, _ in stood[0][1:]])
    clip = reference_strides(body, reference)
    crept = [creeps(foot.crept[first:], own) for foot, own in zip(feet, stood, strict=True)]
    return {
        "motion": spoken_name(case.motion),
        "wanted": case.wanted,
        "seed": case.seed,
        "survived": survived,
        "fell_at": fell,
        "speed": late_speed(replay.com[:, 0, :2], STEP_RATE) if survived else None,
        "steps": sum(map(len, stood)),
        "creep_mm": _median_mm(np.concatenate(crept)),
        "scuffs": sum(scuffs(foot.force[first:], own) for foot, own in zip(feet, stood, strict=True)),
        **_told(compared(body, strides, clip) if len(strides.qpos) and len(clip.qpos) else None),
    }


def _median_mm(lengths: Array) -> float | None:
    return 1e3 * float(np.median(lengths)) if len(lengths) else None


def _told(errors: StrideErrors | None) -> Row:
    """Root mean squares over the stride, then phase by phase; nothing where there is nothing to compare."""
    found = dict.fromkeys(ERRORS) if errors is None else _in_units(errors)
    row: Row = {name: _rms(values) for name, values in found.items()}
    for name, values in found.items():
        parts = [None] * TOLD_PHASES if values is None else np.split(values, TOLD_PHASES)
        row |= {f"{name}_{phase}": _rms(part) for phase, part in enumerate(parts)}
    return row


def _in_units(errors: StrideErrors) -> dict[str, Array]:
    values = (np.degrees(errors.upper), np.degrees(errors.legs), 1e3 * errors.com)
    return dict(zip(ERRORS, values, strict=True))


def _rms(values: Array | None) -> float | None:
    return None if values is None else float(np.sqrt(np.mean(values**2)))


def summary(rows: Sequence[Row]) -> list[Row]:
    """By motion and speed, the means of all seeds."""
    columns = {
        "trials": count,
        "survived": total("survived"),
        "speed": mean("speed"),
        **{name: mean(name) for name in ERRORS},
        "steps": total("steps"),
        "creep_mm": mean("creep_mm"),
        "scuffs": total("scuffs"),
    }
    return grouped(rows, ("motion", "wanted"), columns)


def plot(rows: Sequence[Row]) -> Figure:
    """Errors over the stride of each motion at its own speed; speeds that are held, and how feet creep at them."""
    own = [row for row in rows if row["wanted"] is None]
    names = list(dict.fromkeys(str(row["motion"]) for row in own))
    figure, axes = panels(2, len(names) + 1)
    for (top, bottom), name in zip(axes[:, :-1].T, names, strict=True):
        here = [row for row in own if row["motion"] == name]
        for axis, columns in ((top, ("upper_deg", "legs_deg")), (bottom, ("com_mm",))):
            for column in columns:
                line = [mean(f"{column}_{phase}")(here) for phase in range(TOLD_PHASES)]
                axis.plot(PHASES, np.array(line, float), color=ERRORS[column], label=column.partition("_")[0])
            axis.set_ylim(bottom=0.0)
        top.set_title(name)
        bottom.set_xlabel("phase from a left strike")
    axes[0, 0].set_ylabel("joints, rms degrees")
    axes[1, 0].set_ylabel("centre of mass, rms mm")
    axes[0, 0].legend(frameon=False, fontsize=7)
    _speeds(axes[:, -1], [row for row in rows if row["wanted"] is not None])
    return figure


def _speeds(axes: Any, rows: Sequence[Row]) -> None:
    wanted = [row["wanted"] for row in rows]
    for axis, column, title in zip(axes, ("speed", "creep_mm"), ("m/s walked", "creep, mm a step"), strict=True):
        axis.plot(wanted, np.array([row[column] for row in rows], float), "o", color=COLOUR, ms=4)
        axis.set_title(title)
    axes[0].axline((0.0, 0.0), slope=1.0, color="grey", lw=0.8)
    axes[1].set_ylim(bottom=0.0)
    axes[1].set_xlabel("m/s wanted")


STUDY: Study[ImitationCase] = Study(
    name="pendulum-imitation",
    title="error against the clip, speeds that are held, creeping and scuffing feet",
    reproduces="Tsai et al. 2010, section 5.1",
    whole=Scope(seeds=3, seconds=60.0, motions=("walk", "walk-slow", "walk-fast")),
    quick=Scope(seeds=1, seconds=12.0, motions=("walk", "walk-slow", "walk-fast"), coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
