"""How much does it walk like the clip? [Tsai2010] section 5.1: joints, centre of mass, speed and feet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.control.pendulum import Pendulum
from poise.frozen import Array
from poise.measure.metrics import fell_at
from poise.measure.replay import Replay
from poise.reference.archive import spoken_name
from poise.study.pendulum.case import BODY, COLOUR, RATE, late_speed, walking
from poise.study.pendulum.gait import creeps, scuffs, stances, tread
from poise.study.pendulum.strides import Errors, compared, reference_strides, strides_of
from poise.study.plots import panels
from poise.study.study import Row, Scope, Study
from poise.study.table import count, grouped, mean, total
from poise.study.trial import Trial, performed, staged

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
class Case:
    """A motion at its own speed, or at another."""

    motion: str
    wanted: float | None  # m/s
    seconds: float
    seed: int


def cases(scope: Scope) -> list[Case]:
    """Each motion at its own speed; the first one at all others too."""
    speeds = COARSE if scope.coarse else SPEEDS
    tried = [(motion, None) for motion in scope.motions] + [(scope.motions[0], speed) for speed in speeds]
    return [Case(motion, speed, scope.seconds, seed) for motion, speed in tried for seed in range(scope.seeds)]


def measure(case: Case) -> Row:
    """Let it walk, and compare."""
    trial = Trial(
        case.motion,
        BODY,
        seconds=case.seconds,
        seed=case.seed,
        commands=() if case.wanted is None else walking(case.wanted),
        rate=RATE,
    )
    run, world, reference = staged(trial, Pendulum())
    recording = performed(run, world, round(case.seconds * RATE)).recording
    replay = Replay.of(recording)
    body, fell = world.scene.body, fell_at(recording)
    survived = fell is None and recording.steps == round(case.seconds * RATE)
    first = min(round(SETTLING * RATE), recording.steps)
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
        "speed": late_speed(replay.com[:, 0, :2], RATE) if survived else None,
        "steps": sum(map(len, stood)),
        "creep_mm": _median_mm(np.concatenate(crept)),
        "scuffs": sum(scuffs(foot.force[first:], own) for foot, own in zip(feet, stood, strict=True)),
        **_told(compared(body, strides, clip) if len(strides.qpos) and len(clip.qpos) else None),
    }


def _median_mm(lengths: Array) -> float | None:
    return 1e3 * float(np.median(lengths)) if len(lengths) else None


def _told(errors: Errors | None) -> Row:
    """Root mean squares over the stride, then phase by phase; nothing where there is nothing to compare."""
    found = dict.fromkeys(ERRORS) if errors is None else _in_units(errors)
    row: Row = {name: _rms(values) for name, values in found.items()}
    for name, values in found.items():
        parts = [None] * TOLD_PHASES if values is None else np.split(values, TOLD_PHASES)
        row |= {f"{name}_{phase}": _rms(part) for phase, part in enumerate(parts)}
    return row


def _in_units(errors: Errors) -> dict[str, Array]:
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


STUDY: Study[Case] = Study(
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
