"""A somersault from standing, or a kip-up from lying: squat, push, flight, landing, stand.

The flight supervisor of [Zordan2014] section VII. A plan made before the push gives the momenta to follow. At
touch-down a landing is planned from the simulated state.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians, remainder

import numpy as np

from poise.control.rotation.actor import RotationActor
from poise.control.rotation.flight import Flight
from poise.control.rotation.flight_plan import PlannedCourse, PlanTargets
from poise.control.rotation.landing import Landing
from poise.control.rotation.pose_line import sample_pose_line
from poise.control.rotation.settings import POSES, FlipNumbers
from poise.control.rotation.support_plane import SupportPlane
from poise.control.rotation.take_off import KipTakeOff, TakeOff, TakeOffTimes
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State
from poise.library.behaviours.behaviour import BehaviourReference


class Flip:
    """A flip or a kip-up; `stage` is squat, push, flight or land."""

    def __init__(self, actor: RotationActor, staged: BehaviourReference) -> None:
        self._actor, self._numbers = actor, FlipNumbers.from_behaviour(staged.behaviour)
        kind, step, n = staged.behaviour.kind, actor.step, self._numbers
        times = dict(zip(POSES[kind], staged.behaviour.at, strict=True))
        self.plane = SupportPlane(actor)
        ground = sample_pose_line(staged, 0.0, times["take-off"], step)
        push = TakeOffTimes(times["crouch"], times["take-off"])
        self._take_off = (KipTakeOff if kind == "kip" else TakeOff)(self.plane, ground, push, n)
        rise = sample_pose_line(staged, times["take-off"], times["tuck"], step)
        opening = sample_pose_line(staged, times["tuck"], times["touch-down"], step, n.opening)
        self._air = Flight(self.plane, rise, opening, n)
        down = sample_pose_line(staged, times["touch-down"], times["stood"], step)
        self._landing = Landing(self.plane, down, n)
        self.stage = "squat"
        self.behind = 0.0  # m: centre of mass behind the ankles, at the last step
        self.pose = self._take_off.pose

    def act(self, state: State) -> Actuation:
        """Enter the next stage if it is due; return the torques of the coming step."""
        rotation = self._actor.observe(state)
        self.plane.update(state)
        self.behind = float(self.plane.forward @ (self.plane.ankle_midpoint(state) - rotation.com))
        if self.stage == "squat" and self._take_off.due(state):
            self.stage = "push"
            self._take_off.begin(state, self._plan_push(state, rotation) if self._actor.settings.planning else None)
        elif self.stage == "push" and self._take_off.over(state):
            self.stage = "flight"
            self._air.begin(state)
        elif self.stage == "flight" and self._air.landed(state):
            self.stage = "land"
            planned = bool(self._actor.settings.replanning and self._actor.settings.planning)
            self._landing.begin(state, rotation, remainder(radians(self._numbers.touch_pitch), 2 * pi), planned)
        acting: dict[str, TakeOff | Flight | Landing] = {"flight": self._air, "land": self._landing}
        performing = acting.get(self.stage, self._take_off)
        found = performing.act(state, rotation)
        self.pose = np.array(performing.pose)
        return found

    def _plan_push(self, state: State, rotation: RotationIndices) -> PlannedCourse:
        """Plan the whole flip from a state and return the course of its push."""
        n = self._numbers
        push = replace(self._take_off.ground_phase(state), twist=self._take_off.turning * self._actor.trunk_limit)
        heel, toe = self.plane.flat_sole_ends
        landing = self._landing.ground_phase(heel - n.touch_down_ahead, toe - n.touch_down_ahead)
        ahead = n.stand_ahead - 0.5 * (heel + toe)
        targets = PlanTargets(n.take_off_height, n.touch_down_height, radians(n.turned), n.travel, n.end_height, ahead)
        start = self.plane.planar_state(rotation)
        return self._actor.planner.plan_flip(start, push, self._air.inertia, landing, targets).take_off

    def stands(self) -> bool:
        """Whether the last pose is reached and the body is upright and at rest."""
        return self.stage == "land" and self._landing.stands()
