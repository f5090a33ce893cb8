"""Inverse dynamics of trajectories: MuJoCo's numbers, and derivatives that agree with central differences."""

import mujoco
import numpy as np
import pytest

from bodies import body_of
from poise.dynamics.inverse import Bearings, inverse_dynamics
from poise.dynamics.tree import link_tree_of

NAMES = ["biped29", "human42", "human58", "lamp14", "dog"]
STEP = 1e-6


class Case:
    """A random state of a body with forces on three balls."""

    def __init__(self, name, seed=0):
        self.model = body_of(name).model
        self.tree = link_tree_of(self.model)
        random = np.random.default_rng(seed)
        nv = self.model.nv
        self.qpos = np.array(body_of(name).standing)
        mujoco.mj_integratePos(self.model, self.qpos, 0.5 * random.standard_normal(nv), 1.0)
        self.qpos[:3] += 2.0, 1.0, 0.3
        self.qvel, self.qacc = random.standard_normal(nv), 5 * random.standard_normal(nv)
        links = np.array([self.model.nbody - 1, self.model.nbody // 2, 1])
        self.bearings = Bearings(links, 0.1 * random.standard_normal((3, 3)), np.array([0.0, 0.05, 0.1]))
        self.force = 100 * random.standard_normal((3, 3))

    def at(self, qpos=None, qvel=None, qacc=None, force=None):
        """Inverse dynamics of states (T, ...), those of the case where none are given."""
        given = (qpos, qvel, qacc, force)
        own = (self.qpos, self.qvel, self.qacc, self.force)
        count = next((len(part) for part in given if part is not None), 1)
        arrays = [np.repeat(o[None], count, axis=0) if g is None else g for g, o in zip(given, own, strict=True)]
        return inverse_dynamics(self.tree, *arrays[:3], self.bearings, arrays[3])

    def poses(self, step):
        """(nv, nq) the pose moved by a step along each degree of freedom."""
        out = np.repeat(self.qpos[None], self.model.nv, axis=0)
        for pose, direction in zip(out, np.eye(self.model.nv), strict=True):
            mujoco.mj_integratePos(self.model, pose, step * direction, 1.0)
        return out


@pytest.mark.parametrize("name", NAMES)
def test_torques_masses_and_points_are_mujocos(name):
    case = Case(name)
    model, data, found = case.model, mujoco.MjData(case.model), case.at()
    data.qpos[:], data.qvel[:] = case.qpos, case.qvel
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mass, bias = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    mujoco.mj_fullM(model, data, mass)
    mujoco.mj_rne(model, data, 0, bias)
    torque = mass @ case.qacc + bias
    for c, link in enumerate(case.bearings.link):
        point = data.xpos[link] + data.xmat[link].reshape(3, 3) @ case.bearings.centre[c]
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, None, point - [0, 0, case.bearings.radius[c]], link)
        torque -= jacobian.T @ case.force[c]
        assert np.allclose(found.point[0, c], point, atol=1e-12)
        assert np.abs(found.attitude[0, c] @ data.xquat[link]) == pytest.approx(1.0, abs=1e-12)
    assert np.allclose(found.mass[0], mass, atol=1e-10)
    assert np.allclose(found.torque[0], torque, atol=1e-9 * np.abs(torque).max())
    assert np.allclose(found.com[0], data.subtree_com[1], atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_agree_with_central_differences(name):
    case = Case(name, seed=1)
    here, unit = case.at(), STEP * np.eye(case.model.nv)
    by_pose = case.at(qpos=case.poses(STEP)), case.at(qpos=case.poses(-STEP))
    by_velocity = case.at(qvel=case.qvel + unit), case.at(qvel=case.qvel - unit)
    by_acceleration = case.at(qacc=case.qacc + unit), case.at(qacc=case.qacc - unit)
    compared = [
        (by_pose, {"torque": "torque_q", "wrench": "wrench_q", "momentum": "momentum_q", "point": "point_q"}),
        (by_velocity, {"torque": "torque_v", "wrench": "wrench_v", "momentum": "momentum_v"}),
        (by_acceleration, {"torque": "mass", "wrench": "momentum_v"}),
    ]
    for (ahead, behind), pairs in compared:
        for value, slope in pairs.items():
            numeric = np.moveaxis(getattr(ahead, value) - getattr(behind, value), 0, -1) / (2 * STEP)
            exact = getattr(here, slope)[0]
            assert np.abs(numeric - exact).max() < 1e-6 * np.abs(exact).max(), slope
    com = (by_pose[0].com - by_pose[1].com).T / (2 * STEP)
    assert np.abs(com - here.momentum_v[0, 3:] / case.tree.link_mass.sum()).max() < 1e-6


@pytest.mark.parametrize("name", ["biped29", "human58"])
def test_links_spin_as_the_pose_turns_them(name):
    case = Case(name, seed=2)
    here, ahead = case.at(), case.at(qpos=case.poses(STEP)).attitude
    for c in range(3):
        turned = np.zeros((case.model.nv, 3))
        for k, quat in enumerate(ahead[:, c]):
            local = np.zeros(3)
            mujoco.mju_subQuat(local, quat, here.attitude[0, c])
            mujoco.mju_rotVecQuat(turned[k], local, here.attitude[0, c])
        assert np.allclose(turned.T / STEP, here.spin[0, c], atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_momentum_changes_by_gravity_contacts_and_what_is_missing(name):
    """dh/dt by the derivatives of the momentum, against the sum of all wrenches about the origin."""
    case = Case(name, seed=3)
    found = case.at()
    rate = found.momentum_q[0] @ case.qvel + found.momentum_v[0] @ case.qacc
    weight = case.tree.link_mass.sum() * case.tree.gravity
    wrench = found.wrench[0] + np.concatenate([np.cross(found.com[0], weight), weight])
    for point, radius, force in zip(found.point[0], case.bearings.radius, case.force, strict=True):
        wrench += np.concatenate([np.cross(point - [0, 0, radius], force), force])
    assert np.allclose(rate, wrench, atol=1e-9 * np.abs(wrench).max())


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_missing_in_free_flight(name):
    """Joints that give no torque and no contact: the whole needs no wrench either."""
    case = Case(name, seed=4)
    none = np.zeros((1, 3, 3))
    bias = case.at(qacc=np.zeros((1, case.model.nv)), force=none)
    qacc = np.linalg.solve(bias.mass[0], -bias.torque[0])
    free = case.at(qacc=qacc[None], force=none)
    assert np.abs(free.torque).max() < 1e-8 * np.abs(bias.torque).max()
    assert np.abs(free.wrench).max() < 1e-8 * np.abs(bias.wrench).max()


def test_frames_do_not_depend_on_each_other():
    first, second = Case("human42", 5), Case("human42", 6)
    pairs = [np.stack([getattr(first, key), getattr(second, key)]) for key in ("qpos", "qvel", "qacc", "force")]
    both = inverse_dynamics(first.tree, *pairs[:3], first.bearings, pairs[3])
    alone = first.at(*(part[1:] for part in pairs))
    assert all(np.array_equal(b[1], a[0]) for b, a in zip(both, alone, strict=True))
