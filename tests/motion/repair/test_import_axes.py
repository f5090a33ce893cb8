"""Unit and axes: the same figure comes back whatever its file called metres, up and forward."""

import numpy as np
import pytest
from figures import TURNS, filed, nameless, reframed, seated, standing, stroll
from hypothesis import given, settings, strategies as st

from poise.errors import PoiseError
from poise.motion.clip import clip_from, clip_in_file_units
from poise.motion.files import RawMotion
from poise.motion.repair.finding import UNITS, ImportSettings
from poise.motion.repair.importer import repair_motion
from poise.motion.repair.unit_and_axes import likely_file_unit, poise_axes
from poise.motion.repair.upright import figure_stance, skeleton_zero_pose_positions
from poise.motion.roles import find_roles
from poise.motion.skeleton import skeleton_kinematics
from poise.rotations import quat_from_axis_angle, quat_multiply
from skeletons import CREATURES, PEOPLE


@settings(max_examples=60)
@given(st.sampled_from(sorted(PEOPLE)), st.sampled_from(range(24)), st.sampled_from(["m", "cm", "mm", "inch", "cmu"]))
def test_any_unit_and_axes_come_back(family, turn, unit):
    clip = stroll(family)
    back = repair_motion(filed(clip, UNITS[unit], TURNS[turn]), ImportSettings(floor=0.0, rate=60.0)).clip
    assert back.skeleton.convention.unit == pytest.approx(UNITS[unit])
    np.testing.assert_allclose(back.skeleton.convention.axes, TURNS[turn], atol=1e-12)
    np.testing.assert_allclose(back.places.position, clip.places.position, atol=1e-9)


@pytest.mark.parametrize("family", sorted(PEOPLE))
def test_the_upright_pose_stands_and_faces_forward(family):
    clip = repair_motion(filed(stroll(family), 0.01, TURNS[7])).clip
    skeleton, roles = clip.skeleton, find_roles(clip.skeleton)
    pose = standing(skeleton, 1)
    seen = figure_stance(skeleton_kinematics(skeleton, np.zeros((1, 3)), pose).position, roles)
    assert seen.stands[0]
    np.testing.assert_allclose(seen.up[0], [0, 0, 1], atol=0.1)
    np.testing.assert_allclose(seen.forward[0], [1, 0, 0], atol=0.1)
    assert (skeleton.upright is None) == bool(figure_stance(skeleton_zero_pose_positions(skeleton), roles).stands[0])


def test_a_meaningless_zero_pose_gets_straight_limbs():
    clip = repair_motion(filed(stroll("lafan1"), 0.01, TURNS[3])).clip
    roles = find_roles(clip.skeleton)
    where = skeleton_kinematics(clip.skeleton, np.zeros((1, 3)), clip.skeleton.upright[None]).position[0]
    for side in ("left", "right"):
        for upper, lower in (("thigh", "shank"), ("shank", "foot"), ("upper_arm", "forearm"), ("forearm", "hand")):
            bone = where[roles.joints[f"{side}_{lower}"]] - where[roles.joints[f"{side}_{upper}"]]
            np.testing.assert_allclose(bone / np.linalg.norm(bone), [0, 0, -1], atol=1e-9)


PLAIN = ImportSettings(floor=0.0, rate=60.0)
USUAL = [
    poise_axes("+y", "+z"),
    poise_axes("+y", "-x"),
    poise_axes("+z", "+x"),
    poise_axes("+z", "-y"),
]


@settings(max_examples=40)
@given(st.sampled_from(sorted(PEOPLE)), st.integers(0, 99), st.sampled_from(range(4)), st.booleans())
def test_frames_turned_at_random_make_no_difference(family, seed, axes, named):
    """Nor does the lack of names beside it: the motion tells who is who and what is left."""
    clip = stroll(family)
    heap = reframed(clip if named else nameless(clip), seed)
    back = repair_motion(filed(heap, 0.01, USUAL[axes]), PLAIN).clip
    np.testing.assert_allclose(back.places.position, clip.places.position, atol=1e-9)
    roles = find_roles(back.skeleton)
    joints, where = find_roles(clip.skeleton).joints, clip.places.position[0]
    assert set(roles.joints) == set(joints)
    for role in joints:  # which of several joints in one place, only names can tell
        np.testing.assert_allclose(where[roles.joints[role]], where[joints[role]], atol=1e-9)
    seen = figure_stance(
        skeleton_kinematics(back.skeleton, np.zeros((1, 3)), standing(back.skeleton, 1)).position, roles
    )
    np.testing.assert_allclose(seen.forward[0], [1, 0, 0], atol=0.1)


@pytest.mark.parametrize("axes", range(4))
def test_whoever_only_sits_is_upright_all_the_same(axes):
    clip = seated(stroll())
    back = repair_motion(filed(reframed(clip, 3), 0.01, USUAL[axes]), PLAIN).clip
    np.testing.assert_allclose(back.places.position, clip.places.position, atol=1e-9)
    roles = find_roles(back.skeleton)
    seen = figure_stance(
        skeleton_kinematics(back.skeleton, np.zeros((1, 3)), standing(back.skeleton, 1)).position, roles
    )
    assert seen.stands[0]
    np.testing.assert_allclose(seen.up[0], [0, 0, 1], atol=0.1)


def test_a_sleeper_does_not_make_up_of_where_its_head_is():
    clip = stroll(drift=0.0)
    rotation = np.array(clip.rotation)
    rotation[:, 0] = quat_multiply(quat_from_axis_angle([0.0, 1.0, 0.0], np.array(-np.pi / 2)), rotation[:, 0])
    lying = clip_from("sleep", clip.skeleton, 60.0, clip.position, rotation)
    found = repair_motion(filed(reframed(lying, 5), 0.01, poise_axes("+y", "+z")), PLAIN)
    assert found.finding("up").value == "+y"
    assert found.finding("up").confidence < 0.5


def test_feet_are_flat_in_the_upright_pose_although_the_straightest_frame_has_one_raised():
    clip = stroll("amass")
    foot = find_roles(clip.skeleton).joints["left_foot"]
    rotation = np.array(clip.rotation)
    tip_toe = quat_from_axis_angle([0.0, 1.0, 0.0], np.array(1.0))
    rotation[50:, foot] = tip_toe
    rotation[:50, [clip.skeleton.index(f"{side}_shoulder") for side in ("left", "right")]] = quat_from_axis_angle(
        [0.0, 1.0, 0.0], np.array(0.4)
    )
    position = np.array(clip.position)
    position[50:, 2] += 0.05
    raised = clip_from("tip toe", clip.skeleton, 60.0, position, rotation)
    skeleton = repair_motion(filed(reframed(raised, 8), 0.01, poise_axes("+y", "+z")), PLAIN).clip.skeleton
    places = skeleton_kinematics(skeleton, np.zeros((1, 3)), skeleton.upright[None]).position[0]
    flat = clip.skeleton.offsets[clip.skeleton.index("left_foot")]
    ankle, ball = (places[skeleton.index(f"left_{name}")] for name in ("ankle", "foot"))
    np.testing.assert_allclose(ball - ankle, flat, atol=0.02)


def test_a_zero_pose_in_its_own_axes_yields_to_a_walk():
    """The root's rotation, not the rest pose, makes this figure upright in its world: z is up though y is at rest."""
    clip = stroll(drift=4.0)
    at_rest = filed(clip, 1.0, poise_axes("+y", "+z")).clip.skeleton
    rotation = np.tile([1.0, 0.0, 0.0, 0.0], (clip.frames, at_rest.count, 1))
    rotation[:, 0] = quat_from_axis_angle([1.0, 0.0, 0.0], np.pi / 2)
    walk = clip_from("walk", at_rest, 60.0, clip.position, rotation)
    found = repair_motion(RawMotion(walk, None, None, "bvh"))
    assert found.finding("up").value == "+z"
    assert "motion" in found.finding("up").found
    assert found.clip.skeleton.upright is not None


def test_overrides_win_and_are_reported():
    raw = filed(stroll(), 0.01, poise_axes("+y", "+z"))
    found = repair_motion(raw, ImportSettings(unit="inch", up="+z", facing="-y"))
    assert found.clip.skeleton.convention.unit == 0.0254
    np.testing.assert_array_equal(found.clip.skeleton.convention.axes, poise_axes("+z", "-y"))
    assert all("as asked" in found.finding(name).done for name in ("unit", "up", "facing"))


def test_what_comes_in_goes_out_in_the_files_numbers():
    raw = filed(stroll("cmu"), UNITS["cmu"], poise_axes("+y", "+z"))
    back = clip_in_file_units(repair_motion(raw, ImportSettings(floor=0.0)).clip)
    np.testing.assert_allclose(back.position, raw.clip.position, atol=1e-9)
    np.testing.assert_allclose(back.rotation, raw.clip.rotation, atol=1e-12)


@pytest.mark.parametrize("leg", [0.62, 0.75, 0.85, 0.98])
@pytest.mark.parametrize("unit", sorted(UNITS))
def test_people_of_all_sizes_have_a_unit(leg, unit):
    likely, confidence = likely_file_unit(leg / UNITS[unit], person=True)
    assert likely == unit
    assert confidence > 0.5


def test_a_giant_is_doubted():
    assert likely_file_unit(0.19, person=True)[1] < 0.3


@pytest.mark.parametrize("creature", sorted(CREATURES))
def test_creatures_import_with_doubt(creature):
    skeleton = CREATURES[creature]()
    rotation = np.tile([1.0, 0, 0, 0], (40, skeleton.count, 1))
    clip = clip_from(creature, skeleton, 30.0, np.zeros((40, 3)), rotation)
    found = repair_motion(filed(clip, 0.01, poise_axes("+y", "+z")))
    assert found.finding("unit").value == 0.01
    assert found.finding("up").confidence == 0.5


@pytest.mark.parametrize(
    "bad",
    [{"unit": "furlong"}, {"unit": -1.0}, {"up": "y"}, {"up": "+y", "facing": "-y"}, {"tpose": "eat"}, {"rate": 0.0},
     {"leading": -1}],
)  # fmt: skip
def test_senseless_settings_are_refused(bad):
    with pytest.raises(PoiseError):
        ImportSettings(**bad)
