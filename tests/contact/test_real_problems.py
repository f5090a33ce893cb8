"""Contact problems as they arise in runs: standing, walking poses, bodies tumbling on twenty contacts."""

from collections.abc import Iterator

import numpy as np
import pytest

import poise.world.step_solver as solving
from poise import Actuation, Body, Motors, Scene, World, parse_terrain
from poise.contact.problem import ContactProblem
from poise.contact.solver import solve_contacts, solve_contacts_by_lemke, solve_contacts_by_sweeps

WANTED = 10_000


@pytest.fixture(scope="module")
def problems() -> list[ContactProblem]:
    found: list[ContactProblem] = []

    def spy(problem, *rest):
        if len(problem.bias):
            found.append(problem)
        return solve_contacts(problem, *rest)

    patch = pytest.MonkeyPatch()
    patch.setattr(solving, "solve_contacts", spy)
    for seed in range(1000):
        for run in (standing(seed), walking(seed), tumbling(seed), rolling(seed)):
            for _ in run:
                pass
        if len(found) >= WANTED:
            break
    patch.undo()
    return found


def held(world: World, pose: np.ndarray, stiffness: float, random: np.random.Generator) -> Actuation:
    """Springs to a pose, with torque noise."""
    import mujoco

    error = np.zeros(world.model.nv)
    mujoco.mj_differentiatePos(world.model, error, 1.0, world.qpos, pose)
    gain = np.full(world.model.nv, stiffness)
    gain[:6] = 0
    noise = 5.0 * random.standard_normal(world.model.nv)
    noise[:6] = 0
    motors = Motors.spring_damper(error, np.zeros_like(error), gain, 0.1 * gain, world.settings.step)
    return Actuation(torque=noise, motors=motors)


def standing(seed: int) -> Iterator[None]:
    random = np.random.default_rng(seed)
    body = Body.named("biped29")
    world = World(Scene.of(body))
    world.reset(body.standing, np.zeros(body.nv))
    for k in range(60):
        push = np.zeros(body.nv)
        push[:3] = 60 * np.sin(0.2 * k + np.arange(3)) * random.standard_normal(3)
        world.step(held(world, body.standing, 800.0, random), push)
        yield


def walking(seed: int) -> Iterator[None]:
    """A stride frozen in the middle, dropped onto the ground with the speed of a walk."""
    random = np.random.default_rng(seed)
    body = Body.named("biped29")
    swing = random.uniform(-0.4, 0.4)
    pose = body.qpos_from(
        {
            "left_hip": (0, -swing, 0),
            "right_hip": (0, swing, 0),
            "left_knee": random.uniform(0, 0.6),
            "right_knee": random.uniform(0, 0.6),
            "left_ankle_y": random.uniform(-0.3, 0.3),
            "right_ankle_y": random.uniform(-0.3, 0.3),
        }
    )
    world = World(Scene.of(body))
    velocity = 0.3 * random.standard_normal(body.nv)
    velocity[0] = 1.3
    world.reset(pose, velocity)
    for _ in range(60):
        world.step(held(world, pose, 400.0, random))
        yield


def tumbling(seed: int) -> Iterator[None]:
    random = np.random.default_rng(seed)
    body = Body.named("human37")
    terrain = ["flat", "slope:-10", "stairs:-0.12:0.3:6"][seed % 3]
    world = World(Scene.of(body, parse_terrain(terrain)))
    pose = np.array(body.standing)
    pose[2] = 1.2
    pose[3:7] = random.standard_normal(4)
    velocity = random.standard_normal(body.nv)
    velocity[0] += 1.5
    world.reset(pose, velocity)
    for _ in range(100):
        world.step()
        yield


def rolling(seed: int) -> Iterator[None]:
    """A body of many parts that lies on the ground and turns about its long axis."""
    random = np.random.default_rng(seed)
    body = Body.named("human58")
    world = World(Scene.of(body))
    pose = np.array(body.standing)
    pose[2], pose[3:7] = 0.16, [np.sqrt(0.5), 0, -np.sqrt(0.5), 0]
    velocity = 0.3 * random.standard_normal(body.nv)
    velocity[5] = 3.0
    world.reset(pose, velocity)
    for _ in range(30):
        world.step()
        yield


def test_all_are_solved_exactly(problems):
    assert len(problems) >= WANTED
    assert max(len(problem.friction) for problem in problems) >= 20
    worst = max(solve_contacts_by_lemke(problem).residual for problem in problems)
    assert worst <= 1e-8
    worst = max(solve_contacts(problem).residual for problem in problems)
    assert worst <= 1e-8


def test_sweeps_find_the_exact_velocities(problems):
    """Forces on many points are unique only by the compliance, but the velocities that they give hardly ever differ.

    With friction a few problems have several solutions, and the two solvers may find different ones.
    """
    apart = []
    for problem in problems[::50]:
        swept = solve_contacts_by_sweeps(problem, sweeps=20_000, tolerance=1e-12)
        if swept.residual < 1e-7:
            apart.append(np.abs(problem.matrix @ (swept.impulse - solve_contacts(problem).impulse)).max())
    assert len(apart) > 50
    assert np.mean(np.array(apart) < 1e-5) > 0.9
