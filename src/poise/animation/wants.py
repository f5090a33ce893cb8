"""What a rehearsal reaches of what is wanted: sensors read at moments, and where flight leads."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from poise.animation.read_goals import FLIGHT, TURNED
from poise.animation.rehearsal import Rehearsal, touching
from poise.animation.script import Goal, Want
from poise.body import Body
from poise.body.feet import links_from
from poise.control.poses.sensors import Sensor, com_velocity
from poise.dynamics import State
from poise.spatial import Array
from poise.world.result import BlowUp, StepResult
from poise.world.scene import Scene

CLEAR = 4
"""Steps without contact after which a body is in flight: feet that push off touch again."""


class Watch:
    """Follows a rehearsal of a goal, and reads what is wanted when its moments come."""

    def __init__(self, rehearsal: Rehearsal, goal: Goal) -> None:
        self._world, self._goal = rehearsal.world, goal
        scene = rehearsal.world.scene
        self._sensors = [_sensor(want.what) for want in goal.wants]
        for sensor in self._sensors:
            if sensor is not None:
                sensor.reset(scene)
        self._own = {i for i in range(1, scene.model.nbody) if scene.model.body_rootid[i] == 1}
        self._links = [_parts(scene, want.when.link) for want in goal.wants]
        self._stand = _standing_height(scene.body)

    def reach(self, rehearsal: Rehearsal) -> Array:
        """(m,) what is reached of each want from the present state on; NaN for moments that do not come."""
        goal, world = self._goal, rehearsal.world
        values = np.full(len(goal.wants), np.nan)
        began = world.time
        events = _Events(self._own, self._links)
        turned = np.zeros(3)
        try:
            while world.time < began + goal.patience and np.isnan(values).any():
                before = float(com_velocity(world.model, world.state)[2])
                result = rehearsal.step()
                state = world.state
                turned += world.settings.step * state.qvel[3:6]
                events.follow(result, state, before, float(com_velocity(world.model, state)[2]))
                for k, want in enumerate(goal.wants):
                    if np.isnan(values[k]) and events.due(k, want, state.time, world.settings.step):
                        values[k] = self._read(k, want, state, turned)
        except BlowUp:
            pass
        return values

    def _read(self, k: int, want: Want, state: State, turned: Array) -> float:
        sensor = self._sensors[k]
        if sensor is not None:
            return sensor.read(state)
        if want.what in TURNED:
            return float(turned[TURNED.index(want.what)])
        return _flight(self._world.model, state, self._stand)[FLIGHT.index(want.what)]


class _Events:
    """When bodies left the ground, were highest, and came down."""

    def __init__(self, own: set[int], links: Sequence[set[int] | None]) -> None:
        self._own, self._links = own, links
        self._clear = 0
        self._left = [False] * len(links)
        self._times: dict[str, float] = {}
        self._downs: list[float | None] = [None] * len(links)

    def follow(self, result: StepResult, state: State, rose: float, rises: float) -> None:
        """A step that was just made; its centre of mass rose and now rises at so many m/s."""
        down = set(touching(result).tolist()) & self._own
        self._clear = 0 if down else self._clear + 1
        if self._clear == CLEAR:
            self._times.setdefault("flight", state.time)
        if "flight" in self._times and rose > 0 >= rises:
            self._times.setdefault("apex", state.time)
        for k, links in enumerate(self._links):
            feet = down if links is None else down & links
            if not feet:
                self._left[k] = self._left[k] or links is not None or "flight" in self._times
            elif self._left[k] and self._downs[k] is None:
                self._downs[k] = state.time

    def due(self, k: int, want: Want, time: float, step: float) -> bool:
        """Whether the moment of a want has come."""
        when = want.when
        if when.event == "time":
            return time > when.time - 0.5 * step
        at = self._downs[k] if when.event == "down" else self._times.get(when.event)
        return at is not None and time > at + when.time - 0.5 * step


def _sensor(what: str) -> Sensor | None:
    return None if what in FLIGHT or what in TURNED else Sensor(what)


def _flight(model: mujoco.MjModel, state: State, stand: float) -> tuple[float, float, float]:
    """The apex, and where the centre of mass is when it has come down to the height at which the body stands, m."""
    com, velocity = state.data.subtree_com[1], com_velocity(model, state)
    g = -float(model.opt.gravity[2])
    apex = float(com[2] + velocity[2] * abs(velocity[2]) / (2 * g))
    fall = max(apex - stand, 0.0)
    time = float(velocity[2]) / g + np.sqrt(2 * fall / g)
    return apex, float(com[0] + time * velocity[0]), float(com[1] + time * velocity[1])


def _parts(scene: Scene, link: str | None) -> set[int] | None:
    """Ids of a link and of what hangs on it."""
    return None if link is None else set(links_from(scene.model, scene.link_id(link)).tolist())


def _standing_height(body: Body) -> float:
    """m: of the centre of mass of the standing body."""
    data = mujoco.MjData(body.model)
    data.qpos[:] = body.standing
    mujoco.mj_kinematics(body.model, data)
    mujoco.mj_comPos(body.model, data)
    return float(data.subtree_com[1, 2])
