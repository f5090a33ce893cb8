"""Policies of the shipped motions."""

from dataclasses import replace

import numpy as np
import pytest

from poise.body.body import Body
from poise.control.nqr.lookahead import displaced_cost, look_ahead
from poise.control.nqr.segment import cyclic_segment, last_pose_as_nqr_segment, leading_segment
from poise.control.nqr.weights import nqr_weights
from poise.dynamics.inverse import Bearings
from poise.dynamics.linearisation import linearise_steps
from poise.dynamics.tree import link_tree_of
from poise.library.motions import shipped_dynamic


@pytest.fixture(scope="module")
def weights():
    return nqr_weights(Body.named("biped29"), force=0.3, planted=10.0)


@pytest.fixture(scope="module")
def walk(weights):
    return cyclic_segment(shipped_dynamic("walk", "biped29"), weights)


@pytest.mark.parametrize("name", ["walk", "run", "turn-90", "turn-180", "start", "stop", "stand"])
def test_each_step_of_a_shipped_motion_leads_to_its_next_state(name):
    motion = shipped_dynamic(name, "biped29")
    body, contacts = motion.clip.body, motion.contacts
    bearings = Bearings(np.array([body.link_id(link) for link in contacts.links]), contacts.centre, contacts.radius)
    made = linearise_steps(
        link_tree_of(body.model), motion.clip.qpos[:-1], motion.qvel[:-1], motion.torque, bearings, contacts.force,
        motion.step,
    )  # fmt: skip
    np.testing.assert_allclose(made.qpos, motion.clip.qpos[1:], atol=1e-9)
    np.testing.assert_allclose(made.qvel, motion.qvel[1:], atol=1e-7)


@pytest.mark.parametrize("name", ["walk", "run", "turn-90"])
def test_the_cost_to_go_of_a_cycle_is_periodic(name, weights):
    """The cost-to-go after the cycle is that before it, turned with the cycle."""
    policy = look_ahead(shipped_dynamic(name, "biped29"), weights)
    poses = policy.motion.clip.qpos
    again = displaced_cost(policy.costs[0], poses[0], poses[-1])
    scale = np.abs(again.matrix).max()
    np.testing.assert_allclose(policy.costs[-1].matrix, again.matrix, atol=2e-4 * scale)
    if name == "turn-90":  # the turn matters
        assert np.abs(policy.costs[-1].matrix - policy.costs[0].matrix).max() > 1e-2 * scale


def test_the_cost_to_go_converges_with_the_number_of_cycles(weights):
    motion = shipped_dynamic("walk", "biped29")
    one, two, all_that_matter = (look_ahead(motion, weights, cycles) for cycles in (1, 2, None))
    assert (one.cycles, two.cycles) == (1, 2)
    assert all_that_matter.cycles > 2
    costs = [np.trace(policy.costs[0].matrix) for policy in (one, two, all_that_matter)]
    assert costs[0] < costs[1] < costs[2]
    assert costs[2] - costs[1] < costs[1] - costs[0]


def test_only_contact_forces_of_the_motion_are_controls(walk):
    policy, down = walk.policy, walk.motion.contacts.down
    normals = policy.used[:, policy.motion.qvel.shape[1] - 6 + 2 :: 3]
    np.testing.assert_array_equal(normals, down[1:])
    assert policy.used[:, : policy.motion.qvel.shape[1] - 6].all()
    for on, gain in zip(policy.used, policy.gains, strict=True):
        assert len(gain.matrix) == on.sum()


def test_the_policy_of_a_symmetric_walk_is_symmetric(walk):
    """A deviation costs the same as its mirror image half a cycle later."""
    body, half = walk.motion.clip.body, len(walk.policy.velocity) // 2
    mirror = body.mirror_signs[:, None] * np.eye(body.nv)[body.mirror_dofs]
    mirror = np.kron(np.eye(2), mirror)
    for k in (0, 20, 40):
        now, later = (walk.policy.costs[frame].matrix for frame in (k, k + half))
        np.testing.assert_allclose(mirror.T @ later @ mirror, now, atol=2e-3 * np.abs(now).max())


def test_a_leading_motion_ends_with_the_cost_to_go_of_the_next(weights, walk):
    start = leading_segment(shipped_dynamic("start", "biped29"), walk, weights)
    poses, before = start.motion.clip.qpos, walk.policy.costs[0]
    expected = displaced_cost(before, walk.motion.clip.qpos[0], poses[-1])
    np.testing.assert_array_equal(start.policy.costs[-1].matrix, expected.matrix)
    assert start.policy.cycles == 1


def test_carrying_a_cost_to_go_there_and_back_restores_it():
    random = np.random.default_rng(0)
    motion = shipped_dynamic("turn-90", "biped29")
    n = motion.qvel.shape[1]
    future = replace(look_ahead(motion, nqr_weights(motion.clip.body), cycles=1).costs[0], slope=random.random(2 * n))
    first, last = motion.clip.qpos[[0, -1]]
    there = displaced_cost(future, first, last)
    back = displaced_cost(there, last, first)
    np.testing.assert_allclose(back.matrix, future.matrix, atol=1e-9 * np.abs(future.matrix).max())
    np.testing.assert_allclose(back.slope, future.slope, atol=1e-12)
    # A push to the left after the turn to the left costs what a push ahead costs before it.
    deviation = np.zeros(2 * n)
    deviation[1] = 0.1  # m
    ahead = np.zeros(2 * n)
    ahead[0] = 0.1
    assert deviation @ there.matrix @ deviation == pytest.approx(ahead @ future.matrix @ ahead, rel=1e-9)


def test_a_held_pose_has_the_last_torques_and_forces():
    stop = shipped_dynamic("stop", "biped29")
    held = last_pose_as_nqr_segment(stop)
    assert held.clip.cyclic
    assert not held.qvel.any()
    np.testing.assert_array_equal(held.clip.qpos, np.broadcast_to(stop.clip.qpos[-1], held.clip.qpos.shape))
    weight = 9.81 * stop.clip.body.mass
    np.testing.assert_allclose(held.contacts.force[:, :, 2].sum(axis=1), weight, rtol=1e-2)
