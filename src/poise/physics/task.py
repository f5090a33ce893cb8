"""The task of a trajectory optimisation, the layout of its variables, and the equations of motion of a candidate.

A step from state (q, v) with torques and contact forces f is discretised as in the world, see `poise.world`:

    M (w - v) / h + bias = torque - damping w + J' f       predicted velocity w
    q+ = q (+) h w, moved so that  com+ = com + h P+ / m
    v+ = w with root velocities of momentum                 P+ = P + h (m g + sum f),  H+ = H + h sum (r - com) x f

About the world's origin the last line reads: momentum+ = momentum + h (wrench of contacts + of gravity at com).
Joint velocities of a state are differences of poses. Root velocities v and the root's predicted linear velocity are
variables; the root's predicted angular velocity is a difference of poses.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from poise.arrays import Array, Ints, Mask
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.body.self_contact import SelfDistances
from poise.dynamics.inverse import Bearings, Inverse, inverse_dynamics
from poise.dynamics.tree import Tree, link_tree_of
from poise.rotations import inverse_right_jacobian

LENGTH = 100.0  # Factor of position constraints: in cm they have sizes like forces in body weights and momenta per step

APART = 0.003  # Distance (m) that the optimiser keeps between links of a body that could overlap

ARMS_APART = -0.002  # The same between arms and all else in a captured motion, in which arms may rest on the trunk


@dataclass(frozen=True)
class SpacetimeWeights:
    """Weights of the terms of the cost. Forces are in body weights, torques in body weight times metre."""

    place: float = 200.0  # per m^2 of the root's position
    turn: float = 60.0  # per rad^2 of the root's orientation
    joint: float = 30.0  # per rad^2 of joints
    acceleration: float = 2e-5  # per (rad/s^2)^2 of differences of joint accelerations from the desired motion
    torque: float = 0.5  # of squared joint torques
    force: float = 0.05  # of squared contact forces
    jerk: float = 20.0  # of squared changes of contact forces from step to step
    apart: float = 1e5  # per m^2 that distances between links of the body are shorter than they should be


@dataclass(frozen=True, eq=False)
class TaskSpheres:
    """C spheres of links, first those ever in contact, then those that must stay above the ground; radius 0: points."""

    names: tuple[str, ...]  # (C,)
    link: Ints  # (C,) MuJoCo's body ids
    centre: Array  # (C, 3) m in the link's frame
    radius: Array  # (C,) m
    down: Mask  # (N + 1, C) whether the sphere is in contact
    ground: Array  # (N + 1, C) m, height of the ground below the sphere
    least: Array  # (N + 1, C) m, least height of the sphere's lowest point over the ground; -inf for none
    place: Array  # (C, 3) m, position of grips; NaN for contacts with the ground

    @property
    def bearing(self) -> int:
        """S, the number of spheres that are ever in contact."""
        return int(np.max(np.flatnonzero(self.down.any(axis=0)), initial=-1)) + 1

    @property
    def held(self) -> Mask:
        """(C,) whether the sphere is a grip, which can pull as well as push."""
        return np.isfinite(self.place[:, 0])


@dataclass(frozen=True, eq=False)
class EndState:
    """A state in which a trajectory must start or end."""

    qpos: Array  # (nq,)
    before: Array  # (nq,) pose one step earlier, which gives the joint velocities
    root_velocity: Array  # (6,) m/s in the world, rad/s in the root's frame


@dataclass(frozen=True, eq=False)
class Closure:
    """Condition of a cycle: the last state equals the first, turned about the vertical and moved along the ground."""

    turn: float  # rad
    way: Array  # (2,) m, displacement of the origin


@dataclass(frozen=True, eq=False)
class SpacetimeTask:
    """A body, a desired motion and its constraints. States are frames 1 to N; frame 0 gives joint velocities at 1."""

    body: Body
    step: float  # s
    desired: Array  # (N + 1, nq)
    balls: TaskSpheres
    friction: float = 0.7  # |fx| + |fy| <= friction fz
    apart: float | None = APART  # m between links of the body that could overlap; None to let them overlap
    arms_apart: float = APART  # m, the same between arms and all else
    margin: float = 0.01  # rad from joint limits, and fraction of torque limits, that is kept free
    weights: SpacetimeWeights = field(default_factory=SpacetimeWeights)
    closure: Closure | None = None
    start: EndState | None = None
    end: EndState | None = None
    rest: tuple[bool, bool] = (False, False)  # whether the motion starts, and whether it ends, at rest in any pose


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A candidate trajectory: values of all variables for frames 0 to N."""

    qpos: Array  # (N + 1, nq)
    root: Array  # (N + 1, 6) root velocity of the state; unused at frame 0
    ahead: Array  # (N + 1, 3) m/s: linear part of the root velocity w of the step from the frame; unused at 0 and N
    force: Array  # (N + 1, S, 3) contact forces in the step from the frame, in body weights


@dataclass(frozen=True, eq=False)
class VariableLayout:
    """Index of each variable of a `Trajectory` in the vector of all variables; -1 for values that are not variables."""

    pose: Ints  # (N + 1, nv)
    root: Ints  # (N + 1, 6)
    ahead: Ints  # (N + 1, 3)
    force: Ints  # (N + 1, S, 3)
    size: int  # n, number of variables

    @cached_property
    def states(self) -> Ints:
        """(N, nv) indices of the poses of frames 1 to N."""
        return self.pose[1:]

    @cached_property
    def pairs(self) -> Ints:
        """(N - 1, 2 nv) for each step: indices of the poses of its two states."""
        return np.concatenate([self.pose[1:-1], self.pose[2:]], axis=1)

    @cached_property
    def triples(self) -> Ints:
        """(N - 1, 3 nv) for each three successive frames: indices of their poses."""
        return np.concatenate([self.pose[:-2], self.pose[1:-1], self.pose[2:]], axis=1)

    @cached_property
    def arrivals(self) -> Ints:
        """(N - 1, 2 nv + 6) for each step: indices of the poses of its two states and of the second's root velocity."""
        return np.concatenate([self.pairs, self.root[2:]], axis=1)

    @cached_property
    def steps(self) -> Ints:
        """(N - 1, m) for each step: indices of its m variables in the order of `spacetime.StepSlopes`."""
        force = self.force.reshape(len(self.force), -1)
        own = (self.pose[1:-1], self.root[1:-1], self.ahead[1:-1], force[1:-1])
        return np.concatenate([self.pose[:-2], *own, self.pose[2:], self.root[2:]], axis=1)

    @cached_property
    def bandwidth(self) -> int:
        """The largest difference between indices of variables of one step, or of forces of two successive steps."""
        force = self.force.reshape(len(self.force), -1)
        reaches = [_block_bandwidth(self.steps), _block_bandwidth(np.concatenate([force[1:-1], force[2:]], axis=1))]
        return max(reaches)


def _block_bandwidth(columns: Ints) -> int:
    """The largest difference between two indices in one row of `columns` (B, m); -1 is ignored."""
    lowest = np.where(columns < 0, np.iinfo(np.int64).max, columns).min(axis=1, initial=np.iinfo(np.int64).max)
    return int(np.max(columns.max(axis=1, initial=-1) - lowest, initial=0))


def acting_forces(task: SpacetimeTask) -> Mask:
    """(N + 1, S, 3) whether forces act in a frame's step: normals if down at its end, friction if at both ends."""
    count = task.balls.bearing
    down, held = task.balls.down[:, :count], task.balls.held[:count]
    normal = np.zeros_like(down)
    normal[:-1] = down[1:]
    along = normal & (down | held)
    out = np.stack([along, along, normal], axis=2)
    out[0] = out[-1] = False
    if task.closure is not None:
        out[-1] = out[1]
    return out


def variable_layout(task: SpacetimeTask) -> VariableLayout:
    """The layout of the task's variables, in order of time so that coupled variables are near each other."""
    frames, acting = len(task.desired), acting_forces(task)
    exists = [np.ones((frames, task.body.nv), bool), np.ones((frames, 6), bool), np.ones((frames, 3), bool)]
    exists[1][0] = exists[2][0] = exists[2][-1] = False
    table = np.concatenate([*exists, acting.reshape(frames, -1)], axis=1)
    numbers = np.where(table, np.cumsum(table).reshape(table.shape) - 1, -1)
    nv = task.body.nv
    parts = np.split(numbers, [nv, nv + 6, nv + 9], axis=1)
    pose, root, ahead, force = (np.ascontiguousarray(part) for part in parts)
    return VariableLayout(pose, root, ahead, force.reshape(acting.shape), int(table.sum()))


@dataclass(frozen=True, eq=False)
class TrajectoryTerms:
    """Terms of the equations of motion of a candidate x: n = N states (frames 1 to N) and the n - 1 steps between."""

    x: Trajectory
    inverse: Inverse  # inverse dynamics of the n states with the accelerations of their steps, the last with none
    torque: Array  # (n, nv) N m of the joints, damping included; for the root the residual of its equations
    qvel: Array  # (n, nv)
    way: Array  # (n, nv) differences of poses, from each of frames 0 to N - 1 to the next
    way_start: Array  # (n, nv, nv) derivatives of `way` by the first pose; 0 for the root's position
    way_end: Array  # (n, nv, nv) derivatives of `way` by the second pose; 0 for the root's position


class MotionTerms:
    """Evaluates the terms of the equations of motion for trajectories of one task."""

    def __init__(self, task: SpacetimeTask) -> None:
        self.task = task
        self.tree: Tree = link_tree_of(task.body.model)
        self.path = PosePath(task.body)
        self.mass = task.body.mass  # kg
        self.weight = task.body.mass * float(np.linalg.norm(self.tree.gravity))  # N
        self.distances = None if task.apart is None else SelfDistances(task.body, task.apart)
        self._bearings = Bearings(task.balls.link, task.balls.centre, task.balls.radius)

    def at(self, x: Trajectory) -> TrajectoryTerms:
        """The terms of the candidate trajectory x."""
        h = self.task.step
        way, way_start, way_end = self.path.difference(x.qpos[:-1], x.qpos[1:])
        for slope in (way_start, way_end):  # the root's linear velocity has variables of its own
            slope[:, :3, :3] = 0.0
        qvel = np.concatenate([x.root[1:], way[:, 6:] / h], axis=1)
        ahead = np.array(qvel)
        ahead[:-1, :3], ahead[:-1, 3:] = x.ahead[1:-1], way[1:, 3:] / h
        force = np.zeros((len(qvel), *self.task.balls.centre.shape))  # zero in the last state, which has no step
        force[:-1, : self.task.balls.bearing] = self.weight * x.force[1:-1]
        inverse = inverse_dynamics(self.tree, x.qpos[1:], qvel, (ahead - qvel) / h, self._bearings, force)
        torque = np.array(inverse.torque)
        torque[:-1] += self.tree.damping * ahead[:-1]
        return TrajectoryTerms(x, inverse, torque, qvel, way, way_start, way_end)


class PosePath:
    """Differences between poses of a body, with derivatives in the tangent spaces of the poses."""

    def __init__(self, body: Body) -> None:
        self._space = PoseSpace(body)
        self._nv = body.nv
        self.balls = self._space.balls  # (K, 3) degrees of freedom of ball joints

    def moved(self, qpos: Array, step: Array) -> Array:
        """Poses (T, nq) moved by tangent steps (T, nv)."""
        return self._space.moved(qpos, step)

    def difference(self, start: Array, end: Array) -> tuple[Array, Array, Array]:
        """The tangent step (T, nv) from `start` to `end`, and its derivatives (T, nv, nv) by both poses."""
        way, turns = self._space.difference(start, end), self._space.turns
        by_start, by_end = (
            self._slopes(sign, self._space.slides, turns, inverse_right_jacobian(sign * way[:, turns]))
            for sign in (-1.0, 1.0)
        )
        return way, by_start, by_end

    def angles(self, qpos: Array) -> tuple[Array, Array]:
        """Coordinates (T, nv) that joint limits bound (0 for the root), and their derivatives (T, nv, nv) by poses."""
        angles, balls = self._space.angles(qpos), self._space.balls
        return angles, self._slopes(1.0, self._space.hinges, balls, inverse_right_jacobian(angles[:, balls]))

    def _slopes(self, sign: float, straight: Ints, turns: Ints, blocks: Array) -> Array:
        """(T, nv, nv) matrix of `sign` at the DOFs `straight`, `sign` times `blocks` (T, K, 3, 3) at `turns` (K, 3)."""
        out = np.zeros((len(blocks), self._nv, self._nv))
        out[:, straight, straight] = sign
        out[:, turns[:, :, None], turns[:, None, :]] = sign * blocks
        return out
