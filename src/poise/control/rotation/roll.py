"""Rolls on the ground, forward or lying stretched out, at a target angular and linear velocity.

Poses are selected by phase: the excursion about the axis of the roll. [Zordan2014] sections V-C, VI and VIII-A.
"""

from math import atan2, cos, pi, sin

import numpy as np

from poise.arrays import Array
from poise.control.rotation.actor import RotationActor
from poise.control.rotation.flight import StandUp
from poise.control.rotation.program import ProgramAim, ProgramWeights
from poise.control.rotation.settings import RollNumbers
from poise.dynamics.actuation import Actuation
from poise.dynamics.momentum import RotationIndices
from poise.dynamics.state import State
from poise.library.behaviours.behaviour import SAMPLES, BehaviourReference
from poise.rotations import cross, quat_conjugate, quat_log, quat_multiply, quat_rotate, yaw_of

SLOPE_REACH = 0.4  # Distance (m) in front of and behind the centre of mass at which the slope of the ground is measured
STEEPEST = 1.0  # Largest slope (rise over run) that the roll follows; steeper ground is an edge
LEFT = np.array([0.0, 1.0, 0.0])  # Axis of a roll that goes along x
EARLY_STAND = 0.3  # The body may stand up when fewer than this many turns are left


class Roll:
    """A roll on the ground; when created, it scales the torque limits of the actor's program by `strength`."""

    def __init__(self, actor: RotationActor, staged: BehaviourReference) -> None:
        behaviour, poses, on = staged.behaviour, staged.cycle, actor.settings.momentum
        self._actor, self._poses = actor, poses
        self._first = staged.at(0.0).qpos[3:7]  # initial orientation of the root in a roll along x
        self._numbers = n = RollNumbers.from_behaviour(behaviour)
        self._weights = ProgramWeights(n.linear * on, n.angular * on, n.support, n.tangential)
        self._stiffness = n.stiffness * np.where(actor.core, n.core, 1.0)
        actor.program.limit = actor.program.limit * n.strength
        self.phase = self._begun = behaviour.start.get("at", 0.0)  # turns
        self.turned, self._time = 0.0, 0.0  # turns of the excursion, and s, since the start
        self._behind = 0.0  # turns of the root not yet included in the phase
        self._lead = RollPhaseLead(n.lead, n.swing, n.again, self.phase)
        self.heading, self.speed = 0.0, n.speed  # rad to the left of the first direction; m/s
        self._yaw: float | None = None  # rad: direction of the roll without `heading`
        self._axis = np.zeros(3)  # unit vector of the roll's axis
        self.pose = np.array(poses[self._pose_index(self.phase)])
        self._stand_up = StandUp(actor, poses[0])

    def enter(self, state: State, yaw: float, phase: float) -> None:
        """Begin the roll from a moving state, at a phase (turns) and in the direction `yaw` (rad)."""
        self._yaw, self.phase, self._root = yaw, phase, np.array(state.qpos[3:7])

    def stands(self) -> bool:
        """Whether the body has stood up and is at rest; never for an endless roll."""
        return self._stand_up.stands()

    def act(self, state: State) -> Actuation:
        """Advance the phase; return the torques of the coming step."""
        actor, n = self._actor, self._numbers
        rotation = actor.observe(state)
        if self._yaw is None:
            self._yaw = float(yaw_of(quat_multiply(state.qpos[3:7], quat_conjugate(self._first))))
            self._root = np.array(state.qpos[3:7])
        else:
            self._advance_phase(state, rotation)
        if self._is_standing_up(state, rotation):
            self.pose = np.array(self._stand_up.pose)
            return self._stand_up.act(state, rotation)
        self._yaw += self._sideways_turn() * min(n.veer * state.step, 1.0)
        yaw = self._yaw + self.heading
        self._axis = np.array([cos(yaw + 0.5 * pi), sin(yaw + 0.5 * pi), 0.0])
        along = self._slope_direction(rotation.com, yaw)
        middle = self._begun + n.until if self._is_finished else self.phase + n.ahead + self._lead.ahead
        window = n.window if actor.settings.blend else 0.0
        blended = self._poses[[self._pose_index(middle + window), self._pose_index(middle - window)]]
        self.pose = blended[0] if not window else np.array(self._poses[self._pose_index(middle)])
        torques = actor.pose_torques(state, blended, self._stiffness)
        linear, angular = self._linear_momentum_rate(rotation, along), self._angular_momentum_rate(rotation)
        aim = ProgramAim(torques[0], torques[1], linear, angular)
        supports = actor.finder.supports_near(state, n.gap)
        found = actor.solve(aim, self._weights, supports, rotation.com, bool(actor.settings.inclusion))
        return actor.actuate(found.torque)

    @property
    def _is_finished(self) -> bool:
        """Whether the roll has made `until` turns, after which it stops."""
        return self.turned >= self._numbers.until

    def _velocity_share(self) -> float:
        """Share (0 to 1) of the target velocities that is wanted now: growing at first, 0 after the last turn."""
        if self._is_finished:
            return 0.0
        return min(self._time / self._numbers.waking, 1.0) if self._numbers.waking else 1.0

    def _is_standing_up(self, state: State, rotation: RotationIndices) -> bool:
        """Whether the body is standing up; begins to stand up if this is due."""
        stand_up, turns = self._stand_up, self._numbers.turns
        if not stand_up.begun and turns and self.turned > turns - EARLY_STAND and stand_up.due(state, rotation):
            stand_up.begin(state, rotation)
        return stand_up.begun

    def _advance_phase(self, state: State, rotation: RotationIndices) -> None:
        """Advance the excursion and the phase by the last step.

        The phase follows the excursion and is corrected slowly to the rotation of the root: limb motion alone changes
        the excursion, so that poses selected by excursion would be off by 0.1 turns after five turns.
        """
        share = float(rotation.spin @ self._axis) * state.step / (2.0 * pi)
        moved = quat_log(quat_multiply(state.qpos[3:7], quat_conjugate(self._root)))
        self._root = np.array(state.qpos[3:7])
        self._behind += float(moved @ self._axis) / (2.0 * pi) - share
        caught_up = self._behind * min(self._numbers.tie * state.step, 1.0)
        self._behind -= caught_up
        self.phase += share + caught_up + self._phase_error() * min(self._numbers.settle * state.step, 1.0)
        self.turned, self._time = self.turned + share, self._time + state.step
        if not self._is_finished:
            self._lead.update(self.phase, 2.0 * pi * share / (self._numbers.spin * state.step), state.step)

    @property
    def _root_axis(self) -> Array:
        """(3,) unit vector, world frame: the axis fixed in the root that was the axis of the roll at the start."""
        return quat_rotate(quat_multiply(self._root, quat_conjugate(self._first)), LEFT)

    def _sideways_turn(self) -> float:
        """Angle (rad) from the target axis to the axis fixed in the root, seen from above; positive to the left."""
        own, axis = self._root_axis, self._axis
        return atan2(axis[0] * own[1] - axis[1] * own[0], axis[0] * own[0] + axis[1] * own[1])

    def _phase_error(self) -> float:
        """Turns (-0.5 to 0.5) by which the orientation of the root about the axis is ahead of the phase."""
        turn = quat_multiply(self._root, quat_conjugate(self._first))
        twist = 2.0 * atan2(float(turn[1:] @ self._axis), float(turn[0])) / (2.0 * pi)
        return (twist + self._begun - self.phase + 0.5) % 1.0 - 0.5

    def _linear_momentum_rate(self, rotation: RotationIndices, along: Array) -> Array:
        """(3,) N: desired rate of linear momentum, [Zordan2014] Eq. (3).

        Along the slope (unit vector `along`), feedback of velocity; normal to the slope, of velocity and height.
        """
        n = self._numbers
        normal = cross(along, self._axis)
        angle = 2.0 * pi * (self.phase - n.peak)
        height = self._actor.ground.height(rotation.com[0], rotation.com[1]) + n.height + n.heave * cos(angle)
        rising = -n.heave * sin(angle) * n.spin if n.hold else 0.0  # m/s
        error = self._velocity_share() * self.speed * along + rising * normal - rotation.velocity
        error = error - (1.0 - n.lift) * (error @ normal) * normal
        return np.asarray(rotation.mass * (n.pull * error + n.hold * normal[2] * (height - rotation.com[2]) * normal))

    def _angular_momentum_rate(self, rotation: RotationIndices) -> Array:
        """(3,) N m: desired rate of angular momentum, [Zordan2014] Eq. (4).

        K_s^H acts on the orientation of the root, only against leaving the plane of the roll. If it acted on the
        excursion, which limb motion changes, the body would lean more with each turn until it rolls over one shoulder.
        """
        n = self._numbers
        error = cross(self._root_axis, self._axis)
        spin = self._velocity_share() * n.spin
        return np.asarray(rotation.inertia @ (n.straighten * error + n.drive * (spin * self._axis - rotation.spin)))

    def _slope_direction(self, com: Array, yaw: float) -> Array:
        """(3,) unit vector: forward along the slope of the ground under the body."""
        x, y = SLOPE_REACH * cos(yaw), SLOPE_REACH * sin(yaw)
        rise = self._actor.ground.height(com[0] + x, com[1] + y) - self._actor.ground.height(com[0] - x, com[1] - y)
        slope = min(max(rise / (2.0 * SLOPE_REACH), -STEEPEST), STEEPEST)
        direction = np.array([cos(yaw), sin(yaw), slope])
        return np.asarray(direction / np.linalg.norm(direction))

    @staticmethod
    def _pose_index(phase: float) -> int:
        """Index of the pose at a phase (turns)."""
        return int(phase % 1.0 * SAMPLES) % SAMPLES


PROGRESS = 0.03  # Turns that a body must gain within the waiting time; otherwise the body is stuck
LONGEST_SWING = 3  # Multiple of the swing in the longest attempt; the next attempt begins with a single swing again


class RollPhaseLead:
    """Lead of the tracked poses over the phase of the body, in turns.

    [Zordan2014] section VIII-A selects the poses of a roll either by phase or by time. By phase alone a body that is
    stuck stays still; by time alone the poses run away from the body. Here the poses follow the phase, and advance in
    time a little ahead of a body that turns too slowly. If the body is stuck, the poses swing back and start again.
    """

    def __init__(self, lead: float, swing: float, again: float, phase: float) -> None:
        """Start at `phase` (turns), lead by at most `lead` turns; after `again` s without progress go back by `swing`.

        Successive attempts go back by one, two and three times `swing`, since the same swing would end where the
        last swing did.
        """
        self._lead, self._swing, self._again = lead, swing, again
        self._best = self._reached = phase  # turns: largest phase since the start, and since the last attempt
        self._waited, self._swings = 0.0, 1  # s without progress; size of the next swing
        self.ahead = 0.0  # turns

    def update(self, phase: float, share: float, step: float) -> None:
        """Update `ahead` after a `step` (s) to a phase (turns); `share`: angular velocity divided by its target."""
        back = self._swings * self._swing
        moved = self.ahead + (1.0 - share) * (self._lead + back) / self._again * step
        self.ahead = min(max(moved, min(self.ahead, 0.0)), self._lead)
        self._waited += step
        if phase > self._reached + PROGRESS:
            self._reached, self._waited = phase, 0.0
        if phase > self._best + PROGRESS:
            self._best, self._swings = phase, 1
        if self._waited > self._again:
            self.ahead, self._reached, self._waited = -back, phase, 0.0
            self._swings = self._swings % LONGEST_SWING + 1
