"""Rows of the problem other than the equations of motion: likeness, joint limits, end states, contacts and forces."""

import numpy as np

from poise.arrays import Array, Ints
from poise.body.pose_space import displace_poses
from poise.physics.rows import BoundedRows, TaskRows
from poise.physics.task import (
    LENGTH,
    Closure,
    EndState,
    MotionTerms,
    PosePath,
    SpacetimeTask,
    TaskSpheres,
    Trajectory,
    TrajectoryTerms,
    VariableLayout,
)
from poise.rotations import inverse_right_jacobian, quat_conjugate, quat_exp, quat_log, quat_multiply, quat_to_matrix


def likeness_rows(motion: MotionTerms, layout: VariableLayout, qpos: Array) -> TaskRows:
    """Cost: deviation of poses (N + 1, nq) from the desired poses."""
    weights = motion.task.weights
    counts = (3, 3, motion.task.body.nv - 6)
    scale = np.sqrt(np.repeat((weights.place, weights.turn, weights.joint), counts))
    away, _, slope = motion.path.difference(motion.task.desired, qpos)
    return TaskRows("likeness", layout.pose, scale[:, None] * slope, scale * away)


def overlap_rows(motion: MotionTerms, layout: VariableLayout, qpos: Array) -> list[TaskRows]:
    """Cost: by how much links of the body are closer than the task allows, in poses (N + 1, nq)."""
    if motion.distances is None or motion.task.apart is None:
        return []
    near = motion.distances.at(qpos, motion.distances.apart)
    wanted = np.where(motion.distances.of_arms[near.pair], motion.task.arms_apart, motion.task.apart)
    lack = np.maximum(wanted - near.distance, 0.0)
    weight = np.sqrt(motion.task.weights.apart) * (lack > 0)
    closer = -np.matmul(near.normal[:, None], near.moves)
    return [TaskRows("overlap", layout.pose[near.frame], weight[:, None, None] * closer, (weight * lack)[:, None])]


def acceleration_rows(motion: MotionTerms, layout: VariableLayout, t: TrajectoryTerms, desired: Array) -> TaskRows:
    """Cost: deviation of joint accelerations from `desired` (N - 1, nv - 6) rad/s^2."""
    weight, h = np.sqrt(motion.task.weights.acceleration), motion.task.step
    start, end = t.way_start[:, 6:], t.way_end[:, 6:]
    jacobian = np.concatenate([-start[:-1], start[1:] - end[:-1], end[1:]], axis=2)
    value = np.diff(t.way[:, 6:], axis=0) / h**2 - desired
    return TaskRows("acceleration", layout.triples, weight / h**2 * jacobian, weight * value)


def joint_bounds(motion: MotionTerms, layout: VariableLayout, qpos: Array) -> BoundedRows:
    """Joint limits as bounds of the poses (N + 1, nq). Limits of a ball joint beyond half a turn are ignored."""
    body = motion.task.body
    angles, slope = motion.path.angles(qpos)
    margin = np.minimum(motion.task.margin, 0.1 * (body.upper - body.lower)[6:])  # leaves narrow joints some range
    lower, upper = body.lower[6:] + margin, body.upper[6:] - margin
    ball = np.isin(np.arange(6, body.nv), motion.path.balls)
    lower, upper = np.where(ball & (lower < -np.pi), -np.inf, lower), np.where(ball & (upper > np.pi), np.inf, upper)
    rows = TaskRows("joint limit", layout.pose, slope[:, 6:], angles[:, 6:], np.array(body.dof_names[6:]), "rad")
    return BoundedRows(rows, np.broadcast_to(lower, rows.value.shape), np.broadcast_to(upper, rows.value.shape))


def end_constraint_rows(task: SpacetimeTask, layout: VariableLayout, path: PosePath, x: Trajectory) -> list[TaskRows]:
    """Equalities: the first and the last state are those of the task, or at rest in any pose, or free."""
    rows, last = [], len(x.qpos) - 1
    for name, end, rest, frame in (("start", task.start, task.rest[0], 1), ("end", task.end, task.rest[1], last)):
        if end is not None:
            rows += _state_constraint_rows(name, end, frame, layout, path, x)
        elif rest:
            rows += _rest_constraint_rows(name, frame, layout, path, x)
    return rows


def _state_constraint_rows(
    name: str, end: EndState, frame: int, layout: VariableLayout, path: PosePath, x: Trajectory
) -> list[TaskRows]:
    away, _, slope = path.difference(end.qpos[None], x.qpos[[frame]])
    before, _, slope_before = path.difference(end.before[None], x.qpos[[frame - 1]])
    pose, last_pose, root = layout.pose[[frame]], layout.pose[[frame - 1]], layout.root[[frame]]
    speed = x.root[[frame]] - end.root_velocity
    return [
        TaskRows(f"pose at the {name}", pose, LENGTH * slope, LENGTH * away),
        TaskRows(f"joint velocity at the {name}", last_pose, LENGTH * slope_before[:, 6:], LENGTH * before[:, 6:]),
        TaskRows(f"root velocity at the {name}", root, np.eye(6)[None], speed),
    ]


def _rest_constraint_rows(
    name: str, frame: int, layout: VariableLayout, path: PosePath, x: Trajectory
) -> list[TaskRows]:
    way, by_before, by_here = path.difference(x.qpos[[frame - 1]], x.qpos[[frame]])
    jacobian = np.concatenate([by_before, by_here], axis=2)[:, 6:]
    columns = _frame_pair(layout.pose[frame - 1], layout.pose[frame])
    return [
        TaskRows(f"rest at the {name}", columns, LENGTH * jacobian, LENGTH * way[:, 6:]),
        TaskRows(f"rest of the root at the {name}", layout.root[[frame]], np.eye(6)[None], x.root[[frame]]),
    ]


def cycle_constraint_rows(
    closure: Closure | None, layout: VariableLayout, path: PosePath, x: Trajectory
) -> list[TaskRows]:
    """Equalities: the last state and the forces of the step after it equal those of the first, carried by one cycle."""
    if closure is None:
        return []
    turn = quat_exp(np.array([0.0, 0.0, closure.turn]))
    matrix = quat_to_matrix(turn)
    joints, by_zero, by_last_but_one = path.difference(x.qpos[[0]], x.qpos[[-2]])
    joint_slopes = np.concatenate([by_zero, by_last_but_one], axis=2)[:, 6:]
    joint_columns, force_columns = _frame_pair(layout.pose[0], layout.pose[-2]), layout.force[[1, -1]].reshape(2, -1)
    carry_root, carry_force = np.eye(6), np.asarray(np.kron(np.eye(x.force.shape[1]), matrix), float)
    carry_root[:3, :3] = matrix
    first_force, last_force = x.force[1].reshape(1, -1), x.force[-1].reshape(1, -1)
    return [
        _closing_constraint_pose(closure, turn, layout, path, x),
        TaskRows("joint velocity of the cycle's end", joint_columns, LENGTH * joint_slopes, LENGTH * joints[:, 6:]),
        _tied_rows("root velocity of the cycle's end", layout.root[[1, -1]], carry_root, x.root[[1]], x.root[[-1]]),
        _tied_rows("force of the cycle's end", force_columns, carry_force, first_force, last_force),
    ]


def _closing_constraint_pose(
    closure: Closure, turn: Array, layout: VariableLayout, path: PosePath, x: Trajectory
) -> TaskRows:
    matrix = quat_to_matrix(turn)
    first = displace_poses(x.qpos[[1]], turn, np.append(closure.way, 0.0))
    away, by_first, by_last = path.difference(first, x.qpos[[-1]])
    by_first[:, :3, :3] = -matrix
    columns = _frame_pair(layout.pose[1], layout.pose[-1])
    jacobian = np.concatenate([by_first, by_last], axis=2)
    return TaskRows("pose of the cycle's end", columns, LENGTH * jacobian, LENGTH * away)


def _tied_rows(name: str, columns: Ints, carry: Array, first: Array, last: Array) -> TaskRows:
    """Equalities: `last` (1, k) equals `carry` (k, k) times `first` (1, k), where variables `columns` (2, k) exist."""
    exists = (columns[1] >= 0).astype(float)
    jacobian = np.concatenate([-carry * exists[:, None], np.diag(exists)], axis=1)[None]
    return TaskRows(name, _frame_pair(*columns), jacobian, (last - first @ carry.T) * exists)


def _frame_pair(first: Ints, last: Ints) -> Ints:
    """(1, m) the columns of two frames joined into the columns of one block."""
    return np.concatenate([first, last])[None]


_PYRAMID = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])


def standing_rows(motion: MotionTerms, layout: VariableLayout, t: TrajectoryTerms) -> list[TaskRows]:
    """Equalities of frames 1 to N: contacts are on the ground and do not slip; grips are at their places."""
    balls, count = motion.task.balls, motion.task.balls.bearing
    down, is_held = balls.down[1:, :count], balls.held[:count]
    names, stands, held = np.array(balls.names[:count], np.str_), down & ~is_held, down & is_held
    height, height_q = _sphere_heights(balls, t)
    on = LENGTH * stands
    jacobian, value = on[..., None] * height_q[:, :count], on * height[:, :count]
    rows = [TaskRows("stands on the ground", layout.states, jacobian, value, names, "cm")]
    slip, before, after = _sphere_slips(balls, t)
    both = LENGTH * (stands[:-1] & stands[1:])[..., None]
    jacobian = _flat_constraint_rows(np.concatenate([before, after], axis=3) * both[..., None])
    value = _flat_constraint_rows(slip * both)
    rows.append(TaskRows("stays in place", layout.pairs, jacobian, value, np.repeat(names, 2), "cm"))
    if held.any():
        away = np.where(held[..., None], t.inverse.point[:, :count] - balls.place[:count], 0.0)
        jacobian = _flat_constraint_rows(LENGTH * held[..., None, None] * t.inverse.point_q[:, :count])
        value = LENGTH * _flat_constraint_rows(away)
        rows.append(TaskRows("is held", layout.states, jacobian, value, np.repeat(names, 3), "cm"))
    return rows


def _flat_constraint_rows(part: Array) -> Array:
    """Reshape (n, S, k, ...) to rows (n, S * k, ...)."""
    return part.reshape(len(part), part.shape[1] * part.shape[2], *part.shape[3:])


def _sphere_heights(balls: TaskSpheres, t: TrajectoryTerms) -> tuple[Array, Array]:
    """Heights (n, C) m of the spheres' lowest points over the ground, and their derivatives (n, C, nv) by the pose."""
    return t.inverse.point[..., 2] - balls.radius - balls.ground[1:], t.inverse.point_q[:, :, 2]


def _sphere_slips(balls: TaskSpheres, t: TrajectoryTerms) -> tuple[Array, Array, Array]:
    """Horizontal slip (n - 1, S, 2) m of spheres from frame to frame, without rolling; derivatives by both poses."""
    parts = (t.inverse.point, t.inverse.point_q, t.inverse.attitude, t.inverse.spin)
    point, point_q, attitude, spin = (part[:, : balls.bearing] for part in parts)
    turned = quat_log(quat_multiply(attitude[1:], quat_conjugate(attitude[:-1])))  # (n - 1, S, 3) in the world
    by_start, by_end = -inverse_right_jacobian(turned) @ spin[:-1], inverse_right_jacobian(-turned) @ spin[1:]
    radius = balls.radius[: balls.bearing, None, None]
    roll = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]) * radius  # (S, 2, 3): turned x radius z
    return (
        np.diff(point, axis=0)[..., :2] - (roll @ turned[..., None])[..., 0],
        -point_q[:-1, :, :2] - roll @ by_start,
        point_q[1:, :, :2] - roll @ by_end,
    )


def height_bounds(motion: MotionTerms, layout: VariableLayout, t: TrajectoryTerms) -> list[BoundedRows]:
    """Bounds: spheres that are not in contact stay above their least height over the ground. Empty if none has one."""
    balls = motion.task.balls
    least = np.where(balls.down, -np.inf, balls.least)[1:]
    watched = np.isfinite(least).any(axis=0)
    if not watched.any():
        return []
    height, height_q = _sphere_heights(balls, t)
    names = np.array(balls.names, np.str_)[watched]
    value = LENGTH * height[:, watched]
    rows = TaskRows("keeps off the ground", layout.states, LENGTH * height_q[:, watched], value, names, "cm")
    return [BoundedRows(rows, LENGTH * least[:, watched], np.full(value.shape, np.inf))]


def cone_bounds(task: SpacetimeTask, layout: VariableLayout, force: Array) -> BoundedRows:
    """Bounds: forces (N + 1, S, 3) in body weights lie in a friction pyramid inside the cone, except those of grips."""
    frame, ball = np.nonzero((layout.force[..., 2] >= 0) & ~task.balls.held[: task.balls.bearing])
    columns = layout.force[frame, ball]  # (B, 3)
    face = np.concatenate([-_PYRAMID, np.full((4, 1), task.friction)], axis=1)  # (4, 3)
    jacobian = np.broadcast_to(face, (len(columns), 4, 3))
    lower = np.zeros((len(columns), 4))
    lower[columns[:, 0] < 0, 1:] = -np.inf  # without friction one face is enough
    whose = np.array(task.balls.names, np.str_)[ball][:, None]
    rows = TaskRows("friction cone", columns, jacobian, force[frame, ball] @ face.T, whose, "body weights")
    return BoundedRows(rows, lower, np.full(lower.shape, np.inf))


def force_rows(task: SpacetimeTask, layout: VariableLayout, force: Array) -> list[TaskRows]:
    """Cost: sizes of contact forces (N + 1, S, 3) in body weights, and their changes from step to step."""
    frames = len(layout.force)
    columns, value = layout.force.reshape(frames, -1), force.reshape(frames, -1)
    exists = (columns >= 0)[..., None] * np.eye(columns.shape[1])
    size, change = np.sqrt(task.weights.force), np.sqrt(task.weights.jerk)
    last = frames if task.closure is not None else frames - 1
    first, second = slice(1, last - 1), slice(2, last)
    pair = np.concatenate([columns[first], columns[second]], axis=1)
    jacobian = np.concatenate([-exists[first], exists[second]], axis=2)
    return [
        TaskRows("force", columns[1:-1], size * exists[1:-1], size * value[1:-1]),
        TaskRows("change of force", pair, change * jacobian, change * (value[second] - value[first])),
    ]
