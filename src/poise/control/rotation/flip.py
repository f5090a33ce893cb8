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
from poise.control.rotation.program import Task, Weights
from poise.control.rotation.settings import RotationSettings
from poise.dynamics import Actuation, State
from poise.dynamics.rotation import Rotation
from poise.reference.behaviours import Staged
from poise.spatial import Array, quat_from_axis_angle, quat_multiply

EARLIEST = 0.6
"""Of the push: feet that come off the ground before do so by chance."""


class Flip:
    """A flip under way."""

    def __init__(self, actor: Actor, staged: Staged, settings: RotationSettings, step: float) -> None:
        self._actor, self._staged, self._settings, self._step = actor, staged, settings, step
        self._numbers = n = FlipNumbers.of(staged.behaviour)
        self._times = dict(zip(KEYS, staged.behaviour.at, strict=True))
        self._footing = Footing(actor, settings, step)
        self._planner = Planner(actor.body.mass, step, -float(actor.model.opt.gravity[2]))
        self._ground_line = self._sampled(0.0, self._times["take-off"])
        self._rise_line = self._sampled(self._times["take-off"], self._times["tuck"])
        self._open_line = self._stretched("tuck", "touch-down", n.opening)
        down = self._sampled(self._times["touch-down"], self._times["stood"])
        self._landing = Landing(self._footing, self._planner, down, n)
        self._opening = Opening(self._open_line, step)
        self.stage = "squat"
        self._began = 0.0  # s of the stage
        self._open_at: int | None = None
        self.pose = np.array(self._ground_line.qpos[0])
        self._course: Course | None = None

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
        if self.stage == "squat" and state.time >= self._times["crouch"] - 1e-9:
            self._begin_push(state, rotation)
        elif self.stage == "push" and self._left_ground(state):
            self.stage, self._began = "flight", state.time
        elif self.stage == "flight" and self._landed(state):
            self._begin_landing(state, rotation)
        return getattr(self, f"_{self.stage}")(state, rotation)  # type: ignore[no-any-return]

    def _squat(self, state: State, rotation: Rotation) -> Actuation:
        n, line = self._numbers, self._ground_line
        k = min(round(state.time / self._step) + 1, len(line.qpos) - 1)
        wanted = self._footing.over_feet(state, n.squat_ahead, line.height[k])
        pull = rotation.mass * (60.0 * (wanted - rotation.com) - 12.0 * rotation.velocity)
        twist = -8.0 * rotation.angular_momentum
        weights = Weights(n.squat_linear, n.squat_angular, n.support)
        tasks = (self._footing.upright(state, line.tilt[k], n.trunk_spring, n.squat_trunk),)
        return self._grounded(state, rotation, line.qpos[k], n.squat_stiffness, weights, (pull, twist), tasks)

    def _begin_push(self, state: State, rotation: Rotation) -> None:
        """Plan the whole flip from here."""
        n = self._numbers
        self.stage, self._began = "push", state.time
        if not self._settings.planning:
            return
        first = round(self._times["crouch"] / self._step)
        hold = round(n.flight / self._step) - (len(self._rise_line.qpos) - 1) - (len(self._open_line.qpos) - 1)
        tuck = np.full(max(hold, 1), self._open_line.inertia[0])
        flight = np.concatenate([self._rise_line.inertia[1:], tuck, self._open_line.inertia[1:]])
        heel, toe = self._footing.soles(state)
        ankle = float(self._footing.forward @ self._footing.ankles(state))
        push = Phase(self._ground_line.inertia[first + 1 :], heel, toe, 6, n.push_strongest, n.push_last)
        back = ankle + n.touch_down_ahead
        landing = Phase(self._landing.inertia, heel - back, toe - back, 8, STRONGEST)
        ahead = n.stand_ahead + ankle - 0.5 * (heel + toe)
        wish = Wish(n.take_off_height, n.touch_down_height, radians(n.turned), n.travel, n.end_height, ahead)
        plan = self._planner.flip(self._footing.planar(rotation, 0.0), push, flight, landing, wish)
        self._course = plan.take_off

    def _push(self, state: State, rotation: Rotation) -> Actuation:
        n, line = self._numbers, self._ground_line
        k = min(round(state.time / self._step) + 1, len(line.qpos) - 1)
        weights = Weights(n.push_linear, n.push_angular, n.push_support)
        if self._course is None:
            wanted = self._footing.over_feet(state, n.squat_ahead, line.height[k])
            pull = rotation.mass * (80.0 * (wanted - rotation.com) - 32.0 * rotation.velocity)
            twist = np.zeros(3)
        else:
            pull, twist = self._footing.followed(rotation, self._course, state.time - self._began, (80.0, 32.0), 32.0)
        share = (state.time - self._began) / (self._times["take-off"] - self._times["crouch"])
        tasks = (
            self._footing.upright(state, line.tilt[k] + share * radians(n.push_tilt), n.trunk_spring, n.push_trunk),
        )
        stiffness = n.push_stiffness * np.where(self._actor.core, n.push_core, 1.0)
        return self._grounded(state, rotation, line.qpos[k], stiffness, weights, (pull, twist), tasks)

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

    def _left_ground(self, state: State) -> bool:
        """Whether the push is over: its time is up, or the feet are off the ground before."""
        late = self._began + EARLIEST * (self._times["take-off"] - self._times["crouch"])
        over = state.time >= self._times["take-off"] - 1e-9
        return over or (state.time > late and not self._footing.touching(state))

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

    def _grounded(
        self,
        state: State,
        rotation: Rotation,
        pose: Array,
        stiffness: float | Array,
        weights: Weights,
        aims: tuple[Array, Array],
        tasks: tuple[Task, ...],
    ) -> Actuation:
        """Torques that track a pose and rates of momenta (N, N m) with the feet on the ground."""
        self.pose = np.array(pose)
        return self._footing.grounded(state, rotation, pose, stiffness, weights, aims, tasks, self._numbers.gap)

    def stands(self) -> bool:
        """Whether it is over: the last pose is reached, and the body is at rest."""
        return self.stage == "land" and self._landing.stands()

    @property
    def pitch(self) -> float:
        """rad of the root, whole turns counted."""
        return self._footing.pitch
