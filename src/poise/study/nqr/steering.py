"""Does it go where it is told, and for how long? A walk under commands drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.commands import Command
from poise.control.nqr.nqr import Nqr
from poise.library.repertoire import Repertoire, Roaming, shipped_repertoire
from poise.performance.cues import steer_cue
from poise.performance.run import Run
from poise.rotations import yaw_of
from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import count, grouped, mean, most, total
from poise.study.experiment.trial import NOISE, judge
from poise.world.scene import Scene
from poise.world.world import World

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BODY = "biped29"
SPEEDS = {"turns": (1.3,), "turns and speeds": (0.0, 0.9, 1.3, 1.7, 3.0)}
"""m/s that are wanted, by what is commanded."""
BETWEEN = (1.0, 7.0)
"""s from one command to the next, at least and at most."""
NEAR = np.radians(10.0)
"""Off the wanted heading by less, it is there."""
STRIDE = 1.05
"""s, of the walk: within one the pelvis swings to both sides alike."""


@dataclass(frozen=True)
class Drive:
    """A walk under random commands."""

    commands: str  # a key of SPEEDS
    seconds: float
    seed: int


def cases(scope: Scope) -> list[Drive]:
    """All seeds with and without commands of speed."""
    return [Drive(name, scope.seconds, seed) for name in SPEEDS for seed in range(scope.seeds)]


@lru_cache(maxsize=1)
def _repertoire() -> Repertoire:
    return shipped_repertoire(Body.named(BODY))


def random_commands(drive: Drive) -> list[Command]:
    """Headings and speeds drawn from the seed, at times drawn likewise."""
    dice = np.random.default_rng(drive.seed)
    commands, time = [], 0.0
    while time < drive.seconds:
        speed = float(dice.choice(SPEEDS[drive.commands]))
        commands.append(Command(time, float(dice.uniform(-np.pi, np.pi)), speed))
        time += float(dice.uniform(*BETWEEN))
    return commands


def measure(drive: Drive) -> Row:
    """Steer it: whether it survived, and how long it took from commands to their headings."""
    controller, world = Nqr(), World(Scene.of(Body.named(BODY)))
    reference, commands = Roaming(_repertoire()), random_commands(drive)
    cues = [steer_cue(controller, command) for command in commands]
    run = Run(world, controller, reference, cues=cues, seed=drive.seed, noise=NOISE)
    yaw: list[float] = []
    verdict = asdict(judge(run, world, reference, drive.seconds, lambda _: yaw.append(_yaw(world.state.qpos))))
    failed, late = verdict.pop("failed"), latencies(np.array(yaw), commands, 1.0 / world.settings.step)
    return {
        "commands": drive.commands,
        "seed": drive.seed,
        "survived": verdict["fell_at"] is None,
        **verdict,
        "physical": not failed,
        "reached": len(late),
        "latency": float(np.mean(late)) if len(late) else None,
        "latency_90": float(np.percentile(late, 90)) if len(late) else None,
    }


def _yaw(qpos: Array) -> float:
    return float(yaw_of(qpos[3:7]))


def latencies(yaw: Array, commands: Sequence[Command], rate: float) -> Array:
    """s from each command to the first moment at which it goes there, of those that were not changed before.

    `yaw` (T,) rad is that of the pelvis from the first heading on; its mean over a stride is where it goes.
    """
    width = round(STRIDE * rate)
    if len(yaw) < width:
        return np.zeros(0)
    course = np.convolve(np.unwrap(yaw), np.ones(width) / width, mode="valid")  # from half a stride on
    times = (np.arange(len(course)) + (width - 1) / 2) / rate
    ends = [command.time for command in commands[1:]] + [times[-1]]
    found = []
    for command, end in zip(commands, ends, strict=True):
        within = (times >= command.time) & (times < end)
        off = np.abs(np.angle(np.exp(1j * (course[within] - command.heading))))
        if command.speed != 0.0 and (off < NEAR).any() and off[0] > NEAR:
            found.append(times[within][np.argmax(off < NEAR)] - command.time)
    return np.array(found)


def summary(rows: Sequence[Row]) -> list[Row]:
    """How all seeds went."""
    columns = {
        "trials": count,
        "survived": total("survived"),
        "physical": total("physical"),
        "seconds": mean("seconds"),
        "approximate": total("approximate"),
        "latency": mean("latency"),
        "latency_90": most("latency_90"),
        "slip": mean("slip"),
    }
    return grouped(rows, ("commands",), columns)


def plot(rows: Sequence[Row]) -> Figure:
    """How long each went, and its latency."""
    names = list(dict.fromkeys(str(row["commands"]) for row in rows))
    figure, axes = panels(1, 2, size=(7.0, 2.6))
    for name in names:
        here = [row for row in rows if row["commands"] == name]
        for axis, column in zip(axes[0], ("seconds", "latency"), strict=True):
            axis.plot([row["seed"] for row in here], [row[column] for row in here], "o", label=name)
            axis.set_xlabel("seed")
            axis.set_ylim(bottom=0.0)
    axes[0, 0].set_title("s until it fell, or time was up")
    axes[0, 1].set_title("s from a command to its heading")
    axes[0, 0].legend()
    return figure


STUDY: Study[Drive] = Study(
    name="nqr-steering",
    title="a walk under random commands of heading and speed",
    reproduces="Muico et al. 2009, section 5.5",
    whole=Scope(seeds=10, seconds=300.0),
    quick=Scope(seeds=1, seconds=20.0),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
