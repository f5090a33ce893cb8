"""Jacobians of several points."""

import mujoco
import numpy as np
import pytest

from poise import Body, Scene, World
from poise.body.link_kinematics import links_moved_by_dofs
from poise.control.modal.modes import planted_point_jacobian_of_modes


@pytest.mark.parametrize("name", ["human42", "biped29"])
def test_they_agree_with_mujoco(name):
    body = Body.named(name)
    world = World(Scene.of(body))
    rng = np.random.default_rng(0)
    qpos = np.array(world.qpos)
    mujoco.mj_integratePos(world.model, qpos, 0.3 * rng.standard_normal(world.model.nv), 1.0)
    world.reset(qpos, np.zeros(world.model.nv))
    data, link = world.state.data, np.arange(1, body.model.nbody)
    point, chosen = rng.standard_normal((len(link), 3)), rng.random(len(link)) < 0.7
    moves = links_moved_by_dofs(world.model)[:, : body.nv] > 0
    rows = planted_point_jacobian_of_modes(point, link, chosen, moves, data.cdof, data.subtree_com[1])
    wanted = np.zeros((len(link), 3, world.model.nv))
    for c in np.flatnonzero(chosen):
        mujoco.mj_jac(world.model, data, wanted[c], None, point[c], int(link[c]))
    np.testing.assert_allclose(rows.reshape(-1, 3, body.nv), wanted[..., : body.nv], atol=1e-12)
