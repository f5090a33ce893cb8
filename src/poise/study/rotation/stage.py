"""What searches and studies of rotation rehearse: a behaviour, where, and from how noisy a start."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.body import Body
from poise.control.rotation import Rotation, RotationSettings
from poise.performance import Run
from poise.reference.behaviours import Behaviour, Staged
from poise.study.rotation.jolted import Jolted
from poise.world.result import StepResult
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

SOUND = 0.025
"""Of friction's work, that drives: half of what the audit bears."""


@dataclass(frozen=True)
class Rehearsal:
    """What is performed, where, and from how noisy a start."""

    behaviour: Behaviour
    terrain: str = "flat"
    seconds: float = 10.0
    seed: int = 0
    noise: float = 0.1  # rad/s, of the first joint velocities
    jolt: float = 0.0  # rad/s, of joint velocities when a flip takes off
    limits: str | None = None  # instead of the behaviour's own
    strength: float = 1.0  # of the limits
    rate: float | None = None  # Hz, instead of the behaviour's own
    settings: RotationSettings = field(default_factory=RotationSettings)

    @property
    def hertz(self) -> float:
        """The rate at which it goes."""
        return self.behaviour.rate if self.rate is None else self.rate


def staged(rehearsal: Rehearsal) -> tuple[Run, World, Rotation]:
    """A rehearsal at its beginning."""
    behaviour = rehearsal.behaviour
    body = Body.named(behaviour.body)
    limits = rehearsal.limits or behaviour.limits
    if limits is not None:
        body = body.with_torque_limits(limits)
    if rehearsal.strength != 1.0:
        body = body.with_torque_limits(rehearsal.strength * body.torque_limit)
    world = World(Scene.of(body, rehearsal.terrain), WorldSettings(step=1.0 / rehearsal.hertz))
    controller = Rotation(rehearsal.settings, behaviour)
    if rehearsal.jolt:
        controller = Jolted(rehearsal.settings, behaviour, rehearsal.jolt, rehearsal.seed)
    return (
        Run(world, controller, Staged(behaviour, body), seed=rehearsal.seed, noise=rehearsal.noise),
        world,
        controller,
    )


def touching(world: World, result: StepResult) -> set[str]:
    """Links that were pressed against anything in a step."""
    return {world.model.body(int(body)).name for body in np.unique(result.body[result.impulse[:, 0] > 0])}


def of_foot(link: str) -> bool:
    """Whether a link is one of those that bodies stand on."""
    return link.endswith(("_foot", "_toes"))
