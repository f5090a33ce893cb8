"""The step's derivatives against the world itself."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.dynamics.actuation import Actuation
from poise.dynamics.inverse import Bearings
from poise.dynamics.linearisation import linearise_steps
from poise.dynamics.tree import link_tree_of
from poise.world.scene import Scene
from poise.world.world import World

HIGH = 5.0  # m: nothing touches


def unlimited(body):
    """The body without joint limits, whose rows would act in the step."""
    free = [replace(j, lower=np.full(len(j.dofs), -np.inf), upper=np.full(len(j.dofs), np.inf)) for j in body.joints]
    return replace(body, joints=tuple(free))


def stepped(world, qpos, qvel, torque, bearings, force):
    """The state after a step in the air, with forces on balls as pushes."""
    world.reset(qpos, qvel)
    push = np.zeros(world.model.nv)
    jacobian = np.zeros((3, world.model.nv))
    for link, centre, radius, one in zip(*bearings, force, strict=True):
        point = world.terms.data.xpos[link] + world.terms.data.xmat[link].reshape(3, 3) @ centre - [0, 0, radius]
        mujoco.mj_jac(world.model, world.terms.data, jacobian, None, point, link)
        push += jacobian.T @ one
    world.step(Actuation(torque=torque), push)
    return world.qpos.copy(), world.qvel.copy()


@pytest.mark.parametrize("name", ["biped29", "human37"])
def test_derivatives_are_those_of_the_world(name):
    body = unlimited(Body.named(name))
    world = World(replace(Scene.of(body), self_contact=False))  # the derivatives are those of a step without contacts
    model, nv = body.model, body.nv
    random = np.random.default_rng(3)
    link = np.array([body.link_id(foot.link) for foot in body.feet])
    bearings = Bearings(link, np.array([foot.points[2] for foot in body.feet]), np.array([0.01, 0.02]))
    qpos = np.array(body.standing)
    qpos[2] += HIGH
    mujoco.mj_integratePos(model, qpos, 0.1 * random.standard_normal(nv), 1.0)
    qvel = random.standard_normal(nv)
    torque = np.concatenate([np.zeros(6), random.standard_normal(nv - 6)])
    force = 200 * random.standard_normal((2, 3))
    end, speed = stepped(world, qpos, qvel, torque, bearings, force)
    step = world.settings.step
    found = linearise_steps(link_tree_of(model), qpos[None], qvel[None], torque[None], bearings, force[None], step)
    assert found.qpos[0] == pytest.approx(end, abs=1e-12)
    assert found.qvel[0] == pytest.approx(speed, abs=1e-11)

    def deviation(dq, dv, dtau, df):
        pose = qpos.copy()
        mujoco.mj_integratePos(model, pose, dq, 1.0)
        q, v = stepped(world, pose, qvel + dv, torque + dtau, bearings, force + df)
        out = np.zeros(nv)
        mujoco.mj_differentiatePos(model, out, 1.0, end, q)
        return np.concatenate([out, v - speed])

    by_force = found.by_force[0].reshape(2 * nv, 6)
    slopes = np.concatenate([found.by_state[0], found.by_torque[0], by_force], axis=1)
    size = np.concatenate([np.full(2 * nv, 1e-5), np.full(nv - 6, 1e-3), np.full(6, 1e-2)])
    for column, eps in enumerate(size):
        nudge = np.zeros(len(size))
        nudge[column] = eps
        parts = (nudge[:nv], nudge[nv : 2 * nv], np.r_[np.zeros(6), nudge[2 * nv : 3 * nv - 6]])
        ahead = deviation(*parts, nudge[3 * nv - 6 :].reshape(2, 3))
        behind = deviation(*(-part for part in parts), -nudge[3 * nv - 6 :].reshape(2, 3))
        expected = (ahead - behind) / (2 * eps)
        assert slopes[:, column] == pytest.approx(expected, rel=1e-5, abs=2e-6)
