"""Walking by an inverted pendulum [Tsai2010]."""

from __future__ import annotations

import copy
import math
from dataclasses import asdict
from typing import Any

import mujoco
import numpy as np

from poise.control.controller import Stage
from poise.control.pendulum.bearing import Load, bearing
from poise.control.pendulum.bending import TILT
from poise.control.pendulum.figure import Figure, Seen, eased, turned
from poise.control.pendulum.filter import Landing, end_velocity, landing, pace_of, pressing
from poise.control.pendulum.gait import DOUBLE, Gait
from poise.control.pendulum.ground import foothold, standing_turn
from poise.control.pendulum.height import SINKS, Heave, heaved, hip_height, landing_height, reaches
from poise.control.pendulum.intent import Intent
from poise.control.pendulum.listening import Walk
from poise.control.pendulum.manner import Manner, Moment
from poise.control.pendulum.posture import TRAILING, Posture, Standing
from poise.control.pendulum.settings import PendulumSettings
from poise.control.pendulum.stand import loads, may_stand, support_of, topples
from poise.control.pendulum.swing import Foothold, Placed, swung
from poise.control.pendulum.tracking import Tracking
from poise.dynamics import Actuation, State
from poise.reference import Reference
from poise.spatial import Array, yaw_of

TIMES = np.linspace(0.0, 1.0, 16)
"""Landing times that are compared: from the soonest to the latest."""
SOONEST, HASTY = 0.2, 0.04
"""s: no step lands sooner after the last, nor within less from now."""
UNLIFTED = 0.18
"""s: no foot lands sooner that is still on the ground."""
LINGERS = 0.1
"""s by which a landing may be put off."""
HOVERS = 0.06
"""s: a foot that is overdue by this goes no further, but straight down."""
CROUCHES = 1.0, 0.3
"""By how much of the height between two footholds the body sinks, on the way down and up."""
ASIDE, BACK, FORTH = 0.03, -0.06, 0.07
"""m by which the pressed point moves to either side, back and forth."""
WIDE = 0.2
"""m: how much further than its leg alone a foot reaches, by the pelvis and by how it is set down."""
LEANS = 0.05
"""m: how far ahead of the pressed point the centre of mass is when the heel begins to lift; wholly twice as far on."""


RETURNS = 2.0
"""1/s at which the centre of mass of who stands returns to the middle."""
STOOD = 0.5
"""Phase of a step whose posture is that of standing still: arms and legs pass each other."""


class Pendulum:
    """Sees the whole body as a pendulum, steps where it must, and keeps the reference's manner in all else.

    Deviations from the paper, with their reasons and measurements, are in docs/pendulum.md.
    """

    name = "pendulum"
    needs_physics = False

    def __init__(self, settings: PendulumSettings | None = None) -> None:
        self._settings = settings or PendulumSettings()
        self.settings: dict[str, Any] = asdict(self._settings)

    def reset(self, world: Stage, reference: Reference) -> None:
        """Hear how the reference walks, and find where in it the body is."""
        figure = Figure(world)
        self._figure, self._posture = figure, Posture(figure)
        self._tracking = Tracking(figure, self._settings.gain)
        self._walk = Walk(reference, figure.body, figure.legs)
        state = world.state
        seen = figure.see(state)
        pose = reference.at(0.0).qpos
        stance, phase, manner = self._walk.place(pose)
        faced = yaw_of(pose[3:7]) - yaw_of(manner.at(phase).pose[3:7])
        self._intent = Intent(float(faced), self._walk.speed, self._settings)
        self._gait = self._begun(seen, stance, phase, manner)
        self._heave = Heave(float(seen.com[2]), float(seen.velocity[2]))
        self._tilt = np.zeros(2)
        self._pose = np.array(pose)
        self._load(state)

    def _load(self, state: State) -> None:
        """Have all kernels compiled, so that the first step does not wait for it: by a twin that acts once."""
        twin = copy.copy(self)
        twin._posture, twin._tracking = Posture(self._figure), Tracking(self._figure, self._settings.gain)
        twin._intent = copy.copy(self._intent)
        twin.act(state)

    def _begun(self, seen: Seen, stance: int, phase: float, manner: Manner) -> Gait:
        """Where the walk begins; on uneven ground a foot that should stand may still have to come down."""
        if self._walk.still:
            return Gait(stance, 0.0, manner, stands=True)
        if seen.touching[1 - stance] and not seen.touching[stance]:
            stance, phase, manner = 1 - stance, 1.0, self._walk.step(1 - stance, 0.0)
        gait = Gait(stance, phase, manner, since=phase * self._walk.duration)
        return gait.lifted(seen, self._figure) if phase > DOUBLE else gait

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Want another heading (rad, to the left of the first one) or speed (m/s; negative for backward)."""
        self._intent.steer(heading, speed)

    def adjust(self, lift: float | None = None, duration: float | None = None) -> None:
        """Want feet lifted more than the reference's (m), or steps of another duration (s)."""
        self._intent.adjust(lift, duration)

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
        plan, pressed = self._plan(seen, gait, step)
        hold = self._foothold(seen, plan)
        later = gait.later(step, plan.within)
        moments = gait.manner.at(gait.phase), gait.manner.at(later.phase)
        feet = self._standing(seen, self._heels(seen))
        heave = self._heaved(seen, plan, hold, moments, self._ankle(feet, gait.stance), step)
        turn = intent.turning()
        now, then = (
            self._posed(state, one, moment, yaw, com, feet, hold, ahead)
            for one, moment, yaw, com, ahead in (
                (gait, moments[0], intent.heading, _at(seen.com, heave.height), 0.0),
                (later, moments[1], intent.heading + step * turn, _moved(seen, heave, step), step),
            )
        )
        self._tilt = now[1]
        torque = self._settings.bearing * bearing(self._figure, state, seen.com, heave.pull, self._loads(seen, pressed))
        motors = self._tracking.motors(state, now[0], then[0], gait, plan.within, bool(now[1][gait.stance] > 0))
        self._gait, self._pose = later, now[0]
        self._heave = heave.later(step).following(seen, step)
        off = math.remainder(float(yaw_of(state.qpos[3:7]) - yaw_of(now[0][3:7])), 2 * math.pi)
        intent.proceed(step, turn, off)
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
            self._gait = Gait(gait.swing, 0.0, self._walk.step(gait.swing, state.time), stands=rests)
            self._heave = Heave(float(seen.com[2]), float(seen.velocity[2]))

    def _first_step(self, seen: Seen, state: State) -> Gait:
        """With the foot that gets further to where it should."""
        manners = [self._walk.step(stance, state.time) for stance in (0, 1)]
        begun = [Gait(stance, DOUBLE, manner).lifted(seen, self._figure) for stance, manner in enumerate(manners)]
        plans = [self._plan(seen, gait, state.step)[0] for gait in begun]
        return begun[int(plans[1].missed < plans[0].missed)]

    def _stand(self, state: State, seen: Seen) -> Actuation:
        """Both feet stay; the ground presses where it brings the body to rest."""
        figure, gait, intent, step = self._figure, self._gait, self._intent, state.step
        intent.rest()
        moment = gait.manner.at(STOOD)
        feet = self._standing(seen, (0.0, 0.0))
        heights = [
            hip_height(figure, self._ankle(feet, side), moment, seen.hip[side, :2]) - seen.hip[side, 2]
            for side in (0, 1)
        ]
        heave = heaved(self._heave, float(seen.com[2]) + min(heights), 0.0)
        support = support_of(figure, seen, intent.heading)
        back = seen.com[:2] + step * RETURNS * (support.middle - seen.com[:2])
        now, then = (
            self._posture.pose(moment, gait.stance, intent.heading, com, feet)[0]
            for com in (_at(seen.com, heave.height), _at(back, heave.later(step).height))
        )
        borne = loads(seen, support, intent.heading)
        torque = self._settings.bearing * bearing(figure, state, seen.com, heave.pull, borne)
        self._pose, self._heave = now, heave.later(step).following(seen, step)
        intent.proceed(step, 0.0, 0.0)
        return Actuation(torque=torque, motors=self._tracking.standing(state, now, then))

    def _plan(self, seen: Seen, gait: Gait, step: float) -> tuple[Landing, Array]:
        """Where and when to land, and by how much (2,) m the pressed point moves, both in the frame of the heading."""
        intent, legs = self._intent, self._figure.legs
        yaw, stance, swing = intent.heading, gait.stance, gait.swing
        under = seen.pressed[stance]
        rate = math.sqrt(self._figure.gravity / max(seen.com[2] - under[2], 0.3 * legs.length))
        place, velocity = turned(-yaw, seen.com - under), turned(-yaw, seen.velocity)
        foot = turned(-yaw, seen.pressed[swing] - under)
        speed, width = intent.speed, self._walk.width
        duration = intent.duration or self._walk.duration_at(speed)
        end = [end_velocity(speed, width, duration, rate, side) for side in (swing, stance)]
        due = max((1.0 - gait.phase) * duration, step)
        times = self._times(gait, due)
        hips = float(seen.hip[stance, 2] - self._figure.ground(seen.pressed[swing]) - legs.ankle_height)
        reach = reaches(self._figure, hips, float(seen.velocity[2]), times) + WIDE
        pace = pace_of(legs.length, duration, end[0], swing)
        pace = pace._replace(swiftness=pace.swiftness * max(1.0 - gait.overdue / HOVERS, 0.0))
        plan = landing(place, velocity, rate, pace, foot, times, due, reach)
        shift = pressing(plan.velocity, end[1], rate, plan.within)
        kept = min(max(shift[0], BACK), FORTH), min(max(shift[1], -ASIDE), ASIDE)
        return plan, self._settings.ankle * np.array(kept)

    def _times(self, gait: Gait, due: float) -> Array:
        """(K,) s: landing times to choose from."""
        soonest = max(SOONEST - gait.since, HASTY if gait.lift else UNLIFTED)
        latest = due + LINGERS * max(1.0 - gait.overdue / LINGERS, 0.0)
        share = self._settings.timing
        first, last = due + share * (min(soonest, due) - due), due + share * (latest - due)
        return first + (last - first) * TIMES

    def _foothold(self, seen: Seen, plan: Landing) -> Foothold:
        place = seen.pressed[self._gait.stance, :2] + turned(self._intent.heading, plan.place)
        return foothold(self._figure, self._gait.swing, place, self._intent.heading)

    def _ankle(self, feet: tuple[Standing, ...], side: int) -> Array:
        """(3,) m: where the ankle of a foot is when it stands flat."""
        return np.asarray(feet[side].ball - feet[side].foot @ self._figure.legs.ball[side])

    def _heaved(
        self,
        seen: Seen,
        plan: Landing,
        hold: Foothold,
        moments: tuple[Moment, Moment],
        ankle: Array,
        step: float,
    ) -> Heave:
        """The plan of height."""
        figure, gait = self._figure, self._gait
        hip = seen.hip[gait.stance]
        above = seen.com[2] - hip[2]
        now = hip_height(figure, ankle, moments[0], hip[:2])
        then = hip_height(figure, ankle, moments[1], hip[:2] + step * seen.velocity[:2])
        away = math.dist(plan.place, plan.there)
        low = landing_height(figure, hold.ground, away) + SINKS * plan.within
        fall = float(seen.pressed[gait.stance, 2]) - hold.ground
        uneven = CROUCHES[0] * max(fall, 0.0) + CROUCHES[1] * max(-fall, 0.0)
        sunk = now - self._settings.sinking * max(now - low, uneven)
        return heaved(self._heave, above + sunk, (then - now) / step)

    def _heels(self, seen: Seen) -> tuple[float, float]:
        """rad by which heels may lift: of the standing foot once the centre of mass is ahead of it."""
        stance = self._gait.stance
        ahead = float(turned(-self._intent.heading, seen.com - seen.pressed[stance])[0])
        free = TILT * eased((ahead - LEANS) / (2 * LEANS))
        return (free, TRAILING) if stance == 0 else (TRAILING, free)

    def _standing(self, seen: Seen, heels: tuple[float, float]) -> tuple[Standing, ...]:
        """Both feet as if they stood."""
        balls = [self._figure.footing(seen, side) for side in (0, 1)]
        return tuple(
            Standing(ball, standing_turn(self._figure, ball, seen.yaw(side)), most)
            for side, (ball, most) in enumerate(zip(balls, heels, strict=True))
        )

    def _posed(
        self,
        state: State,
        gait: Gait,
        moment: Moment,
        yaw: float,
        com: Array,
        feet: tuple[Standing, ...],
        hold: Foothold,
        ahead: float,
    ) -> tuple[Array, Array]:
        """A pose, and by how much its heels are lifted; `ahead` (s) from now."""
        both: list[Standing | Placed] = list(feet)
        lift = gait.lift
        if lift is None:
            return self._posture.pose(moment, gait.stance, yaw, com, tuple(both))
        air = swung(gait, lift, moment, yaw, hold, self._figure.legs, self._intent.lift)
        both[gait.swing] = air
        qpos, tilt = self._posture.pose(moment, gait.stance, yaw, com, tuple(both))
        root = np.array(state.qpos[:7])
        root[:3] += ahead * state.qvel[:3]
        mujoco.mju_quatIntegrate(root[3:7], state.qvel[3:6], ahead)
        self._posture.reach_out(qpos, root, gait.swing, yaw, moment, air)
        return qpos, tilt

    def _loads(self, seen: Seen, shift: Array) -> tuple[Load, ...]:
        """What the feet bear, and where: weight goes over to the new foot while both stand."""
        gait = self._gait
        share = 1.0 if gait.lift else 0.3 + 0.7 * eased(gait.phase / DOUBLE)
        point = np.array(seen.pressed[gait.stance])
        point[:2] += turned(self._intent.heading, shift)
        if self._tilt[gait.stance] > 0:
            point = seen.ball[gait.stance]
        return Load(gait.stance, share, point), Load(gait.swing, 1.0 - share, seen.ball[gait.swing])


def _at(com: Array, height: float) -> Array:
    return np.array([com[0], com[1], height])


def _moved(seen: Seen, heave: Heave, step: float) -> Array:
    """(3,) m where the centre of mass will be."""
    return _at(seen.com + step * seen.velocity, heave.later(step).height)
