"""Hand-over: a second controller takes over once the first controller has brought the body to a stand."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from math import cos, sin
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.catalogue import entry_of_controller
from poise.control.controller import Controller, ReportsEnding, Steerable, WorldView
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.performance.start import PlacedReference
from poise.reference.reference import Reference
from poise.rotations import yaw_of
from poise.world.terrain import Place


class Handover:
    """A controller that delegates to `first` until the body stands, and then to `then`, with another reference."""

    def __init__(self, first: ReportsEnding, then: Controller, reference: Reference) -> None:
        """`then` performs `reference`, moved to where the body stands and turned to the body's heading."""
        self.first, self.then = first, then
        self._next = reference
        self.name = f"{first.name}, then {then.name}"
        one, other = entry_of_controller(first), entry_of_controller(then)
        cross = one.legs_cross or other.legs_cross
        self.entry = replace(one, name=self.name, speeds=other.speeds, legs_cross=cross)
        self.settings: dict[str, Any] = {first.name: first.settings, then.name: then.settings}
        self.handed_over: float | None = None  # time of the hand-over, s
        self._heading: float | None = None  # commanded, rad
        self._speed: float | None = None  # commanded, m/s
        self._turned = 0.0  # rad, from the initial heading to the heading at the hand-over

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Prepare to perform a reference with `first`, from the start."""
        self._world, self.handed_over = world, None
        self._heading = self._speed = None
        self.first.reset(world, reference)

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Command a heading (rad, to the left of the initial heading) or a speed (m/s) for `then`.

        Until the hand-over the heading also steers `first`, if `first` can be steered.
        """
        self._heading = self._heading if heading is None else heading
        self._speed = self._speed if speed is None else speed
        if self.handed_over is not None:
            self._steer_then()
        elif isinstance(self.first, Steerable):
            with suppress(PoiseError):  # flips and dives cannot be steered
                self.first.steer(heading)

    def _steer_then(self) -> None:
        if isinstance(self.then, Steerable):
            self.then.steer(None if self._heading is None else self._heading - self._turned, self._speed)

    def act(self, state: State) -> Actuation:
        """Actuation of the coming step; hands over if the body stands."""
        if self.handed_over is None and self.first.stands():
            self.handed_over, place = state.time, self._place(state)
            self._turned = place.yaw
            self.then.reset(self._world, PlacedReference(self._next, place))
            self._steer_then()
        return self._acting.act(state)

    def target(self, time: float) -> Array:
        """(nq,) the pose that the acting controller tracks at a time (s)."""
        return self._acting.target(time)

    @property
    def _acting(self) -> Controller:
        return self.first if self.handed_over is None else self.then

    def _place(self, state: State) -> Place:
        """Where the next reference must start, so that its feet and heading match the feet and heading of the body."""
        scene = self._world.scene
        body = scene.body
        first = mujoco.MjData(body.model)
        first.qpos[:] = self._next.at(0.0).qpos
        mujoco.mj_kinematics(body.model, first)
        here, there = (_feet_midpoint_at_hand_over(body, data) for data in (state.data, first))
        turned = float(yaw_of(state.qpos[3:7]) - yaw_of(first.qpos[3:7]))
        x = here[0] - (cos(turned) * there[0] - sin(turned) * there[1])
        y = here[1] - (sin(turned) * there[0] + cos(turned) * there[1])
        return Place(x, y, scene.terrain.height(here[0], here[1]), turned)


def _feet_midpoint_at_hand_over(body: Body, data: mujoco.MjData) -> Array:
    """(3,) m: midpoint of the left and the right foot."""
    left, right = (data.xpos[body.link_id(foot.link)] for foot in body.feet)
    return np.asarray(0.5 * (left + right))
