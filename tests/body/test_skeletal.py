"""Bodies for any skeleton: weight, symmetry, soles, what is carried along, and that they live in the simulator."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import mujoco
import numpy as np
import pytest

import poise
import skeletons
from bodies import BUILT, body_of
from poise.arrays import readonly
from poise.body.body import Body
from poise.body.plans import anthropometry as tables
from poise.body.skeleton_person import _trunk_slice
from poise.body.surface import lowest_geom_height
from poise.errors import PoiseError
from poise.measure.audit import audit
from poise.motion.skeleton import JOINT_CHANNELS, ROOT_CHANNELS, Convention, End, Skeleton
from poise.rotations import mirror_vector, quat_rotate

MOCAP = Path(__file__).resolve().parents[2] / "../shared/mocap/bvh"
CMU_UNIT = 0.0564444  # m


def posed(body, qpos):
    data = mujoco.MjData(body.model)
    data.qpos[:] = qpos
    mujoco.mj_forward(body.model, data)
    return data


def assert_sound(body):
    assert body.symmetry is not None
    data = posed(body, body.model.qpos0)
    for link, other in body.link_mirror.items():
        np.testing.assert_allclose(data.body(other).xpos, mirror_vector(data.body(link).xpos), atol=1e-9)
        np.testing.assert_allclose(data.body(other).xipos, mirror_vector(data.body(link).xipos), atol=1e-9)
        assert body.model.body(link).mass == pytest.approx(body.model.body(other).mass, rel=1e-9)
    standing = posed(body, body.standing)
    assert abs(lowest_geom_height(body.model, body.standing)) < 1e-9
    for foot in body.feet:
        link = standing.body(foot.link)
        np.testing.assert_allclose((link.xpos + foot.points @ link.xmat.reshape(3, 3).T)[:, 2], 0, atol=1e-9)


@pytest.mark.parametrize("name", [*skeletons.PEOPLE, "dog", "lamp", "snake"])
def test_it_weighs_what_was_asked(name):
    skeleton = BUILT[name]()
    assert Body.from_skeleton(skeleton, mass=42.0).mass == pytest.approx(42.0, rel=1e-12)


def test_a_person_weighs_by_stature_unless_told():
    body = Body.from_skeleton(skeletons.mixamo())
    stature = (1.75 - 0.92 + 0.915 + 0.915 / 0.53) / 2  # the mean of what the crown and the hips tell
    assert body.mass == pytest.approx(23 * stature**2, rel=0.01)


def test_sides_that_differ_are_averaged_but_the_way_back_keeps_them():
    rng = np.random.default_rng(3)
    even = skeletons.mixamo()
    uneven = replace(even, offsets=readonly(even.offsets + 0.01 * rng.normal(size=even.offsets.shape)))
    body = Body.from_skeleton(uneven, symmetric=True)
    assert_sound(body)
    np.testing.assert_array_equal(body.rigging.skeleton.offsets, uneven.offsets)


@pytest.mark.parametrize("name", [*skeletons.PEOPLE, "dog", "lamp"])
def test_sound(name):
    assert_sound(body_of(name))


def test_the_least_of_a_person():
    body = Body.from_skeleton(skeletons.stump())
    assert_sound(body)
    assert {"head", "left_hand"} <= set(body.links)
    assert not {"left_wrist", "neck", "left_toe"} & {joint.name for joint in body.joints}


@pytest.mark.parametrize(
    ("name", "joint", "link"),
    [
        ("cmu", "LHipJoint", "pelvis"),
        ("cmu", "LowerBack", "spine_1"),
        ("cmu", "Spine1", "chest"),
        ("cmu", "Neck", "neck_1"),
        ("cmu", "LeftFingerBase", "left_hand"),
        ("cmu", "RThumb", "right_hand"),
        ("rokoko", "LeftThighTwist", "left_thigh"),
        ("unreal", "upperarm_twist_01_r", "right_upper_arm"),
        ("xsens", "T12", "spine_2"),  # lies where T8 does
        ("xsens", "T8", "chest"),
        ("biped", "Bip01", "pelvis"),
        ("biped", "Bip01 HeadNub", "head"),
    ],
)
def test_what_does_not_move_by_itself_is_carried(name, joint, link):
    rigging = body_of(name).rigging
    assert rigging.links[rigging.skeleton.index(joint)] == link


def test_joints_are_those_of_the_bundled_people():
    body = Body.from_skeleton(skeletons.asf())
    other = Body.named("human42")
    shared = {j.name for j in body.joints} & {j.name for j in other.joints}
    assert shared >= {"left_hip", "right_knee", "left_ankle", "spine", "chest", "neck", "left_shoulder", "right_elbow"}
    assert set(body.torque_limits) == {"human", "athlete"}
    hip = list(body.index("left_hip"))
    np.testing.assert_allclose(body.torque_limit[hip], 400 * body.mass / 70 * np.sqrt(body.mass / 23) / 1.75)


@pytest.mark.parametrize("cuts", [(0.0, 1.0), (0.0, 0.3, 1.0), (0.0, 0.1, 0.5, 0.62, 1.0)])
def test_slices_of_the_trunk_make_up_the_trunk(cuts):
    """However it is cut: the same mass, centre and inertia about the vertical; nearly the same about the others."""
    p = tables.Proportions(1.75, 70.0)
    parts = [_trunk_slice(p, a * p.trunk, b * p.trunk) for a, b in pairwise(cuts)]
    mass, (_, _, centre), inertia = tables.combined_segments(*((m, (0.0, 0.0, z), i) for m, z, i in parts))
    rows = (tables.LOWER_TRUNK, tables.MIDDLE_TRUNK, tables.UPPER_TRUNK)
    lengths = [p.trunk * split for split in p.trunk_split]
    upright = sum(
        tables.upright_segment_inertia(row, p.segment_mass(row), length)[2]
        for row, length in zip(rows, lengths, strict=True)
    )
    whole = _trunk_slice(p, 0.0, p.trunk)
    assert mass == pytest.approx(sum(p.segment_mass(row) for row in rows))
    assert inertia[2] == pytest.approx(upright)
    assert centre == pytest.approx(whole[1])
    np.testing.assert_allclose(inertia, whole[2], rtol=1e-9)


def test_capsules_of_creatures_weigh_what_mujoco_finds():
    """The inertia of bones at any angle, against the one MuJoCo derives from the same shapes."""
    body = Body.from_skeleton(skeletons.snake())
    told = body.mjcf.replace('inertiafromgeom="false"', 'inertiafromgeom="true"').replace('mass="0"', 'density="1000"')
    model = mujoco.MjModel.from_xml_string(told)
    np.testing.assert_allclose(body.model.body_mass, model.body_mass, rtol=1e-9)
    for k in range(1, model.nbody):
        ours, theirs = (_tensor(m.body_iquat[k], m.body_inertia[k]) for m in (body.model, model))
        np.testing.assert_allclose(ours, theirs, atol=1e-9 * np.max(theirs))


def _tensor(quat, moments):
    axes = quat_rotate(quat, np.eye(3)).T
    return axes @ np.diag(moments) @ axes.T


def test_feet_of_creatures():
    assert [foot.link for foot in Body.from_skeleton(skeletons.dog()).feet] == [
        "LeftFoot", "RightFoot", "LeftHand", "RightHand",
    ]  # fmt: skip
    assert [foot.link for foot in Body.from_skeleton(skeletons.lamp()).feet] == ["base"]
    assert Body.from_skeleton(skeletons.snake()).feet == ()


def test_end_sites_without_length_are_no_bones():
    dog = skeletons.dog()
    blunt = replace(dog, ends=tuple(End(end.joint, readonly(np.zeros(3))) for end in dog.ends))
    body = Body.from_skeleton(blunt)
    assert_sound(body)
    assert "Head" not in body.links  # it has no bone left, and ends the neck


def test_legs_may_branch_from_a_point():
    feet = [(f"leg{k}", (np.cos(k), np.sin(k), -0.5)) for k in range(5)]
    rows = [("hub", None, (0.0, 0.0, 0.0)), *((name, "hub", (0.0, 0.0, 0.0)) for name, _ in feet)]
    body = Body.from_skeleton(skeletons.tree(rows, feet))
    assert set(body.links) == {"hub", *(name for name, _ in feet)}
    assert np.all(body.model.body_mass[1:] > 0)


def test_a_mark_on_the_ground_is_no_part_of_a_creature():
    dog = skeletons.dog()
    channels = (ROOT_CHANNELS, ROOT_CHANNELS, *[JOINT_CHANNELS] * (dog.count - 1))
    offsets = np.concatenate([[[0.0, 0.0, 0.0], [2.0, 0.0, 0.5]], dog.offsets[1:]])
    parents, ends = (-1, *(p + 1 for p in dog.parents)), tuple(End(e.joint + 1, e.offset) for e in dog.ends)
    names = ("Reference", *dog.names)
    marked = Skeleton(names, parents, readonly(offsets), ends, Convention(channels=channels))
    plain, body = Body.from_skeleton(dog), Body.from_skeleton(marked)
    assert body.links == plain.links
    np.testing.assert_allclose(body.model.body_mass, plain.model.body_mass)
    assert body.rigging.links[0] == "Hips"


@pytest.mark.parametrize(
    ("skeleton", "settings", "message"),
    [
        (skeletons.snake(1), {}, "nothing in it can move"),
        (replace(skeletons.snake(), offsets=1e-3 * skeletons.snake().offsets, ends=()), {}, "is its unit right"),
        (skeletons.snake(), {"mass": -1.0}, "cannot weigh -1.0 kg"),
        (skeletons.snake(), {"mass": float("nan")}, "cannot weigh nan kg"),
    ],
)
def test_impossible_bodies_are_refused(skeleton, settings, message):
    with pytest.raises(PoiseError, match=message):
        Body.from_skeleton(skeleton, **settings)


def test_a_wrong_unit_is_told():
    person = skeletons.amass()
    with pytest.raises(PoiseError, match=r"m tall.*unit"):
        Body.from_skeleton(replace(person, offsets=readonly(100 * person.offsets)))


@pytest.mark.parametrize("name", ["cmu", "topology", "dog", "lamp", "snake"])
def test_they_stand_and_fall_physically(name):
    body = body_of(name)
    stood = poise.perform(
        poise.World(poise.Scene.of(body)), poise.named_controller("hold"), poise.named_motion("stand", body), seconds=1
    ).recording
    assert audit(stood).passed
    assert abs(stood.qpos[-1, 2] - body.standing[2]) < 0.02
    fallen = poise.perform(
        poise.World(poise.Scene.of(body)), poise.named_controller("limp"), poise.named_motion("fall", body), seconds=3
    ).recording
    assert audit(fallen).passed
    assert np.max(np.abs(fallen.qvel[-1, :6])) < 0.5


@pytest.mark.skipif(not MOCAP.exists(), reason="no mocap data here")
def test_every_skeleton_of_the_mocap_folder():
    from poise.motion.bvh import read_bvh
    from poise.motion.clip import convert_clip
    from poise.motion.skeleton import Y_UP

    subjects = {path.name.split("_")[0]: path for path in sorted(MOCAP.glob("*.bvh"))}
    assert len(subjects) > 20
    for path in subjects.values():
        body = Body.from_skeleton(convert_clip(read_bvh(path), CMU_UNIT, Y_UP).skeleton, mass=70.0, symmetric=True)
        assert body.mass == pytest.approx(70.0)
        assert_sound(body)


def test_what_does_not_stand_is_told():
    person = skeletons.amass()
    turned = {"upside down": ([1.0, -1.0, -1.0], "shoulders are not above"), "backwards": ([-1.0, -1.0, 1.0], "face")}
    for signs, message in turned.values():
        with pytest.raises(PoiseError, match=message):
            Body.from_skeleton(replace(person, offsets=readonly(np.array(signs) * person.offsets)))


def test_a_thigh_without_length_is_named():
    person = skeletons.amass()
    offsets = np.array(person.offsets)
    offsets[[person.index("left_knee"), person.index("right_knee")]] = 0
    with pytest.raises(PoiseError, match="'left_hip' and 'left_knee' coincide"):
        Body.from_skeleton(replace(person, offsets=readonly(offsets)))


def test_neck_joints_in_one_place_are_one():
    person = skeletons.asf()
    offsets = np.array(person.offsets)
    offsets[person.index("upperneck")] = 0
    body = Body.from_skeleton(replace(person, offsets=readonly(offsets)))
    assert {"neck_1", "head"} <= set(body.links)
    assert "neck_2" not in body.links
    assert body.rigging.links[person.index("lowerneck")] == "chest"


def unequal(longer):
    """A person whose right shank is longer by `longer` (m), with soles of different height."""
    whole = skeletons.mixamo()
    offsets = np.array(whole.offsets)
    foot = next(k for k, name in enumerate(whole.names) if name.endswith("RightFoot"))
    offsets[foot] *= 1 + longer / np.linalg.norm(offsets[foot])
    return replace(whole, offsets=readonly(offsets), soles=readonly([[0.08, 0.03], [0.075, 0.025]]))


def test_legs_have_their_own_length_and_both_feet_stand():
    body = Body.from_skeleton(unequal(0.012))
    data = posed(body, body.model.qpos0)
    left, right = (
        np.linalg.norm(data.body(f"{s}_shank").xpos - data.body(f"{s}_foot").xpos) for s in ("left", "right")
    )
    assert right - left == pytest.approx(0.012, abs=1e-9)
    standing = posed(body, body.standing)
    for foot, (ankle, ball) in zip(body.feet, ((0.08, 0.03), (0.075, 0.025)), strict=True):
        link, toes = standing.body(foot.link), standing.body(foot.link.replace("foot", "toes"))
        np.testing.assert_allclose((link.xpos + foot.points @ link.xmat.reshape(3, 3).T)[:, 2], 0, atol=1e-4)
        assert (link.xpos[2], toes.xpos[2]) == pytest.approx((ankle, ball), abs=1e-4)
    assert body.symmetry is not None
    assert_sound(Body.from_skeleton(unequal(0.012), symmetric=True))
