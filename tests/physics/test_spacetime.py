"""The problem of a task: rows that agree with finite differences and with the world's own step."""

import mujoco
import numpy as np
import pytest
from tasks import FRAMES, KINDS, balls

from bodies import body_of
from poise.body.pose_space import PoseSpace
from poise.dynamics.actuation import Actuation
from poise.physics.rows import LinearisedProblem
from poise.physics.spacetime import Spacetime
from poise.physics.task import SpacetimeTask, Trajectory, acting_forces
from poise.rotations import quat_exp, quat_multiply, quat_rotate
from poise.world.scene import Scene
from poise.world.world import World

STEP = 1e-6


def batches(here):
    """All rows of a linearised problem, by name and role."""
    roles = {"cost": here.cost, "equal": here.equal, "tied": here.tied, "bounded": [b.rows for b in here.bounded]}
    return {(role, rows.name): rows for role, group in roles.items() for rows in group}


def random_point(problem, seed=0, size=0.05):
    return problem.moved(problem.start(), size * np.random.default_rng(seed).normal(size=problem.size))


@pytest.mark.parametrize("name", ["biped29", "human58"])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_agree_with_finite_differences(kind, name):
    problem = Spacetime(KINDS[kind](name))
    point, random = random_point(problem), np.random.default_rng(1)
    here = batches(problem.at(point))
    layout = problem.layout
    for variables in (layout.pose, layout.root, layout.ahead, layout.force):
        chosen = variables[variables >= 0]
        step = np.zeros(problem.size)
        step[chosen] = random.normal(size=chosen.size)
        ahead, behind = (batches(problem.at(problem.moved(point, sign * STEP * step))) for sign in (1, -1))
        for key, rows in here.items():
            numeric, exact = (ahead[key].value - behind[key].value) / (2 * STEP), rows.along(step)
            scale = max(np.abs(rows.jacobian).max(initial=0.0), 1.0)
            assert np.abs(numeric - exact).max(initial=0.0) < 1e-6 * scale, key


@pytest.mark.parametrize("kind", KINDS)
def test_every_variable_has_a_row_within_the_bandwidth(kind):
    problem = Spacetime(KINDS[kind]("biped29"))
    here = problem.at(problem.start())
    touched, reach = set(), 0
    for rows in (*here.cost, *here.equal, *(bounded.rows for bounded in here.bounded)):
        for columns in rows.columns:
            own = columns[columns >= 0]
            touched |= set(own.tolist())
            reach = max(reach, int(np.ptp(own)) if own.size else 0)
    assert touched == set(range(problem.size))
    assert reach == problem.bandwidth


def test_kinds_of_tasks_have_the_rows_they_should():
    names = {kind: {key[1] for key in batches(at_start(KINDS[kind]("biped29")))} for kind in KINDS}
    assert "is held" in names["transitional"]
    assert {"pose at the start", "joint velocity at the end", "root velocity at the end"} <= names["transitional"]
    assert {"pose of the cycle's end", "force of the cycle's end"} <= names["cyclic"]
    assert {"rest at the start", "rest of the root at the end"} <= names["resting"]
    assert "keeps off the ground" in names["flight"]


def at_start(task):
    problem = Spacetime(task)
    return problem.at(problem.start())


def test_forces_act_in_steps_that_end_on_the_ground_and_rub_only_if_they_began_there():
    task = KINDS["transitional"]("biped29")  # right comes down at frame 3; the hand, which is held, lets go after 3
    acting = acting_forces(task)
    assert acting[1:-1, 1, 2].tolist() == [False, True, True, True]
    assert acting[1:-1, 1, 0].tolist() == [False, False, True, True]
    assert acting[1:-1, 2, 0].tolist() == [True, True, False, False]
    assert not acting[[0, -1]].any()


def wheel(body, ball, angle, way):
    """The standing pose turned forward about the centre of a ball, which goes ahead by `way` m."""
    data = mujoco.MjData(body.model)
    data.qpos[:] = body.standing
    mujoco.mj_kinematics(body.model, data)
    link = ball.link[0]
    centre = data.xpos[link] + data.xmat[link].reshape(3, 3) @ ball.centre[0]
    turn, pose = quat_exp(np.array([0.0, angle, 0.0])), np.array(body.standing)
    pose[:3] = centre + [way, 0.0, 0.0] + quat_rotate(turn, pose[:3] - centre)
    pose[3:7] = quat_multiply(turn, pose[3:7])
    return pose


@pytest.mark.parametrize(("rolls", "slip"), [(1.0, 0.0), (0.0, -0.08)])
def test_what_rolls_does_not_slip_and_what_turns_on_the_spot_does(rolls, slip):
    body, down = body_of("biped29"), np.zeros((FRAMES, 3), bool)
    down[:, 0] = True
    own = balls(body, down)  # the first has a radius of 0.04 m
    qpos = np.stack([wheel(body, own, 0.02 * k, rolls * 0.04 * 0.02 * k) for k in range(FRAMES)])
    rows = batches(at_start(SpacetimeTask(body, 1 / 60, qpos, own)))["equal", "stays in place"]
    assert np.allclose(rows.value, [slip, 0.0], atol=1e-9)  # cm per step


def flown(body, steps, seed=0):
    """Poses and velocities (steps + 1, ...) and torques (steps, nv) of a body in the air, stepped by the world."""
    random, space, world = np.random.default_rng(seed), PoseSpace(body), World(Scene.of(body))
    middle = 0.5 * (np.maximum(body.lower, -1.0) + np.minimum(body.upper, 1.0))  # far from all limits
    qpos = space.moved_within(body.standing[None], middle - space.angles(body.standing[None]))[0]
    qpos[2] += 5.0
    world.reset(qpos, 0.2 * random.normal(size=body.nv))
    states, torques = [(np.array(world.qpos), np.array(world.qvel))], []
    mass = np.diagonal(world.terms.mass)
    for _ in range(steps):
        torque = np.clip(5.0 * mass * random.normal(size=body.nv), -body.torque_limit, body.torque_limit)
        world.step(Actuation(torque=torque))
        states.append((np.array(world.qpos), np.array(world.qvel)))
        torques.append(torque)
    poses, velocities = zip(*states, strict=True)
    return np.array(poses), np.array(velocities), np.array(torques)


@pytest.mark.parametrize("name", ["biped29", "human58"])
def test_the_worlds_own_flight_satisfies_the_equations_with_the_worlds_torques(name):
    body = body_of(name)
    qpos, qvel, torque = flown(body, FRAMES - 1)
    problem = Spacetime(SpacetimeTask(body, 1 / 120, qpos, balls(body, np.zeros((FRAMES, 3), bool))))
    ahead = np.array(problem.start().ahead)
    point = Trajectory(qpos, qvel[:, :6], ahead, np.zeros((FRAMES, 0, 3)))
    root = batches(problem.at(point))["equal", "equations of motion of the root"]
    unknown = np.isin(root.columns[0], problem.layout.ahead[1])  # linear: only the world knows what it predicted
    for k in range(FRAMES - 2):
        ahead[k + 1] -= np.linalg.lstsq(root.jacobian[k][:, unknown], root.value[k], rcond=None)[0]
    found = batches(problem.at(Trajectory(qpos, qvel[:, :6], ahead, point.force)))
    for row in ("equations of motion of the root", "momentum", "centre of mass"):
        assert np.abs(found["equal", row].value).max() < 1e-8, row
    used = problem.terms.weight * found["bounded", "torque limit"].value
    assert np.allclose(used, torque[1:, 6:], atol=1e-6)


def test_a_conflict_names_the_part_the_constraint_and_the_time():
    task = KINDS["transitional"]("biped29")
    qpos = np.array(task.desired)
    qpos[:, 2] += np.where(np.arange(FRAMES) == 3, 50.0, 0.0)  # far above all that must stand on the ground
    problem = Spacetime(SpacetimeTask(task.body, 1 / 60, qpos, task.balls))
    start = problem.start()
    still = Trajectory(start.qpos, 0 * start.root, 0 * start.ahead, start.force)
    here = problem.at(still)
    only = LinearisedProblem(here.cost, [rows for rows in here.equal if rows.name == "stands on the ground"])
    said = problem.conflict(only)
    assert said.startswith(("left: ", "right: "))
    assert "stands on the ground at 0.03 s cannot be kept (off by 5" in said
    assert said.endswith(" cm)")


def test_the_start_bears_the_weight_on_all_that_is_down():
    problem = Spacetime(KINDS["resting"]("biped29"))
    assert np.allclose(problem.start().force[1:-1].sum(axis=1), [0.0, 0.0, 1.0])
