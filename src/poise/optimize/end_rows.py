"""Rows of the ends: states that a trajectory starts from or ends in, and the closing of a cycle."""

from __future__ import annotations

import numpy as np

from poise.body.carrying import carried
from poise.frozen import Array, Ints
from poise.optimize.layout import Layout, Trajectory
from poise.optimize.path import PosePath
from poise.optimize.rows import Rows
from poise.optimize.task import LENGTH, Closure, EndState, Task
from poise.spatial import quat_exp, quat_to_matrix


def end_rows(task: Task, layout: Layout, path: PosePath, x: Trajectory) -> list[Rows]:
    """The given first and last states, or rest in whatever pose."""
    rows, last = [], len(x.qpos) - 1
    for name, end, rest, frame in (("start", task.start, task.rest[0], 1), ("end", task.end, task.rest[1], last)):
        if end is not None:
            rows += _state_rows(name, end, frame, layout, path, x)
        elif rest:
            rows += _rest_rows(name, frame, layout, path, x)
    return rows


def _state_rows(name: str, end: EndState, frame: int, layout: Layout, path: PosePath, x: Trajectory) -> list[Rows]:
    away, _, slope = path.difference(end.qpos[None], x.qpos[[frame]])
    before, _, slope_before = path.difference(end.before[None], x.qpos[[frame - 1]])
    pose, last_pose, root = layout.pose[[frame]], layout.pose[[frame - 1]], layout.root[[frame]]
    speed = x.root[[frame]] - end.root_velocity
    return [
        Rows(f"pose at the {name}", pose, LENGTH * slope, LENGTH * away),
        Rows(f"joint velocity at the {name}", last_pose, LENGTH * slope_before[:, 6:], LENGTH * before[:, 6:]),
        Rows(f"root velocity at the {name}", root, np.eye(6)[None], speed),
    ]


def _rest_rows(name: str, frame: int, layout: Layout, path: PosePath, x: Trajectory) -> list[Rows]:
    way, by_before, by_here = path.difference(x.qpos[[frame - 1]], x.qpos[[frame]])
    jacobian = np.concatenate([by_before, by_here], axis=2)[:, 6:]
    columns = _both(layout.pose[frame - 1], layout.pose[frame])
    return [
        Rows(f"rest at the {name}", columns, LENGTH * jacobian, LENGTH * way[:, 6:]),
        Rows(f"rest of the root at the {name}", layout.root[[frame]], np.eye(6)[None], x.root[[frame]]),
    ]


def closing_rows(closure: Closure, layout: Layout, path: PosePath, x: Trajectory) -> list[Rows]:
    """The last state, and the step from it, are the first, carried by one cycle."""
    turn = quat_exp(np.array([0.0, 0.0, closure.turn]))
    matrix = quat_to_matrix(turn)
    joints, by_zero, by_last_but_one = path.difference(x.qpos[[0]], x.qpos[[-2]])
    joint_slopes = np.concatenate([by_zero, by_last_but_one], axis=2)[:, 6:]
    carry_root, count = np.eye(6), x.force.shape[1]
    carry_root[:3, :3] = matrix
    first_force, last_force = x.force[1].reshape(1, -1), x.force[-1].reshape(1, -1)
    return [
        _closing_pose(closure, turn, layout, path, x),
        Rows(
            "joint velocity of the cycle's end",
            _both(layout.pose[0], layout.pose[-2]),
            LENGTH * joint_slopes,
            LENGTH * joints[:, 6:],
        ),
        _tied("root velocity of the cycle's end", layout.root[[1, -1]], carry_root, x.root[[1]], x.root[[-1]]),
        _tied(
            "force of the cycle's end",
            layout.force[[1, -1]].reshape(2, -1),
            np.asarray(np.kron(np.eye(count), matrix), float),
            first_force,
            last_force,
        ),
    ]


def _closing_pose(closure: Closure, turn: Array, layout: Layout, path: PosePath, x: Trajectory) -> Rows:
    matrix = quat_to_matrix(turn)
    first = carried(x.qpos[[1]], turn, np.append(closure.way, 0.0))
    away, by_first, by_last = path.difference(first, x.qpos[[-1]])
    by_first[:, :3, :3] = -matrix
    columns = _both(layout.pose[1], layout.pose[-1])
    return Rows("pose of the cycle's end", columns, LENGTH * np.concatenate([by_first, by_last], axis=2), LENGTH * away)


def _tied(name: str, columns: Ints, carry: Array, first: Array, last: Array) -> Rows:
    """`last` (1, k) is `first` carried along, where both exist; columns (2, k)."""
    exists = (columns[1] >= 0).astype(float)
    jacobian = np.concatenate([-carry * exists[:, None], np.diag(exists)], axis=1)[None]
    return Rows(name, _both(*columns), jacobian, (last - first @ carry.T) * exists)


def _both(first: Ints, last: Ints) -> Ints:
    """(1, m) columns of two frames."""
    return np.concatenate([first, last])[None]
