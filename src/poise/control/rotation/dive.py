"""A leap forward onto the hands, and on into a roll: a flight, then the ground. [Zordan2014] section VIII-B.

The take-off is planned as a flip's is, the flight follows poses; when something touches the ground, a roll takes over
where the body is in its turn.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import atan2, degrees, radians, sqrt

import numpy as np

from poise.arrays import Array, Frozen
from poise.control.rotation.actor import Actor
from poise.control.rotation.flight_plan import PlannedCourse, Planner, Wish
from poise.control.rotation.footing import TOUCHED, FootSupportPlane
from poise.control.rotation.pose_line import pose_line
from poise.control.rotation.roll import Roll
from poise.control.rotation.settings import RotationSettings
from poise.control.rotation.take_off import TakeOff, TakeOffNumbers, TakeOffTimes
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State
from poise.errors import PoiseError, unknown
from poise.library.behaviours.behaviour import Behaviour, BehaviourReference

KEYS = ("stand", "lean", "crouch", "take-off", "reach")
"""The poses of a dive, in this order."""
CLEAR = 0.1
"""s of a flight after which what touches the ground is what it lands on."""


@dataclass(frozen=True)
class DiveNumbers(TakeOffNumbers):
    """What a dive aims for, and how much it matters."""

    flight_stiffness: float = 1500.0
    turns: float = 0.9  # of the roll, after which it stands up; 0 for never
    roll_spin: float = 0.0  # rad/s wanted of the roll; 0 for its own
    roll_speed: float = 0.0  # m/s, likewise
    roll_pull: float = 0.0  # 1/s towards that velocity, likewise
    skip: float = 0.0  # turns by which the roll is entered further on than where the root is in its turn

    @classmethod
    def of(cls, behaviour: Behaviour) -> DiveNumbers:
        """Those of a behaviour file."""
        known = [field.name for field in fields(cls)]
        for name in behaviour.control:
            if name not in known:
                raise unknown(f"number of a dive in {behaviour.path.name}", name, known)
        if len(behaviour.at) != len(KEYS):
            raise PoiseError(f"{behaviour.path.name}: a dive has {len(KEYS)} poses: {', '.join(KEYS)}")
        return cls(**behaviour.control)


class Dive:
    """A dive under way."""

    def __init__(
        self,
        actor: Actor,
        staged: BehaviourReference,
        settings: RotationSettings,
        step: float,
        rolling: BehaviourReference,
    ) -> None:
        """`rolling` is the roll that it ends in."""
        self._actor, self._settings, self._step = actor, settings, step
        self._numbers = n = DiveNumbers.of(staged.behaviour)
        _, lean, _, off, reach = staged.behaviour.at
        ground = pose_line(actor.body, staged.line(np.linspace(0.0, off, round(off / step) + 1)))
        self._air = pose_line(actor.body, staged.line(np.linspace(off, reach, round((reach - off) / step) + 1)))
        self._footing = FootSupportPlane(actor, settings, step)
        self._planner = Planner(actor.body.mass, step, -float(actor.model.opt.gravity[2]))
        self._take_off = TakeOff(actor, self._footing, ground, TakeOffTimes(lean, off), n, step)
        self._start = rolling.behaviour.start
        self.roll = Roll(actor, _adapted(rolling, n), settings, step)
        self.stage = "squat"
        self._began = 0.0  # s of the flight
        self.pose: Array = self._take_off.pose

    def act(self, state: State) -> Actuation:
        """Torques of the coming step."""
        if self.stage == "roll":
            return self._rolled(state)
        rotation = self._actor.observe(state)
        self._footing.watch(state)
        if self.stage == "squat" and self._take_off.due(state):
            self.stage = "push"
            self._take_off.begin(state, self._planned(state, rotation) if self._settings.planning else None)
        elif self.stage == "push" and self._take_off.over(state):
            self.stage, self._began = "flight", state.time
        if self.stage == "flight":
            return self._rolled(state) if self._landed(state) else self._flown(state)
        found = self._take_off.act(state, rotation)
        self.pose = self._take_off.pose
        return found

    def _planned(self, state: State, rotation: RotationIndices) -> PlannedCourse:
        """The push of a leap onto level ground; where it would come down on lower ground, of one that falls longer."""
        n = self._numbers
        level = Wish(n.take_off_height, n.touch_down_height, radians(n.turned), n.travel)
        course = self._pushed(state, rotation, n.flight, level)
        _, z, speed, up = course.state[-1, :4]
        floor = rotation.com + n.travel * self._footing.forward
        deeper = self._actor.ground.height(*rotation.com[:2]) - self._actor.ground.height(*floor[:2])
        if deeper <= 0.0:
            return course
        fall, g = z - n.touch_down_height + deeper, self._planner.gravity
        flight = (up + sqrt(up**2 + 2.0 * g * fall)) / g
        below = replace(
            level, touch_down_height=n.touch_down_height - deeper, travel=n.travel + speed * (flight - n.flight)
        )
        return self._pushed(state, rotation, flight, below)

    def _pushed(self, state: State, rotation: RotationIndices, flight: float, wish: Wish) -> PlannedCourse:
        steps = np.arange(1, round(flight / self._step) + 1)
        inertia = self._air.inertia[np.minimum(steps, len(self._air.inertia) - 1)]
        return self._planner.leap(self._footing.planar(rotation, 0.0), self._take_off.phase(state), inertia, wish)

    def _flown(self, state: State) -> Actuation:
        """Poses alone."""
        k, last = round((state.time - self._began) / self._step) + 1, len(self._air.qpos) - 1
        self.pose = self._air.qpos[min(k, last)]
        velocity = self._air.moves[k] / self._step if k <= last else np.zeros(self._actor.nv - 6)
        torque = self._actor.tracker.torques(state, self.pose[None], self._numbers.flight_stiffness, velocity)[0]
        limit = self._actor.program.limit
        return Actuation(torque=self._actor.whole(np.clip(torque, -limit, limit)))

    def _landed(self, state: State) -> bool:
        if state.time - self._began < CLEAR or not np.any(state.contacts.gap < TOUCHED):
            return False
        forward = self._footing.forward
        off = degrees(self._footing.pitch) - self._start.get("pelvis_tilt", 0.0)
        phase = self._start.get("at", 0.0) + off / 360.0 + self._numbers.skip
        self.roll.enter(state, atan2(forward[1], forward[0]), phase)
        self.stage = "roll"
        return True

    def _rolled(self, state: State) -> Actuation:
        found = self.roll.act(state)
        self.pose = self.roll.pose
        return found

    def stands(self) -> bool:
        """Whether the roll has stood up."""
        return self.stage == "roll" and self.roll.stands()

    @property
    def pitch(self) -> float:
        """rad of the root until it touches down."""
        return self._footing.pitch


def _adapted(rolling: BehaviourReference, numbers: DiveNumbers) -> BehaviourReference:
    """The same roll with what the dive says of it."""
    behaviour = rolling.behaviour
    told = {"spin": numbers.roll_spin, "speed": numbers.roll_speed, "pull": numbers.roll_pull}
    control = {**behaviour.control, **{name: value for name, value in told.items() if value}, "turns": numbers.turns}
    return BehaviourReference(replace(behaviour, control=Frozen(control)), rolling.body)
