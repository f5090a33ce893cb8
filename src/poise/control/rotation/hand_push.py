"""The time on the hands: a push along a course that is planned when they touch down, and again while they push.

Push, flight and landing are one plan [Zordan2014] section VII: what spin and pitch are off when the hands touch down,
the push makes up for.
"""

from __future__ import annotations

from math import radians

import numpy as np

from poise.control.rotation.actor import Actor
from poise.control.rotation.course import Course, Phase, Wish
from poise.control.rotation.flight import Flight
from poise.control.rotation.footing import Footing, Stance
from poise.control.rotation.handspring_numbers import HandspringNumbers
from poise.control.rotation.landing import STRONGEST, Landing
from poise.control.rotation.plan import Planner
from poise.control.rotation.poseline import PoseLine
from poise.control.rotation.program import Weights
from poise.dynamics import Actuation, State
from poise.dynamics.rotation import Rotation

KNOTS, LANDING_KNOTS = 6, 8
"""Of the forces of the push, and of the landing after it."""
EARLIEST = 0.5
"""Of the push: hands that come off the ground before do so by chance."""
STRAIGHT = radians(12.0)
"""Of the elbows: arms that are straighter push no more, and would stop the turn."""
LATEST = 0.06
"""s before the hands leave the ground: later it is not planned anew."""
SOLES = (-0.05, 0.126)
"""m before the ankles: where soles begin and end."""


class HandPush:
    """A push off the hands that is to come, or under way."""

    def __init__(
        self,
        actor: Actor,
        footing: Footing,
        planner: Planner,
        lines: tuple[PoseLine, PoseLine],
        numbers: HandspringNumbers,
        after: tuple[Flight, Landing],
    ) -> None:
        """`lines` are the poses on the hands, and those from there to the feet's touch-down, a step apart."""
        self._actor, self._footing, self._planner, self._numbers = actor, footing, planner, numbers
        self._line, self._whole = lines
        self._flight, self._landing = after
        self._elbows = [actor.body.joint(f"{side}_elbow").qpos[0] for side in ("left", "right")]
        self._lasts = (len(self._line.qpos) - 1) * planner.step  # s
        self._course: Course | None = None
        self._began = self._planned = 0.0  # s
        self.pose = np.array(self._line.qpos[0])

    def begin(self, state: State) -> None:
        """From here on."""
        self._began, self._course = state.time, None

    def over(self, state: State) -> bool:
        """Whether its time is up, or arms are straight or off the ground before."""
        since = state.time - self._began
        if since >= self._lasts - 1e-9:
            return True
        straight = float(np.abs(state.qpos[self._elbows]).mean()) < STRAIGHT
        return since > EARLIEST * self._lasts and (straight or not self._footing.touching(state, "hands"))

    def act(self, state: State, rotation: Rotation) -> Actuation:
        """Torques of the coming step."""
        n, since = self._numbers, state.time - self._began
        k, last = round(since / self._planner.step), len(self._line.qpos) - 1
        again = state.time >= self._planned + n.hands_again - 1e-9 and self._lasts - since >= LATEST
        if self._course is None or again:
            self._course, self._planned = self._plan(state, rotation, k), state.time
        gains, ago = (n.hands_spring, n.hands_damping), state.time - self._planned
        pull, twist = self._footing.followed(rotation, self._course, ago, gains, n.hands_spin_damping)
        self.pose = np.array(self._line.qpos[min(k + 1, last)])
        stiffness = n.hands_stiffness * np.where(self._actor.core, n.hands_core, 1.0)
        weights = Weights(n.hands_linear, n.hands_angular, n.hands_support)
        stance = Stance(self.pose, stiffness, weights, pull, twist, (), n.hands_gap, "hands")
        return self._footing.grounded(state, rotation, stance)

    def _plan(self, state: State, rotation: Rotation, k: int) -> Course:
        """From step k of the poses to standing; what it says of the push."""
        n = self._numbers
        heel, fingers = self._footing.palms(state)
        push = Phase(self._line.inertia[k + 1 :], heel, fingers, KNOTS, n.hands_strongest, n.hands_last)
        soles = (SOLES[0] - n.touch_down_ahead, SOLES[1] - n.touch_down_ahead)
        landing = Phase(self._landing.inertia, *soles, LANDING_KNOTS, STRONGEST)
        turned = radians(n.touch_pitch) - self._footing.pitch + self._whole.swing[-1] - self._whole.swing[k]
        ahead = n.stand_ahead - 0.5 * sum(SOLES)
        wish = Wish(n.leave_height, n.second_height, turned, n.second_travel, n.end_height, ahead)
        start, flight = self._footing.planar(rotation, 0.0), self._flight.inertia(self._planner.step)
        return self._planner.flip(start, push, flight, landing, wish).take_off
