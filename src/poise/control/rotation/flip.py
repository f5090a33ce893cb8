"""A somersault from standing: squat, push, flight, landing, stand.

The flight supervisor of [Zordan2014] section VII. Before the push a plan tells momenta; in flight poses are tracked and
the tuck is left when the root will arrive at touch-down with the wanted pitch; at touch-down a landing is planned from
the state that really is.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians, remainder

import numpy as np

from poise.control.rotation.actor import Actor
from poise.control.rotation.behaviour_numbers import FLIP_KEYS, FlipNumbers
from poise.control.rotation.flight import Flight
from poise.control.rotation.flight_plan import Phase, PlannedCourse, Planner, Wish
from poise.control.rotation.footing import FootSupportPlane
from poise.control.rotation.landing import STRONGEST, Landing
from poise.control.rotation.pose_line import PoseLine, pose_line
from poise.control.rotation.settings import RotationSettings
from poise.control.rotation.take_off import Press, TakeOff, TakeOffTimes
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State
from poise.library.behaviours.behaviour import BehaviourReference


class Flip:
    """A flip under way."""

    def __init__(self, actor: Actor, staged: BehaviourReference, settings: RotationSettings, step: float) -> None:
        self._actor, self._staged, self._settings, self._step = actor, staged, settings, step
        self._numbers = n = FlipNumbers.of(staged.behaviour)
        self._times = dict(zip(FLIP_KEYS[staged.behaviour.kind], staged.behaviour.at, strict=True))
        self._footing = FootSupportPlane(actor, settings, step)
        self._planner = Planner(actor.body.mass, step, -float(actor.model.opt.gravity[2]))
        ground = self._sampled(0.0, self._times["take-off"])
        moments = TakeOffTimes(self._times["crouch"], self._times["take-off"])
        launch = Press if staged.behaviour.kind == "kip" else TakeOff
        self._take_off = launch(actor, self._footing, ground, moments, n, step)
        rise = self._sampled(self._times["take-off"], self._times["tuck"])
        opening = self._stretched("tuck", "touch-down", n.opening)
        self._air = Flight(actor, self._footing, (rise, opening), n, bool(settings.placing))
        down = self._sampled(self._times["touch-down"], self._times["stood"])
        self._landing = Landing(self._footing, self._planner, down, n)
        self.stage, self._behind = "squat", 0.0
        self.pose = self._take_off.pose

    # -- poses -------------------------------------------------------------------------------------------------------

    def _sampled(self, start: float, stop: float) -> PoseLine:
        count = max(2, round((stop - start) / self._step) + 1)
        return pose_line(self._actor.body, self._staged.line(np.linspace(start, stop, count)))

    def _stretched(self, first: str, last: str, seconds: float) -> PoseLine:
        count = max(2, round(seconds / self._step) + 1)
        return pose_line(self._actor.body, self._staged.line(np.linspace(self._times[first], self._times[last], count)))

    # -- stages ------------------------------------------------------------------------------------------------------

    def act(self, state: State) -> Actuation:
        """Torques of the coming step."""
        rotation = self._actor.observe(state)
        self._footing.watch(state)
        self._behind = float(self._footing.forward @ (self._footing.ankles(state) - rotation.com))
        if self.stage == "squat" and self._take_off.due(state):
            self.stage = "push"
            self._take_off.begin(state, self._planned(state, rotation) if self._settings.planning else None)
        elif self.stage == "push" and self._take_off.over(state):
            self.stage = "flight"
            self._air.begin(state)
        elif self.stage == "flight" and self._air.landed(state):
            self._begin_landing(state, rotation)
        return getattr(self, f"_{self.stage}")(state, rotation)  # type: ignore[no-any-return]

    def _push(self, state: State, rotation: RotationIndices) -> Actuation:
        found = self._take_off.act(state, rotation)
        self.pose = self._take_off.pose
        return found

    _squat = _push

    def _planned(self, state: State, rotation: RotationIndices) -> PlannedCourse:
        """The whole flip from here; what it says of the push."""
        n = self._numbers
        push = replace(self._take_off.phase(state), twist=self._take_off.turning * self._actor.trunk_limit)
        heel, toe = self._footing.sole
        landing = Phase(self._landing.inertia, heel - n.touch_down_ahead, toe - n.touch_down_ahead, 8, STRONGEST)
        ahead = n.stand_ahead - 0.5 * (heel + toe)
        wish = Wish(n.take_off_height, n.touch_down_height, radians(n.turned), n.travel, n.end_height, ahead)
        start, flight = self._footing.planar(rotation, 0.0), self._air.inertia(self._step)
        return self._planner.flip(start, push, flight, landing, wish).take_off

    def _flight(self, state: State, rotation: RotationIndices) -> Actuation:
        """Poses alone."""
        found = self._air.act(state, rotation)
        self.pose = self._air.pose
        return found

    def _begin_landing(self, state: State, rotation: RotationIndices) -> None:
        self.stage = "land"
        planned = bool(self._settings.replanning and self._settings.planning)
        self._landing.begin(state, rotation, remainder(radians(self._numbers.touch_pitch), 2 * pi), planned)

    def _land(self, state: State, rotation: RotationIndices) -> Actuation:
        found = self._landing.act(state, rotation)
        self.pose = np.array(self._landing.pose)
        return found

    def stands(self) -> bool:
        """Whether it is over: the last pose is reached, and the body is at rest."""
        return self.stage == "land" and self._landing.stands()

    @property
    def behind(self) -> float:
        """m of the centre of mass behind the ankles, when it last looked."""
        return self._behind

    @property
    def pitch(self) -> float:
        """rad of the root, whole turns counted."""
        return self._footing.pitch
