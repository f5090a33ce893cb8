"""Rolling for ever, over head and heels or lying stretched out, at a wanted angular and linear velocity.

The poses are told by phase: the excursion about the axis of the roll. [Zordan2014] sections V-C, VI and VIII-A.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import atan2, cos, inf, pi, sin

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.rotation.actor import Actor
from poise.control.rotation.flight_plan import Planner
from poise.control.rotation.footing import TOUCHED, FootSupportPlane
from poise.control.rotation.landing import Landing, LandingNumbers
from poise.control.rotation.pose_line import pose_line
from poise.control.rotation.program import ProgramAim, ProgramWeights
from poise.control.rotation.settings import RotationSettings
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State
from poise.errors import unknown
from poise.library.behaviours.behaviour import SAMPLES, Behaviour, BehaviourReference
from poise.rotations import cross, quat_conjugate, quat_log, quat_multiply, quat_rotate, yaw_of

# Poses that insist: they go on in time ahead of a body that turns too slowly, and try again where it is stuck.
#
# [Zordan2014] section VIII-A plays a roll's poses either by phase or by time. By phase alone a body that is stuck keeps
# still; by time alone poses run away from it. Here the phase leads, and time goes on a little way from there.

STUCK = 0.03
"""Turns: a body that gets no further in a while is stuck."""
LONGEST = 3
"""Swings: after a try that takes so long a one, it begins with a short one again."""


class Insistence:
    """How far poses are ahead of the phase, or behind it, in turns."""

    def __init__(self, lead: float, swing: float, again: float, phase: float) -> None:
        """At most `lead` turns ahead; after `again` s without getting on from `phase` back by `swing`, and on again.

        Each try in a row takes a longer swing than the one before, by as much: the same one would end where that did.
        """
        self._lead, self._swing, self._again = lead, swing, again
        self._best = self._reached = phase  # turns, ever and since the last try
        self._waited, self._swings = 0.0, 1  # s since it got on, and how long a swing the next try takes
        self.ahead = 0.0  # turns

    def watch(self, phase: float, share: float, step: float) -> None:
        """After a step (s) in which the body turned by a share of what is wanted, to a phase (turns)."""
        back = self._swings * self._swing
        moved = self.ahead + (1.0 - share) * (self._lead + back) / self._again * step
        self.ahead = min(max(moved, min(self.ahead, 0.0)), self._lead)
        self._waited += step
        if phase > self._reached + STUCK:
            self._reached, self._waited = phase, 0.0
        if phase > self._best + STUCK:
            self._best, self._swings = phase, 1
        if self._waited > self._again:
            self.ahead, self._reached, self._waited = -back, phase, 0.0
            self._swings = self._swings % LONGEST + 1


# Out of a roll onto the feet: when to end it, and how to stand up from there.

SECONDS = 1.3
"""s from a crouch to standing."""
CALM = 17.5
"""kg m^2/s: a body that turns faster has not yet come down onto its feet with all its weight."""
SIDEWAYS = 0.2
"""m/s to either side: plans know of none, and feet side by side bear little of it."""
NEAR = 0.08
"""m: a plan to come to rest that ends further away from standing would take a step."""


class Rising:
    """Standing up at the end of a roll, once the body comes up over its feet."""

    def __init__(self, actor: Actor, settings: RotationSettings, step: float, crouch: Array) -> None:
        """`crouch` (nq,) is the pose of the roll when it is on its feet."""
        self._actor = actor
        self._footing = FootSupportPlane(actor, settings, step)
        planner = Planner(actor.body.mass, step, -float(actor.model.opt.gravity[2]))
        line = pose_line(actor.body, _between(actor.body, crouch, round(SECONDS / step) + 1))
        self._landing = Landing(self._footing, planner, line, LandingNumbers())
        self._tilt = float(line.tilt[0])
        self.begun = False

    @property
    def pose(self) -> Array:
        """(nq,) that is tracked."""
        return np.asarray(self._landing.pose)

    def due(self, state: State, rotation: RotationIndices) -> bool:
        """Whether to stand up now: feet alone bear, and forces on them can bring the body to rest."""
        footing = self._footing
        footing.watch(state)
        touched = state.contacts.gap < TOUCHED
        if not footing.touching(state) or np.any(touched & self._actor.trunk[state.contacts.body]):
            return False
        if float(footing.axis @ rotation.angular_momentum) > CALM or abs(footing.axis @ rotation.velocity) > SIDEWAYS:
            return False
        end = self._landing.plan(state, rotation).state[-1]
        ahead = float(end[0] - footing.forward @ footing.ankles(state))
        return abs(ahead - LandingNumbers.stand_ahead) < NEAR

    def begin(self, state: State, rotation: RotationIndices) -> None:
        """From here on."""
        self.begun = True
        self._landing.begin(state, rotation, self._tilt, True)

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
        """Torques of the coming step."""
        self._footing.watch(state)
        return self._landing.act(state, rotation)

    def stands(self) -> bool:
        """Whether it is over, and the body at rest."""
        return self.begun and self._landing.stands()


def _between(body: Body, crouch: Array, count: int) -> Array:
    """(T, nq) poses from a crouch to standing, first and last slowly."""
    way, out = np.zeros(body.nv), np.tile(crouch, (count, 1))
    mujoco.mj_differentiatePos(body.model, way, 1.0, crouch, body.standing)
    way[:6] = 0.0
    for k, share in enumerate(np.linspace(0.0, 1.0, count)):
        mujoco.mj_integratePos(body.model, out[k], way, share * share * (3.0 - 2.0 * share))
    return out


LOOK = 0.4
"""m before and behind the centre of mass at which the ground tells its slope."""
STEEPEST = 1.0
"""Of run: what is steeper is an edge, and no slope to roll along."""
LEFT = np.array([0.0, 1.0, 0.0])
"""The axis of a roll that goes along x."""


@dataclass(frozen=True)
class RollNumbers:
    """What a roll aims for, and how much it matters."""

    spin: float = 4.9  # rad/s about the axis of the roll
    speed: float = 1.16  # m/s along the ground
    linear: float = 0.67  # weight of linear momentum, 1/N^2
    angular: float = 0.47  # weight of angular momentum, 1/(N m)^2
    support: float = 5.3  # weight of supports' velocity over the step, 1/(m/s^2)^2
    tangential: float = 0.8  # of that along the ground
    stiffness: float = 900.0  # of poses, 1/s^2
    core: float = 1.0  # stiffness of the trunk's own joints, of the others'
    pull: float = 2.56  # K_d^L: towards the wanted velocity, 1/s
    lift: float = 0.59  # of that against the ground
    hold: float = 0.0  # K_s^L: towards the wanted height, 1/s^2
    height: float = 0.4  # m of the centre of mass above the ground, in the mean of a turn
    heave: float = 0.1  # m by which it is higher at the phase of the peak, and lower half a turn after
    peak: float = 0.0  # turns: that phase
    drive: float = 15.0  # K_d^H: towards the wanted spin, 1/s
    veer: float = 0.0  # 1/s at which the way goes after a body that has turned aside
    straighten: float = 20.0  # K_s^H: against leaving the plane of the roll, 1/s^2
    ahead: float = 0.015  # turns by which the middle of the blended poses is ahead of the phase
    window: float = 0.043  # turns from the middle to both of them
    lead: float = 0.0  # turns, at most, by which poses go on in time ahead of a body that turns too slowly
    again: float = inf  # s without getting on, after which it tries again:
    swing: float = 0.0  # turns by which poses go back then
    tie: float = 0.3  # of what the phase is off from the turn of the root, it makes up so much in a second
    settle: float = 0.0  # likewise of what it is off from where the root is in its turn, whatever way it came there
    gap: float = 0.008  # m: what is nearer to the ground may bear
    strength: float = 1.0  # of the torque limits
    turns: float = 0.0  # after which it stands up; 0 for never
    waking: float = 0.0  # s at the beginning, in which the wanted velocities grow from nothing
    until: float = inf  # turns after which it rolls no further, and lies

    @classmethod
    def of(cls, behaviour: Behaviour) -> RollNumbers:
        """Those of a behaviour file."""
        known = [field.name for field in fields(cls)]
        for name in behaviour.control:
            if name not in known:
                raise unknown(f"number of a roll in {behaviour.path.name}", name, known)
        return cls(**behaviour.control)


class Roll:
    """A roll under way."""

    def __init__(self, actor: Actor, staged: BehaviourReference, settings: RotationSettings, step: float) -> None:
        behaviour, poses = staged.behaviour, staged.cycle
        self._actor, self._poses, self._settings = actor, poses, settings
        self._first = staged.at(0.0).qpos[3:7]  # of the root, where the roll goes along x
        self._numbers = n = RollNumbers.of(behaviour)
        self._weights = ProgramWeights(
            n.linear * settings.momentum, n.angular * settings.momentum, n.support, n.tangential
        )
        self._stiffness = n.stiffness * np.where(actor.core, n.core, 1.0)
        actor.program.limit = actor.program.limit * n.strength
        self.phase = self._begun = behaviour.start.get("at", 0.0)  # turns
        self.turned, self._time = 0.0, 0.0  # turns of the excursion, and s, since the beginning
        self._behind = 0.0  # turns by which the phase is behind the root's turn
        self._insistence = Insistence(n.lead, n.swing, n.again, self.phase)
        self.heading, self.speed = 0.0, n.speed
        self._yaw: float | None = None  # rad, of the direction in which it begins to roll
        self._axis = np.zeros(3)  # unit, about which it rolls
        self.pose = np.array(poses[self._index(self.phase)])
        self._rising = Rising(actor, settings, step, poses[0])

    def enter(self, state: State, yaw: float, phase: float) -> None:
        """Go on from a state as from a phase (turns) of a roll that goes along a direction (rad)."""
        self._yaw, self.phase, self._root = yaw, phase, np.array(state.qpos[3:7])

    def stands(self) -> bool:
        """Whether it has stood up; one without end never does."""
        return self._rising.stands()

    def act(self, state: State) -> Actuation:
        """Torques of the coming step."""
        actor, n = self._actor, self._numbers
        rotation = actor.observe(state)
        if self._yaw is None:
            self._yaw = float(yaw_of(quat_multiply(state.qpos[3:7], quat_conjugate(self._first))))
            self._root = np.array(state.qpos[3:7])
        else:
            self._count(state, rotation)
        if self._risen(state, rotation):
            self.pose = np.array(self._rising.pose)
            return self._rising.act(state, rotation)
        self._yaw += self._aside() * min(n.veer * state.step, 1.0)
        yaw = self._yaw + self.heading
        self._axis = _level(yaw + 0.5 * pi)
        along = self._along(rotation.com, yaw)
        middle = self._begun + n.until if self._lies else self.phase + n.ahead + self._insistence.ahead
        window = n.window if self._settings.blend else 0.0
        chosen = self._poses[[self._index(middle + window), self._index(middle - window)]]
        self.pose = chosen[0] if not window else np.array(self._poses[self._index(middle)])
        torques = actor.tracker.torques(state, chosen, self._stiffness)
        aim = ProgramAim(torques[0], torques[1], self._pull(rotation, along), self._twist(rotation))
        supports = actor.supports(state, n.gap)
        found, _ = actor.answer(aim, self._weights, supports, rotation.com, bool(self._settings.inclusion))
        return Actuation(torque=actor.whole(found.torque))

    @property
    def _lies(self) -> bool:
        """Whether it has rolled as far as it is to roll."""
        return self.turned >= self._numbers.until

    def _share(self) -> float:
        """Of the wanted velocities: what is wanted now."""
        if self._lies:
            return 0.0
        return min(self._time / self._numbers.waking, 1.0) if self._numbers.waking else 1.0

    def _risen(self, state: State, rotation: RotationIndices) -> bool:
        """Whether it stands up, from now on or already."""
        rising, turns = self._rising, self._numbers.turns
        if not rising.begun and turns and self.turned > turns - 0.3 and rising.due(state, rotation):
            rising.begin(state, rotation)
        return rising.begun

    def _count(self, state: State, rotation: RotationIndices) -> None:
        """How far it has turned in the last step: the excursion, and the phase, which the root holds to the body.

        The excursion of a body that comes back to its first pose is not quite a turn: limbs that move turn it by
        themselves. Poses by excursion alone would be early or late by 0.1 turns after five turns.
        """
        share = float(rotation.spin @ self._axis) * state.step / (2.0 * pi)
        moved = quat_log(quat_multiply(state.qpos[3:7], quat_conjugate(self._root)))
        self._root = np.array(state.qpos[3:7])
        self._behind += float(moved @ self._axis) / (2.0 * pi) - share
        caught_up = self._behind * min(self._numbers.tie * state.step, 1.0)
        self._behind -= caught_up
        self.phase += share + caught_up + self._off() * min(self._numbers.settle * state.step, 1.0)
        self.turned, self._time = self.turned + share, self._time + state.step
        if not self._lies:
            self._insistence.watch(self.phase, 2.0 * pi * share / (self._numbers.spin * state.step), state.step)

    @property
    def _lean(self) -> Array:
        """(3,) unit: the body's own axis of the roll."""
        return quat_rotate(quat_multiply(self._root, quat_conjugate(self._first)), LEFT)

    def _aside(self) -> float:
        """rad to the left by which that axis has turned away from the wanted one."""
        lean, axis = self._lean, self._axis
        return atan2(axis[0] * lean[1] - axis[1] * lean[0], axis[0] * lean[0] + axis[1] * lean[1])

    def _off(self) -> float:
        """Turns, at most half of one, by which the root is further in its turn about the axis than the phase."""
        turn = quat_multiply(self._root, quat_conjugate(self._first))
        twist = 2.0 * atan2(float(turn[1:] @ self._axis), float(turn[0])) / (2.0 * pi)
        return (twist + self._begun - self.phase + 0.5) % 1.0 - 0.5

    def _pull(self, rotation: RotationIndices, along: Array) -> Array:
        """(3,) N wanted of linear momentum: [Zordan2014] Eq. (3), along the slope by velocity, off it by height too."""
        n = self._numbers
        off = cross(along, self._axis)  # off the ground
        angle = 2.0 * pi * (self.phase - n.peak)
        height = self._actor.ground.height(rotation.com[0], rotation.com[1]) + n.height + n.heave * cos(angle)
        rising = -n.heave * sin(angle) * n.spin if n.hold else 0.0  # m/s
        miss = self._share() * self.speed * along + rising * off - rotation.velocity
        miss = miss - (1.0 - n.lift) * (miss @ off) * off
        return np.asarray(rotation.mass * (n.pull * miss + n.hold * off[2] * (height - rotation.com[2]) * off))

    def _twist(self, rotation: RotationIndices) -> Array:
        """(3,) N m wanted of angular momentum: [Zordan2014] Eq. (4), against what leaves the plane of the roll only.

        By the root, not by the excursion, which limbs turn by themselves: a body that it calls straight leans more
        with each turn, until it rolls over one shoulder.
        """
        n = self._numbers
        back = cross(self._lean, self._axis)
        spin = self._share() * n.spin
        return np.asarray(rotation.inertia @ (n.straighten * back + n.drive * (spin * self._axis - rotation.spin)))

    def _along(self, com: Array, yaw: float) -> Array:
        """(3,) unit: the way forward along the slope under the body."""
        x, y = LOOK * cos(yaw), LOOK * sin(yaw)
        rise = self._actor.ground.height(com[0] + x, com[1] + y) - self._actor.ground.height(com[0] - x, com[1] - y)
        slope = min(max(rise / (2.0 * LOOK), -STEEPEST), STEEPEST)
        way = np.array([cos(yaw), sin(yaw), slope])
        return np.asarray(way / np.linalg.norm(way))

    @staticmethod
    def _index(phase: float) -> int:
        return int(phase % 1.0 * SAMPLES) % SAMPLES


def _level(yaw: float) -> Array:
    return np.array([cos(yaw), sin(yaw), 0.0])
