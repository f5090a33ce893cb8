"""Trajectory optimisation: the motion nearest to a wished one that joint torques and contacts can bring about.

[Muico2009] section 3.2, after [Witkin1988]: poses, velocities, torques and contact forces that satisfy the equations of
motion of our own discretisation. Everything is one sparse problem of least squares with constraints, a few
variables per frame, coupled over three frames.
"""

from __future__ import annotations

import numpy as np

from poise.optimize.layout import Layout, Trajectory, bearing, layout_of
from poise.optimize.motion_terms import MotionTerms, Terms
from poise.optimize.path import inverse_right_jacobian
from poise.optimize.rows import Array, Bounded, Ints, Linearised, Rows, violations
from poise.optimize.task import EndState, Task
from poise.spatial import quat_conjugate, quat_exp, quat_log, quat_multiply, quat_rotate

_LENGTH = 100.0  # places are told in cm
_PYRAMID = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])


class Spacetime:
    """The problem of a task, for `poise.optimize.interior`."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.layout: Layout = layout_of(task)
        self.terms = MotionTerms(task)
        self.size, self.bandwidth = self.layout.size, self.layout.bandwidth
        way, _, _ = self.terms.path.difference(task.wished[:-1], task.wished[1:])
        self._wished_acceleration = np.diff(way, axis=0)[:, 6:] / task.step**2  # (N - 1, nj)
        self._held = np.isfinite(task.balls.place[:, 0])  # (C,)

    # -- points ----------------------------------------------------------------------------------------------------

    def start(self) -> Trajectory:
        """The wished motion, its weight shared by what bears."""
        task = self._task
        way, _, _ = self.terms.path.difference(task.wished[:-1], task.wished[1:])
        root = np.concatenate([np.zeros((1, 6)), way[:, :6] / task.step])
        acting = bearing(task)
        force = np.zeros(acting.shape)
        share = acting[..., 2].sum(axis=1, keepdims=True)
        force[..., 2] = np.where(acting[..., 2], 1.0 / np.maximum(share, 1), 0.0)
        ahead = np.array(root[:, :3])
        ahead[:-1] = root[1:, :3]
        return Trajectory(np.array(task.wished), root, ahead, force)

    def moved(self, point: Trajectory, step: Array) -> Trajectory:
        """The trajectory with every variable changed."""
        padded, here = np.append(step, 0.0), self.layout
        return Trajectory(
            self.terms.path.moved(point.qpos, padded[here.pose]),
            point.root + padded[here.root],
            point.ahead + padded[here.ahead],
            point.force + padded[here.force],
        )

    def at(self, point: Trajectory) -> Linearised:
        """All rows at a trajectory."""
        t = self.terms.at(point)
        torque = self._torque_rows(t)
        equal = [
            self._wrench_rows(t),
            self._momentum_rows(t, point),
            self._drift_rows(t),
            *self._stand_rows(t),
            *self._end_rows(point),
        ]
        bounded = [
            self._torque_bounds(torque),
            self._cone_bounds(point),
            self._joint_bounds(point),
            *self._height_bounds(t),
        ]
        cost = [
            self._likeness_rows(point),
            self._acceleration_rows(t),
            _scaled(torque, "torque", np.sqrt(self._task.weights.torque)),
            *self._force_rows(point),
        ]
        return Linearised(cost, equal, bounded, self._closing_rows(point))

    def conflict(self, here: Linearised) -> str:
        """What is violated most, and when, for people."""
        found = [(float(excess.max()), rows, excess) for rows, excess in violations(here) if excess.size]
        size, rows, excess = max(found, key=lambda item: item[0])
        block, row = np.unravel_index(int(excess.argmax()), excess.shape)
        whose = self._whose(rows, int(block), int(row))
        return f"{whose}{rows.name} at {self._when(rows, int(block)):.2f} s cannot be kept (off by {size:.2g})"

    def _when(self, rows: Rows, block: int) -> float:
        """s: of the frame whose variables a block begins with."""
        first = rows.columns[block][rows.columns[block] >= 0].min()
        frame = int(np.searchsorted(self.layout.pose[:, 0], first, side="right")) - 1
        return max(frame - 1, 0) * self._task.step

    def _whose(self, rows: Rows, block: int, row: int) -> str:
        """The part that a row is about, with a colon."""
        body, names = self._task.body, self._task.balls.names
        per_ball = {"stands on the ground": 1, "stays in place": 2, "is held": 3}
        if rows.name in per_ball:
            return f"{names[row // per_ball[rows.name]]}: "
        if rows.name in ("torque limit", "joint limit"):
            return f"{body.dof_names[6 + row]}: "
        if rows.name == "friction cone":
            ball = np.argwhere(self.layout.force == rows.columns[block, 2])[0][1]
            return f"{names[ball]}: "
        return ""

    # -- equations of motion -----------------------------------------------------------------------------------------

    def _step_columns(self) -> Ints:
        """(N - 1, m) pose before, pose, root, ahead, forces, pose after, root after."""
        here = self.layout
        force = here.force.reshape(len(here.force), -1)
        parts = (here.pose[:-2], here.pose[1:-1], here.root[1:-1], here.ahead[1:-1], force[1:-1])
        return np.concatenate([*parts, here.pose[2:], here.root[2:]], axis=1)

    def _step_rows(self, name: str, value: Array, parts: tuple[Array, ...], force: Array, after: Array) -> Rows:
        before, here, root, ahead, pose_after = parts
        jacobian = np.concatenate([before, here, root, ahead, force, pose_after, after], axis=2)
        return Rows(name, self._step_columns(), jacobian, value)

    def _wrench_rows(self, t: Terms) -> Rows:
        """The predicted velocity moves the root as contacts and gravity do."""
        parts = self.terms.by_step(t, t.wrench_q[:-1], t.wrench_v[:-1], t.momentum_v[:-1])
        lever = np.array(t.point[:-1])
        lever[..., 2] -= self._task.balls.radius
        n, c = lever.shape[:2]
        force = np.zeros((n, 6, c, 3))
        force[:, 0, :, 1], force[:, 0, :, 2] = lever[..., 2], -lever[..., 1]
        force[:, 1, :, 2], force[:, 1, :, 0] = lever[..., 0], -lever[..., 2]
        force[:, 2, :, 0], force[:, 2, :, 1] = lever[..., 1], -lever[..., 0]
        for i in range(3):
            force[:, 3 + i, :, i] = -1.0
        unit = 1.0 / self.terms.weight
        scaled = tuple(part * unit for part in parts)
        none = np.zeros((n, 6, 6))
        return self._step_rows("equations of motion of the root", t.wrench[:-1] * unit, scaled, force.reshape(n, 6, -1), none)

    def _momentum_rows(self, t: Terms, x: Trajectory) -> Rows:
        """Momentum about the origin changes by contacts and gravity alone."""
        h, weight = self._task.step, self.terms.weight
        before, here, root = self.terms.by_state(t, t.momentum_q, t.momentum_v)
        contact, contact_q, contact_f = self.terms.contact_wrench(t, x)
        unit = 1.0 / (h * weight)
        down = self.terms.tree.gravity / np.linalg.norm(self.terms.tree.gravity)
        gravity = np.concatenate([np.cross(t.com, down), np.tile(down, (len(t.com), 1))], axis=1)[:-1]
        com_q = t.momentum_v[:-1, 3:] / self.terms.mass
        gravity_q = np.zeros(here[:-1].shape)
        gravity_q[:, :3] = -np.cross(down, com_q, axisb=1, axisc=1)
        value = np.diff(t.momentum, axis=0) * unit - contact - gravity
        parts = (
            -before[:-1] * unit,
            (before[1:] - here[:-1]) * unit - contact_q - gravity_q,
            -root[:-1] * unit,
            np.zeros((len(value), 6, 3)),
            here[1:] * unit,
        )
        return self._step_rows("momentum", value, parts, -contact_f, root[1:] * unit)

    def _drift_rows(self, t: Terms) -> Rows:
        """The centre of mass moves with the momentum at the end of the step; frames 2 to N."""
        h, mass, here = self._task.step, self.terms.mass, self.layout
        before, now, root = self.terms.by_state(t, t.momentum_q[:, 3:], t.momentum_v[:, 3:])
        com_q = t.momentum_v[:, 3:] / mass
        value = t.momentum[1:, 3:] / mass - np.diff(t.com, axis=0) / h
        jacobian = np.concatenate([before[1:] / mass + com_q[:-1] / h, now[1:] / mass - com_q[1:] / h, root[1:] / mass], axis=2)
        return Rows("centre of mass", np.concatenate([here.pose[1:-1], here.pose[2:], here.root[2:]], axis=1), jacobian, value)

    def _torque_rows(self, t: Terms) -> Rows:
        """Joint torques in body weight times metre."""
        parts = self.terms.by_step(t, t.torque_q[:-1], t.torque_v[:-1], t.mass[:-1])
        parts = tuple(part[:, 6:] for part in parts)
        damping = self.terms.tree.damping[6:, None] / self._task.step
        before, here, root, ahead, after = parts
        here, after = here + damping * t.way_start[1:, 6:], after + damping * t.way_end[1:, 6:]
        lever = np.zeros((*t.point[:-1].shape[:2], 3))
        lever[..., 2] = -self._task.balls.radius
        touch_q = t.point_q[:-1] + np.cross(t.spin[:-1], lever[..., None], axisa=2, axisb=2, axisc=2)
        n, c, _, nv = touch_q.shape
        force = -touch_q.transpose(0, 3, 1, 2).reshape(n, nv, 3 * c)[:, 6:]
        unit = 1.0 / self.terms.weight
        scaled = tuple(part * unit for part in (before, here, root, ahead, after))
        none = np.zeros((n, nv - 6, 6))
        return self._step_rows("torque limit", t.torque[:-1, 6:] * unit, scaled, force, none)

    def _torque_bounds(self, torque: Rows) -> Bounded:
        limit = (1.0 - self._task.margin) * self._task.body.torque_limit[6:] / self.terms.weight
        limit = np.broadcast_to(limit, torque.value.shape)
        return Bounded(torque, -limit, limit)

    # -- contacts ----------------------------------------------------------------------------------------------------

    def _stand_rows(self, t: Terms) -> list[Rows]:
        """What is down is on the ground and stays, or rolls; what is held is where it is held. Frames 1 to N."""
        balls, here = self._task.balls, self.layout
        down = balls.down[1:]
        n, c = down.shape
        nv = t.mass.shape[2]
        stands, held = down & ~self._held, down & self._held
        height = np.where(stands, t.point[..., 2] - balls.radius - balls.ground[1:], 0.0)
        on_ground = Rows("stands on the ground", here.pose[1:], _LENGTH * stands[..., None] * t.point_q[:, :, 2], _LENGTH * height)
        both = stands[:-1] & stands[1:]
        slip, before, after = self._slip(t)
        pair = np.concatenate([before, after], axis=3) * both[..., None, None]
        columns = np.concatenate([here.pose[1:-1], here.pose[2:]], axis=1)
        stays = Rows("stays in place", columns, _LENGTH * pair.reshape(n - 1, 2 * c, 2 * nv), _LENGTH * (slip * both[..., None]).reshape(n - 1, -1))
        rows = [on_ground, stays]
        if held.any():
            off = np.where(held[..., None], t.point - np.nan_to_num(balls.place), 0.0)
            grip = held[..., None, None] * t.point_q
            rows.append(Rows("is held", here.pose[1:], _LENGTH * grip.reshape(n, 3 * c, nv), _LENGTH * off.reshape(n, -1)))
        return rows

    def _slip(self, t: Terms) -> tuple[Array, Array, Array]:
        """(n - 1, C, 2) m along the ground from frame to frame beyond rolling, by pose and by the next pose."""
        radius = self._task.balls.radius
        slip = np.diff(t.point, axis=0)[..., :2]
        before, after = -t.point_q[:-1, :, :2], np.array(t.point_q[1:, :, :2])
        if not radius.any():
            return slip, before, after
        turned = quat_log(quat_multiply(t.attitude[1:], quat_conjugate(t.attitude[:-1])))  # in the world
        by_end = inverse_right_jacobian(-turned) @ t.spin[1:]
        by_start = -inverse_right_jacobian(turned) @ t.spin[:-1]
        rolled = np.stack([turned[..., 1], -turned[..., 0]], axis=-1) * radius[:, None]  # turned x radius z

        def along(part: Array) -> Array:
            return np.stack([part[:, :, 1], -part[:, :, 0]], axis=2) * radius[:, None, None]

        return slip - rolled, before - along(by_start), after - along(by_end)

    def _height_bounds(self, t: Terms) -> list[Bounded]:
        """What is not down keeps its distance from the ground."""
        balls = self._task.balls
        least = np.where(balls.down, -np.inf, balls.least)[1:]
        watched = np.isfinite(least).any(axis=0)
        if not watched.any():
            return []
        value = (t.point[..., 2] - balls.radius - balls.ground[1:])[:, watched]
        rows = Rows("keeps off the ground", self.layout.pose[1:], _LENGTH * t.point_q[:, watched, 2], _LENGTH * value)
        return [Bounded(rows, _LENGTH * least[:, watched], np.full(value.shape, np.inf))]

    def _cone_bounds(self, x: Trajectory) -> Bounded:
        """Contacts push, and friction lies within a pyramid inside the cone."""
        columns = self.layout.force[1:, ~self._held].reshape(-1, 3)
        bearing_ones = columns[:, 2] >= 0
        columns, value = columns[bearing_ones], x.force[1:, ~self._held].reshape(-1, 3)[bearing_ones]
        face = np.concatenate([-_PYRAMID, np.full((4, 1), self._task.friction)], axis=1)  # (4, 3)
        jacobian = np.broadcast_to(face, (len(columns), 4, 3))
        lower = np.zeros((len(columns), 4))
        lower[columns[:, 0] < 0, 1:] = -np.inf  # no friction: one face is enough
        rows = Rows("friction cone", columns, jacobian, value @ face.T)
        return Bounded(rows, lower, np.full(lower.shape, np.inf))

    def _force_rows(self, x: Trajectory) -> list[Rows]:
        """Small forces, and small changes of them."""
        weights, here = self._task.weights, self.layout
        frames = len(here.force)
        columns = here.force.reshape(frames, -1)
        value = x.force.reshape(frames, -1)
        exists = (columns >= 0).astype(float)
        unit = np.eye(columns.shape[1])
        size = np.sqrt(weights.force)
        small = Rows("force", columns[1:-1], size * exists[1:-1, :, None] * unit, size * value[1:-1])
        change = np.sqrt(weights.jerk)
        last = frames if self._task.closure is not None else frames - 1
        first, second = slice(1, last - 1), slice(2, last)
        pair = np.concatenate([columns[first], columns[second]], axis=1)
        jacobian = np.concatenate([-exists[first, :, None] * unit, exists[second, :, None] * unit], axis=2)
        steady = Rows("change of force", pair, change * jacobian, change * (value[second] - value[first]))
        return [small, steady]

    # -- poses -------------------------------------------------------------------------------------------------------

    def _likeness_rows(self, x: Trajectory) -> Rows:
        weights = self._task.weights
        scale = np.sqrt(np.concatenate([np.full(3, weights.place), np.full(3, weights.turn), np.full(self._task.body.nv - 6, weights.joint)]))
        away, _, slope = self.terms.path.difference(self._task.wished, x.qpos)
        return Rows("likeness", self.layout.pose, scale[:, None] * slope, scale * away)

    def _acceleration_rows(self, t: Terms) -> Rows:
        scale, here = np.sqrt(self._task.weights.acceleration) / self._task.step**2, self.layout
        value = scale * (np.diff(t.way, axis=0)[:, 6:] - self._wished_acceleration * self._task.step**2)
        middle = t.way_start[1:, 6:] - t.way_end[:-1, 6:]
        jacobian = scale * np.concatenate([-t.way_start[:-1, 6:], middle, t.way_end[1:, 6:]], axis=2)
        return Rows("acceleration", np.concatenate([here.pose[:-2], here.pose[1:-1], here.pose[2:]], axis=1), jacobian, value)

    def _joint_bounds(self, x: Trajectory) -> Bounded:
        body, margin = self._task.body, self._task.margin
        angles, slope = self.terms.path.angles(x.qpos)
        value = angles[:, 6:]
        lower, upper = (np.broadcast_to(limit, value.shape) for limit in (body.lower[6:] + margin, body.upper[6:] - margin))
        lower, upper = np.where(lower < -np.pi, -np.inf, lower), np.where(upper > np.pi, np.inf, upper)
        return Bounded(Rows("joint limit", self.layout.pose, slope[:, 6:], value), lower, upper)

    # -- ends --------------------------------------------------------------------------------------------------------

    def _end_rows(self, x: Trajectory) -> list[Rows]:
        """The given first and last states."""
        rows = []
        for name, end, frame in (("start", self._task.start, 1), ("end", self._task.end, len(x.qpos) - 1)):
            if end is not None:
                rows += self._state_rows(name, end, frame, x)
        return rows

    def _state_rows(self, name: str, end: EndState, frame: int, x: Trajectory) -> list[Rows]:
        here = self.layout
        away, _, slope = self.terms.path.difference(end.qpos[None], x.qpos[[frame]])
        before, _, slope_before = self.terms.path.difference(end.before[None], x.qpos[[frame - 1]])
        speed = x.root[[frame]] - end.root_velocity
        return [
            Rows(f"pose at the {name}", here.pose[[frame]], _LENGTH * slope, _LENGTH * away),
            Rows(f"joint velocity at the {name}", here.pose[[frame - 1]], _LENGTH * slope_before[:, 6:], _LENGTH * before[:, 6:]),
            Rows(f"root velocity at the {name}", here.root[[frame]], np.eye(6)[None], speed),
        ]

    def _closing_rows(self, x: Trajectory) -> list[Rows]:
        """The last state is the first, carried by one cycle."""
        closure, here = self._task.closure, self.layout
        if closure is None:
            return []
        spin = quat_exp(np.array([0.0, 0.0, closure.turn]))
        matrix = quat_rotate(spin, np.eye(3)).T  # columns are turned axes
        carried = np.array(x.qpos[[1]])
        carried[:, :3] = carried[:, :3] @ matrix.T + np.append(closure.way, 0.0)
        carried[:, 3:7] = quat_multiply(spin, carried[:, 3:7])
        away, by_first, by_last = self.terms.path.difference(carried, x.qpos[[-1]])
        by_first[:, :3, :3] = -matrix
        joints, by_zero, by_last_but_one = self.terms.path.difference(x.qpos[[0]], x.qpos[[-2]])
        turn6 = np.eye(6)
        turn6[:3, :3] = matrix
        speed = x.root[[-1]] - x.root[[1]] @ turn6.T
        c = x.force.shape[1]
        exists = (here.force[-1].reshape(-1) >= 0).astype(float)
        turn_force = np.kron(np.eye(c), matrix)
        force = (x.force[[-1]].reshape(1, -1) - x.force[[1]].reshape(1, -1) @ turn_force.T) * exists
        force_by = np.concatenate([-turn_force * exists[:, None], np.diag(exists)], axis=1)[None]

        def pair(first: Ints, last: Ints) -> Ints:
            return np.concatenate([first.reshape(1, -1), last.reshape(1, -1)], axis=1)

        return [
            Rows("pose of the cycle's end", pair(here.pose[1], here.pose[-1]), _LENGTH * np.concatenate([by_first, by_last], axis=2), _LENGTH * away),
            Rows("joint velocity of the cycle's end", pair(here.pose[0], here.pose[-2]), _LENGTH * np.concatenate([by_zero, by_last_but_one], axis=2)[:, 6:], _LENGTH * joints[:, 6:]),
            Rows("root velocity of the cycle's end", pair(here.root[1], here.root[-1]), np.concatenate([-turn6, np.eye(6)], axis=1)[None], speed),
            Rows("force of the cycle's end", pair(here.force[1], here.force[-1]), force_by, force),
        ]  # fmt: skip


def _scaled(rows: Rows, name: str, scale: float) -> Rows:
    return Rows(name, rows.columns, scale * rows.jacobian, scale * rows.value)
