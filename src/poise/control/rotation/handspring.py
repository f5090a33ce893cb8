"""Back handsprings: squat, push, flight onto the hands, push off the hands, flight onto the feet, landing, stand.

The flight supervisor of [Zordan2014] section VII, twice. The take-off is planned for a flight that ends on the hands.
When they touch down, push off the hands, flight and landing are planned as one, and again during the push.
"""

from __future__ import annotations

from math import pi, radians

import numpy as np

from poise.control.rotation.actor import Actor
from poise.control.rotation.flight import Flight
from poise.control.rotation.flight_plan import GroundPhase, PlannedCourse, Planner, PlanTargets
from poise.control.rotation.footing import FootSupportPlane, StanceTargets
from poise.control.rotation.landing import LANDING_KNOTS, STRONGEST, Landing
from poise.control.rotation.pose_line import PoseLine, pose_line, sampled_line
from poise.control.rotation.program import ProgramWeights
from poise.control.rotation.settings import POSES, FlightNumbers, HandspringNumbers, RotationSettings
from poise.control.rotation.take_off import TakeOff, TakeOffTimes
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State
from poise.library.behaviours.behaviour import BehaviourReference

KNOTS = 6  # Knots of the forces of the planned push off the hands
EARLIEST = 0.5  # Share of that push before which it does not end early
STRAIGHT = radians(12.0)
"""Flexion of the elbows (rad) below which the arms cannot push any more and would stop the rotation."""
LATEST = 0.06  # Time (s) before the hands leave the ground after which no new plan is made
SOLES = (-0.05, 0.126)
"""Positions (m, in front of the ankles) of the rear and front ends of the soles in the planned landing."""


class Handspring:
    """One or several back handsprings; `stage` is squat, push, reach, hands, flight or land."""

    def __init__(self, actor: Actor, staged: BehaviourReference, settings: RotationSettings, step: float) -> None:
        self._actor, self._staged, self._settings, self._step = actor, staged, settings, step
        self._numbers = n = HandspringNumbers.of(staged.behaviour)
        self._times = dict(zip(POSES["handspring"], staged.behaviour.at, strict=True))
        self._footing = FootSupportPlane(actor, settings, step)
        self._planner = actor.planner(step)
        self.springs, self._done = round(n.springs), 0  # handsprings in all, and completed
        self.stage = "squat"
        self._began = 0.0  # s: start of the flight onto the hands, or of the landing
        self._prepare(0.0)
        self.pose = self._take_off.pose

    def _prepare(self, start: float) -> None:
        """Prepare a handspring whose first pose is due at `start` (s)."""
        n, actor, footing = self._numbers, self._actor, self._footing
        self._ground, self._reach = self._line("stand", "take-off"), self._line("take-off", "reach")
        push = TakeOffTimes(self._times["lean"], self._times["take-off"])
        self._take_off = TakeOff(actor, footing, self._ground, push, n, self._step, start)
        flying = FlightNumbers(n.second_flight, n.opening, n.touch_pitch, n.flight_stiffness, None)
        rise, opening = self._line("leave", "snap"), self._line("snap", "touch-down", n.opening)
        self._air = Flight(actor, footing, (rise, opening), flying, bool(self._settings.placing))
        self._landing = Landing(footing, self._planner, self._line("touch-down", "stood"), n)
        on_hands = self._line("reach", "leave")
        whole = pose_line(actor.body, np.concatenate([on_hands.qpos, rise.qpos[1:], opening.qpos[1:]]))
        self._hands = HandPush(actor, footing, self._planner, (on_hands, whole), n, (self._air, self._landing))

    def _line(self, first: str, last: str, seconds: float | None = None) -> PoseLine:
        """Poses from one key pose to another, in the time of the file or in another time (s)."""
        return sampled_line(self._staged, self._times[first], self._times[last], self._step, seconds)

    def act(self, state: State) -> Actuation:
        """Torques of the coming step."""
        rotation = self._actor.observe(state)
        self._footing.update(state)
        if self.stage == "squat" and self._take_off.due(state):
            self.stage = "push"
            self._take_off.begin(state, self._plan(state, rotation))
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
        return self._act_in_stage(state, rotation)

    def _next_is_due(self, state: State) -> bool:
        return self._done < self.springs and state.time >= self._began + self._numbers.between - 1e-9

    def _act_in_stage(self, state: State, rotation: RotationIndices) -> Actuation:
        if self.stage == "reach":
            k = round((state.time - self._began) / self._step) + 1
            self.pose, velocity = self._reach.at(k, self._step)
            return self._actor.track(state, self.pose, self._numbers.flight_stiffness, velocity)
        acting: dict[str, TakeOff | HandPush | Flight | Landing] = {
            "hands": self._hands,
            "flight": self._air,
            "land": self._landing,
        }
        performing = acting.get(self.stage, self._take_off)
        found = performing.act(state, rotation)
        self.pose = np.array(performing.pose)
        return found

    def _plan(self, state: State, rotation: RotationIndices) -> PlannedCourse:
        """Plan the push of the leap onto the hands."""
        n = self._numbers
        first = round(self._times["lean"] / self._step)
        swing = self._ground.swing[-1] - self._ground.swing[first] + self._reach.swing[-1]
        turned = radians(n.hands_pitch) - self._footing.pitch + swing
        targets = PlanTargets(n.take_off_height, n.touch_down_height, turned, n.travel)
        inertia = self._reach.inertias(1, round(n.flight / self._step))
        return self._planner.leap(self._footing.planar(rotation), self._take_off.phase(state), inertia, targets)

    def stands(self) -> bool:
        """Whether the last handspring is over and the body is upright and at rest."""
        return self.stage == "land" and self._done == self.springs and self._landing.stands()

    @property
    def pitch(self) -> float:
        """Pitch (rad) of the root, full turns included."""
        return self._footing.pitch


class HandPush:
    """The push off the hands.

    Push, flight and landing are one plan, so that the push makes up for errors of spin and pitch at its start.
    """

    def __init__(
        self,
        actor: Actor,
        footing: FootSupportPlane,
        planner: Planner,
        lines: tuple[PoseLine, PoseLine],
        numbers: HandspringNumbers,
        after: tuple[Flight, Landing],
    ) -> None:
        """`lines` are the poses on the hands, and those from there to the feet's touch-down; `after` what follows."""
        self._actor, self._footing, self._planner, self._numbers = actor, footing, planner, numbers
        self._line, self._whole = lines
        self._flight, self._landing = after
        self._elbows = [actor.body.joint(f"{side}_elbow").qpos[0] for side in ("left", "right")]
        self._duration = self._line.last * planner.step  # s
        self._course: PlannedCourse | None = None
        self._began = self._planned = 0.0  # s
        self.pose = np.array(self._line.qpos[0])

    def begin(self, state: State) -> None:
        """Start the push."""
        self._began, self._course = state.time, None

    def over(self, state: State) -> bool:
        """Whether the time of the push has passed, or the arms are straight or off the ground before."""
        since = state.time - self._began
        if since >= self._duration - 1e-9:
            return True
        straight = float(np.abs(state.qpos[self._elbows]).mean()) < STRAIGHT
        return since > EARLIEST * self._duration and (straight or not self._footing.touching(state, "hands"))

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
        """Torques of the coming step."""
        n, since = self._numbers, state.time - self._began
        k = round(since / self._planner.step)
        again = state.time >= self._planned + n.hands_again - 1e-9 and self._duration - since >= LATEST
        if self._course is None or again:
            self._course, self._planned = self._plan(state, rotation, k), state.time
        gains, ago = (n.hands_spring, n.hands_damping), state.time - self._planned
        pull, twist = self._footing.momentum_rates(rotation, self._course, ago, gains, n.hands_spin_damping)
        self.pose = np.array(self._line.qpos[min(k + 1, self._line.last)])
        stiffness = n.hands_stiffness * np.where(self._actor.core, n.hands_core, 1.0)
        weights = ProgramWeights(n.hands_linear, n.hands_angular, n.hands_support)
        stance = StanceTargets(self.pose, stiffness, weights, pull, twist, (), n.hands_gap, "hands")
        return self._footing.act(state, rotation, stance)

    def _plan(self, state: State, rotation: RotationIndices, k: int) -> PlannedCourse:
        """Plan from pose k to rest on the feet and return the course of the push."""
        n = self._numbers
        heel, fingers = self._footing.palms(state)
        push = GroundPhase(self._line.inertia[k + 1 :], heel, fingers, KNOTS, n.hands_strongest, n.hands_last)
        soles = (SOLES[0] - n.touch_down_ahead, SOLES[1] - n.touch_down_ahead)
        landing = GroundPhase(self._landing.inertia, *soles, LANDING_KNOTS, STRONGEST)
        turned = radians(n.touch_pitch) - self._footing.pitch + self._whole.swing[-1] - self._whole.swing[k]
        ahead = n.stand_ahead - 0.5 * sum(SOLES)
        targets = PlanTargets(n.leave_height, n.second_height, turned, n.second_travel, n.end_height, ahead)
        start, flight = self._footing.planar(rotation), self._flight.inertia(self._planner.step)
        return self._planner.flip(start, push, flight, landing, targets).take_off
