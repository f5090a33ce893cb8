"""Modes: orthogonal, decoupled from momentum, and as many of each kind as in the paper."""

import mujoco
import numpy as np
import pytest

from poise import Body, Scene, World
from poise.body.surface import foot_links
from poise.control.modal.modes import ROOT, Modes, firm_foot_gains, modal_forces, modal_stiffness, modes_at


def posed(seed=None):
    """A body, its state, its stiffness and its modes: standing, or in a random pose."""
    body = Body.named("human42")
    world = World(Scene.of(body))
    qpos, qvel = np.array(body.standing), np.zeros(body.nv)
    if seed is not None:
        random = np.random.default_rng(seed)
        mujoco.mj_integratePos(body.model, qpos, 0.3 * random.standard_normal(body.nv), 1.0)
        qpos[2] += 5.0
        qvel = random.standard_normal(body.nv)
    world.reset(qpos, qvel)
    state = world.state
    stiffness = modal_stiffness(body)
    data = state.data
    found = modes_at(np.array(state.mass), stiffness, data.subtree_com[1], data.xpos[1], data.xmat[1].reshape(3, 3))
    return body, state, stiffness, Modes(*found)


def whole(modes):
    """(nv, n) deformations of all degrees of freedom."""
    return np.vstack([-modes.basis @ modes.carried @ modes.shape, modes.shape])


def test_a_standing_body_has_the_papers_numbers_of_modes():
    _, _, _, modes = posed()
    assert np.sum(modes.frequency < 100) == 14
    assert np.sum(modes.frequency >= 100) == 22


@pytest.mark.parametrize("seed", range(3))
def test_deformations_are_orthogonal_in_mass_and_stiffness_and_carry_no_momentum(seed):
    _, state, stiffness, modes = posed(seed)
    full, mass = whole(modes), np.array(state.mass)
    np.testing.assert_allclose(full.T @ mass @ full, np.eye(36), atol=1e-9)
    np.testing.assert_allclose(modes.shape.T @ (stiffness[:, None] * modes.shape), np.diag(modes.frequency), atol=1e-6)
    np.testing.assert_allclose((mass @ full)[:ROOT], 0, atol=1e-9)  # so that joint torques can drive them
    np.testing.assert_allclose((mass @ full)[ROOT:], modes.lever, atol=1e-9)
    assert np.all(np.diff(modes.frequency) > 0)


@pytest.mark.parametrize("seed", range(3))
def test_rigid_motion_agrees_with_the_linear_and_angular_momentum(seed):
    body, state, _, modes = posed(seed)
    moving = np.linalg.solve(modes.basis, state.qvel[:ROOT]) + modes.carried @ state.qvel[ROOT:]
    momentum = modes.basis.T @ state.mass[:ROOT, :ROOT] @ modes.basis @ moving
    data = mujoco.MjData(body.model)
    data.qpos[:], data.qvel[:] = state.qpos, state.qvel
    mujoco.mj_forward(body.model, data)
    mujoco.mj_subtreeVel(body.model, data)
    np.testing.assert_allclose(moving[:3], data.subtree_linvel[1], atol=1e-9)
    np.testing.assert_allclose(momentum[3:], data.subtree_angmom[1], atol=1e-9)


def test_a_modal_force_acts_on_its_own_mode_only():
    _, _, _, modes = posed(1)
    force = np.zeros(ROOT + 36)
    force[ROOT:] = modes.lever[:, 7]
    np.testing.assert_allclose(modal_forces(modes, force), np.arange(36) == 7, atol=1e-9)


def test_the_papers_body_has_the_papers_stiffness():
    model = Body.named("human42").model
    expected = model.body_subtreemass[model.dof_bodyid[ROOT:]]
    np.testing.assert_array_equal(modal_stiffness(Body.named("human42")), expected)


@pytest.mark.parametrize("name", ["biped29", "human37", "human58"])
def test_softer_feet_are_stiffened_out_of_the_low_frequency_modes(name):
    body = Body.named(name)
    links = body.model.dof_bodyid[ROOT:]
    foot = np.isin(links, np.concatenate(foot_links(body)))

    def share_of_feet(stiffness):
        """Largest share of foot joints in the energy of a low-frequency mode."""
        state = World(Scene.of(body)).state
        data = state.data
        place, turn = data.xpos[1], data.xmat[1].reshape(3, 3)
        modes = Modes(*modes_at(np.array(state.mass), stiffness, data.subtree_com[1], place, turn))
        energy = stiffness[:, None] * modes.shape**2 / modes.frequency
        return energy[foot][:, modes.frequency < 100].sum(axis=0).max()

    assert share_of_feet(np.array(body.model.body_subtreemass[links])) > 0.9
    assert share_of_feet(modal_stiffness(body)) < 0.5


def test_only_soft_feet_are_held_by_motors():
    soft, firm = Body.named("human58"), Body.named("human42")
    held = firm_foot_gains(soft)
    feet = {soft.link_id(foot.link) for foot in soft.feet}
    assert firm_foot_gains(firm).max() == 0.0
    assert feet <= set(soft.model.dof_bodyid[6:][held > 0].tolist())
    assert np.count_nonzero(held) < 0.4 * len(held)
