"""Survival and response time of a walk that is steered by random commands of heading and speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.commands import SteerCommand
from poise.control.nqr.nqr import Nqr
from poise.library.repertoire import Roaming
from poise.performance.stage import set_up_run
from poise.rotations import yaw_of
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, NamedCase, Row, Scope, Study, named_cases
from poise.study.experiment.table import (
    column_max,
    column_mean,
    column_totals,
    distinct_names,
    row_count,
    rows_where,
    summary_by,
)
from poise.study.experiment.trial import NOISE, judge_run
from poise.study.nqr.transitions import BODY, cached_repertoire
from poise.world.scene import Scene

SPEEDS = {"turns": (1.3,), "turns and speeds": (0.0, 0.9, 1.3, 1.7, 3.0)}  # Commanded speeds (m/s) by kind of case
BETWEEN = (1.0, 7.0)  # Shortest and longest time (s) from one command to the next
NEAR = np.radians(10.0)  # Error of heading (rad) below which a command counts as followed
STRIDE = 1.05  # Duration (s) of a stride of the walk, over which the swing of the pelvis averages out


def random_steering_commands(case: NamedCase) -> list[SteerCommand]:
    """Commands with random times, headings and speeds, drawn from the seed of the case."""
    rng = np.random.default_rng(case.seed)
    commands, time = [], 0.0
    while time < case.seconds:
        speed = float(rng.choice(SPEEDS[case.name]))
        commands.append(SteerCommand(time, float(rng.uniform(-np.pi, np.pi)), speed))
        time += float(rng.uniform(*BETWEEN))
    return commands


def run_steering_case(case: NamedCase) -> Row:
    """Row of a steered walk: whether it survives, and times (s) from commands until their headings are reached."""
    scene, reference, commands = (
        Scene.of(Body.named(BODY)),
        Roaming(cached_repertoire()),
        random_steering_commands(case),
    )
    run = set_up_run(scene, reference, Nqr(), 1 / 120, commands=commands, seed=case.seed, noise=NOISE)
    yaw: list[float] = []
    verdict = asdict(judge_run(run, case.seconds, lambda _: yaw.append(float(yaw_of(run.world.state.qpos[3:7])))))
    failed, delays = verdict.pop("failed"), command_latencies(np.array(yaw), commands, 1.0 / run.step_s)
    return {
        "commands": case.name,
        "seed": case.seed,
        "survived": verdict["fell_at"] is None,
        **verdict,
        "physical": not failed,
        "reached": len(delays),
        "latency": float(np.mean(delays)) if len(delays) else None,
        "latency_90": float(np.percentile(delays, 90)) if len(delays) else None,
    }


def command_latencies(yaw: Array, commands: Sequence[SteerCommand], rate: float) -> Array:
    """(n,) times (s) from a command until its heading is reached, for n headings reached before the next command.

    `yaw` (T,) is the yaw (rad) of the pelvis relative to the first heading, at `rate` (Hz). The moving average of the
    yaw over a stride is the course. Commands to stand, and commands whose heading is already near, do not count.
    """
    width = round(STRIDE * rate)
    if len(yaw) < width:
        return np.zeros(0)
    course = np.convolve(np.unwrap(yaw), np.ones(width) / width, mode="valid")  # starts half a stride late
    times = (np.arange(len(course)) + (width - 1) / 2) / rate
    ends = [command.time for command in commands[1:]] + [times[-1]]
    found = []
    for command, end in zip(commands, ends, strict=True):
        within = (times >= command.time) & (times < end)
        off = np.abs(np.angle(np.exp(1j * (course[within] - command.heading))))
        if command.speed != 0.0 and (off < NEAR).any() and off[0] > NEAR:
            found.append(times[within][np.argmax(off < NEAR)] - command.time)
    return np.array(found)


def plot_steering(rows: Sequence[Row]) -> Figure:
    """Duration and mean latency of each trial."""
    figure, axes = figure_panels(1, 2, size=(7.0, 2.6))
    for name in distinct_names(rows, "commands"):
        own = rows_where(rows, commands=name)
        for axis, column in zip(axes[0], ("seconds", "latency"), strict=True):
            axis.plot([row["seed"] for row in own], [row[column] for row in own], "o", label=name)
            axis.set(xlabel="seed", ylim=(0.0, None))
    axes[0, 0].set_title("s until a fall or the end")
    axes[0, 1].set_title("s from a command to its heading")
    axes[0, 0].legend()
    return figure


STUDY: Study[NamedCase] = Study(
    name="nqr-steering",
    title="a walk under random commands of heading and speed",
    reproduces="Muico et al. 2009, section 5.5",
    whole=Scope(seeds=10, seconds=300.0),
    quick=Scope(seeds=1, seconds=20.0),
    cases=lambda scope: named_cases(SPEEDS, scope),
    run_case=run_steering_case,
    summary=summary_by(
        ("commands",),
        {
            "trials": row_count,
            **column_totals("survived", "physical"),
            "seconds": column_mean("seconds"),
            **column_totals("approximate"),
            "latency": column_mean("latency"),
            "latency_90": column_max("latency_90"),
            "slip": column_mean("slip"),
        },
    ),
    plot=plot_steering,
)
