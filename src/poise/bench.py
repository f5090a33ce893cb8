"""Speed of a step, as a ratio to MuJoCo's own step on the same model in the same run.

Processor time is measured: what else runs on the machine does not count.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from poise.body import Body
from poise.control import named_controller
from poise.errors import PoiseError
from poise.measure.mujocos import BATCH, MujocoStep, seconds_of
from poise.performance import Run, start
from poise.reference import named_motion
from poise.world.scene import Scene
from poise.world.world import World


@dataclass(frozen=True)
class Row:
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


def bench(steps: int) -> list[Row]:
    """Standing, flying free, and walking under control, for the bodies of the nqr and pendulum papers."""
    if not 10 <= steps <= 1_000_000:
        raise PoiseError(f"{steps} steps: must be between 10 and 1000000")
    return [
        _case("biped29", True, steps, 6.0),
        _case("biped29", False, steps, 3.0),
        _case("human58", True, steps, 5.0),
        _case("human58", False, steps, 3.0),
        *_walking(steps),
    ]


def walking_speed(steps: int) -> float:
    """Simulated seconds per second of a walk of biped29 under nqr, with all that is recorded of it."""
    body = Body.named("biped29")
    world = World(Scene.of(body))
    run = Run(world, named_controller("nqr"), named_motion("walk", body))
    return world.settings.step / seconds_of(run.step, steps)


def _walking(steps: int) -> list[Row]:
    """Control and simulation of a walk: the median, and what one step in a hundred passes."""
    body = Body.named("biped29")
    world, controller, reference = World(Scene.of(body)), named_controller("nqr"), named_motion("walk", body)
    start(world, reference, 0, 0.0)
    controller.reset(world, reference)
    world.load()
    mujocos = MujocoStep(world)
    ours, theirs, contacts = [], [], []
    for step in range(steps):
        if step % BATCH == 0:
            theirs.append(mujocos.seconds(world.qpos, world.qvel))
        ours.append(seconds_of(lambda: world.step(controller.act(world.state))))
        contacts.append(int(world.contacts.touching.sum()))
    median, slow = 1e6 * np.percentile(ours, (50, 99))
    usual, mujoco_us = int(np.median(contacts)), 1e6 * float(np.median(theirs))
    return [
        Row("biped29 walking, nqr", usual, float(median), mujoco_us, 12.0),
        Row("biped29 walking, nqr, p99", usual, float(slow), mujoco_us, 30.0),
    ]


def _case(name: str, standing: bool, steps: int, bound: float) -> Row:
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
    return Row(case, contacts, 1e6 * float(np.median(ours)), 1e6 * float(np.median(theirs)), bound)
