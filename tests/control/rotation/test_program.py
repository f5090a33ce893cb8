"""The torque program: its solutions are optimal and feasible, and the world moves as they predict."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.control.rotation.actor import RotationActor
from poise.control.rotation.program import (
    FORCE_WEIGHT,
    FRICTION_SHARE,
    FeatureTask,
    ProgramAim,
    ProgramWeights,
)
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

WEIGHTS = ProgramWeights(linear=0.7, angular=0.5, support=5.0, tangential=0.8)


@pytest.fixture
def world():
    body = Body.named("human43")
    world = World(Scene.of(body), WorldSettings(step=1 / 60))
    qvel = np.zeros(body.nv)
    qvel[6:] = 0.1 * np.random.default_rng(1).standard_normal(body.nv - 6)
    world.reset(body.standing, qvel)
    return world


def aim_of(n, **changed):
    draw = np.random.default_rng(0)
    torques = {"torque_a": 30 * draw.standard_normal(n), "torque_b": 30 * draw.standard_normal(n)}
    return ProgramAim(**{**torques, "linear": np.zeros(3), "angular": np.zeros(3), **changed})


def cost(world, aim, supports, com, torque, force, blend):
    """The objective, computed independently from the velocity after the step."""
    state, h = world.state, world.settings.step
    tau = np.zeros(len(state.qvel))
    tau[6:] = torque
    heavy = state.mass + h * np.diag(world.model.dof_damping)
    drive = state.mass @ state.qvel + h * (tau - state.bias + supports.jacobian.T @ force.ravel())
    after = np.linalg.solve(heavy, drive)
    pushes = np.einsum("cij,ci->cj", supports.axes, force)
    linear = pushes.sum(axis=0) + world.scene.body.mass * np.array(world.model.opt.gravity)
    angular = np.cross(supports.point - com, pushes).sum(axis=0)
    paths = (supports.jacobian @ after + supports.curve).reshape(-1, 3) / h
    slips = paths**2 @ [1.0, WEIGHTS.tangential, WEIGHTS.tangential]
    total = np.sum((torque - aim.torque_b - blend * (aim.torque_a - aim.torque_b)) ** 2)
    total += WEIGHTS.linear * np.sum((aim.linear - linear) ** 2) + WEIGHTS.angular * np.sum(
        (aim.angular - angular) ** 2
    )
    total += WEIGHTS.support * slips.sum() + FORCE_WEIGHT * np.sum(force**2)
    for task in aim.tasks:
        got = task.jacobian @ (after - state.qvel) / h
        total += task.weight * np.sum((got - task.acceleration) ** 2)
    return total


def feasible(actor, supports, torque, force, blend):
    """Whether torque limits, friction cones and the bounds of the blend are kept."""
    return (
        np.all(np.abs(torque) <= actor.program.limit + 1e-7)
        and np.all(force[:, 0] >= -1e-7)
        and np.all(np.abs(force[:, 1:]) <= FRICTION_SHARE * supports.friction[:, None] * force[:, :1] + 1e-6)
        and -1e-9 <= blend <= 1 + 1e-9
    )


@pytest.mark.parametrize("task", [False, True])
def test_no_feasible_neighbour_is_better(world, task):
    actor = RotationActor(world)
    rotation = actor.observe(world.state)
    supports = actor.finder.supports_near(world.state, 0.008)
    assert len(supports.body) == 10  # four points of each foot, and the toes
    tasks = (
        (FeatureTask(actor.finder.angular_jacobian(world.state, 5), np.array([1.0, 2.0, -1.0]), 3.0),) if task else ()
    )
    aim = aim_of(len(actor.program.limit), linear=np.array([50.0, 0.0, 100.0]), tasks=tasks)
    found = actor.program.solve(aim, WEIGHTS, supports, rotation.com)
    assert found.solved
    assert feasible(actor, supports, found.torque, found.force, found.blend)
    least = cost(world, aim, supports, rotation.com, found.torque, found.force, found.blend)
    draw = np.random.default_rng(2)
    for size in (1e-3, 1e-2, 0.1, 1.0, 10.0):
        for _ in range(20):
            torque = np.clip(found.torque + size * draw.standard_normal(37), -actor.program.limit, actor.program.limit)
            force = found.force + size * draw.standard_normal(found.force.shape)
            force[:, 0] = np.maximum(force[:, 0], 0.0)
            cone = FRICTION_SHARE * supports.friction[:, None] * force[:, :1]
            force[:, 1:] = np.clip(force[:, 1:], -cone, cone)
            blend = float(np.clip(found.blend + 0.01 * size * draw.standard_normal(), 0, 1))
            assert feasible(actor, supports, torque, force, blend)
            assert cost(world, aim, supports, rotation.com, torque, force, blend) >= least - 1e-6 * abs(least)


def test_forces_bear_the_weight_without_other_targets(world):
    actor = RotationActor(world)
    rotation = actor.observe(world.state)
    supports = actor.finder.supports_near(world.state, 0.008)
    zero = np.zeros(len(actor.program.limit))
    strong = ProgramWeights(linear=100.0, angular=100.0, support=5.0)
    found = actor.program.solve(aim_of(37, torque_a=zero, torque_b=zero), strong, supports, rotation.com)
    weight = world.scene.body.mass * 9.81
    assert found.force[:, 0].sum() == pytest.approx(weight, rel=0.02)


def test_torques_stay_within_limits(world):
    actor = RotationActor(world)
    rotation = actor.observe(world.state)
    wild = 1e4 * np.ones(len(actor.program.limit))
    nothing = actor.finder.supports_near(world.state, -1.0)
    found = actor.program.solve(aim_of(37, torque_a=wild, torque_b=wild), WEIGHTS, nothing, rotation.com)
    np.testing.assert_allclose(found.torque, actor.program.limit)


def test_supports_stay_in_place(world):
    """Ten steps of standing under the program: supported points stay in place."""
    actor, body = RotationActor(world), world.scene.body
    start = world.point("left_foot")
    for _ in range(10):
        state = world.state
        rotation = actor.observe(state)
        torques = actor.pose_torques(state, np.array([body.standing, body.standing]), 400.0)
        aim = ProgramAim(
            torques[0], torques[1], -4.0 * rotation.mass * rotation.velocity, -4.0 * rotation.angular_momentum
        )
        found = actor.solve(aim, WEIGHTS, actor.finder.supports_near(state, 0.008), rotation.com)
        world.step(actor.actuate(found.torque))
    assert np.linalg.norm(world.point("left_foot") - start) < 2e-3


def test_the_inclusion_test_leaves_out_contacts_with_little_force(world):
    actor = RotationActor(world)
    supports = actor.finder.supports_near(world.state, 0.008)
    com = np.array(world.terms.data.subtree_com[1])
    force = np.zeros((len(supports.body), 3))
    force[0, 0], force[1, 0] = 100.0, 5.0
    kept = supports.included(force, com, 21.0, 20.0)
    assert kept.tolist() == [True] + [False] * (len(force) - 1)
