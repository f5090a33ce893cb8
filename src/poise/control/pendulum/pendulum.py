"""The pendulum controller: walking by an inverted pendulum [Tsai2010]."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.controller import ResetFirst, Stage
from poise.control.pendulum import ENTRY, stand
from poise.control.pendulum.foothold_ground import Foothold, foothold, standing_turn
from poise.control.pendulum.gait import DOUBLE_STANCE, GaitState
from poise.control.pendulum.gait_style import StepMoment, StepStyle
from poise.control.pendulum.height import (
    SINK_SPEED,
    HeightPlan,
    climb,
    descent,
    height_plan,
    hip_height,
    landing_height,
)
from poise.control.pendulum.intent import Intent, excess_yaw
from poise.control.pendulum.leg_ik import MAX_TILT
from poise.control.pendulum.motors import StepPoses, Tracking
from poise.control.pendulum.posture import TRAILING_HEEL, PlacedFoot, Posture, StanceFoot, rocked
from poise.control.pendulum.reference_gait import ReferenceWalk
from poise.control.pendulum.settings import PendulumSettings
from poise.control.pendulum.step_plan import PlannedStep, StepPlanner
from poise.control.pendulum.swing import SwingAim, SwingFoot, aim_at, swing_target
from poise.control.pendulum.vectors import rotated
from poise.control.pendulum.walker import Observed, Walker, along_yaw, eased, rotated_xy
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.reference.reference import Reference
from poise.rotations import yaw_of

HEEL_OFF = 0.05
"""Lead (m, adult) of the centre of mass over the centre of pressure where heels start to lift; fully at 3 times."""
LEAN_RATE, STRIP_SHARE = 2.5, 0.3
"""Rate (1/s) at which the body leans into a slope; share of the slope of the whole strip, not that under the foot."""
CENTRE_RATE = 2.0  # Rate (1/s) at which the centre of mass returns to the middle between the feet when standing
DESCENT_SPEED = 0.7  # Speed (m/s, adult) at which a foot that starts in the air comes down
STRIKE_LOAD = 0.3  # Share of the weight that a foot carries as soon as it strikes
STANDING_PHASE = 0.5  # Phase of a step whose posture serves for standing: arms and legs pass each other


class _Instant(NamedTuple):
    """A moment to compute a pose for."""

    gait: GaitState
    moment: StepMoment
    yaw: float  # rad
    faced: float  # rad: yaw of the swing leg
    com: Array  # (3,) m
    ahead: float  # s from now


class Pendulum(ResetFirst):
    """Treats the body as an inverted pendulum, places its steps accordingly and keeps the reference's style otherwise.

    Deviations from the paper, with their reasons and measurements, are in docs/pendulum-method.md.
    """

    name = "pendulum"
    entry = ENTRY

    def __init__(self, settings: PendulumSettings | None = None) -> None:
        self._settings = settings or PendulumSettings()
        self.settings: dict[str, Any] = asdict(self._settings)

    def reset(self, world: Stage, reference: Reference) -> None:
        """Find the reference's gait and the phase in which the body is."""
        walker = Walker(world)
        self._walker, self._posture = walker, Posture(walker)
        self._tracking = Tracking(walker, self._settings.gain)
        self._walk = ReferenceWalk(reference, walker.body, walker.legs)
        self._stepping = StepPlanner(walker, self._walk, self._settings)
        state = world.state
        seen = walker.observe(state)
        pose = reference.at(0.0).qpos
        stance, phase, style = self._walk.place(pose)
        faced = yaw_of(pose[3:7]) - yaw_of(style.at(phase).pose[3:7])
        self._intent = Intent(float(faced), self._walk.speed, self._settings, walker.legs.scale)
        self._gait = self._begun(seen, stance, phase, style)
        self._height = HeightPlan(float(seen.com[2]), float(seen.velocity[2]))
        self._tilt, self._lean, self._rests = np.zeros(2), 0.0, False
        self._pose = np.array(pose)
        self._load(state)

    def _load(self, state: State) -> None:
        """Compile all kernels by letting copies of the controller act once, so that no step waits for it."""
        for gait in (self._gait, self._first_step(self._walker.observe(state), state)):
            twin = copy.copy(self)
            twin._posture, twin._tracking = Posture(self._walker), Tracking(self._walker, self._settings.gain)
            twin._intent, twin._gait = copy.copy(self._intent), gait
            twin.act(state)

    def _begun(self, seen: Observed, stance: int, phase: float, style: StepStyle) -> GaitState:
        """The initial gait; on uneven ground a foot that should stand may still have to come down."""
        if self._walk.still:
            return GaitState(stance, 0.0, style, stands=True)
        if seen.touching[1 - stance] and not seen.touching[stance]:
            stance, phase, style = 1 - stance, 1.0, self._walk.step(1 - stance, 0.0)
        if phase <= DOUBLE_STANCE:
            return GaitState(stance, phase, style, since=phase * self._walk.duration)
        ankle = seen.ankle[1 - stance]
        air = float(ankle[2]) - self._walker.ground(ankle) - self._walker.legs.ankle_height
        needed = air / (DESCENT_SPEED * self._walker.legs.slow)  # s
        phase = max(min(phase, 1.0 - needed / self._walk.duration), DOUBLE_STANCE)
        return GaitState(stance, phase, style, since=phase * self._walk.duration).lifted(seen, self._walker)

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Command a heading (rad, to the left of the initial one) or a speed (m/s; negative is backward)."""
        self._intent.steer(heading, speed)

    def adjust(self, lift: float | None = None, duration: float | None = None) -> None:
        """Command extra foot lift (m) beyond the reference's, or a step duration (s)."""
        self._intent.adjust(lift, duration)

    def stands(self) -> bool:
        """Whether the body stands at rest on both feet."""
        return self._gait.stands and self._rests

    def target(self, time: float) -> Array:  # noqa: ARG002
        """The pose (nq,) that the joints are driven to; `time` is ignored."""
        return self._pose

    def act(self, state: State) -> Actuation:
        """Observe the body, plan the landing, compute the poses now and after the time step, and drive the joints."""
        step = state.step
        seen = self._walker.observe(state)
        self._notice(seen, state)
        if self._gait.stands:
            return self._stand(state, seen)
        gait, intent = self._gait, self._intent
        plan = self._stepping.plan(seen, gait, intent, step)
        hold = foothold(self._walker, gait.swing, plan.place, intent.heading)
        later = gait.later(step, plan.landing.within, plan.place)
        moments = gait.style.at(gait.phase), gait.style.at(later.phase)
        feet = self._standing(seen, self._heels(seen))
        height = self._plan_height(seen, plan, hold, moments, self._ankle(feet, gait.stance), step)
        self._lean += step * LEAN_RATE * (self._settings.lean * self._uphill(seen, plan) - self._lean)
        turn, heading = intent.turning(), intent.heading
        soon = heading + step * turn
        off = excess_yaw(_turned_off(state, self._pose))  # otherwise hips would exceed their range of twist
        aim = aim_at(self._walker, seen, gait, heading + off, hold, intent.lift, plan.astray)
        now, then = (
            self._posed(state, seen, each, feet, aim)
            for each in (
                _Instant(gait, moments[0], heading, heading + off, _at(seen.com, height.height), 0.0),
                _Instant(later, moments[1], soon, soon + off, _moved(seen, height, step), step),
            )
        )
        self._tilt = now[1]
        borne = self._loads(seen, plan.shift)
        torque = self._settings.bearing * stand.support_torque(
            self._walker, state, seen.com, height.acceleration, borne
        )
        rolls, drags = bool(now[1][gait.stance] > 0), bool(seen.touching[gait.swing])
        course = StepPoses(plan.landing.within, rolls, drags, self._settings.supple * plan.supple)
        motors = self._tracking.motors(state, now[0], then[0], gait, course)
        self._gait, self._pose = later, now[0]
        self._height = height.later(step).following(seen, step)
        intent.proceed(step, turn, _turned_off(state, now[0]), plan.landing.missed, plan.anywhere)
        return Actuation(torque=torque, motors=motors)

    def _notice(self, seen: Observed, state: State) -> None:
        """Update the gait: a landed foot becomes the stance foot; a trailing foot is lifted; a slow body may stand."""
        gait, intent = self._gait, self._intent
        if gait.stands:
            if not intent.halts or stand.topples(stand.support_of(self._walker, seen, intent.heading)):
                self._gait = self._first_step(seen, state)
        elif gait.lifts():
            self._gait = gait.lifted(seen, self._walker)
        elif gait.landed(seen):
            intent.note(state.time, seen.com)
            rests = intent.halts and stand.may_stand(
                self._walker, seen, stand.support_of(self._walker, seen, intent.heading)
            )
            self._gait = GaitState(gait.swing, 0.0, self._walk.step(gait.swing, state.time, intent.going), stands=rests)
            intent.follow(self._walk.speed)
            self._height = HeightPlan(float(seen.com[2]), float(seen.velocity[2]))

    def _first_step(self, seen: Observed, state: State) -> GaitState:
        """The first step from standing, with the foot that lands nearer to the wanted place."""
        styles = [self._walk.step(stance, state.time, self._intent.going) for stance in (0, 1)]
        begun = [
            GaitState(stance, DOUBLE_STANCE, style).lifted(seen, self._walker) for stance, style in enumerate(styles)
        ]
        missed = [self._stepping.plan(seen, gait, self._intent, state.step).landing.missed for gait in begun]
        return begun[int(missed[1] < missed[0])]

    def _stand(self, state: State, seen: Observed) -> Actuation:
        """Actuation for standing: both feet stay, and the centre of pressure brings the body to rest."""
        walker, gait, intent, step = self._walker, self._gait, self._intent, state.step
        intent.forget()
        self._rests = stand.has_come_to_rest(walker, seen)
        moment = gait.style.at(STANDING_PHASE)
        feet = self._standing(seen, (0.0, 0.0))
        heights = [
            hip_height(walker, self._ankle(feet, side), moment, seen.hip[side, :2]) - seen.hip[side, 2]
            for side in (0, 1)
        ]
        height = height_plan(walker, self._height, float(seen.com[2]) + min(heights), 0.0)
        support = stand.support_of(walker, seen, intent.heading)
        back = seen.com[:2] + step * CENTRE_RATE * (support.middle - seen.com[:2])
        now, then = (
            self._posture.pose(moment, gait.stance, intent.heading, self._lean, com, feet)[0]
            for com in (_at(seen.com, height.height), _at(back, height.later(step).height))
        )
        borne = stand.loads(seen, support, intent.heading)
        torque = self._settings.bearing * stand.support_torque(walker, state, seen.com, height.acceleration, borne)
        self._pose, self._height = now, height.later(step).following(seen, step)
        intent.proceed(step, 0.0, 0.0, 0.0, True)
        return Actuation(torque=torque, motors=self._tracking.standing(state, now, then))

    def _uphill(self, seen: Observed, plan: PlannedStep) -> float:
        """Angle (rad) by which the ground rises ahead; 0 where it falls."""
        up = self._walker.upward(seen.pressed[self._gait.stance])
        here = -along_yaw(self._intent.heading, up)
        return max(math.atan((1.0 - STRIP_SHARE) * here + STRIP_SHARE * plan.ground.slope), 0.0)

    def _ankle(self, feet: tuple[StanceFoot, ...], side: int) -> Array:
        """Ankle position (3,) m of a foot that stands flat."""
        return np.asarray(feet[side].ball - rotated(feet[side].foot, self._walker.legs.ball[side]))

    def _plan_height(
        self,
        seen: Observed,
        plan: PlannedStep,
        hold: Foothold,
        moments: Sequence[StepMoment],
        ankle: Array,
        step: float,
    ) -> HeightPlan:
        """The height plan over a stance foot whose ankle is at `ankle` (3,) m when it is flat."""
        walker, landing, heading = self._walker, plan.landing, self._intent.heading
        hip, under = seen.hip[self._gait.stance], seen.pressed[self._gait.stance]
        above = seen.com[2] - hip[2]
        way = climb(walker, seen, self._gait, heading, plan.place)
        ahead, pace = along_yaw(heading, seen.com - under), along_yaw(heading, seen.velocity)
        now = hip_height(walker, ankle, moments[0], hip[:2]) + way.rise(walker, ahead)
        then = hip_height(walker, ankle, moments[1], hip[:2] + step * seen.velocity[:2])
        then += way.rise(walker, ahead + step * pace)
        away = math.dist(landing.place, landing.there)
        low = landing_height(walker, hold.ground, away) + SINK_SPEED * walker.legs.slow * landing.within
        share, pace = descent(self._gait.swung, max(landing.within, step))
        down = max(walker.ground(under) - hold.ground, 0.0)
        if now - low > share * down:
            share, pace, down = 1.0, 0.0, now - low
        sunk = self._settings.sinking * down
        return height_plan(walker, self._height, above + (now - share * sunk), (then - now) / step - pace * sunk)

    def _heels(self, seen: Observed) -> tuple[float, float]:
        """Angles (rad) by which the heels may lift: the stance heel once the centre of mass is ahead of its foot."""
        stance = self._gait.stance
        ahead = along_yaw(self._intent.heading, seen.com - seen.pressed[stance])
        free = MAX_TILT * eased(0.5 * ahead / (HEEL_OFF * self._walker.legs.scale) - 0.5)
        return (free, TRAILING_HEEL) if stance == 0 else (TRAILING_HEEL, free)

    def _standing(self, seen: Observed, heels: tuple[float, float]) -> tuple[StanceFoot, ...]:
        """Both feet as if they stood flat, with the angles (rad) by which their heels may lift."""
        balls = [self._walker.footing(seen, side) for side in (0, 1)]
        return tuple(
            StanceFoot(ball, standing_turn(self._walker, side, ball, seen.yaw(side)), most)
            for side, (ball, most) in enumerate(zip(balls, heels, strict=True))
        )

    def _posed(
        self, state: State, seen: Observed, at: _Instant, flat: tuple[StanceFoot, ...], aim: SwingAim
    ) -> tuple[Array, Array]:
        """Pose (nq,) at an instant, and heel lifts (2,) rad; `flat` are the feet as if they stood."""
        walker, gait, lift = self._walker, at.gait, at.gait.lift
        feet: list[PlacedFoot] = [
            swing_target(walker, seen, gait, lift, at.faced, aim, at.ahead)
            if lift is not None and side == gait.swing
            else rocked(walker.legs, seen, side, foot, at.ahead)
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

    def _loads(self, seen: Observed, shift: Array) -> tuple[stand.FootLoad, ...]:
        """Load and point of force of each foot; during double stance the weight moves to the new stance foot."""
        gait = self._gait
        share = 1.0 if gait.lift else STRIKE_LOAD + (1.0 - STRIKE_LOAD) * eased(gait.phase / DOUBLE_STANCE)
        point = np.array(seen.pressed[gait.stance])
        point[:2] += rotated_xy(self._intent.heading, shift)
        if self._tilt[gait.stance] > 0:
            point = seen.ball[gait.stance]
        return stand.FootLoad(gait.stance, share, point), stand.FootLoad(gait.swing, 1.0 - share, seen.ball[gait.swing])


def _turned_off(state: State, pose: Array) -> float:
    """Angle (rad) by which the body is turned to the left of a pose."""
    half = math.atan2(state.qpos[6], state.qpos[3]) - math.atan2(pose[6], pose[3])
    return math.remainder(2.0 * half, 2 * math.pi)


def _at(com: Array, height: float) -> Array:
    return np.array([com[0], com[1], height])


def _moved(seen: Observed, height: HeightPlan, step: float) -> Array:
    """Centre of mass (3,) m after a time step (s)."""
    return _at(seen.com + step * seen.velocity, height.later(step).height)
