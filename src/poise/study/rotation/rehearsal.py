"""A behaviour performed once and judged: what searches and studies of rotation are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.body import Body
from poise.control.rotation import Rotation, RotationSettings
from poise.performance import Performance, Run
from poise.reference.behaviours import Behaviour, Staged
from poise.world.result import BlowUp
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

STALLED = 2.5
"""s without a tenth of a turn: a roll that will not go on."""
FAR = 0.07
"""m: what closes a gap as wide within a step slams; beyond 0.08 m the audit does not find where it touched."""


@dataclass(frozen=True)
class Rehearsal:
    """What is performed, where, and from how noisy a start."""

    behaviour: Behaviour
    terrain: str = "flat"
    seconds: float = 10.0
    seed: int = 0
    noise: float = 0.1  # rad/s, of the first joint velocities
    limits: str | None = None  # instead of the behaviour's own
    strength: float = 1.0  # of the limits
    rate: float = 60.0  # Hz
    settings: RotationSettings = field(default_factory=RotationSettings)


@dataclass(frozen=True)
class Rolled:
    """What came of a roll."""

    turns: float
    seconds: float  # until it stalled, or its time was up
    stalled: bool
    blew_up: bool
    slammed: int  # contacts that closed from too far away within a step
    performance: Performance


def staged(rehearsal: Rehearsal) -> tuple[Run, World, Rotation]:
    """A rehearsal at its beginning."""
    behaviour = rehearsal.behaviour
    body = Body.named(behaviour.body)
    limits = rehearsal.limits or behaviour.limits
    if limits is not None:
        body = body.with_torque_limits(limits)
    if rehearsal.strength != 1.0:
        body = body.with_torque_limits(rehearsal.strength * body.torque_limit)
    world = World(Scene.of(body, rehearsal.terrain), WorldSettings(step=1.0 / rehearsal.rate))
    controller = Rotation(rehearsal.settings, behaviour)
    return (
        Run(world, controller, Staged(behaviour, body), seed=rehearsal.seed, noise=rehearsal.noise),
        world,
        controller,
    )


def roll(rehearsal: Rehearsal) -> Rolled:
    """Roll until the time is up, or until it goes no further."""
    run, world, controller = staged(rehearsal)
    patience = round(STALLED * rehearsal.rate)
    turned: list[float] = []
    stalled, failure, slammed = False, None, 0
    try:
        for step in range(round(rehearsal.seconds * rehearsal.rate)):
            gap = world.contacts.gap
            slammed += int(np.sum((run.step().impulse[:, 0] > 0) & (gap > FAR)))
            turned.append(controller.performing.turned)
            if step >= patience and max(turned[-patience:]) < max(turned[:-patience]) + 0.1:
                stalled = True
                break
    except BlowUp as error:
        failure = error
    taken = run.take(failure)
    return Rolled(max(turned, default=0.0), world.time, stalled, failure is not None, slammed, taken)


def score_of_roll(rehearsal: Rehearsal) -> float:
    """Turns, less what effort, slamming and blowing up cost."""
    rolled = roll(rehearsal)
    torque = rolled.performance.recording.torque[:, 6:]
    limit = np.array(rolled.performance.recording.meta["torque_limits"], float)[6:]
    effort = float(np.mean((torque / limit) ** 2)) if len(torque) else 0.0
    return rolled.turns - 2.0 * effort - 0.1 * rolled.slammed - 0.5 * rolled.blew_up


def score(rehearsal: Rehearsal) -> float:
    """Of a behaviour of any kind: the higher the better."""
    return score_of_roll(rehearsal)
