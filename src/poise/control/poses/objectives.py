"""Objective controllers, [Fattal2006] section 7: they make some joints serve an aim instead of the control poses."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import remainder, tau
from typing import Protocol

import mujoco
import numpy as np

from poise.arrays import Array, Ints
from poise.body.body import Body
from poise.control.controller import SceneView
from poise.control.poses.rig import SpringPull, Springs, TimeSpan, WeightedDofs, add_pull_to_pose_springs
from poise.control.poses.sensors import PoseControlSensor
from poise.dynamics.state import State
from poise.dynamics.tree import transform_point
from poise.errors import PoiseError
from poise.kernel import kernel
from poise.reference.key_poses import straight_pose
from poise.rotations import cross


class PoseControlObjective(Protocol):
    """A controller that replaces or changes the pose controllers of some joints in the time span `when`."""

    when: TimeSpan

    def reset(self, scene: SceneView) -> None:
        """Look up the links, joints and sensors of the objective in a scene."""

    def change_springs(self, springs: Springs, state: State) -> None:
        """Change, in place, the springs of the objective's joints for one step."""


@dataclass
class PoseControlPoint:
    """A point that is fixed in the frame of a link, of a prop or of the world."""

    at_point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m, in the frame of `link`
    link: str | None = None  # name of a link or prop; None is the world

    def reset(self, scene: SceneView) -> None:
        """Look up the link or prop in a scene."""
        self._id = 0 if self.link is None else int(scene.model.body(self.link).id)
        self._root = int(scene.model.body_rootid[self._id])
        self._point = np.array(self.at_point, float)

    def position_and_velocity(self, state: State) -> Array:
        """(2, 3) position (m) and velocity (m/s) of the point in the world."""
        data, out = state.data, np.empty((2, 3))
        link = self._id
        pose, centre = (data.xpos[link], data.xmat[link]), data.subtree_com[self._root]
        _pose_control_point_motion(*pose, data.cvel[link], centre, self._point, out)
        return out


@kernel
def _pose_control_point_motion(
    origin: Array, turn: Array, velocity: Array, centre: Array, point: Array, out: Array
) -> None:
    """Write the position (m) and the velocity (m/s) in the world of a point (3,) m of a link into ``out`` (2, 3).

    The link's frame is ``origin`` (3,), ``turn`` (9,); ``velocity`` (6,) is the angular, then linear one at ``centre``.
    """
    transform_point(origin, turn.reshape(3, 3), point, out[0])
    x, y, z = out[0, 0] - centre[0], out[0, 1] - centre[1], out[0, 2] - centre[2]
    out[1, 0] = velocity[3] + velocity[1] * z - velocity[2] * y
    out[1, 1] = velocity[4] + velocity[2] * x - velocity[0] * z
    out[1, 2] = velocity[5] + velocity[0] * y - velocity[1] * x


def pose_control_dofs(body: Body, joints: Mapping[str, float]) -> WeightedDofs:
    """The DOFs of the named joints, each with the weight of its joint."""
    pairs = [(dof, weight) for name, weight in joints.items() for dof in body.index(name)]
    return WeightedDofs(np.array([dof for dof, _ in pairs], np.int64), np.array([weight for _, weight in pairs], float))


@dataclass
class PoseControlCorrection:
    """Shifts the target angles of joints in proportion to the error of a sensor's reading, e.g. to lean into wind."""

    sensor: PoseControlSensor
    target: float  # target reading, in the sensor's SI unit
    joints: Mapping[str, float]  # by joint name: shift (rad) per unit of (target - reading)
    most: float = 0.5  # rad: largest shift of a target angle
    when: TimeSpan = field(default_factory=TimeSpan)

    def reset(self, scene: SceneView) -> None:
        """Look up the joints and the sensor in a scene."""
        self._joints = pose_control_dofs(scene.body, self.joints)
        self.sensor.reset(scene)

    def change_springs(self, springs: Springs, state: State) -> None:
        """Shift the target angles of the joints for one step."""
        error = self.target - self.sensor.read(state)
        if self.sensor.wraps:
            error = remainder(error, tau)
        _shift_pose_spring_targets(springs.push, springs.stiffness, *self._joints, error, self.most)


@kernel
def _shift_pose_spring_targets(
    push: Array, stiffness: Array, dofs: Ints, weight: Array, error: float, most: float
) -> None:
    """Shift spring targets by ``weight`` times ``error``, at most by ``most`` rad: add the torques to ``push``."""
    for k in range(dofs.shape[0]):
        push[dofs[k]] += stiffness[dofs[k]] * min(max(weight[k] * error, -most), most)


@dataclass
class PoseControlFollower:
    """Draws each following DOF to `factor` times its leader's angle, plus `offset`; -1 for opposite motion."""

    leaders: Mapping[str, str]  # following DOF -> leading DOF
    factor: float = 1.0
    offset: float = 0.0  # rad
    when: TimeSpan = field(default_factory=TimeSpan)

    def reset(self, scene: SceneView) -> None:
        """Look up the following and leading DOFs in a scene."""
        body = scene.body
        self._model, self._zero = scene.model, np.array(scene.model.qpos0)
        self._zero[: body.nq] = straight_pose(body)
        self._own = np.array([body.index(name)[0] for name in self.leaders], np.int64)
        self._led = np.array([body.index(name)[0] for name in self.leaders.values()], np.int64)
        self._angles = np.zeros(scene.model.nv)

    def change_springs(self, springs: Springs, state: State) -> None:
        """Replace the springs of the following DOFs for one step."""
        mujoco.mj_differentiatePos(self._model, self._angles, 1.0, self._zero, state.qpos)
        error = self.factor * self._angles[self._led] + self.offset - self._angles[self._own]
        stiffness, damping = springs.stiffness[self._own], springs.damping[self._own]
        springs.push[self._own] = stiffness * error + damping * self.factor * state.qvel[self._led]
        springs.gain[self._own] = damping + state.step * stiffness


ORIGIN = np.zeros(3)
UPWARDS = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])  # Direction up, and angular velocity 0 of it


@dataclass
class PoseControlAim:
    """Turns an axis of a link upwards, or towards a point, by some joints: to keep a tray level, to look at a ball.

    [Fattal2006] replaces the pose controllers of these joints. Here the share `kept` of their torques remains; without
    this share, an arm that carries a load would sag.
    """

    link: str
    joints: Mapping[str, float]  # weight of each joint, by joint name
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)  # in the link's frame; normalised
    towards: PoseControlPoint | None = None  # None is upwards
    stiffness: float = 400.0  # N m/rad
    damping: float = 80.0  # N m s/rad
    kept: float = 0.3  # share of the pose controllers' torques that is kept
    when: TimeSpan = field(default_factory=TimeSpan)

    def __post_init__(self) -> None:
        size = math.hypot(*self.axis)
        if size == 0:
            raise PoiseError(f"the axis of '{self.link}' must not be zero")
        x, y, z = self.axis
        self.axis = (x / size, y / size, z / size)

    def reset(self, scene: SceneView) -> None:
        """Look up the link, the joints and the point `towards` in a scene."""
        self._model = scene.model
        self._id = scene.model.body(self.link).id
        self._joints = pose_control_dofs(scene.body, self.joints)
        self._axis = np.array(self.axis)
        self._jacobian = np.zeros((3, scene.model.nv))
        self._here = PoseControlPoint(link=self.link)
        for place in (self._here, self.towards):
            if place is not None:
                place.reset(scene)

    def change_springs(self, springs: Springs, state: State) -> None:
        """Scale the springs of the joints by `kept` and add torques that turn the axis, for one step."""
        data = state.data
        mujoco.mj_jac(self._model, data, None, self._jacobian, ORIGIN, self._id)
        error, rate = np.empty((2, 3))
        direction, sweep = self._direction(state)
        _pose_control_axis_error(
            data.xmat[self._id], self._axis, direction, sweep, data.cvel[self._id], self._jacobian, self._joints.dofs,
            error, rate,
        )  # fmt: skip
        pull = SpringPull(error, rate, self._jacobian, self.stiffness, self.damping)
        add_pull_to_pose_springs(springs, self._joints, self.kept, pull, state.qvel, state.step)

    def _direction(self, state: State) -> Array:
        """(2, 3) target direction of the axis, a unit vector, and angular velocity (rad/s) of this direction."""
        if self.towards is None:
            return UPWARDS
        offset, velocity = self.towards.position_and_velocity(state) - self._here.position_and_velocity(state)
        distance = max(math.hypot(*offset), 1e-9)
        return np.array([offset / distance, cross(offset, velocity) / distance**2])


@kernel
def _pose_control_axis_error(
    turn: Array, axis: Array, direction: Array, sweep: Array, spin: Array, jacobian: Array, dofs: Ints,
    error: Array, rate: Array,
) -> None:  # fmt: skip
    """Write ``error`` (3,) rad and ``rate`` (3,) rad/s of a link's axis (3,) relative to a target direction (3,).

    ``turn`` (9,) is the link's orientation. Angular velocities: ``spin`` of the link, ``sweep`` (3,) of the direction.
    Rotation about the axis has no effect. It is removed from the columns ``dofs`` of the angular Jacobian (3, nv).
    """
    here = np.empty(3)
    for i in range(3):
        here[i] = turn[3 * i] * axis[0] + turn[3 * i + 1] * axis[1] + turn[3 * i + 2] * axis[2]
    about = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        error[i] = here[j] * direction[k] - here[k] * direction[j]
        rate[i] = spin[i] - sweep[i]
        about += here[i] * rate[i]
    for i in range(3):
        rate[i] -= about * here[i]
    for dof in dofs:
        about = here[0] * jacobian[0, dof] + here[1] * jacobian[1, dof] + here[2] * jacobian[2, dof]
        for i in range(3):
            jacobian[i, dof] -= about * here[i]


@dataclass
class PoseControlTouch:
    """Draws a point of a link to another point by some joints: a hand to a rail, a fist to a ball."""

    point: PoseControlPoint
    to: PoseControlPoint
    joints: Mapping[str, float]  # weight of each joint, by joint name
    stiffness: float = 800.0  # N/m
    damping: float = 120.0  # N s/m
    kept: float = 0.3  # share of the pose controllers' torques that is kept
    when: TimeSpan = field(default_factory=TimeSpan)

    def reset(self, scene: SceneView) -> None:
        """Look up both points and the joints in a scene."""
        self._model = scene.model
        self._id = scene.model.body(self.point.link).id
        self._joints = pose_control_dofs(scene.body, self.joints)
        self._jacobian = np.zeros((3, scene.model.nv))
        self.point.reset(scene)
        self.to.reset(scene)

    def change_springs(self, springs: Springs, state: State) -> None:
        """Scale the springs of the joints by `kept` and add torques that draw `point` to `to`, for one step."""
        here, there = self.point.position_and_velocity(state), self.to.position_and_velocity(state)
        mujoco.mj_jac(self._model, state.data, self._jacobian, None, here[0], self._id)
        pull = SpringPull(there[0] - here[0], here[1] - there[1], self._jacobian, self.stiffness, self.damping)
        add_pull_to_pose_springs(springs, self._joints, self.kept, pull, state.qvel, state.step)
