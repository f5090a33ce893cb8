"""A somersault from standing: squat, push, flight, landing, stand.

The flight supervisor of [Zordan2014] section VII. Before the push a plan tells momenta; in flight poses are tracked and
the tuck is left when the root will arrive at touch-down with the wanted pitch; at touch-down a landing is planned from
the state that really is.
"""

from __future__ import annotations

from math import pi, radians, sqrt

import numpy as np

from poise.control.rotation.actor import Actor
from poise.control.rotation.flip_numbers import KEYS, FlipNumbers
from poise.control.rotation.footing import LEFT, Footing
from poise.control.rotation.landing import STRONGEST, Landing
from poise.control.rotation.opening import Opening
from poise.control.rotation.plan import Course, Phase, Planner, Wish
from poise.control.rotation.poseline import PoseLine, pose_line
from poise.control.rotation.settings import RotationSettings
from poise.control.rotation.take_off import Moments, TakeOff
from poise.dynamics import Actuation, State
from poise.dynamics.rotation import Rotation
from poise.reference.behaviours import Staged
from poise.spatial import quat_from_axis_angle, quat_multiply


class Flip:
    """A flip under way."""

    def __init__(self, actor: Actor, staged: Staged, settings: RotationSettings, step: float) -> None:
        self._actor, self._staged, self._settings, self._step = actor, staged, settings, step
        self._numbers = n = FlipNumbers.of(staged.behaviour)
        self._times = dict(zip(KEYS, staged.behaviour.at, strict=True))
        self._footing = Footing(actor, settings, step)
        self._planner = Planner(actor.body.mass, step, -float(actor.model.opt.gravity[2]))
        ground = self._sampled(0.0, self._times["take-off"])
        moments = Moments(self._times["crouch"], self._times["take-off"])
        self._take_off = TakeOff(actor, self._footing, ground, moments, n, step)
        self._rise_line = self._sampled(self._times["take-off"], self._times["tuck"])
        self._open_line = self._stretched("tuck", "touch-down", n.opening)
        down = self._sampled(self._times["touch-down"], self._times["stood"])
        self._landing = Landing(self._footing, self._planner, down, n)
        self._opening = Opening(self._open_line, step)
        self.stage = "squat"
        self._began = 0.0  # s of the flight
        self._open_at: int | None = None
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
        if self.stage == "squat" and self._take_off.due(state):
            self.stage = "push"
            self._take_off.begin(state, self._planned(state, rotation) if self._settings.planning else None)
        elif self.stage == "push" and self._take_off.over(state):
            self.stage, self._began = "flight", state.time
        elif self.stage == "flight" and self._landed(state):
            self._begin_landing(state, rotation)
        return getattr(self, f"_{self.stage}")(state, rotation)  # type: ignore[no-any-return]

    def _push(self, state: State, rotation: Rotation) -> Actuation:
        found = self._take_off.act(state, rotation)
        self.pose = self._take_off.pose
        return found

    _squat = _push

    def _planned(self, state: State, rotation: Rotation) -> Course:
        """The whole flip from here; what it says of the push."""
        n = self._numbers
        hold = round(n.flight / self._step) - (len(self._rise_line.qpos) - 1) - (len(self._open_line.qpos) - 1)
        tuck = np.full(max(hold, 1), self._open_line.inertia[0])
        flight = np.concatenate([self._rise_line.inertia[1:], tuck, self._open_line.inertia[1:]])
        push = self._take_off.phase(state)
        ankle = float(self._footing.forward @ self._footing.ankles(state))
        back = ankle + n.touch_down_ahead
        landing = Phase(self._landing.inertia, push.heel - back, push.toe - back, 8, STRONGEST)
        ahead = n.stand_ahead + ankle - 0.5 * (push.heel + push.toe)
        wish = Wish(n.take_off_height, n.touch_down_height, radians(n.turned), n.travel, n.end_height, ahead)
        return self._planner.flip(self._footing.planar(rotation, 0.0), push, flight, landing, wish).take_off

    def _flight(self, state: State, rotation: Rotation) -> Actuation:
        """Poses alone."""
        n, rise = self._numbers, self._rise_line
        k = round((state.time - self._began) / self._step) + 1
        if self._open_at is None:
            last = len(rise.qpos) - 1
            self.pose = np.array(rise.qpos[min(k, last)])
            velocity = rise.moves[k] / self._step if k <= last else np.zeros(self._actor.nv - 6)
            left, spin = self._left(rotation), float(self._footing.axis @ rotation.angular_momentum)
            if k >= last and self._opening.due(self._footing.pitch, spin, left, radians(n.touch_pitch)):
                self._open_at = 0
        if self._open_at is not None:
            self._open_at += 1
            pose, velocity = self._opening.pose(self._open_at)
            self.pose = np.array(pose)
            if self._settings.placing:
                self._place_feet(rotation)
        torque = self._actor.tracker.torques(state, self.pose[None], n.flight_stiffness, velocity)[0]
        limit = self._actor.program.limit
        return Actuation(torque=self._actor.whole(np.clip(torque, -limit, limit)))

    def _place_feet(self, rotation: Rotation) -> None:
        """Turn the legs at the hips by what the pelvis will be off at touch-down, so that feet arrive as planned."""
        assert self._open_at is not None
        spin, at = (
            float(self._footing.axis @ rotation.angular_momentum),
            min(self._open_at, len(self._open_line.qpos) - 1),
        )
        arrival = self._opening.arrival(self._footing.pitch, spin, self._left(rotation), at)
        off = min(max(arrival - radians(self._numbers.touch_pitch), -0.6), 0.6)
        share = at / (len(self._open_line.qpos) - 1)
        for side in ("left", "right"):
            place = list(self._actor.body.joint(f"{side}_hip").qpos)
            self.pose[place] = quat_multiply(quat_from_axis_angle(LEFT, -share * off), self.pose[place])

    def _left(self, rotation: Rotation) -> float:
        """s until the centre of mass is as low as it is above flat soles in the pose of touch-down."""
        fall, up = float(rotation.com[2] - self._open_line.height[-1]), float(rotation.velocity[2])
        g = self._planner.gravity
        return max((up + sqrt(max(up**2 + 2 * g * fall, 0.0))) / g, 0.0)

    def _landed(self, state: State) -> bool:
        return self._footing.touching(state) and state.time - self._began > 0.5 * self._numbers.flight

    def _begin_landing(self, state: State, rotation: Rotation) -> None:
        self.stage = "land"
        planned = bool(self._settings.replanning and self._settings.planning)
        self._landing.begin(state, rotation, radians(self._numbers.touch_pitch) + 2 * pi, planned)

    def _land(self, state: State, rotation: Rotation) -> Actuation:
        found = self._landing.act(state, rotation)
        self.pose = np.array(self._landing.pose)
        return found

    def stands(self) -> bool:
        """Whether it is over: the last pose is reached, and the body is at rest."""
        return self.stage == "land" and self._landing.stands()

    @property
    def pitch(self) -> float:
        """rad of the root, whole turns counted."""
        return self._footing.pitch
