"""Feet of a crooked skeleton stand where the body's do."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import skeletons
from poise.arrays import readonly
from poise.body.body import Body
from poise.body.rigging import MOST_KNEE_CHANGE, plant_feet_of_rigged_body
from poise.rotations import quat_conjugate, quat_log, quat_multiply

FAMILIES = ["cmu", "mixamo", "biped", "unreal"]


def crooked(family):
    """A skeleton whose left leg is longer below the hip than its right one."""
    skeleton = getattr(skeletons, family)()
    body = Body.from_skeleton(skeleton)
    offsets = np.array(skeleton.offsets)
    shank, foot = (body.rigging.drivers[f"left_{part}"] for part in ("shank", "foot"))
    offsets[[shank, foot]] *= 1.02
    return Body.from_skeleton(replace(skeleton, offsets=readonly(offsets)), symmetric=True)


def crouching(body, frames=30):
    """Poses with knees bent by 0.5 to 1.2 rad, swaying."""
    qpos = np.tile(body.standing, (frames, 1))
    bend, sway = np.linspace(0.5, 1.2, frames), 0.3 * np.sin(np.linspace(0, 6, frames))
    for pose, angle, side in zip(qpos, bend, sway, strict=True):
        step = np.zeros(body.nv)
        for leg in ("left", "right"):
            step[body.joint(f"{leg}_knee").dofs[0]] = angle
            step[list(body.joint(f"{leg}_hip").dofs)] = (0.3 * side, -angle / 2 + side, 0.2)
        mujoco.mj_integratePos(body.model, pose, step, 1.0)
    return qpos


def apart(body, clip, qpos):
    """(T, F) m between the feet of skeleton and body."""
    data, out = mujoco.MjData(body.model), []
    for k, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(body.model, data)
        joints = [body.rigging.drivers[foot.link] for foot in body.feet]
        links = [body.link_id(foot.link) for foot in body.feet]
        out.append(np.linalg.norm(clip.places.position[k, joints] - data.xpos[links], axis=1))
    return np.array(out)


@pytest.mark.parametrize("family", FAMILIES)
def test_feet_are_where_the_bodys_are(family):
    body = crooked(family)
    qpos = crouching(body)
    as_turned = body.rigging.clip(body.model, qpos, 30.0, "crouch")
    brought = plant_feet_of_rigged_body(as_turned, body.rigging, body.model, qpos, [foot.link for foot in body.feet])
    assert apart(body, as_turned, qpos).max() > 0.004
    assert apart(body, brought, qpos).max() < 0.0015
    assert np.array_equal(brought.skeleton.offsets, as_turned.skeleton.offsets)
    turned = np.linalg.norm(quat_log(quat_multiply(quat_conjugate(as_turned.rotation), brought.rotation)), axis=-1)
    legs = [body.rigging.drivers[f"{side}_{part}"] for side in ("left", "right") for part in ("thigh", "shank", "foot")]
    assert np.delete(turned, legs, axis=1).max() < 1e-9
    assert turned[:, legs].max() < 2 * MOST_KNEE_CHANGE
    toes = brought.places.rotation[:, [body.rigging.drivers[foot.link] for foot in body.feet]]
    was = as_turned.places.rotation[:, [body.rigging.drivers[foot.link] for foot in body.feet]]
    assert quat_log(quat_multiply(quat_conjugate(was), toes)) == pytest.approx(0.0, abs=1e-9)  # feet face as they did


@pytest.mark.parametrize("family", FAMILIES)
def test_a_straight_skeleton_is_left_as_it_is(family):
    body = Body.from_skeleton(getattr(skeletons, family)())
    qpos = crouching(body)
    clip = body.rigging.clip(body.model, qpos, 30.0, "crouch")
    same = plant_feet_of_rigged_body(clip, body.rigging, body.model, qpos, [foot.link for foot in body.feet])
    assert same.places.position == pytest.approx(clip.places.position, abs=1e-6)


def test_a_nearly_straight_knee_does_not_jump():
    body = crooked("cmu")
    qpos = np.tile(body.standing, (200, 1))
    qpos[:, body.joint("left_knee").qpos[0]] = np.linspace(-0.05, 0.3, 200)
    clip = body.rigging.clip(body.model, qpos, 120.0, "straight")
    brought = plant_feet_of_rigged_body(clip, body.rigging, body.model, qpos, [foot.link for foot in body.feet])
    change = quat_log(quat_multiply(quat_conjugate(brought.rotation[:-1]), brought.rotation[1:]))
    assert np.linalg.norm(change, axis=-1).max() < 0.02


def test_a_tree_without_legs_is_left_alone():
    body = Body.from_skeleton(skeletons.snake())
    qpos = np.tile(body.standing, (3, 1))
    clip = body.rigging.clip(body.model, qpos, 30.0, "still")
    assert plant_feet_of_rigged_body(clip, body.rigging, body.model, qpos, []) is clip
