"""Planted points stay at rest under the planned forces, checked against the equations of motion."""

import mujoco
import numpy as np
import pytest
from test_modes import posed

from poise.control.modal.modes import ROOT, planted_point_drift_of_modes, rigid_mode_acceleration, yielding_modes


def feet(body, data):
    """Some points of the feet, their links and their Jacobians (3 c, nv) in the world."""
    links = [body.link_id(foot.link) for foot in body.feet for _ in range(3)]
    local = np.array([[0.1, 0.0, -0.05], [-0.04, 0.03, -0.05], [0.0, -0.03, -0.05]] * len(body.feet))
    place = data.xpos[links] + np.einsum("cij,cj->ci", data.xmat[links].reshape(-1, 3, 3), local)
    rows = np.zeros((3 * len(links), body.nv))
    for c, link in enumerate(links):
        mujoco.mj_jac(body.model, data, rows[3 * c : 3 * c + 3], None, place[c], link)
    return np.array(links), place, rows


@pytest.mark.parametrize("seed", range(3))
def test_rigid_accelerations_agree_with_the_equations_of_motion(seed):
    body, state, _, modes = posed(seed)
    random = np.random.default_rng(seed)
    _, place, rows = feet(body, state.data)
    force = 100 * random.standard_normal(place.shape)
    torque = np.append(np.zeros(ROOT), 20 * random.standard_normal(body.nv - ROOT))
    whole = np.linalg.solve(state.mass, torque - state.bias + rows.T @ force.ravel())
    wanted = np.linalg.solve(modes.basis, whole[:ROOT]) + modes.carried @ whole[ROOT:]  # independent of joint torques
    turn = state.data.xmat[1].reshape(3, 3)
    got = rigid_mode_acceleration(state.bias, force, place, state.data.xpos[1], turn, np.array(state.mass), modes.basis)
    np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("seed", range(2))
def test_the_drift_is_the_acceleration_at_constant_velocities(seed):
    body, state, _, _ = posed(seed)
    links, place, _ = feet(body, state.data)
    frame = np.tile(np.eye(3)[[2, 0, 1]], (len(links), 1, 1))
    moving, turning, spinning = (np.zeros((3, body.nv)) for _ in range(3))
    drift = np.zeros(3 * len(links))
    for link in set(links.tolist()):
        mujoco.mj_jacDot(body.model, state.data, moving, turning, state.data.xpos[link], link)
        mujoco.mj_jacBody(body.model, state.data, None, spinning, link)
        own = links == link
        planted_point_drift_of_modes(
            (moving, turning, spinning), state.qvel, state.data.xpos[link], place, frame, own, drift
        )
    data, h = mujoco.MjData(body.model), 1e-6
    speeds = []
    for way in (-h, h):
        data.qpos[:] = state.qpos
        mujoco.mj_integratePos(body.model, data.qpos, state.qvel, way)
        mujoco.mj_kinematics(body.model, data)
        mujoco.mj_comPos(body.model, data)
        speeds.append(feet(body, data)[2] @ state.qvel)
    wanted = ((speeds[1] - speeds[0]) / (2 * h)).reshape(-1, 3)[:, [2, 0, 1]]
    np.testing.assert_allclose(drift.reshape(-1, 3), wanted, atol=1e-5)


@pytest.mark.parametrize("seed", range(2))
def test_low_frequency_modes_change_the_least_that_leaves_one_foot_at_rest(seed):
    body, state, _, modes = posed(seed)
    random = np.random.default_rng(seed)
    rows = feet(body, state.data)[2][:9]  # of one foot
    rigid, bend, drift = random.standard_normal(6), random.standard_normal(36), random.standard_normal(6)
    drift = rows @ np.append(drift, np.zeros(36))  # of a rigid foot
    slow = 14
    change = yielding_modes(modes, slow, rigid, bend, rows, drift, 1e-9)
    both = bend + np.append(change, np.zeros(36 - slow))
    joints = modes.shape @ both
    whole = np.append(modes.basis @ (rigid - modes.carried @ joints), joints)
    np.testing.assert_allclose(rows @ whole + drift, 0, atol=1e-4)
    moved = rows @ np.vstack([-modes.basis @ modes.carried @ modes.shape, modes.shape])[:, :slow]
    idle = np.linalg.svd(moved)[2][6:]  # changes that move none of its points
    np.testing.assert_allclose(idle @ change, 0, atol=1e-6 * np.abs(change).max())
