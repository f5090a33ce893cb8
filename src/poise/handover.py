"""One controller after another: who comes to stand hands the body over to somebody else."""

from __future__ import annotations

from math import atan2, cos, sin
from typing import Any, Protocol, runtime_checkable

import mujoco
import numpy as np

from poise.beginning import Placed
from poise.body import Body
from poise.control.controller import Controller, Stage
from poise.dynamics import Actuation, State
from poise.reference import Reference
from poise.spatial import Array
from poise.world.ground import Place


@runtime_checkable
class Ending(Controller, Protocol):
    """A controller that knows when what it performs is over."""

    def stands(self) -> bool:
        """Whether it is over, and the body stands at rest."""


class Handover:
    """Lets one controller perform until it stands, and from there on another one a reference of its own."""

    needs_physics = False

    def __init__(self, first: Ending, then: Controller, reference: Reference) -> None:
        """`reference` is what `then` performs, from where the body stands and as it faces there."""
        self.first, self.then = first, then
        self._next = reference
        self.name = f"{first.name}, then {then.name}"
        self.settings: dict[str, Any] = {first.name: first.settings, then.name: then.settings}
        self.handed_over: float | None = None  # s

    def reset(self, world: Stage, reference: Reference) -> None:
        """Get ready to perform a reference from the start."""
        self._world, self.handed_over = world, None
        self.first.reset(world, reference)

    def act(self, state: State) -> Actuation:
        """Torques of the coming step."""
        if self.handed_over is None and self.first.stands():
            self.handed_over = state.time
            self.then.reset(self._world, Placed(self._next, self._place(state)))
        return self._acting.act(state)

    def target(self, time: float) -> Array:
        """The pose that is tracked."""
        return self._acting.target(time)

    @property
    def _acting(self) -> Controller:
        return self.first if self.handed_over is None else self.then

    def _place(self, state: State) -> Place:
        """Where the reference must begin for its feet to be where the body's are."""
        scene = self._world.scene
        body = scene.body
        first = mujoco.MjData(body.model)
        first.qpos[:] = self._next.at(0.0).qpos
        mujoco.mj_kinematics(body.model, first)
        here, yaw = _feet(body, state.data)
        there, facing = _feet(body, first)
        turned = yaw - facing
        x = here[0] - (cos(turned) * there[0] - sin(turned) * there[1])
        y = here[1] - (sin(turned) * there[0] + cos(turned) * there[1])
        return Place(x, y, scene.terrain.height(here[0], here[1]), turned)


def _feet(body: Body, data: mujoco.MjData) -> tuple[Array, float]:
    """(3,) m: the middle between left and right foot; rad: where a body with such feet faces."""
    left, right = (data.xpos[body.link_id(foot.link)] for foot in body.feet)
    return np.asarray(0.5 * (left + right)), atan2(right[0] - left[0], left[1] - right[1])
