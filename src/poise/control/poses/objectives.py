"""What all objective controllers share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import remainder, tau
from typing import Any, Protocol

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.controller import Setting
from poise.control.poses.rig import TimeSpan
from poise.control.poses.sensors import Sensor
from poise.control.poses.springs import Joints, Pull, Springs, pull_joints
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.kernel import kernel
from poise.reference.key_poses import straight_pose
from poise.rotations import cross

# Places in a scene: fixed ones, and points of links and props.


@dataclass
class ScenePoint:
    """A point in the frame of a link or prop, or of the world."""

    at_point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m
    link: str | None = None  # of the world if none

    def reset(self, scene: Setting) -> None:
        """The link's id."""
        self._id = 0 if self.link is None else int(scene.model.body(self.link).id)
        self._root = int(scene.model.body_rootid[self._id])
        self._point = np.array(self.at_point, float)

    def moving(self, state: State) -> Array:
        """(2, 3) m and m/s in the world: where it is, and how fast."""
        data, out = state.data, np.empty((2, 3))
        link = self._id
        _move(data.xpos[link], data.xmat[link], data.cvel[link], data.subtree_com[self._root], self._point, out)
        return out


@kernel
def _move(origin: Any, turn: Any, velocity: Any, centre: Any, point: Any, out: Any) -> None:
    """Where a point of a link is and how it moves; ``velocity`` (6,) is the link's, about ``centre``."""
    for i in range(3):
        out[0, i] = origin[i] + turn[3 * i] * point[0] + turn[3 * i + 1] * point[1] + turn[3 * i + 2] * point[2]
    x, y, z = out[0, 0] - centre[0], out[0, 1] - centre[1], out[0, 2] - centre[2]
    out[1, 0] = velocity[3] + velocity[1] * z - velocity[2] * y
    out[1, 1] = velocity[4] + velocity[2] * x - velocity[0] * z
    out[1, 2] = velocity[5] + velocity[0] * y - velocity[1] * x


class Objective(Protocol):
    """Has some joints serve an aim of its own, in place of the control poses [Fattal2006] section 7."""

    def reset(self, scene: Setting) -> None:
        """Find the parts that it needs in a scene."""

    def on(self, springs: Springs, state: State) -> None:
        """Replace those of its joints among the springs of a step."""


def weighted(body: Body, joints: Mapping[str, float]) -> Joints:
    """Freedoms of joints, given by name, and the weight of each."""
    pairs = [(dof, weight) for name, weight in joints.items() for dof in body.index(name)]
    return Joints(np.array([dof for dof, _ in pairs], np.int64), np.array([weight for _, weight in pairs], float))


# Joints that answer a sensor: lean into the wind, turn back to a heading.


@dataclass
class Correct:
    """Shifts the targets of joints in proportion to how far a sensor is from what it should read."""

    sensor: Sensor
    wanted: float  # in the sensor's SI unit
    joints: Mapping[str, float]  # by name: rad per unit that the sensor reads too little
    most: float = 0.5  # rad: no target is shifted by more
    when: TimeSpan = field(default_factory=TimeSpan)

    def reset(self, scene: Setting) -> None:
        """Ids of the joints and of what is sensed."""
        self._joints = weighted(scene.body, self.joints)
        self.sensor.reset(scene)

    def on(self, springs: Springs, state: State) -> None:
        """Shifts the targets."""
        if state.time not in self.when:
            return
        missing = self.wanted - self.sensor.read(state)
        if self.sensor.turns:
            missing = remainder(missing, tau)
        _shift(springs.push, springs.stiffness, *self._joints, missing, self.most)


@kernel
def _shift(push: Any, stiffness: Any, dofs: Any, weight: Any, missing: float, most: float) -> None:
    """Add what springs give whose targets are shifted by so much for each unit that is missing."""
    for k in range(dofs.shape[0]):
        push[dofs[k]] += stiffness[dofs[k]] * min(max(weight[k] * missing, -most), most)


# Joints that follow others: limbs that move alike, or against each other.


@dataclass
class Follow:
    """Each freedom on the left is drawn to a multiple of the one that it follows, as it is now.

    A factor of 1 follows, -1 goes against it; mirrored limbs have the factors of `Body.mirror_signs`.
    """

    leaders: Mapping[str, str]  # freedom -> the one that it follows
    factor: float = 1.0
    offset: float = 0.0  # rad
    when: TimeSpan = field(default_factory=TimeSpan)

    def reset(self, scene: Setting) -> None:
        """Ids of the freedoms."""
        body = scene.body
        self._model, self._zero = scene.model, np.array(scene.model.qpos0)
        self._zero[: body.nq] = straight_pose(body)
        self._own = np.array([body.index(name)[0] for name in self.leaders], np.int64)
        self._led = np.array([body.index(name)[0] for name in self.leaders.values()], np.int64)
        self._angles = np.zeros(scene.model.nv)

    def on(self, springs: Springs, state: State) -> None:
        """Springs to where the others lead."""
        if state.time not in self.when:
            return
        mujoco.mj_differentiatePos(self._model, self._angles, 1.0, self._zero, state.qpos)
        error = self.factor * self._angles[self._led] + self.offset - self._angles[self._own]
        stiffness, damping = springs.stiffness[self._own], springs.damping[self._own]
        springs.push[self._own] = stiffness * error + damping * self.factor * state.qvel[self._led]
        springs.gain[self._own] = damping + state.step * stiffness


# A link that points somewhere: a tray held level, a head that looks at a ball.

ORIGIN = np.zeros(3)
UPWARDS = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
"""A way to point, and that it does not turn."""


@dataclass
class Point:
    """Turns an axis of a link upwards, or towards a place, with the joints it is given.

    [Fattal2006] replaces the pose controllers there; a share of them is kept by default, or a laden arm sags.
    """

    link: str
    joints: Mapping[str, float]  # by name, with weights
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)  # of the link, in its frame; made a unit vector
    towards: ScenePoint | None = None  # where to; upwards if nowhere
    stiffness: float = 400.0  # N m/rad
    damping: float = 80.0  # N m s/rad
    kept: float = 0.3  # share of the pose springs
    when: TimeSpan = field(default_factory=TimeSpan)

    def __post_init__(self) -> None:
        size = math.hypot(*self.axis)
        if size == 0:
            raise PoiseError(f"an axis of '{self.link}' that points somewhere must not be zero")
        x, y, z = self.axis
        self.axis = (x / size, y / size, z / size)

    def reset(self, scene: Setting) -> None:
        """Ids of the link and the joints."""
        self._model = scene.model
        self._id = scene.model.body(self.link).id
        self._joints = weighted(scene.body, self.joints)
        self._axis = np.array(self.axis)
        self._turning = np.zeros((3, scene.model.nv))
        self._here = ScenePoint(link=self.link)
        for place in (self._here, self.towards):
            if place is not None:
                place.reset(scene)

    def on(self, springs: Springs, state: State) -> None:
        """Torques that turn the axis, against whatever else turns it."""
        if state.time not in self.when:
            return
        data = state.data
        mujoco.mj_jac(self._model, data, None, self._turning, ORIGIN, self._id)
        error, rate = np.empty((2, 3))
        way, sweep = self._way(state)
        _aim(
            data.xmat[self._id],
            self._axis,
            way,
            sweep,
            data.cvel[self._id],
            self._turning,
            self._joints.dofs,
            error,
            rate,
        )
        pull = Pull(error, rate, self._turning, self.stiffness, self.damping)
        pull_joints(springs, self._joints, self.kept, pull, state)

    def _way(self, state: State) -> Array:
        """(2, 3) where to point, as a unit vector, and how fast that turns, rad/s."""
        if self.towards is None:
            return UPWARDS
        way, moving = self.towards.moving(state) - self._here.moving(state)
        far = max(math.hypot(*way), 1e-9)
        return np.array([way / far, cross(way, moving) / far**2])


@kernel
def _aim(turn: Any, axis: Any, way: Any, sweep: Any, spin: Any, turning: Any, dofs: Any, error: Any, rate: Any) -> None:
    """Error and rate (3,) of an axis that is to point a way which turns by ``sweep`` rad/s, while its link spins.

    Turning about the axis itself changes nothing, and is taken out of the Jacobian (3, nv) at some freedoms.
    """
    here = np.empty(3)
    for i in range(3):
        here[i] = turn[3 * i] * axis[0] + turn[3 * i + 1] * axis[1] + turn[3 * i + 2] * axis[2]
    about = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        error[i] = here[j] * way[k] - here[k] * way[j]
        rate[i] = spin[i] - sweep[i]
        about += here[i] * rate[i]
    for i in range(3):
        rate[i] -= about * here[i]
    for dof in dofs:
        about = here[0] * turning[0, dof] + here[1] * turning[1, dof] + here[2] * turning[2, dof]
        for i in range(3):
            turning[i, dof] -= about * here[i]


# A point of a link that goes to a place: a hand on a rail, a fist at a ball.


@dataclass
class Touch:
    """Draws a point of a link to a place with the joints it is given."""

    point: ScenePoint
    to: ScenePoint
    joints: Mapping[str, float]  # by name, with weights
    stiffness: float = 800.0  # N/m
    damping: float = 120.0  # N s/m
    kept: float = 0.3  # share of the pose springs
    when: TimeSpan = field(default_factory=TimeSpan)

    def reset(self, scene: Setting) -> None:
        """Ids of the link and the joints."""
        self._model = scene.model
        self._id = scene.model.body(self.point.link).id
        self._joints = weighted(scene.body, self.joints)
        self._moving = np.zeros((3, scene.model.nv))
        self.point.reset(scene)
        self.to.reset(scene)

    def on(self, springs: Springs, state: State) -> None:
        """Torques that draw it there."""
        if state.time not in self.when:
            return
        here, there = self.point.moving(state), self.to.moving(state)
        mujoco.mj_jac(self._model, state.data, self._moving, None, here[0], self._id)
        pull = Pull(there[0] - here[0], here[1] - there[1], self._moving, self.stiffness, self.damping)
        pull_joints(springs, self._joints, self.kept, pull, state)
