"""`poise bench`."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from poise.body.body import Body
from poise.cli.command import Report, add_command
from poise.control.catalogue import named_controller
from poise.errors import PoiseError
from poise.library.motions import named_motion
from poise.measure.speed import BATCH, MujocoStep, seconds_of, timed_steps
from poise.performance.run import Run
from poise.performance.start import PlacedReference, start
from poise.reference.reference import Reference
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

# Speed of a step, as a ratio to MuJoCo's own step on the same model in the same run.
#
# Processor time is measured: what else runs on the machine does not count.


@dataclass(frozen=True)
class BenchRow:
    """One case."""

    case: str
    contacts: int  # that touch, in Poise
    poise_us: float
    mujoco_us: float
    bound: float  # what the ratio is meant to stay below

    @property
    def ratio(self) -> float:
        """How many of MuJoCo's steps one of ours costs."""
        return self.poise_us / self.mujoco_us

    def as_dict(self) -> dict[str, float | str]:
        """For JSON."""
        return {**asdict(self), "ratio": self.ratio}


def bench(steps: int) -> list[BenchRow]:
    """Standing, flying free, and walking under control, for the bodies of the nqr and pendulum papers."""
    if not 10 <= steps <= 1_000_000:
        raise PoiseError(f"{steps} steps: must be between 10 and 1000000")
    return [
        _case("biped29", True, steps, 6.0),
        _case("biped29", False, steps, 3.0),
        _case("human58", True, steps, 5.0),
        _case("human58", False, steps, 3.0),
        *(row for walk in WALKS for row in _walking(walk, steps)),
    ]


@dataclass(frozen=True)
class BenchWalk:
    """A walk under control."""

    body: str
    controller: str
    step: float  # s
    bound: float  # on the ratio of its usual step to MuJoCo's
    slow: float  # on that of one step in a hundred
    fast: float  # times real time that it should be, at least

    @property
    def name(self) -> str:
        """For tables."""
        return f"{self.body} walking, {self.controller}"


WALKS = (
    BenchWalk("biped29", "nqr", 1 / 120, 12.0, 30.0, 25.0),
    BenchWalk("human58", "pendulum", 1 / 50, 25.0, 40.0, 15.0),
)


def walking_speed(walk: BenchWalk, steps: int) -> float:
    """Simulated seconds per second of a walk, with all that is recorded of it."""
    world, reference = _set(walk)
    run = Run(world, named_controller(walk.controller), reference)
    return walk.step / seconds_of(run.step, steps)


def _set(walk: BenchWalk) -> tuple[World, Reference]:
    body = Body.named(walk.body)
    return World(Scene.of(body), WorldSettings(step=walk.step)), named_motion("walk", body)


def _walking(walk: BenchWalk, steps: int) -> list[BenchRow]:
    """Control and simulation: the mean, and what one step in a hundred passes."""
    (world, reference), controller = _set(walk), named_controller(walk.controller)
    controller.reset(world, PlacedReference(reference, start(world, reference, 0, 0.0)))
    pace = timed_steps(world, controller, steps)
    slow = 1e6 * float(np.percentile(pace.whole, 99))
    usual, mujoco_us = int(np.median(pace.contacts)), 1e6 * float(np.median(pace.mujoco))
    return [
        BenchRow(walk.name, usual, 1e6 * float(pace.whole.mean()), mujoco_us, walk.bound),
        BenchRow(f"{walk.name}, p99", usual, slow, mujoco_us, walk.slow),
    ]


def _case(name: str, standing: bool, steps: int, bound: float) -> BenchRow:
    body = Body.named(name)
    world = World(Scene.of(body))
    reference = named_motion("stand", body)
    start(world, reference, 0, 0.0)
    qpos = world.qpos.copy()
    if not standing:
        qpos[2] += 1000.0  # far from the ground, so that it does not land while it is timed
    controller = named_controller("hold")
    controller.reset(world, reference)
    world.reset(qpos, np.zeros(body.nv))
    actuation = controller.act(world.state)
    mujocos = MujocoStep(world)
    ours, theirs, contacts = [], [], 0
    for _ in range(max(1, steps // BATCH)):
        world.reset(qpos, np.zeros(body.nv))
        ours.append(seconds_of(lambda: world.step(actuation), BATCH))
        contacts = int(world.contacts.touching.sum())
        theirs.append(mujocos.seconds(qpos, np.zeros(body.nv)))
    case = f"{name} {'standing' if standing else 'flying'}"
    return BenchRow(case, contacts, 1e6 * float(np.median(ours)), 1e6 * float(np.median(theirs)), bound)


def add(commands: Any) -> None:
    """Its arguments."""
    command = add_command(
        commands, "bench", _bench, "speed, as ratios to MuJoCo's own step on the same body", "poise bench --steps 2000"
    )
    command.add_argument("--steps", type=int, default=1000, help="steps to time in each case")


def _bench(chosen: argparse.Namespace) -> Report:

    rows = bench(chosen.steps)
    lines = [f"{'case':30} {'contacts':>8} {'poise us':>9} {'mj_step us':>10} {'ratio':>6} {'bound':>6}"]
    lines += [
        f"{row.case:30} {row.contacts:8d} {row.poise_us:9.1f} {row.mujoco_us:10.1f} {row.ratio:6.2f} {row.bound:6.1f}"
        for row in rows
    ]
    speeds = {walk.name: walking_speed(walk, chosen.steps) for walk in WALKS}
    lines += [
        f"{walk.name}: {speeds[walk.name]:.0f} times as fast as real time, recorded (bound: at least {walk.fast:g})"
        for walk in WALKS
    ]
    return Report("\n".join(lines), {"cases": [row.as_dict() for row in rows], "real_time_factor": speeds})
