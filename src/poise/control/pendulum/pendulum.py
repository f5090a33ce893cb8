"""Walking by an inverted pendulum [Tsai2010]."""

from __future__ import annotations

import copy
import math
from dataclasses import asdict
from typing import Any, NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.controller import ResetFirst, Stage
from poise.control.pendulum import ENTRY
from poise.control.pendulum.foothold_ground import Foothold, foothold, standing_turn
from poise.control.pendulum.gait import DOUBLE, GaitState
from poise.control.pendulum.gait_style import Manner, StepMoment
from poise.control.pendulum.height import SINKS, Heave, climb, descended, heaved, hip_height, landing_height
from poise.control.pendulum.intent import Intent, given_way
from poise.control.pendulum.leg_ik import TILT
from poise.control.pendulum.motors import StepPoses, Tracking
from poise.control.pendulum.posture import TRAILING, Posture, StanceFoot, rocked
from poise.control.pendulum.reference_gait import ReferenceWalk
from poise.control.pendulum.settings import PendulumSettings
from poise.control.pendulum.stand import (
    FootLoad,
    has_come_to_rest,
    loads,
    may_stand,
    support_of,
    support_torque,
    topples,
)
from poise.control.pendulum.step_plan import PlannedStep, StepPlanner
from poise.control.pendulum.swing import SwingAim, SwingFoot, aim_at, swung
from poise.control.pendulum.vectors import rotated
from poise.control.pendulum.walker import Seen, Walker, along, eased, turned
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.reference.reference import Reference
from poise.rotations import yaw_of

LEANS = 0.05
"""m, of an adult: how far ahead of the pressed point the centre of mass is when the heel begins to lift; wholly twice
as far on."""
UPHILL, WHOLE = 2.5, 0.3
"""1/s at which the body leans into a slope; and how much of it is that of the whole way, not that under the foot."""
RETURNS = 2.0
"""1/s at which the centre of mass of who stands returns to the middle."""
DESCENDS = 0.7
"""m/s, of an adult: a foot that is in the air at first needs so long to land."""
STRUCK = 0.3
"""Share of the weight that a foot bears as soon as it strikes."""
STOOD = 0.5
"""Phase of a step whose posture is that of standing still: arms and legs pass each other."""


class _Instant(NamedTuple):
    """A moment that is posed."""

    gait: GaitState
    moment: StepMoment
    yaw: float  # rad
    faced: float  # rad: where a leg that swings points to
    com: Array  # (3,) m
    ahead: float  # s from now


class Pendulum(ResetFirst):
    """Sees the whole body as a pendulum, steps where it must, and keeps the reference's manner in all else.

    Deviations from the paper, with their reasons and measurements, are in docs/pendulum.md.
    """

    name = "pendulum"
    entry = ENTRY

    def __init__(self, settings: PendulumSettings | None = None) -> None:
        self._settings = settings or PendulumSettings()
        self.settings: dict[str, Any] = asdict(self._settings)

    def reset(self, world: Stage, reference: Reference) -> None:
        """Hear how the reference walks, and find where in it the body is."""
        figure = Walker(world)
        self._figure, self._posture = figure, Posture(figure)
        self._tracking = Tracking(figure, self._settings.gain)
        self._walk = ReferenceWalk(reference, figure.body, figure.legs)
        self._stepping = StepPlanner(figure, self._walk, self._settings)
        state = world.state
        seen = figure.see(state)
        pose = reference.at(0.0).qpos
        stance, phase, manner = self._walk.place(pose)
        faced = yaw_of(pose[3:7]) - yaw_of(manner.at(phase).pose[3:7])
        self._intent = Intent(float(faced), self._walk.speed, self._settings, figure.legs.scale)
        self._gait = self._begun(seen, stance, phase, manner)
        self._heave = Heave(float(seen.com[2]), float(seen.velocity[2]))
        self._tilt, self._lean, self._rests = np.zeros(2), 0.0, False
        self._pose = np.array(pose)
        self._load(state)

    def _load(self, state: State) -> None:
        """Have all kernels compiled, so that no step waits for it: by twins that act once, as it is and in a step."""
        for gait in (self._gait, self._first_step(self._figure.see(state), state)):
            twin = copy.copy(self)
            twin._posture, twin._tracking = Posture(self._figure), Tracking(self._figure, self._settings.gain)
            twin._intent, twin._gait = copy.copy(self._intent), gait
            twin.act(state)

    def _begun(self, seen: Seen, stance: int, phase: float, manner: Manner) -> GaitState:
        """Where the walk begins; on uneven ground a foot that should stand may still have to come down."""
        if self._walk.still:
            return GaitState(stance, 0.0, manner, stands=True)
        if seen.touching[1 - stance] and not seen.touching[stance]:
            stance, phase, manner = 1 - stance, 1.0, self._walk.step(1 - stance, 0.0)
        if phase <= DOUBLE:
            return GaitState(stance, phase, manner, since=phase * self._walk.duration)
        ankle = seen.ankle[1 - stance]
        air = float(ankle[2]) - self._figure.ground(ankle) - self._figure.legs.ankle_height
        needed = air / (DESCENDS * self._figure.legs.slow)  # s
        phase = max(min(phase, 1.0 - needed / self._walk.duration), DOUBLE)
        return GaitState(stance, phase, manner, since=phase * self._walk.duration).lifted(seen, self._figure)

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Want another heading (rad, to the left of the first one) or speed (m/s; negative for backward)."""
        self._intent.steer(heading, speed)

    def adjust(self, lift: float | None = None, duration: float | None = None) -> None:
        """Want feet lifted more than the reference's (m), or steps of another duration (s)."""
        self._intent.adjust(lift, duration)

    def stands(self) -> bool:
        """Whether it stands on both feet, at rest."""
        return self._gait.stands and self._rests

    def target(self, time: float) -> Array:  # noqa: ARG002
        """The pose that the joints are driven to."""
        return self._pose

    def act(self, state: State) -> Actuation:
        """Step by step: see, plan the landing, pose the body now and at the end of the step, and drive the joints."""
        step = state.step
        seen = self._figure.see(state)
        self._notice(seen, state)
        if self._gait.stands:
            return self._stand(state, seen)
        gait, intent = self._gait, self._intent
        plan = self._stepping.plan(seen, gait, intent, step)
        hold = foothold(self._figure, gait.swing, plan.place, intent.heading)
        later = gait.later(step, plan.landing.within, plan.place)
        moments = gait.manner.at(gait.phase), gait.manner.at(later.phase)
        feet = self._standing(seen, self._heels(seen))
        heave = self._heaved(seen, plan, hold, moments, self._ankle(feet, gait.stance), step)
        self._lean += step * UPHILL * (self._settings.lean * self._uphill(seen, plan) - self._lean)
        turn, heading = intent.turning(), intent.heading
        soon = heading + step * turn
        off = given_way(_turned_off(state, self._pose))  # or hips would have to twist further than they can
        aim = aim_at(self._figure, seen, gait, heading + off, hold, intent.lift, plan.astray)
        now, then = (
            self._posed(state, seen, each, feet, aim)
            for each in (
                _Instant(gait, moments[0], heading, heading + off, _at(seen.com, heave.height), 0.0),
                _Instant(later, moments[1], soon, soon + off, _moved(seen, heave, step), step),
            )
        )
        self._tilt = now[1]
        borne = self._loads(seen, plan.shift)
        torque = self._settings.bearing * support_torque(self._figure, state, seen.com, heave.pull, borne)
        rolls, drags = bool(now[1][gait.stance] > 0), bool(seen.touching[gait.swing])
        course = StepPoses(plan.landing.within, rolls, drags, self._settings.supple * plan.supple)
        motors = self._tracking.motors(state, now[0], then[0], gait, course)
        self._gait, self._pose = later, now[0]
        self._heave = heave.later(step).following(seen, step)
        intent.proceed(step, turn, _turned_off(state, now[0]), plan.landing.missed, plan.anywhere)
        return Actuation(torque=torque, motors=motors)

    def _notice(self, seen: Seen, state: State) -> None:
        """A foot that lands becomes the one that stands; the other is lifted soon after, unless both are to stand."""
        gait, intent = self._gait, self._intent
        if gait.stands:
            if not intent.halts or topples(support_of(self._figure, seen, intent.heading)):
                self._gait = self._first_step(seen, state)
        elif gait.lifts():
            self._gait = gait.lifted(seen, self._figure)
        elif gait.landed(seen):
            intent.note(state.time, seen.com)
            rests = intent.halts and may_stand(self._figure, seen, support_of(self._figure, seen, intent.heading))
            self._gait = GaitState(gait.swing, 0.0, self._walk.step(gait.swing, state.time, intent.going), stands=rests)
            intent.follow(self._walk.speed)
            self._heave = Heave(float(seen.com[2]), float(seen.velocity[2]))

    def _first_step(self, seen: Seen, state: State) -> GaitState:
        """With the foot that gets nearer to where it should."""
        manners = [self._walk.step(stance, state.time, self._intent.going) for stance in (0, 1)]
        begun = [GaitState(stance, DOUBLE, manner).lifted(seen, self._figure) for stance, manner in enumerate(manners)]
        missed = [self._stepping.plan(seen, gait, self._intent, state.step).landing.missed for gait in begun]
        return begun[int(missed[1] < missed[0])]

    def _stand(self, state: State, seen: Seen) -> Actuation:
        """Both feet stay; the ground presses where it brings the body to rest."""
        figure, gait, intent, step = self._figure, self._gait, self._intent, state.step
        intent.rest()
        self._rests = has_come_to_rest(figure, seen)
        moment = gait.manner.at(STOOD)
        feet = self._standing(seen, (0.0, 0.0))
        heights = [
            hip_height(figure, self._ankle(feet, side), moment, seen.hip[side, :2]) - seen.hip[side, 2]
            for side in (0, 1)
        ]
        heave = heaved(figure, self._heave, float(seen.com[2]) + min(heights), 0.0)
        support = support_of(figure, seen, intent.heading)
        back = seen.com[:2] + step * RETURNS * (support.middle - seen.com[:2])
        now, then = (
            self._posture.pose(moment, gait.stance, intent.heading, self._lean, com, feet)[0]
            for com in (_at(seen.com, heave.height), _at(back, heave.later(step).height))
        )
        borne = loads(seen, support, intent.heading)
        torque = self._settings.bearing * support_torque(figure, state, seen.com, heave.pull, borne)
        self._pose, self._heave = now, heave.later(step).following(seen, step)
        intent.proceed(step, 0.0, 0.0, 0.0, True)
        return Actuation(torque=torque, motors=self._tracking.standing(state, now, then))

    def _uphill(self, seen: Seen, plan: PlannedStep) -> float:
        """rad by which the ground rises ahead; none where it falls."""
        up = self._figure.upward(seen.pressed[self._gait.stance])
        here = -along(self._intent.heading, up)
        return max(math.atan((1.0 - WHOLE) * here + WHOLE * plan.ground.slope), 0.0)

    def _ankle(self, feet: tuple[StanceFoot, ...], side: int) -> Array:
        """(3,) m: where the ankle of a foot is when it stands flat."""
        return np.asarray(feet[side].ball - rotated(feet[side].foot, self._figure.legs.ball[side]))

    def _heaved(
        self,
        seen: Seen,
        plan: PlannedStep,
        hold: Foothold,
        moments: tuple[StepMoment, StepMoment],
        ankle: Array,
        step: float,
    ) -> Heave:
        """The plan of height, over a standing foot whose ankle is at a place (3,) when it is flat."""
        figure, landing, heading = self._figure, plan.landing, self._intent.heading
        hip, under = seen.hip[self._gait.stance], seen.pressed[self._gait.stance]
        above = seen.com[2] - hip[2]
        way = climb(figure, seen, self._gait, heading, plan.place)
        ahead, pace = along(heading, seen.com - under), along(heading, seen.velocity)
        now = hip_height(figure, ankle, moments[0], hip[:2]) + way.rise(figure, ahead)
        then = hip_height(figure, ankle, moments[1], hip[:2] + step * seen.velocity[:2])
        then += way.rise(figure, ahead + step * pace)
        away = math.dist(landing.place, landing.there)
        low = landing_height(figure, hold.ground, away) + SINKS * figure.legs.slow * landing.within
        share, pace = descended(self._gait.swung, max(landing.within, step))
        down = max(figure.ground(under) - hold.ground, 0.0)
        if now - low > share * down:
            share, pace, down = 1.0, 0.0, now - low
        sunk = self._settings.sinking * down
        return heaved(figure, self._heave, above + (now - share * sunk), (then - now) / step - pace * sunk)

    def _heels(self, seen: Seen) -> tuple[float, float]:
        """rad by which heels may lift: of the standing foot once the centre of mass is ahead of it."""
        stance = self._gait.stance
        ahead = along(self._intent.heading, seen.com - seen.pressed[stance])
        free = TILT * eased(0.5 * ahead / (LEANS * self._figure.legs.scale) - 0.5)
        return (free, TRAILING) if stance == 0 else (TRAILING, free)

    def _standing(self, seen: Seen, heels: tuple[float, float]) -> tuple[StanceFoot, ...]:
        """Both feet as if they stood."""
        balls = [self._figure.footing(seen, side) for side in (0, 1)]
        return tuple(
            StanceFoot(ball, standing_turn(self._figure, side, ball, seen.yaw(side)), most)
            for side, (ball, most) in enumerate(zip(balls, heels, strict=True))
        )

    def _posed(
        self, state: State, seen: Seen, at: _Instant, flat: tuple[StanceFoot, ...], aim: SwingAim
    ) -> tuple[Array, Array]:
        """A pose, and by how much its heels are lifted; feet that stand would do so flat."""
        figure, gait, lift = self._figure, at.gait, at.gait.lift
        feet: list[StanceFoot | SwingFoot] = [
            swung(figure, seen, gait, lift, at.faced, aim, at.ahead)
            if lift is not None and side == gait.swing
            else rocked(figure.legs, seen, side, foot, at.ahead)
            for side, foot in enumerate(flat)
        ]
        qpos, tilt = self._posture.pose(at.moment, gait.stance, at.yaw, self._lean, at.com, feet)
        air = feet[gait.swing]
        if isinstance(air, SwingFoot):
            root = np.array(state.qpos[:7])
            root[:3] += at.ahead * state.qvel[:3]
            mujoco.mju_quatIntegrate(root[3:7], state.qvel[3:6], at.ahead)
            self._posture.reach_out(qpos, root, gait.swing, at.faced, at.moment, air)
        return qpos, tilt

    def _loads(self, seen: Seen, shift: Array) -> tuple[FootLoad, ...]:
        """What the feet bear, and where: weight goes over to the new foot while both stand."""
        gait = self._gait
        share = 1.0 if gait.lift else STRUCK + (1.0 - STRUCK) * eased(gait.phase / DOUBLE)
        point = np.array(seen.pressed[gait.stance])
        point[:2] += turned(self._intent.heading, shift)
        if self._tilt[gait.stance] > 0:
            point = seen.ball[gait.stance]
        return FootLoad(gait.stance, share, point), FootLoad(gait.swing, 1.0 - share, seen.ball[gait.swing])


def _turned_off(state: State, pose: Array) -> float:
    """rad by which the body is turned to the left of a pose."""
    half = math.atan2(state.qpos[6], state.qpos[3]) - math.atan2(pose[6], pose[3])
    return math.remainder(2.0 * half, 2 * math.pi)


def _at(com: Array, height: float) -> Array:
    return np.array([com[0], com[1], height])


def _moved(seen: Seen, heave: Heave, step: float) -> Array:
    """(3,) m where the centre of mass will be."""
    return _at(seen.com + step * seen.velocity, heave.later(step).height)
