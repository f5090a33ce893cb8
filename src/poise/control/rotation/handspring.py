"""Backwards onto the hands and over onto the feet: squat, push, flight, hands, flight, landing, stand.

The flight supervisor of [Zordan2014] section VII, twice: the take-off is planned for a flight that ends on the hands;
when they touch down, push off the hands, flight and landing are planned as one, and again while they push.
"""

from __future__ import annotations

from math import pi, radians

import numpy as np

from poise.control.rotation.actor import Actor
from poise.control.rotation.behaviour_numbers import HANDSPRING_KEYS, FlightNumbers, HandspringNumbers
from poise.control.rotation.flight import Flight
from poise.control.rotation.flight_plan import Phase, PlannedCourse, Planner, Wish
from poise.control.rotation.footing import FootSupportPlane, StanceTargets
from poise.control.rotation.landing import STRONGEST, Landing
from poise.control.rotation.pose_line import PoseLine, pose_line
from poise.control.rotation.program import ProgramWeights
from poise.control.rotation.settings import RotationSettings
from poise.control.rotation.take_off import TakeOff, TakeOffTimes
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State
from poise.library.behaviours.behaviour import BehaviourReference

# The time on the hands: a push along a course that is planned when they touch down, and again while they push.
#
# Push, flight and landing are one plan [Zordan2014] section VII: what spin and pitch are off when the hands touch down,
# the push makes up for.

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
        footing: FootSupportPlane,
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
        self._course: PlannedCourse | None = None
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

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
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
        weights = ProgramWeights(n.hands_linear, n.hands_angular, n.hands_support)
        stance = StanceTargets(self.pose, stiffness, weights, pull, twist, (), n.hands_gap, "hands")
        return self._footing.grounded(state, rotation, stance)

    def _plan(self, state: State, rotation: RotationIndices, k: int) -> PlannedCourse:
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


class Handspring:
    """A handspring under way."""

    def __init__(self, actor: Actor, staged: BehaviourReference, settings: RotationSettings, step: float) -> None:
        self._actor, self._staged, self._settings, self._step = actor, staged, settings, step
        self._numbers = n = HandspringNumbers.of(staged.behaviour)
        self._times = dict(zip(HANDSPRING_KEYS, staged.behaviour.at, strict=True))
        self._footing = FootSupportPlane(actor, settings, step)
        self._planner = Planner(actor.body.mass, step, -float(actor.model.opt.gravity[2]))
        self.springs, self._done = round(n.springs), 0  # how many there are in a row, and how many are over
        self.stage = "squat"
        self._began = 0.0  # s of the flight onto the hands, or of the landing
        self._prepare(0.0)
        self.pose = self._take_off.pose

    def _prepare(self, start: float) -> None:
        """A spring that begins at a time (s)."""
        n, actor, footing = self._numbers, self._actor, self._footing
        self._ground, self._reach = self._sampled("stand", "take-off"), self._sampled("take-off", "reach")
        moments = TakeOffTimes(self._times["lean"], self._times["take-off"])
        self._take_off = TakeOff(actor, footing, self._ground, moments, n, self._step, start)
        flying = FlightNumbers(n.second_flight, n.opening, n.touch_pitch, n.flight_stiffness, None)
        rise, opening = self._sampled("leave", "snap"), self._sampled("snap", "touch-down", n.opening)
        self._air = Flight(actor, footing, (rise, opening), flying, bool(self._settings.placing))
        self._landing = Landing(footing, self._planner, self._sampled("touch-down", "stood"), n)
        on_hands = self._sampled("reach", "leave")
        whole = pose_line(actor.body, np.concatenate([on_hands.qpos, rise.qpos[1:], opening.qpos[1:]]))
        after = self._air, self._landing
        self._hands = HandPush(actor, footing, self._planner, (on_hands, whole), n, after)

    def _sampled(self, first: str, last: str, seconds: float | None = None) -> PoseLine:
        """From one pose to another, in as long as the file says or another time."""
        start, stop = self._times[first], self._times[last]
        count = max(2, round((stop - start if seconds is None else seconds) / self._step) + 1)
        return pose_line(self._actor.body, self._staged.line(np.linspace(start, stop, count)))

    def act(self, state: State) -> Actuation:
        """Torques of the coming step."""
        rotation = self._actor.observe(state)
        self._footing.watch(state)
        if self.stage == "squat" and self._take_off.due(state):
            self.stage = "push"
            self._take_off.begin(state, self._planned(state, rotation))
        elif self.stage == "push" and self._take_off.over(state):
            self.stage, self._began = "reach", state.time
        elif self.stage == "reach" and self._footing.touching(state, "hands"):
            self.stage = "hands"
            self._hands.begin(state)
        elif self.stage == "hands" and self._hands.over(state):
            self.stage = "flight"
            self._air.begin(state)
        elif self.stage == "flight" and self._air.landed(state):
            self.stage = "land"
            self._began = state.time
            self._done += 1
            self._landing.begin(state, rotation, radians(self._numbers.touch_pitch) + 2 * pi, True)
        elif self.stage == "land" and self._next_is_due(state):
            self.stage = "squat"
            self._footing.pitch += 2 * pi
            self._prepare(state.time - self._times["lean"] + self._numbers.again)
        return self._acted(state, rotation)

    def _next_is_due(self, state: State) -> bool:
        return self._done < self.springs and state.time >= self._began + self._numbers.between - 1e-9

    def _acted(self, state: State, rotation: RotationIndices) -> Actuation:
        """By whoever the stage belongs to."""
        if self.stage == "reach":
            return self._reached(state)
        acting: dict[str, TakeOff | HandPush | Flight | Landing] = {
            "hands": self._hands,
            "flight": self._air,
            "land": self._landing,
        }
        performing = acting.get(self.stage, self._take_off)
        found = performing.act(state, rotation)
        self.pose = np.array(performing.pose)
        return found

    def _planned(self, state: State, rotation: RotationIndices) -> PlannedCourse:
        """The push of a leap onto the hands."""
        n = self._numbers
        first = round(self._times["lean"] / self._step)
        swing = self._ground.swing[-1] - self._ground.swing[first] + self._reach.swing[-1]
        turned = radians(n.hands_pitch) - self._footing.pitch + swing
        wish = Wish(n.take_off_height, n.touch_down_height, turned, n.travel)
        steps = np.arange(1, round(n.flight / self._step) + 1)
        inertia = self._reach.inertia[np.minimum(steps, len(self._reach.inertia) - 1)]
        return self._planner.leap(self._footing.planar(rotation, 0.0), self._take_off.phase(state), inertia, wish)

    def _reached(self, state: State) -> Actuation:
        """Poses alone, in the flight onto the hands."""
        line = self._reach
        k, last = round((state.time - self._began) / self._step) + 1, len(line.qpos) - 1
        self.pose = line.qpos[min(k, last)]
        velocity = line.moves[k] / self._step if k <= last else np.zeros(self._actor.nv - 6)
        torque = self._actor.tracker.torques(state, self.pose[None], self._numbers.flight_stiffness, velocity)[0]
        limit = self._actor.program.limit
        return Actuation(torque=self._actor.whole(np.clip(torque, -limit, limit)))

    def stands(self) -> bool:
        """Whether it is over: the last pose is reached, and the body is at rest."""
        return self.stage == "land" and self._done == self.springs and self._landing.stands()

    @property
    def pitch(self) -> float:
        """rad of the root, whole turns counted."""
        return self._footing.pitch
