"""The pendulum controller: walking by an inverted pendulum [Tsai2010]."""

import copy
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.controller import ResetFirst, WorldView
from poise.control.pendulum import ENTRY, height, stand
from poise.control.pendulum.foothold_ground import Foothold, foothold_at, stance_foot_rotation
from poise.control.pendulum.gait import DOUBLE_STANCE, GaitState, StepMoment, StepStyle
from poise.control.pendulum.height import HeightPlan
from poise.control.pendulum.intent import WalkIntent, excess_yaw
from poise.control.pendulum.leg_ik import BENT, MAX_TILT
from poise.control.pendulum.motors import MotorHints, VelocityTracking
from poise.control.pendulum.posture import PlacedFoot, Posture, StanceFoot, heel_rocked_foot
from poise.control.pendulum.reference_gait import ReferenceWalk
from poise.control.pendulum.settings import PendulumSettings
from poise.control.pendulum.step_plan import PlannedStep, StepPlanner
from poise.control.pendulum.swing import SwingAim, SwingFoot, swing_aim, swing_foot_target
from poise.control.pendulum.vectors import dot3, rotated, yaw_rotated
from poise.control.pendulum.walker import Observed, Walker, along_yaw, eased, rotated_xy
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.reference.reference import Reference
from poise.rotations import yaw_of

HEEL_OFF = 0.05
"""Lead (m, adult) of the centre of mass over the centre of pressure from which heels may lift; fully at 3 HEEL_OFF."""
TIPPED = 0.2  # Angle (rad) between sole and ground from which a foot bears on its heel or its ball alone
LEAN_RATE, STRIP_SHARE = 2.5, 0.3
"""Rate (1/s) at which the body leans into a slope; weight of the whole strip's slope against that under the foot."""
CENTRE_RATE = 2.0  # Rate (1/s) at which the centre of mass returns to the middle between the feet when standing
DESCENT_SPEED = 0.7  # Speed (m/s, adult) at which a foot that starts in the air comes down
STANDING_PHASE = 0.5  # Phase of a step whose posture serves for standing: arms and legs pass each other


class _StepInstant(NamedTuple):
    """An instant for which a pose is computed."""

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

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Find the gait of the reference and the initial phase of the body, and compile the kernels."""
        walker = Walker(world)
        self._walker, self._posture = walker, Posture(walker)
        self._tracking = VelocityTracking(walker, self._settings.gain)
        self._walk = ReferenceWalk(reference, walker.body, walker.legs)
        self._stepping = StepPlanner(walker, self._walk, self._settings)
        seen, pose = walker.observe(world.state), reference.at(0.0).qpos
        stance, phase, style = self._walk.nearest_phase(pose)
        faced = yaw_of(pose[3:7]) - yaw_of(style.at(phase).pose[3:7])
        self._intent = WalkIntent(float(faced), self._walk.speed, self._settings, walker.legs.scale)
        self._gait = self._initial_gait(seen, stance, phase, style)
        self._height = HeightPlan(float(seen.com[2]), float(seen.velocity[2]))
        self._tilt, self._lean, self._rests = np.zeros(2), 0.0, False
        self._pose = np.array(pose)
        self._warm_up(world.state)

    def _warm_up(self, state: State) -> None:
        """Compile all kernels by letting copies of the controller act once, so that no step waits for compilation."""
        for gait in (self._gait, self._first_step(self._walker.observe(state), state)):
            twin = copy.copy(self)
            twin._posture, twin._tracking = Posture(self._walker), VelocityTracking(self._walker, self._settings.gain)
            twin._intent, twin._gait = copy.copy(self._intent), gait
            twin.act(state)

    def _initial_gait(self, seen: Observed, stance: int, phase: float, style: StepStyle) -> GaitState:
        """The initial gait; on uneven ground a foot that should stand may still have to come down."""
        if self._walk.takes_no_steps:
            return GaitState(stance, 0.0, style, stands=True)
        if seen.touching[1 - stance] and not seen.touching[stance]:
            stance, phase, style = 1 - stance, 1.0, self._walk.step_style(1 - stance, 0.0)
        if phase <= DOUBLE_STANCE:
            return GaitState(stance, phase, style, since=phase * self._walk.duration)
        ankle = seen.ankle[1 - stance]
        air = float(ankle[2]) - self._walker.ground_height(ankle) - self._walker.legs.ankle_height
        needed = air / (DESCENT_SPEED * self._walker.legs.time_scale)  # s
        phase = max(min(phase, 1.0 - needed / self._walk.duration), DOUBLE_STANCE)
        return GaitState(stance, phase, style, since=phase * self._walk.duration).with_foot_lifted(seen, self._walker)

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Command a heading (rad, to the left of the initial one) or a speed (m/s; negative is backward)."""
        self._intent.steer(heading, speed)

    def adjust(self, lift: float | None = None, duration: float | None = None) -> None:
        """Command extra foot lift (m) or a step duration (s). 0 restores the reference's; None changes nothing."""
        self._intent.adjust(lift, duration)

    def stands(self) -> bool:
        """Whether the body stands at rest on both feet."""
        return self._gait.stands and self._rests

    def target(self, time: float) -> Array:  # noqa: ARG002
        """The pose (nq,) that the joints are driven to; `time` is ignored."""
        return self._pose

    def act(self, state: State) -> Actuation:
        """Observe the body, plan the landing, compute the poses now and after the time step, and drive the joints."""
        walker, intent, step = self._walker, self._intent, state.step
        seen = walker.observe(state)
        self._update_gait(seen, state)
        if self._gait.stands:
            return self._act_standing(state, seen)
        gait = self._gait
        plan = self._stepping.plan(seen, gait, intent, step)
        hold = foothold_at(walker, gait.swing, plan.place, intent.heading)
        later = gait.later(step, plan.landing.within, plan.place)
        moments = gait.style.at(gait.phase), gait.style.at(later.phase)
        feet = self._flat_feet(seen, self._heel_lift_limits(seen))
        height_plan = self._plan_height(seen, plan, hold, moments, self._flat_foot_ankle(feet, gait.stance), step)
        self._lean += step * LEAN_RATE * (self._settings.lean * self._uphill_angle(seen, plan) - self._lean)
        turn, heading = intent.turning_rate(seen.velocity[:2], plan.anywhere), intent.heading
        soon = heading + step * turn
        off = excess_yaw(_yaw_off_pose(state, self._pose))  # otherwise hips would exceed their range of twist
        aim = swing_aim(walker, seen, gait, heading + off, hold, intent.lift, plan.gives)
        com = _com_at_height(seen.com, height_plan.height)
        next_com = _com_at_height(seen.com + step * seen.velocity, height_plan.later(step).height)
        begins = _StepInstant(gait, moments[0], heading, heading + off, com, 0.0)
        ends = _StepInstant(later, moments[1], soon, soon + off, next_com, step)
        now, self._tilt = self._pose_at(state, seen, begins, feet, aim, plan)
        then, _ = self._pose_at(state, seen, ends, feet, aim, plan)
        borne = self._foot_loads(seen, plan, feet[gait.stance])
        torque = self._settings.bearing * stand.support_torque(walker, state, seen.com, height_plan.acceleration, borne)
        hints = MotorHints(plan.landing.within, bool(seen.touching[gait.swing]))
        motors = self._tracking.walking_motors(state, now, then, gait, hints)
        self._gait, self._pose = later, now
        self._height = height_plan.later(step).following(seen, step)
        intent.advance(step, turn, _yaw_off_pose(state, now), plan.astray, plan.anywhere)
        return Actuation(torque=torque, motors=motors)

    def _update_gait(self, seen: Observed, state: State) -> None:
        """Update the gait: a landed foot becomes the stance foot; a trailing foot is lifted; a slow body may stand."""
        gait, intent, walker = self._gait, self._intent, self._walker
        if gait.stands:
            if not intent.halts or stand.needs_recovery_step(stand.foot_support(walker, seen, intent.heading)):
                self._gait = self._first_step(seen, state)
        elif gait.may_lift_foot(intent.astray):
            self._gait = gait.with_foot_lifted(seen, walker)
        elif gait.has_landed(seen):
            intent.note_strike(state.time, seen.com)
            support = stand.foot_support(walker, seen, intent.heading)
            rests = intent.halts and stand.may_stop_walking(walker, seen, support)
            style = self._walk.step_style(gait.swing, state.time, intent.going)
            self._gait = GaitState(gait.swing, 0.0, style, stands=rests)
            intent.adopt_walk_speed(self._walk.speed)
            self._height = HeightPlan(float(seen.com[2]), float(seen.velocity[2]))

    def _first_step(self, seen: Observed, state: State) -> GaitState:
        """The first step from standing, with the foot that lands nearer to the wanted place."""
        styles = [self._walk.step_style(stance, state.time, self._intent.going) for stance in (0, 1)]
        both = [GaitState(stance, DOUBLE_STANCE, style) for stance, style in enumerate(styles)]
        gaits = [gait.with_foot_lifted(seen, self._walker) for gait in both]
        missed = [self._stepping.plan(seen, gait, self._intent, state.step).landing.missed for gait in gaits]
        return gaits[int(missed[1] < missed[0])]

    def _act_standing(self, state: State, seen: Observed) -> Actuation:
        """Actuation for standing: both feet stay, and the centre of pressure brings the body to rest."""
        walker, gait, intent, step = self._walker, self._gait, self._intent, state.step
        intent.forget_strikes()
        self._rests = math.hypot(*seen.velocity[:2]) < stand.REST_SPEED * walker.legs.time_scale
        moment = gait.style.at(STANDING_PHASE)
        feet = self._flat_feet(seen, (0.0, 0.0))
        hips = [(self._flat_foot_ankle(feet, side), seen.hip[side]) for side in (0, 1)]
        rises = [height.stance_hip_height(walker, ankle, hip[:2], gait.style.top, BENT) - hip[2] for ankle, hip in hips]
        height_plan = height.plan_towards_height(walker, self._height, float(seen.com[2]) + min(rises), 0.0)
        support = stand.foot_support(walker, seen, intent.heading)
        back = seen.com[:2] + step * CENTRE_RATE * (support.middle - seen.com[:2])
        coms = _com_at_height(seen.com, height_plan.height), _com_at_height(back, height_plan.later(step).height)
        now, then = (
            self._posture.pose(moment, gait.stance, intent.heading, self._lean, com, feet, BENT)[0] for com in coms
        )
        borne = stand.standing_foot_loads(seen, support, intent.heading)
        torque = self._settings.bearing * stand.support_torque(walker, state, seen.com, height_plan.acceleration, borne)
        self._pose, self._height = now, height_plan.later(step).following(seen, step)
        intent.advance(step, 0.0, 0.0, 0.0, True)
        return Actuation(torque=torque, motors=self._tracking.standing_motors(state, now, then))

    @property
    def _own_speed(self) -> float:
        """Speed (m/s) of the reference's walk, forward or backward."""
        return max(abs(self._walk.speed), 1e-3)

    def _uphill_angle(self, seen: Observed, plan: PlannedStep) -> float:
        """Angle (rad) by which the ground rises ahead; 0 where it falls."""
        here = -along_yaw(self._intent.heading, self._walker.ground_normal(seen.pressed[self._gait.stance]))
        return max(math.atan((1.0 - STRIP_SHARE) * here + STRIP_SHARE * plan.ground.slope), 0.0)

    def _flat_foot_ankle(self, feet: tuple[StanceFoot, ...], side: int) -> Array:
        """Ankle position (3,) m of a foot that stands flat."""
        return np.asarray(feet[side].ball - rotated(feet[side].foot, self._walker.legs.ball[side]))

    def _plan_height(
        self, seen: Observed, plan: PlannedStep, hold: Foothold, moments: Sequence[StepMoment], ankle: Array,
        step: float,
    ) -> HeightPlan:  # fmt: skip
        """Plan the height of the centre of mass; `ankle` (3,) m is where the stance ankle is when the foot is flat."""
        walker, landing, heading = self._walker, plan.landing, self._intent.heading
        gait, hips, under = self._gait, seen.hip.mean(axis=0), seen.pressed[self._gait.stance]
        above, drop = seen.com[2] - hips[2], hips[2] - seen.hip[gait.stance, 2]
        way = height.step_climb(walker, seen, gait, heading, plan.place)
        ahead, pace = along_yaw(heading, seen.com - under), along_yaw(heading, seen.velocity)
        # The heel of the stance foot lifts to raise the body in steady walking and on steps up only.
        lifts = max(1.0 - plan.gives, eased(way.next / height.CLIMB - 1.0))
        bob = (1.0 - plan.gives) * min((self._intent.going / self._own_speed) ** 2, height.MAX_BOB)
        tops = [gait.style.top - bob * moment.sink for moment in moments]
        now, then = (
            height.stance_hip_height(
                walker,
                ankle,
                seen.hip[gait.stance, :2] + late * seen.velocity[:2],
                top,
                plan.stretch,
                lifts * (ahead + late * pace),
            )
            for top, late in zip(tops, (0.0, step), strict=True)
        )
        bound = now < ankle[2] + tops[0] - 1e-9
        now, then = now + drop * bound, then + drop * bound
        now += way.rise(walker, ahead)
        then += way.rise(walker, ahead + step * pace)
        pull = 0.0 if bound else -bob * moments[0].bend * ((1.0 - gait.phase) / max(landing.within, step)) ** 2
        away = math.dist(landing.place, landing.there)
        low = (
            height.landing_hip_height(walker, hold.ground, away, plan.stretch)
            + height.SINK_SPEED * walker.legs.time_scale * landing.within
        )
        share, pace = height.hip_descent(gait.swing_share, max(landing.within, step))
        down = max(walker.ground_height(under) - hold.ground, 0.0)
        if now - low > share * down:
            share, pace, down = 1.0, 0.0, now - low
        sunk = self._settings.sinking * down
        wanted, rate = above + (now - share * sunk), (then - now) / step - pace * sunk
        return height.plan_towards_height(walker, self._height, wanted, rate, pull)

    def _heel_lift_limits(self, seen: Observed) -> tuple[float, float]:
        """Angles (rad) by which left and right heel may lift; the stance heel only with the centre of mass ahead."""
        stance = self._gait.stance
        ahead = along_yaw(self._intent.heading, seen.com - seen.pressed[stance])
        free = MAX_TILT * eased(0.5 * ahead / (HEEL_OFF * self._walker.legs.scale) - 0.5)
        return (free, MAX_TILT) if stance == 0 else (MAX_TILT, free)

    def _flat_feet(self, seen: Observed, heels: tuple[float, float]) -> tuple[StanceFoot, ...]:
        """Both feet as if they stood flat; `heels` are the angles (rad) by which their heels may lift."""
        balls = [self._walker.stance_ball(seen, side) for side in (0, 1)]
        return tuple(
            StanceFoot(ball, stance_foot_rotation(self._walker, side, ball, seen.foot_yaw(side)), 0.0, most)
            for side, (ball, most) in enumerate(zip(balls, heels, strict=True))
        )

    def _pose_at(
        self, state: State, seen: Observed, at: _StepInstant, flat: tuple[StanceFoot, ...], aim: SwingAim,
        plan: PlannedStep,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Pose (nq,) at an instant, and heel lifts (2,) rad; `flat` are both feet as if they stood flat."""
        walker, gait, lift = self._walker, at.gait, at.gait.lift
        share = (1.0 - plan.gives) * min(max(self._intent.going / self._own_speed, 0.0), 1.0)
        flat = tuple(
            foot.with_heel_lifted(share * at.moment.heel(int(side != gait.stance))) for side, foot in enumerate(flat)
        )
        feet: list[PlacedFoot] = [
            swing_foot_target(walker, seen, gait, lift, at.faced, aim, at.ahead)
            if lift is not None and side == gait.swing
            else heel_rocked_foot(walker.legs, seen, side, foot, at.ahead)
            for side, foot in enumerate(flat)
        ]
        qpos, tilt = self._posture.pose(at.moment, gait.stance, at.yaw, self._lean, at.com, feet, plan.stretch)
        air = feet[gait.swing]
        if isinstance(air, SwingFoot):
            root = np.array(state.qpos[:7])
            root[:3] += at.ahead * state.qvel[:3]
            mujoco.mju_quatIntegrate(root[3:7], state.qvel[3:6], at.ahead)
            self._posture.set_swing_leg(
                qpos, root, gait.swing, yaw_rotated(at.faced, at.moment.across)[1], air, plan.stretch
            )
        return qpos, tilt

    def _foot_loads(self, seen: Observed, plan: PlannedStep, flat: StanceFoot) -> tuple[stand.FootLoad, ...]:
        """Load and point of force of each foot; `flat` is the stance foot as if it stood flat.

        During double stance the weight moves to the new stance foot. A foot with its heel or its toes in the air bears
        on its ball or its heel.
        """
        gait, legs = self._gait, self._walker.legs
        stance = gait.stance
        share = plan.load
        point = np.array(seen.pressed[stance])
        point[:2] += rotated_xy(self._intent.heading, plan.shift)
        toes = dot3(np.ascontiguousarray(seen.foot[stance, :, 0]), np.ascontiguousarray(flat.foot[:, 2]))
        heel = seen.ankle[stance] + seen.foot[stance] @ legs.sole[stance, :2].mean(axis=0)
        point += float(np.clip(toes / TIPPED, 0.0, 1.0)) * (heel - point)
        point += min(float(self._tilt[stance]) / TIPPED, 1.0) * (seen.ball[stance] - point)
        return stand.FootLoad(stance, share, point), stand.FootLoad(gait.swing, 1.0 - share, seen.ball[gait.swing])


def _yaw_off_pose(state: State, pose: Array) -> float:
    """Angle (rad) by which the body is turned to the left of a pose."""
    half = math.atan2(state.qpos[6], state.qpos[3]) - math.atan2(pose[6], pose[3])
    return math.remainder(2.0 * half, 2 * math.pi)


def _com_at_height(com: Array, height: float) -> Array:
    return np.array([com[0], com[1], height])
