"""A body on its supports: positions of feet and hands, tasks for pelvis and soles, torques for desired momenta."""

from dataclasses import dataclass
from math import atan2, cos, pi, sin, sqrt

import numpy as np

from poise.arrays import Array
from poise.control.rotation.actor import RotationActor
from poise.control.rotation.flight_plan import PlanarState, PlannedCourse
from poise.control.rotation.program import FeatureTask, ProgramAim, ProgramSolution, ProgramWeights, RotationSupports
from poise.dynamics.actuation import Actuation
from poise.dynamics.momentum import RotationIndices
from poise.dynamics.state import State
from poise.rotations import cross, quat_from_axis_angle, quat_log, quat_multiply

TOUCHING_GAP = 0.004  # Gap (m) below which a link counts as touching the ground
BEARING = {
    "feet": ("_foot", "_toes"),
    "toes": ("_toes",),
    "hands": ("_hand",),
    "back": ("pelvis", "abdomen", "thorax", "_upper_arm", "_forearm", "_hand"),
}
"""Links that bear the body, by the endings of their names, for each kind of support."""
CONVERGING = 0.5  # Largest share of the change of paths that a second solution may change them again
PALMS = ("left_hand_palm", "right_hand_palm")  # Geoms of the hands that bear: capsules along the palms
UP, LEFT = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class StanceTargets:
    """What the controller aims at in a simulation step in which the body is on the ground."""

    pose: Array  # (nq,)
    stiffness: float | Array  # 1/s^2: one number for all joints, or (n,)
    weights: ProgramWeights
    pull: Array  # (3,) N: desired rate of linear momentum
    twist: Array  # (3,) N m: desired rate of angular momentum
    tasks: tuple[FeatureTask, ...]
    gap: float  # m: contacts with a smaller gap may bear
    on: str = "feet"  # kind of support that may bear: a key of BEARING
    pushing: bool = False  # whether supports bear through the whole step, on paths with the velocity after it


class RotationPlane:
    """Supports of a body, and the sagittal plane in which the body turns; the first heading fixes this plane."""

    def __init__(self, actor: RotationActor) -> None:
        self.actor, body = actor, actor.body
        self._feet = [body.link_id(foot.link) for foot in body.feet]
        self._palms = [i for i in range(actor.model.ngeom) if actor.model.geom(i).name in PALMS]
        links = ("world", *body.links)
        ids = np.arange(actor.model.nbody)
        self._bearing = {
            part: np.isin(ids, [i for i, name in enumerate(links) if name.endswith(ends)])
            for part, ends in BEARING.items()
        }
        self._yaw: float | None = None
        self.pitch = 0.0  # rad of the root, full turns included
        self._support = np.zeros(3)  # m: middle of the feet or hands at the last plan
        self.forward, self.axis = np.zeros(3), np.zeros(3)  # horizontal unit vectors: the heading, and its left

    def update(self, state: State) -> None:
        """Update the pitch of the root; the first call fixes the heading."""
        root = state.data.xmat[1].reshape(3, 3)
        if self._yaw is None:
            left = root[:, 1]
            self._yaw = atan2(-left[0], left[1])
        forward = np.array([cos(self._yaw), sin(self._yaw), 0.0])
        self.forward, self.axis = forward, np.array([-forward[1], forward[0], 0.0])
        now = atan2(-root[2, 0], float(forward @ root[:, 0]))
        self.pitch += (now - self.pitch + pi) % (2 * pi) - pi

    def momentum_rates(
        self, rotation: RotationIndices, course: PlannedCourse, time: float, gains: tuple[float, float], damping: float
    ) -> tuple[Array, Array]:
        """Desired rates of both momenta along a planned course, with feedback: [Zordan2014] Eqs. (3) and (4).

        `time` (s) counts from the start of the course. `gains` are K_s^L (1/s^2) and K_d^L (1/s). `damping` (1/s) is
        the feedback gain of angular momentum.
        """
        here, push, twist = course.state_at(time + self.actor.step)
        place = here.x * self.forward + here.z * UP + float(self.axis @ self._support) * self.axis
        velocity = here.vx * self.forward + here.vz * UP
        pull = rotation.mass * (gains[0] * (place - rotation.com) + gains[1] * (velocity - rotation.velocity))
        pull = pull + push[0] * self.forward + push[1] * UP
        return pull, twist * self.axis + damping * (here.spin * self.axis - rotation.angular_momentum)

    def pelvis_task(self, state: State, tilt: float, spring: float, weight: float) -> FeatureTask:
        """Task that holds the pelvis at a pitch (rad) and the initial heading, by a spring (1/s^2)."""
        assert self._yaw is not None
        target = quat_multiply(quat_from_axis_angle(UP, self._yaw), quat_from_axis_angle(LEFT, tilt))
        now = np.array(state.data.xquat[1])
        error = quat_log(quat_multiply(target, now * np.array([1.0, -1.0, -1.0, -1.0])))
        jacobian = self.actor.finder.angular_jacobian(state, 1)
        velocity = jacobian @ state.qvel[: self.actor.nv]
        return FeatureTask(jacobian, spring * error - 2.0 * sqrt(spring) * velocity, weight)

    def flat_feet_tasks(self, state: State, spring: float, weight: float) -> list[FeatureTask]:
        """Tasks that hold the feet level at any heading, by a spring (1/s^2)."""
        tasks = []
        for link in self._feet:
            jacobian = self.actor.finder.angular_jacobian(state, link)[:2]
            error = cross(state.data.xmat[link].reshape(3, 3)[:, 2], UP)[:2]
            velocity = jacobian @ state.qvel[: self.actor.nv]
            tasks.append(FeatureTask(jacobian, spring * error - 2.0 * sqrt(spring) * velocity, weight))
        return tasks

    def act(self, state: State, rotation: RotationIndices, stance: StanceTargets) -> Actuation:
        """Torques of the coming step that meet the targets of a stance best.

        In a push, the program is solved again with the paths that supports take with the velocity found first. Where
        legs are stretched this does not converge: the program asks for velocities beyond the limits of joints.
        The inclusion test is not used: a heel that bears nothing would be left out and could move into the ground.
        """
        actor, on, weights = self.actor, float(self.actor.settings.momentum), stance.weights
        torque = actor.pose_torques(state, stance.pose[None], stance.stiffness)[0]
        near = actor.finder.supports_near(state, stance.gap)
        supports = near.selected(self._bearing[stance.on][near.body])
        scaled = ProgramWeights(on * weights.linear, on * weights.angular, weights.support, weights.tangential)
        aim = ProgramAim(torque, torque, stance.pull, stance.twist, stance.tasks)
        found = actor.program.solve(aim, scaled, supports, rotation.com)
        if stance.pushing and len(supports.body):
            paths = self._paths_after(state, supports, found)
            better = actor.program.solve(aim, scaled, paths, rotation.com)
            left = self._paths_after(state, paths, better).curve - paths.curve
            if np.abs(left).max() < CONVERGING * np.abs(paths.curve - supports.curve).max():
                found = better
        return actor.actuate(found.torque)

    def _paths_after(self, state: State, supports: RotationSupports, found: ProgramSolution) -> RotationSupports:
        """The supports with the paths that they take with the velocity of a solution of the program."""
        return self.actor.finder.supports_on_paths(state, supports, self.actor.program.velocity_after(found, supports))

    def ankle_midpoint(self, state: State) -> Array:
        """(3,) m: midpoint of the ankles."""
        return np.asarray(np.mean(state.data.xpos[self._feet], axis=0))

    def com_target_over_feet(self, state: State, ahead: float, height: float) -> Array:
        """(3,) m: target of the centre of mass, `ahead` m in front of the ankles, at a height (m) above the ground."""
        ankles = self.ankle_midpoint(state)
        ground = self.actor.ground.height(ankles[0], ankles[1])
        return np.asarray(ankles + ahead * self.forward + (ground + height - ankles[2]) * UP)

    def sole_ends(self, state: State) -> tuple[float, float]:
        """Positions (m, along the heading) of heels and balls; stores the ankles' midpoint as next plan's support."""
        self._support = self.ankle_midpoint(state)
        along = []
        for foot, link in zip(self.actor.body.feet, self._feet, strict=True):
            points = state.data.xpos[link] + foot.points @ state.data.xmat[link].reshape(3, 3).T
            along.append(points @ self.forward)
        mean = np.mean(along, axis=0)
        return float(mean[:2].mean()), float(mean[2:].mean())

    @property
    def flat_sole_ends(self) -> tuple[float, float]:
        """Positions (m, in front of the ankles) of heels and balls of flat feet that point ahead."""
        ahead = np.mean([foot.points[:, 0] for foot in self.actor.body.feet], axis=0)
        return float(ahead[:2].mean()), float(ahead[2:].mean())

    def planar_state(self, rotation: RotationIndices) -> PlanarState:
        """The state of the body in the planner's model, with excursion 0."""
        x, z = float(self.forward @ rotation.com), float(rotation.com[2])
        vx, vz = float(self.forward @ rotation.velocity), float(rotation.velocity[2])
        return PlanarState(x, z, vx, vz, float(self.axis @ rotation.angular_momentum), 0.0)

    def palm_ends(self, state: State) -> tuple[float, float]:
        """Rear and front ends (m, along the heading) of the palms; stores their middle as support of the next plan."""
        data, model = state.data, self.actor.model
        middle = data.geom_xpos[self._palms]
        self._support = np.asarray(middle.mean(axis=0))
        level = np.abs(data.geom_xmat[self._palms].reshape(-1, 3, 3)[:, :, 2] @ self.forward)
        half = model.geom_size[self._palms, 1] * level
        along = middle @ self.forward
        return float(np.mean(along - half)), float(np.mean(along + half))

    def touches_ground(self, state: State, part: str = "feet") -> bool:
        """Whether any link of the kind of support `part` (a key of BEARING) touches the ground."""
        found = state.contacts
        return bool(np.any(self._bearing[part][found.body] & (found.gap < TOUCHING_GAP)))
