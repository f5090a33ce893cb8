"""The space of poses: MuJoCo's steps and differences, and angles within limits."""

import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.body.pose_space import PoseSpace


def random_poses(body, count, size, seed):
    space, random = PoseSpace(body), np.random.default_rng(seed)
    return space.clamped(space.moved(np.tile(body.standing, (count, 1)), size * random.normal(size=(count, body.nv))))


@pytest.mark.parametrize("name", ["biped29", "human37", "human58"])
def test_steps_and_differences_are_mujocos(name):
    body = Body.named(name)
    space, random = PoseSpace(body), np.random.default_rng(2)
    start, step = random_poses(body, 5, 0.4, 3), 0.6 * random.normal(size=(5, body.nv))
    moved = space.moved(start, step)
    for k in range(5):
        theirs, difference = np.array(start[k]), np.zeros(body.nv)
        mujoco.mj_integratePos(body.model, theirs, step[k], 1.0)
        mujoco.mj_differentiatePos(body.model, difference, 1.0, start[k], moved[k])
        assert np.allclose(moved[k], theirs, atol=1e-12)
        assert np.allclose(space.difference(start, moved)[k], difference, atol=1e-9)


@pytest.mark.parametrize("name", ["biped29", "human58"])
def test_clamped_poses_are_within_limits_and_those_within_stay(name):
    body = Body.named(name)
    space = PoseSpace(body)
    poses = random_poses(body, 20, 1.5, 4)
    angles = space.angles(poses)
    assert (angles <= body.upper + 1e-9).all()
    assert (angles >= body.lower - 1e-9).all()
    assert np.allclose(space.difference(poses, space.clamped(poses)), 0.0, atol=1e-9)


def test_charts_turn_steps_of_angles_into_tangent_steps():
    body = Body.named("human58")
    space, size = PoseSpace(body), 1e-6
    poses = random_poses(body, 3, 0.3, 5)
    step = size * np.random.default_rng(6).normal(size=(3, body.nv))
    step[space.held(poses, step)] = 0.0
    tangent = space.difference(poses, space.moved_within(poses, step))
    assert np.allclose(tangent, (space.charts(poses) @ step[..., None])[..., 0], atol=20 * size**2)


def test_poses_as_curves_are_the_same_poses_without_jumps():
    body = Body.named("human58")
    space, random = PoseSpace(body), np.random.default_rng(7)
    poses = np.linspace(0.0, 1.0, 12)[:, None] * np.ones(body.nv) * 0.2
    smooth = space.moved(np.tile(body.standing, (12, 1)), poses)
    flipped = np.array(smooth)
    for joint in body.joints:
        if joint.kind != "hinge":
            flipped[:, joint.qpos[-4:]] *= np.where(random.random((12, 1)) < 0.5, -1.0, 1.0)
    curves = space.continuous(flipped)
    assert np.allclose(space.difference(smooth, curves), 0.0, atol=1e-9)
    assert np.abs(np.diff(curves, axis=0)).max() < 0.1 < np.abs(np.diff(flipped, axis=0)).max()
