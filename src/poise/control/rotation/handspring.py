"""Back handsprings: squat, push, flight onto the hands, push off the hands, flight onto the feet, landing, stand.

The flight supervisor of [Zordan2014] section VII acts twice. First the take-off is planned for a flight onto the hands.
When the hands touch down, push off the hands, flight and landing are planned together, and again during the push.
"""

from math import pi, radians

import numpy as np

from poise.control.rotation.actor import RotationActor, RotationPoseLine, rotation_pose_line, sample_rotation_pose_line
from poise.control.rotation.flight import Flight, Landing
from poise.control.rotation.flight_plan import GroundPhase, PlannedCourse, PlanTargets
from poise.control.rotation.program import ProgramWeights
from poise.control.rotation.settings import POSES, FlightNumbers, HandspringNumbers
from poise.control.rotation.support_plane import RotationPlane, StanceTargets
from poise.control.rotation.take_off import TakeOff
from poise.dynamics.actuation import Actuation
from poise.dynamics.momentum import RotationIndices
from poise.dynamics.state import State
from poise.library.behaviours.behaviour import BehaviourReference

HAND_KNOTS = 6  # Knots of the forces of the planned push off the hands
EARLIEST_HAND_LEAVE = 0.5  # Share of the push off the hands before which this push cannot end early
STRAIGHT_ELBOW = radians(12.0)
"""Flexion of the elbows (rad) below which the arms cannot push any more and would stop the rotation."""
LATEST_PLAN = 0.06  # Last part (s) of the push off the hands, in which no new plan is made
SOLES = (-0.05, 0.126)
"""Positions (m, in front of the ankles) of the rear and front ends of the soles in the planned landing."""


class Handspring:
    """One or several back handsprings; `stage` is squat, push, reach, hands, flight or land."""

    def __init__(self, actor: RotationActor, staged: BehaviourReference) -> None:
        self._actor, self._staged, self._step = actor, staged, actor.step
        self._numbers = n = HandspringNumbers.from_behaviour(staged.behaviour)
        self._times = dict(zip(POSES["handspring"], staged.behaviour.at, strict=True))
        self.plane = RotationPlane(actor)
        self.springs, self._done = round(n.springs), 0  # handsprings in all, and completed
        self.stage = "squat"
        self._began = 0.0  # s: start of the flight onto the hands, or of the landing
        self._prepare_handspring(0.0)
        self.pose = self._take_off.pose

    def _prepare_handspring(self, start: float) -> None:
        """Prepare a handspring whose first pose is due at `start` (s)."""
        n, plane = self._numbers, self.plane
        self._ground, self._reach = self._poses_between("stand", "take-off"), self._poses_between("take-off", "reach")
        push = self._times["lean"], self._times["take-off"]
        self._take_off = TakeOff(plane, self._ground, push, n, start)
        flying = FlightNumbers(n.second_flight, n.opening, n.touch_pitch, n.flight_stiffness, None)
        rise, opening = self._poses_between("leave", "snap"), self._poses_between("snap", "touch-down", n.opening)
        self._air = Flight(plane, rise, opening, flying)
        self._landing = Landing(plane, self._poses_between("touch-down", "stood"), n)
        on_hands = self._poses_between("reach", "leave")
        whole = rotation_pose_line(self._actor.body, np.concatenate([on_hands.qpos, rise.qpos[1:], opening.qpos[1:]]))
        self._hands = HandPush(plane, on_hands, whole, n, self._air, self._landing)

    def _poses_between(self, first: str, last: str, seconds: float | None = None) -> RotationPoseLine:
        """Poses from key pose `first` to key pose `last`, passed in the time of the file or in `seconds`."""
        return sample_rotation_pose_line(self._staged, self._times[first], self._times[last], self._step, seconds)

    def act(self, state: State) -> Actuation:
        """Enter the next stage if it is due; return the torques of the coming step."""
        rotation = self._actor.observe(state)
        self.plane.update(state)
        again = self._began + self._numbers.between - 1e-9  # s: start of the next handspring, in the landing
        if self.stage == "squat" and self._take_off.due(state):
            self.stage = "push"
            self._take_off.begin(state, self._plan_push(state, rotation))
        elif self.stage == "push" and self._take_off.over(state):
            self.stage, self._began = "reach", state.time
        elif self.stage == "reach" and self.plane.touches_ground(state, "hands"):
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
        elif self.stage == "land" and self._done < self.springs and state.time >= again:
            self.stage = "squat"
            self.plane.pitch += 2 * pi
            self._prepare_handspring(state.time - self._times["lean"] + self._numbers.again)
        return self._act_in_stage(state, rotation)

    def _act_in_stage(self, state: State, rotation: RotationIndices) -> Actuation:
        if self.stage == "reach":
            k = round((state.time - self._began) / self._step) + 1
            self.pose, velocity = self._reach.pose_at(k, self._step)
            return self._actor.track(state, self.pose, self._numbers.flight_stiffness, velocity)
        phases: dict[str, TakeOff | HandPush | Flight | Landing]
        phases = {"hands": self._hands, "flight": self._air, "land": self._landing}
        performing = phases.get(self.stage, self._take_off)
        found = performing.act(state, rotation)
        self.pose = np.array(performing.pose)
        return found

    def _plan_push(self, state: State, rotation: RotationIndices) -> PlannedCourse:
        """Course of the push of the leap onto the hands."""
        n = self._numbers
        first = round(self._times["lean"] / self._step)
        swing = self._ground.swing[-1] - self._ground.swing[first] + self._reach.swing[-1]
        turned = radians(n.hands_pitch) - self.plane.pitch + swing
        targets = PlanTargets(n.take_off_height, n.touch_down_height, turned, n.travel)
        inertia = self._reach.inertia_from(1, round(n.flight / self._step))
        start, phase = self.plane.planar_state(rotation), self._take_off.ground_phase(state)
        return self._actor.planner.plan_leap(start, phase, inertia, targets)

    def stands(self) -> bool:
        """Whether the last handspring is over and the body is upright and at rest."""
        return self.stage == "land" and self._done == self.springs and self._landing.stands()


class HandPush:
    """The push off the hands.

    Push, flight and landing are planned together, so that the push corrects initial errors of spin and pitch.
    """

    def __init__(
        self,
        plane: RotationPlane,
        line: RotationPoseLine,
        whole: RotationPoseLine,
        numbers: HandspringNumbers,
        flight: Flight,
        landing: Landing,
    ) -> None:
        """`line` holds the poses on the hands; `whole` holds them and all later poses up to touch-down of the feet."""
        self._plane, self._line, self._whole, self._numbers = plane, line, whole, numbers
        self._flight, self._landing, self._actor = flight, landing, plane.actor
        self._elbows = [self._actor.body.joint(f"{side}_elbow").qpos[0] for side in ("left", "right")]
        self._duration = line.last * self._actor.step  # s
        self._course: PlannedCourse | None = None
        self._began = self._planned = 0.0  # s: start of the push, and time of the last plan
        self.pose = np.array(self._line.qpos[0])

    def begin(self, state: State) -> None:
        """Start the push and discard the old plan."""
        self._began, self._course = state.time, None

    def over(self, state: State) -> bool:
        """Whether the time of the push has passed, or the arms are straight or off the ground before."""
        since = state.time - self._began
        if since >= self._duration - 1e-9:
            return True
        straight = float(np.abs(state.qpos[self._elbows]).mean()) < STRAIGHT_ELBOW
        late = since > EARLIEST_HAND_LEAVE * self._duration
        return late and (straight or not self._plane.touches_ground(state, "hands"))

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
        """Make a new plan if this is due; return the torques of the coming step."""
        n, since = self._numbers, state.time - self._began
        k = round(since / self._actor.step)
        again = state.time >= self._planned + n.hands_again - 1e-9 and self._duration - since >= LATEST_PLAN
        if self._course is None or again:
            self._course, self._planned = self._plan_push(state, rotation, k), state.time
        gains, ago = (n.hands_spring, n.hands_damping), state.time - self._planned
        pull, twist = self._plane.momentum_rates(rotation, self._course, ago, gains, n.hands_spin_damping)
        self.pose = np.array(self._line.qpos[min(k + 1, self._line.last)])
        stiffness = n.hands_stiffness * np.where(self._actor.core, n.hands_core, 1.0)
        weights = ProgramWeights(n.hands_linear, n.hands_angular, n.hands_support)
        stance = StanceTargets(self.pose, stiffness, weights, pull, twist, (), n.hands_gap, "hands")
        return self._plane.act(state, rotation, stance)

    def _plan_push(self, state: State, rotation: RotationIndices, k: int) -> PlannedCourse:
        """Plan from pose k to rest on the feet and return the course of the push."""
        n = self._numbers
        heel, fingers = self._plane.palm_ends(state)
        push = GroundPhase(self._line.inertia[k + 1 :], heel, fingers, HAND_KNOTS, n.hands_strongest, n.hands_last)
        landing = self._landing.ground_phase(SOLES[0] - n.touch_down_ahead, SOLES[1] - n.touch_down_ahead)
        turned = radians(n.touch_pitch) - self._plane.pitch + self._whole.swing[-1] - self._whole.swing[k]
        ahead = n.stand_ahead - 0.5 * sum(SOLES)
        targets = PlanTargets(n.leave_height, n.second_height, turned, n.second_travel, n.end_height, ahead)
        start = self._plane.planar_state(rotation)
        return self._actor.planner.plan_flip(start, push, self._flight.inertia, landing, targets).take_off
