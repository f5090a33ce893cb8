"""Rotation indices: sums over links, rigid motion, chained turns."""

import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.dynamics.mechanism import DynamicsTerms
from poise.dynamics.momentum import integrate_excursion, whole_body_rotation
from poise.rotations import quat_exp, quat_rotate


@pytest.fixture
def body():
    return Body.named("human43")


@pytest.fixture
def bent(body):
    """A pose and velocity of no particular kind."""
    draw = np.random.default_rng(3)
    qpos, qvel = np.array(body.standing), draw.standard_normal(body.nv)
    mujoco.mj_integratePos(body.model, qpos, 0.4 * draw.standard_normal(body.nv), 1.0)
    return qpos, qvel


def found(body, qpos, qvel):
    terms = DynamicsTerms(body.model)
    terms.evaluate(qpos, qvel)
    return whole_body_rotation(terms.mass, qvel, terms.data), terms.data


def test_momentum_is_that_of_all_links(body, bent):
    rotation, data = found(body, *bent)
    mujoco.mj_subtreeVel(body.model, data)
    np.testing.assert_allclose(rotation.angular_momentum, data.subtree_angmom[1], atol=1e-10)
    np.testing.assert_allclose(rotation.velocity, data.subtree_linvel[1], atol=1e-10)
    assert rotation.mass == pytest.approx(body.mass)


def test_inertia_is_the_sum_over_links(body, bent):
    rotation, data = found(body, *bent)
    model, total = body.model, np.zeros((3, 3))
    for link in range(1, model.nbody):
        frame = data.ximat[link].reshape(3, 3)
        arm = data.xipos[link] - data.subtree_com[1]
        total += frame @ np.diag(model.body_inertia[link]) @ frame.T
        total += model.body_mass[link] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    np.testing.assert_allclose(rotation.inertia, total, atol=1e-10)


def test_who_turns_as_one_piece_has_the_spin_of_the_root(body, bent):
    qpos, _ = bent
    qvel, local = np.zeros(body.nv), np.array([0.3, -2.0, 0.7])
    qvel[:3], qvel[3:6] = [1.0, 2.0, 3.0], local
    rotation, _ = found(body, qpos, qvel)
    np.testing.assert_allclose(rotation.spin, quat_rotate(qpos[3:7], local), atol=1e-10)


def test_excursion_of_a_steady_spin_is_its_exponential():
    spin, excursion = np.array([0.4, -1.1, 2.0]), np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(50):
        excursion = integrate_excursion(excursion, spin, 0.01)
    np.testing.assert_allclose(excursion, quat_exp(0.5 * spin), atol=1e-12)
