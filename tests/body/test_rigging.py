"""From a body's poses to an animator's joints and back."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, strategies as st

import skeletons
from bodies import BUILT, body_of
from poise.arrays import readonly
from poise.body.body import Body
from poise.body.rigging import Rigging, hinge_angles, plain_rigging
from poise.motion.bvh import read_bvh, write_bvh
from poise.motion.clip import clip_from
from poise.motion.skeleton import JOINT_CHANNELS, ROOT_CHANNELS, Convention, End, Skeleton
from poise.rotations import quat_from_axis_angle, quat_multiply, quat_normalize


def random_poses(body, count=5):
    rng = np.random.default_rng(7)
    qpos = np.tile(body.standing, (count, 1))
    for pose in qpos:
        mujoco.mj_integratePos(body.model, pose, 0.3 * rng.normal(size=body.nv), 1.0)
    return qpos


def assert_same_poses(body, ours, theirs):
    difference = np.zeros(body.nv)
    for a, b in zip(ours, theirs, strict=True):
        mujoco.mj_differentiatePos(body.model, difference, 1.0, a, b)
        np.testing.assert_allclose(difference, 0, atol=1e-9)


@pytest.mark.parametrize("name", BUILT)
def test_there_and_back(name):
    body = body_of(name)
    qpos = random_poses(body)
    clip = body.rigging.clip(body.model, qpos, 30.0, "random")
    assert_same_poses(body, body.rigging.poses(body, clip), qpos)


@pytest.mark.parametrize("name", ["human42", "human58", "lamp14"])
def test_there_and_back_on_a_plain_skeleton(name):
    body = Body.named(name)
    rigging = plain_rigging(body.model, 1)
    qpos = random_poses(body)
    assert_same_poses(body, rigging.poses(body, rigging.clip(body.model, qpos, 30.0, "random")), qpos)


def below_a_mark(skeleton):
    """The skeleton under a further root, over which its own travels."""
    offsets = np.concatenate([[[0.0, 0.0, 0.0], [0.3, 0.0, 0.9]], skeleton.offsets[1:]])
    channels = (ROOT_CHANNELS, ROOT_CHANNELS, *[JOINT_CHANNELS] * (skeleton.count - 1))
    ends = tuple(End(end.joint + 1, end.offset) for end in skeleton.ends)
    names, parents = ("Reference", *skeleton.names), (-1, *(p + 1 for p in skeleton.parents))
    return Skeleton(names, parents, readonly(offsets), ends, Convention(channels=channels))


@pytest.mark.parametrize("skeleton", [skeletons.mixamo(), skeletons.dog()], ids=["person", "dog"])
def test_a_mark_on_the_ground_stays_where_it_is(skeleton, tmp_path):
    plain, body = Body.from_skeleton(skeleton), Body.from_skeleton(below_a_mark(skeleton))
    qpos = random_poses(body)
    clip = body.rigging.clip(body.model, qpos, 30.0, "random")
    np.testing.assert_array_equal(clip.places.position[:, 0], 0.0)
    free = plain.rigging.clip(plain.model, random_poses(plain), 30.0, "random")
    np.testing.assert_allclose(clip.places.position[:, 1:], free.places.position, atol=1e-9)
    assert_same_poses(body, body.rigging.poses(body, clip), qpos)
    again = read_bvh(write_bvh(clip, tmp_path / "marked.bvh"))
    assert again.skeleton.convention.channels == clip.skeleton.convention.channels


@pytest.mark.parametrize("name", BUILT)
def test_joints_are_where_their_links_are(name):
    """In any pose: the body has the skeleton's own measures."""
    body = body_of(name)
    qpos = random_poses(body)
    places = body.rigging.clip(body.model, qpos, 30.0, "random").places.position
    data = mujoco.MjData(body.model)
    for k, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(body.model, data)
        for link, joint in body.rigging.drivers.items():
            if link != "pelvis":  # the root link begins between the hips, the root joint above
                np.testing.assert_allclose(places[k, joint], data.body(link).xpos, atol=1e-9, err_msg=link)


@pytest.mark.parametrize("name", BUILT)
def test_the_upright_pose_is_followed_exactly(name):
    """Whatever the zero pose of the file is: T-pose, spread legs, a heap of bones along x."""
    skeleton = BUILT[name]()
    body = Body.from_skeleton(skeleton)
    zero = np.tile([1.0, 0.0, 0.0, 0.0], (skeleton.count, 1))
    pose = zero if skeleton.upright is None else skeleton.upright
    clip = clip_from("upright", skeleton, 30.0, [[0.1, 0.2, 0.95]], [pose])
    qpos = body.rigging.poses(body, clip)
    back = body.rigging.clip(body.model, qpos, 30.0, "back")
    np.testing.assert_allclose(back.places.position, clip.places.position, atol=1e-9)
    np.testing.assert_allclose(back.places.ends, clip.places.ends, atol=1e-9)


def test_everything_survives_json():
    rigging = Body.from_skeleton(skeletons.lafan1(), rate=24.0).rigging
    twin = Rigging.from_dict(rigging.as_dict())
    assert (twin.links, dict(twin.drivers), twin.rate) == (rigging.links, dict(rigging.drivers), 24.0)
    for a, b in ((twin.turns, rigging.turns), (twin.root, rigging.root)):
        np.testing.assert_array_equal(a, b)
    assert twin.skeleton.as_dict() == rigging.skeleton.as_dict()


@given(
    angles=st.lists(st.floats(-1.5, 1.5), min_size=1, max_size=3),
    order=st.permutations([0, 1, 2]),
    signs=st.lists(st.sampled_from([-1.0, 1.0]), min_size=3, max_size=3),
)
def test_hinges_in_any_order_give_their_angles_back(angles, order, signs):
    axes = (np.diag(signs)[order])[: len(angles)]
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in zip(axes, angles, strict=True):
        turn = quat_multiply(turn, quat_from_axis_angle(axis, angle))
    np.testing.assert_allclose(hinge_angles(turn[None], axes)[0], angles, atol=1e-9)


@given(vector=st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda v: np.linalg.norm(v) > 0.1))
def test_one_hinge_takes_what_brings_it_nearest(vector):
    """No other angle about the axis leaves a smaller turn."""
    turn, axis = quat_normalize(np.array(vector)), np.array([[0.0, 1.0, 0.0]])
    angle = hinge_angles(turn[None], axis)[0, 0]
    cosines = [abs(quat_from_axis_angle(axis[0], other) @ turn) for other in (angle, angle + 0.1, angle - 0.1)]
    assert cosines[0] >= max(cosines) - 1e-9
