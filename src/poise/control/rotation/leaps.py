"""Leaps from the feet: a somersault (or a kip-up from lying) that lands on the feet, and a dive into a roll.

The flight supervisor of [Zordan2014] section VII: a plan made before the push gives the momenta to follow. At
touch-down of a somersault a landing is planned from the simulated state. In the flight of a dive (section VIII-B, the
leaping roll) the body tracks poses; when a link touches the ground, a roll takes over at the phase that corresponds to
the pitch of the root.
"""

from dataclasses import replace
from math import atan2, degrees, pi, radians, remainder, sqrt

import numpy as np

from poise.arrays import Array, Frozen
from poise.control.rotation.actor import RotationActor, sample_rotation_pose_line
from poise.control.rotation.flight import Flight, Landing
from poise.control.rotation.flight_plan import PlannedCourse, PlanTargets
from poise.control.rotation.roll import Roll
from poise.control.rotation.settings import POSES, DiveNumbers, FlipNumbers
from poise.control.rotation.support_plane import TOUCHING_GAP, RotationPlane
from poise.control.rotation.take_off import KipTakeOff, TakeOff
from poise.dynamics.actuation import Actuation
from poise.dynamics.momentum import RotationIndices
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.library.behaviours.behaviour import Behaviour, BehaviourReference
from poise.library.behaviours.files import read_behaviour


class Flip:
    """A flip or a kip-up; `stage` is squat, push, flight or land."""

    def __init__(self, actor: RotationActor, staged: BehaviourReference) -> None:
        self._actor, self._numbers = actor, FlipNumbers.from_behaviour(staged.behaviour)
        kind, step, n = staged.behaviour.kind, actor.step, self._numbers
        times = dict(zip(POSES[kind], staged.behaviour.at, strict=True))
        self.plane = RotationPlane(actor)
        ground = sample_rotation_pose_line(staged, 0.0, times["take-off"], step)
        push = times["crouch"], times["take-off"]
        self._take_off = (KipTakeOff if kind == "kip" else TakeOff)(self.plane, ground, push, n)
        rise = sample_rotation_pose_line(staged, times["take-off"], times["tuck"], step)
        opening = sample_rotation_pose_line(staged, times["tuck"], times["touch-down"], step, n.opening)
        self._air = Flight(self.plane, rise, opening, n)
        down = sample_rotation_pose_line(staged, times["touch-down"], times["stood"], step)
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


CLEARING_TIME = 0.1  # Time (s) after take-off during which a contact does not count as touch-down


class Dive:
    """A dive; `stage` is squat, push, flight or roll."""

    def __init__(self, actor: RotationActor, staged: BehaviourReference) -> None:
        self._actor, self._step = actor, actor.step
        self._numbers = n = DiveNumbers.from_behaviour(staged.behaviour)
        _, lean, _, off, reach = staged.behaviour.at
        ground = sample_rotation_pose_line(staged, 0.0, off, actor.step)
        self._air = sample_rotation_pose_line(staged, off, reach, actor.step)
        self._plane = RotationPlane(actor)
        self._take_off = TakeOff(self._plane, ground, (lean, off), n)
        roll = _roll_after_dive(staged.behaviour, n)
        self._start = roll.start
        self.roll = Roll(actor, BehaviourReference(roll, staged.body))
        self.stage = "squat"
        self._began = 0.0  # s: start of the flight
        self.pose: Array = self._take_off.pose

    def act(self, state: State) -> Actuation:
        """Enter the next stage if it is due; return the torques of the coming step."""
        if self.stage == "roll":
            return self._act_in_roll(state)
        rotation = self._actor.observe(state)
        self._plane.update(state)
        if self.stage == "squat" and self._take_off.due(state):
            self.stage = "push"
            self._take_off.begin(state, self._plan_push(state, rotation) if self._actor.settings.planning else None)
        elif self.stage == "push" and self._take_off.over(state):
            self.stage, self._began = "flight", state.time
        if self.stage == "flight":
            if self._enter_roll_if_landed(state):
                return self._act_in_roll(state)
            self.pose, velocity = self._air.pose_at(round((state.time - self._began) / self._step) + 1, self._step)
            return self._actor.track(state, self.pose, self._numbers.flight_stiffness, velocity)
        found = self._take_off.act(state, rotation)
        self.pose = self._take_off.pose
        return found

    def _plan_push(self, state: State, rotation: RotationIndices) -> PlannedCourse:
        """Course of the push of a leap onto level ground or, where the ground ahead is lower, onto the lower ground."""
        n = self._numbers
        level = PlanTargets(n.take_off_height, n.touch_down_height, radians(n.turned), n.travel)
        course = self._plan_leap(state, rotation, n.flight, level)
        _, z, speed, up = course.state[-1, :4]
        landing = rotation.com + n.travel * self._plane.forward
        drop = self._actor.ground.height(*rotation.com[:2]) - self._actor.ground.height(*landing[:2])
        if drop <= 0.0:
            return course
        fall, g = z - n.touch_down_height + drop, self._actor.planner.gravity
        flight = (up + sqrt(up**2 + 2.0 * g * fall)) / g
        travel = n.travel + speed * (flight - n.flight)
        lower = replace(level, touch_down_height=n.touch_down_height - drop, travel=travel)
        return self._plan_leap(state, rotation, flight, lower)

    def _plan_leap(self, state: State, rotation: RotationIndices, flight: float, targets: PlanTargets) -> PlannedCourse:
        """Course of the push of a leap that flies for `flight` (s) and meets the targets."""
        inertia = self._air.inertia_from(1, round(flight / self._step))
        start, push = self._plane.planar_state(rotation), self._take_off.ground_phase(state)
        return self._actor.planner.plan_leap(start, push, inertia, targets)

    def _enter_roll_if_landed(self, state: State) -> bool:
        """Begin the roll if the body has touched the ground after take-off; return whether it has."""
        if state.time - self._began < CLEARING_TIME or not np.any(state.contacts.gap < TOUCHING_GAP):
            return False
        forward = self._plane.forward
        ahead = degrees(self._plane.pitch) - self._start.get("pelvis_tilt", 0.0)
        phase = self._start.get("at", 0.0) + ahead / 360.0 + self._numbers.skip
        self.roll.enter(state, atan2(forward[1], forward[0]), phase)
        self.stage = "roll"
        return True

    def _act_in_roll(self, state: State) -> Actuation:
        found = self.roll.act(state)
        self.pose = self.roll.pose
        return found

    def stands(self) -> bool:
        """Whether the roll has ended and the body stands at rest."""
        return self.stage == "roll" and self.roll.stands()


def _roll_after_dive(dive: Behaviour, numbers: DiveNumbers) -> Behaviour:
    """The roll after a dive: `into` of the dive's file, or forward-roll, with `roll_*` and `turns` of the dive."""
    roll = read_behaviour(dive.into or "forward-roll")
    if roll.kind != "roll":
        raise PoiseError(f"{dive.path.name}: 'into' must name a roll, but {roll.name} is a {roll.kind}")
    own = {"spin": numbers.roll_spin, "speed": numbers.roll_speed, "pull": numbers.roll_pull}
    control = {**roll.control, **{name: value for name, value in own.items() if value}, "turns": numbers.turns}
    return replace(roll, control=Frozen(control))
