"""What a body on its feet needs: where they are, what holds pelvis and soles level, and torques that follow momenta."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, pi, sin, sqrt

import numpy as np

from poise.arrays import Array
from poise.control.rotation.actor import Actor
from poise.control.rotation.flight_plan import Planar, PlannedCourse
from poise.control.rotation.program import FeatureTask, ProgramAim, ProgramWeights
from poise.control.rotation.settings import RotationSettings
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State
from poise.rotations import cross, quat_from_axis_angle, quat_log, quat_multiply

TOUCHED = 0.004
"""m: feet nearer to the ground have landed."""
BEARING = {
    "feet": ("_foot", "_toes"),
    "toes": ("_toes",),
    "hands": ("_hand",),
    "back": ("pelvis", "abdomen", "thorax", "_upper_arm", "_forearm", "_hand"),
}
"""Links that a body stands on, by the ends of their names."""
PALMS = ("left_hand_palm", "right_hand_palm")
"""What of the hands bears: capsules along them."""
UP, LEFT = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class StanceTargets:
    """What is wanted of a step on the feet."""

    pose: Array  # (nq,)
    stiffness: float | Array  # 1/s^2, of all joints or (n,)
    weights: ProgramWeights
    pull: Array  # (3,) N: rate of linear momentum
    twist: Array  # (3,) N m: rate of angular momentum
    tasks: tuple[FeatureTask, ...]
    gap: float  # m: feet nearer to the ground may bear
    on: str = "feet"  # what may: feet, toes alone, hands, or the back with the arms


class FootSupportPlane:
    """The feet of a body, and the plane in which it turns: that in which it faced at first."""

    def __init__(self, actor: Actor, settings: RotationSettings, step: float) -> None:
        self._actor, self._settings, self._step = actor, settings, step
        body = actor.body
        self._feet = [body.link_id(foot.link) for foot in body.feet]
        self._palms = [i for i in range(actor.model.ngeom) if actor.model.geom(i).name in PALMS]
        links = ("world", *body.links)
        count = np.arange(actor.model.nbody)
        self._bearing = {
            part: np.isin(count, [i for i, name in enumerate(links) if name.endswith(ends)])
            for part, ends in BEARING.items()
        }
        self._yaw: float | None = None
        self.pitch = 0.0  # rad of the root, whole turns counted
        self._middle = np.zeros(3)  # m: of the ankles, where feet last stood
        self.forward, self.axis = np.zeros(3), np.zeros(3)  # unit, level: where it faces, and its left

    def watch(self, state: State) -> None:
        """Keep count of the root's pitch."""
        turn = state.data.xmat[1].reshape(3, 3)
        if self._yaw is None:
            left = turn[:, 1]
            self._yaw = atan2(-left[0], left[1])
        forward = np.array([cos(self._yaw), sin(self._yaw), 0.0])
        self.forward, self.axis = forward, np.array([-forward[1], forward[0], 0.0])
        now = atan2(-turn[2, 0], float(forward @ turn[:, 0]))
        self.pitch += (now - self.pitch + pi) % (2 * pi) - pi

    def followed(
        self, rotation: RotationIndices, course: PlannedCourse, time: float, gains: tuple[float, float], damping: float
    ) -> tuple[Array, Array]:
        """Rates of momenta along a course, with feedback: [Zordan2014] Eqs. (3) and (4)."""
        here, push, twist = course.at(time + self._step)
        wanted = here.x * self.forward + here.z * UP + float(self.axis @ self._middle) * self.axis
        speed = here.vx * self.forward + here.vz * UP
        pull = rotation.mass * (gains[0] * (wanted - rotation.com) + gains[1] * (speed - rotation.velocity))
        pull = pull + push[0] * self.forward + push[1] * UP
        return pull, twist * self.axis + damping * (here.spin * self.axis - rotation.angular_momentum)

    def upright(self, state: State, tilt: float, spring: float, weight: float) -> FeatureTask:
        """The pelvis at a pitch (rad), facing as at first; the spring is in 1/s^2."""
        assert self._yaw is not None
        wanted = quat_multiply(quat_from_axis_angle(UP, self._yaw), quat_from_axis_angle(LEFT, tilt))
        now = np.array(state.data.xquat[1])
        error = quat_log(quat_multiply(wanted, now * np.array([1.0, -1.0, -1.0, -1.0])))
        jacobian = self._actor.finder.turns(state, 1)
        turning = jacobian @ state.qvel[: self._actor.nv]
        return FeatureTask(jacobian, spring * error - 2.0 * sqrt(spring) * turning, weight)

    def flat(self, state: State, spring: float, weight: float) -> list[FeatureTask]:
        """Feet level, wherever they point; the spring is in 1/s^2."""
        tasks = []
        for link in self._feet:
            jacobian = self._actor.finder.turns(state, link)[:2]
            off = cross(state.data.xmat[link].reshape(3, 3)[:, 2], UP)[:2]
            turning = jacobian @ state.qvel[: self._actor.nv]
            tasks.append(FeatureTask(jacobian, spring * off - 2.0 * sqrt(spring) * turning, weight))
        return tasks

    def grounded(self, state: State, rotation: RotationIndices, stance: StanceTargets) -> Actuation:
        """Torques that do what a stance wants, by what of the feet is near the ground.

        In one pass: a heel that a second one left out, since it bears nothing, would be free to go into the ground.
        """
        actor, on, weights = self._actor, float(self._settings.momentum), stance.weights
        torque = actor.tracker.torques(state, stance.pose[None], stance.stiffness)[0]
        near = actor.supports(state, stance.gap)
        supports = near.only(self._bearing[stance.on][near.body])
        scaled = ProgramWeights(on * weights.linear, on * weights.angular, weights.support, weights.tangential)
        aim = ProgramAim(torque, torque, stance.pull, stance.twist, stance.tasks)
        found = actor.program.solve(aim, scaled, supports, rotation.com)
        return Actuation(torque=actor.whole(found.torque))

    def ankles(self, state: State) -> Array:
        """(3,) m: the middle of them."""
        return np.asarray(np.mean(state.data.xpos[self._feet], axis=0))

    def over_feet(self, state: State, ahead: float, height: float) -> Array:
        """(3,) m: a place for the centre of mass."""
        ankles = self.ankles(state)
        return np.asarray(ankles + ahead * self.forward + (height - ankles[2]) * UP)

    def soles(self, state: State) -> tuple[float, float]:
        """m along the way: heels and balls of the feet."""
        self._middle = self.ankles(state)
        along = []
        for foot, link in zip(self._actor.body.feet, self._feet, strict=True):
            points = state.data.xpos[link] + foot.points @ state.data.xmat[link].reshape(3, 3).T
            along.append(points @ self.forward)
        middle = np.mean(along, axis=0)
        return float(middle[:2].mean()), float(middle[2:].mean())

    @property
    def sole(self) -> tuple[float, float]:
        """m before the ankles: heels and balls of feet that point ahead, flat."""
        ahead = np.mean([foot.points[:, 0] for foot in self._actor.body.feet], axis=0)
        return float(ahead[:2].mean()), float(ahead[2:].mean())

    def planar(self, rotation: RotationIndices, turned: float) -> Planar:
        """The body as the planner sees it."""
        forward, axis = self.forward, self.axis
        return Planar(
            float(forward @ rotation.com),
            float(rotation.com[2]),
            float(forward @ rotation.velocity),
            float(rotation.velocity[2]),
            float(axis @ rotation.angular_momentum),
            turned,
        )

    def palms(self, state: State) -> tuple[float, float]:
        """m along the way: where both hands are, from their hindmost to their foremost."""
        data, model = state.data, self._actor.model
        middle = data.geom_xpos[self._palms]
        self._middle = np.asarray(middle.mean(axis=0))
        level = np.abs(data.geom_xmat[self._palms].reshape(-1, 3, 3)[:, :, 2] @ self.forward)
        half = model.geom_size[self._palms, 1] * level
        along = middle @ self.forward
        return float(np.mean(along - half)), float(np.mean(along + half))

    def touching(self, state: State, part: str = "feet") -> bool:
        """Whether feet, or other links of those that bear, are on the ground."""
        found = state.contacts
        return bool(np.any(self._bearing[part][found.body] & (found.gap < TOUCHED)))
