"""What a rehearsal reaches of what is wanted: sensors read at moments, and where flight leads."""

from __future__ import annotations

from math import isnan, nan, remainder, tau

import mujoco
import numpy as np

from poise.animation.events import Approach, Events, Members
from poise.animation.flight import LEADS_TO, TURNS_BY, flight_of, turns_of
from poise.animation.read_goals import TURNED
from poise.animation.rehearsal import Rehearsal, touching
from poise.animation.script import Goal
from poise.body import Body
from poise.body.feet import links_from
from poise.control.poses.sensors import Sensor
from poise.dynamics import State
from poise.frozen import Array
from poise.optimize.shooting import Outcome
from poise.world.result import BlowUp
from poise.world.scene import Scene


class Watch:
    """Follows a rehearsal of a goal, and reads what is wanted when its moments come."""

    def __init__(self, rehearsal: Rehearsal, goal: Goal) -> None:
        self._goal = goal
        scene = rehearsal.world.scene
        self._sensors = [_sensor(scene, want.what) for want in goal.wants]
        self._own = scene.model.body_rootid == 1
        self._links = [_parts(scene, want.when.link) for want in goal.wants]
        self._stand = _standing_height(scene.body)

    def reach(self, rehearsal: Rehearsal, slopes: bool = False) -> Outcome:
        """What is reached of each want from the present state on; NaN for moments that do not come.

        Where a link lies some time after it has come down depends on which step it came down in. What is smooth is
        where it came down; if only slopes are sought, no more is simulated.
        """
        wants, world = self._goal.wants, rehearsal.world
        values, smooth = [nan] * len(wants), [nan] * len(wants)
        late = [want.when.time + world.settings.step for want in wants if want.when.event == "time"]
        end = max(world.time + self._goal.patience, *late, 0.0)
        events = Events(self._own, self._links)
        approaches = self._approaches()
        turned = np.zeros(3)
        try:
            while world.time < end and any(map(isnan, smooth if slopes else values)):
                bearing = touching(rehearsal.step(), self._own)
                state = world.state
                turned += world.settings.step * state.qvel[3:6]
                events.follow(bearing, state)
                for k, approach in enumerate(approaches):
                    if not isnan(values[k]):
                        continue
                    due = events.due(k, wants[k], state)
                    if approach is not None and isnan(smooth[k]):
                        if events.down(k):
                            smooth[k] = approach.landing
                        else:
                            approach.note(state, self._read(k, state, turned))
                    if due:
                        at_once = approach is not None and wants[k].when.time == 0.0
                        values[k] = smooth[k] if at_once else self._read(k, state, turned)
                        smooth[k] = values[k] if approach is None else smooth[k]
        except BlowUp:
            pass
        return Outcome(np.array(values), np.array(smooth))

    def _approaches(self) -> list[Approach | None]:
        """For what is wanted at a touch-down itself, and for where a link lies after it."""
        made: list[Approach | None] = []
        for want, sensor, links in zip(self._goal.wants, self._sensors, self._links, strict=True):
            place = sensor is not None and want.what.endswith((".x", ".y"))
            watched = want.when.event == "down" and (want.when.time == 0.0 or place)
            angular = sensor.angular if sensor is not None else want.what in TURNED
            made.append(Approach(self._own if links is None else links, angular) if watched else None)
        return made

    def _read(self, k: int, state: State, turned: Array) -> float:
        sensor, want = self._sensors[k], self._goal.wants[k]
        what = want.what
        if sensor is not None and sensor.turns:  # the same turn, told as near as can be to what is wanted
            return want.value + remainder(sensor.read(state) - want.value, tau)
        if sensor is not None:
            return sensor.read(state)
        if what in TURNED:
            return float(turned[TURNED.index(what)])
        if what in TURNS_BY:
            axis = TURNS_BY.index(what)
            return float(turned[axis] + turns_of(state, self._stand)[axis])
        return flight_of(state, self._stand)[LEADS_TO.index(what)]


def _sensor(scene: Scene, what: str) -> Sensor | None:
    if what in (*LEADS_TO, *TURNS_BY, *TURNED):
        return None
    sensor = Sensor(what)
    sensor.reset(scene)
    return sensor


def _parts(scene: Scene, link: str | None) -> Members | None:
    """A link and what hangs on it."""
    if link is None:
        return None
    return np.isin(np.arange(scene.model.nbody), links_from(scene.model, scene.link_id(link)))


def _standing_height(body: Body) -> float:
    """m: of the centre of mass of the standing body."""
    data = mujoco.MjData(body.model)
    data.qpos[:] = body.standing
    mujoco.mj_kinematics(body.model, data)
    mujoco.mj_comPos(body.model, data)
    return float(data.subtree_com[1, 2])
