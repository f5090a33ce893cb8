"""Retargeting: from skeletons of any rest pose and size onto bodies."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import skeletons
from poise.arrays import readonly
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseSpace
from poise.body.rigging import plain_rigging
from poise.errors import PoiseError
from poise.motion.clip import clip_from
from poise.motion.repair.importer import import_motion
from poise.motion.skeleton import skeleton_kinematics
from poise.retarget.retarget import retarget
from poise.rotations import quat_exp, quat_multiply

MOCAP = Path(__file__).resolve().parents[2] / "../shared/mocap/bvh"
BODIES = ("biped29", "human37", "human42", "human58", "baby")


def moved(body, frames=30, size=0.3, seed=0):
    """Poses that swing smoothly about standing, within limits."""
    rng = np.random.default_rng(seed)
    phase = np.linspace(0.0, 2 * np.pi, frames)[:, None] + rng.uniform(0, 2 * np.pi, body.nv)
    swing = size * rng.uniform(0.3, 1.0, body.nv) * np.sin(phase)
    swing[:, :6] *= 0.5
    space = PoseSpace(body)
    return space.clamped(space.moved(np.tile(body.standing, (frames, 1)), swing))


def scaled(clip, factor):
    """The clip of a figure of another size."""
    skeleton = replace(
        clip.skeleton,
        offsets=readonly(factor * clip.skeleton.offsets),
        ends=tuple(replace(end, offset=readonly(factor * end.offset)) for end in clip.skeleton.ends),
    )
    return clip_from(clip.name, skeleton, clip.rate, factor * clip.position, clip.rotation)


@pytest.mark.parametrize("factor", [1.0, 0.6, 1.7])
@pytest.mark.parametrize("name", ["human37", "human42"])
def test_a_bodys_own_motion_comes_back_from_its_skeleton_in_any_size(name, factor):
    body = Body.named(name)
    qpos = moved(body)
    clip = scaled(plain_rigging(body.model, 1).clip(body.model, qpos, 60.0, "swing"), factor)
    found = retarget(clip, body)
    ends = LinkKinematics(
        body, [(f"{side}_{end}", np.zeros(3)) for side in ("left", "right") for end in ("foot", "hand")]
    )
    there, back = ends.at(qpos)[0], ends.at(found.clip.qpos)[0]
    offset = np.median(there - back, axis=(0, 1))  # the sole's height is a guess
    assert np.abs(offset[:2]).max() < 0.005
    assert abs(offset[2]) < 0.06
    assert np.abs(there - back - offset).max() < 0.03
    assert max(found.error.values()) < 0.05


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("family", [*sorted(skeletons.PEOPLE), "along_x"])
def test_a_person_in_a_t_pose_stands_with_arms_out_on_every_body(name, family):
    body = Body.named(name)
    skeleton = skeletons.along_x(skeletons.stranger()) if family == "along_x" else skeletons.PEOPLE[family]()
    zero = np.tile([1.0, 0.0, 0.0, 0.0], (skeleton.count, 1))
    pose = np.tile(zero if skeleton.upright is None else skeleton.upright, (10, 1, 1))
    lowest = skeleton_kinematics(skeleton, np.zeros((1, 3)), pose[:1]).position[0, :, 2].min()
    clip = clip_from("t", skeleton, 60.0, np.tile([0.0, 0.0, 0.02 - lowest], (10, 1)), pose)
    found = retarget(clip, body).clip
    links = [(link, np.zeros(3)) for link in ("left_hand", "left_upper_arm", "left_foot", "head")]
    hand, shoulder, foot, head = LinkKinematics(body, links).at(found.qpos)[0][0]
    reach = hand - shoulder
    assert reach[1] > 0.95 * np.linalg.norm(reach)
    assert foot[2] < 0.15 * head[2]


def test_the_way_over_ground_scales_with_the_legs_and_turns_stay():
    body = Body.named("human37")
    clip = plain_rigging(body.model, 1).clip(body.model, moved(body, 60), 60.0, "walk")
    way = np.linspace(0.0, 2.0, 60)
    turned = np.array(clip.rotation)
    turned[:, 0] = quat_multiply(quat_exp([0.0, 0.0, 0.5]), turned[:, 0])
    walked = clip_from("walk", clip.skeleton, 60.0, clip.position + np.outer(way, [1.0, 0.0, 0.0]), clip.rotation)
    turning = replace(clip, rotation=readonly(turned))
    still, gone, round_ = (retarget(scaled(c, 0.5), body).clip.qpos for c in (clip, walked, turning))
    assert np.allclose(gone[:, 0] - still[:, 0], way, atol=2e-3)
    assert np.allclose(gone[:, 7:], still[:, 7:], atol=2e-3)
    assert np.allclose(round_[:, 7:], still[:, 7:], atol=2e-3)


def test_own_body_takes_the_motion_of_its_skeleton_as_it_is():
    skeleton = skeletons.mixamo()
    body = Body.from_skeleton(skeleton)
    assert body.rigging is not None
    clip = body.rigging.clip(body.model, moved(body, 20, 0.2), 60.0, "swing")
    found = retarget(clip, body)
    assert max(found.error.values()) < 1e-3
    assert np.allclose(found.clip.skeleton_clip().places.position, clip.places.position, atol=2e-3)


def test_limits_hold():
    body = Body.named("human37")
    wild = plain_rigging(body.model, 1).clip(body.model, moved(body, 20, 2.5), 60.0, "wild")
    twisted = replace(wild, rotation=readonly(quat_multiply(wild.rotation, quat_exp([0.0, 0.9, 0.3]))))
    qpos = retarget(twisted, body).clip.qpos
    assert np.allclose(PoseSpace(body).clamped(qpos), qpos, atol=1e-9)
    assert np.isfinite(qpos).all()


def test_a_dog_goes_only_on_its_own_body():
    dog = skeletons.dog()
    rest = np.tile([1.0, 0.0, 0.0, 0.0], (5, dog.count, 1))
    clip = clip_from("dog", dog, 60.0, np.zeros((5, 3)), rest)
    with pytest.raises(PoiseError, match="not a humanoid"):
        retarget(clip, Body.named("human37"))
    body = Body.from_skeleton(dog)
    assert max(retarget(clip, body).error.values()) < 0.01


@pytest.mark.skipif(not MOCAP.is_dir(), reason="needs the motion-capture set")
@pytest.mark.parametrize("name", BODIES)
def test_a_captured_walk_fits_every_body(name):
    clip = import_motion(MOCAP / "02_01.bvh").clip.cut(50, 150)
    body = Body.named(name)
    found = retarget(clip, body)
    assert found.error["left_foot"] < 0.005
    assert found.error["left_hand"] < 0.03
    assert found.turn_error["left_foot"] < 5.0
    assert found.turn_error["pelvis"] < 5.0
    source = np.linalg.norm(np.diff(clip.places.position[:, 0], axis=0), axis=1).max()
    assert np.linalg.norm(np.diff(found.clip.qpos[:, :3], axis=0), axis=1).max() < 1.5 * source
