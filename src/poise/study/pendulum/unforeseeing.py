"""A walker that does not look where it steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.body import Body
from poise.control.controller import Ground, Setting, Stage
from poise.control.pendulum import Pendulum
from poise.dynamics import Actuation, State
from poise.frozen import Array
from poise.reference import Reference


class Unforeseeing:
    """The pendulum, believing that all ground is as high as where it is: every change of level surprises a foot."""

    def __init__(self, pendulum: Pendulum) -> None:
        self._pendulum = pendulum
        self.name, self.settings, self.needs_physics = pendulum.name, pendulum.settings, pendulum.needs_physics

    def reset(self, world: Stage, reference: Reference) -> None:
        """Get ready, with wrong beliefs."""
        scene = _Scene(world.scene.body, _Level(world), world.scene.model)
        self._pendulum.reset(_World(scene, world.torque_limit, world.state), reference)

    def act(self, state: State) -> Actuation:
        """What the pendulum does."""
        return self._pendulum.act(state)

    def target(self, time: float) -> Array:
        """What the pendulum tracks."""
        return self._pendulum.target(time)

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Steer the pendulum."""
        self._pendulum.steer(heading, speed)


@dataclass(frozen=True)
class _Level:
    """Ground that is as high everywhere as under the root."""

    world: Stage

    def height(self, x: float, y: float) -> float:  # noqa: ARG002
        """There, wherever it is asked for."""
        here = self.world.state.qpos
        return self.world.scene.terrain.height(float(here[0]), float(here[1]))

    def heights(self, x: Array, y: Array) -> Array:  # noqa: ARG002
        """There, at as many places."""
        return np.full(len(x), self.height(0.0, 0.0))


@dataclass(frozen=True)
class _Scene:
    body: Body
    terrain: Ground
    model: Any


@dataclass(frozen=True)
class _World:
    scene: Setting
    torque_limit: Array
    state: State
