"""Who is who in a skeleton: by names of many tools, by shape where names say nothing, in any unit and axes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import skeletons
from poise.arrays import readonly
from poise.motion.roles import find_roles, joint_sides_and_stems
from poise.motion.skeleton import Skeleton
from poise.rotations import quat_exp, quat_rotate

MOCAP = Path(__file__).resolve().parents[2] / "../shared/mocap/bvh"
EXPECTED = {
    "cmu": "Hips Spine1 Head LeftArm LeftForeArm LeftHand LeftUpLeg LeftLeg LeftFoot LeftToeBase",
    "mixamo": " ".join(
        f"mixamorig:{n}"
        for n in [
            "Hips",
            "Spine2",
            "Head",
            "LeftArm",
            "LeftForeArm",
            "LeftHand",
            "LeftUpLeg",
            "LeftLeg",
            "LeftFoot",
            "LeftToeBase",
        ]
    ),
    "lafan1": "Hips Spine2 Head LeftArm LeftForeArm LeftHand LeftUpLeg LeftLeg LeftFoot LeftToe",
    "rokoko": "Hips Spine3 Head LeftArm LeftForeArm LeftHand LeftThigh LeftShin LeftFoot LeftToe",
    "xsens": "Pelvis T8 Head LeftUpperArm LeftForeArm LeftHand LeftUpperLeg LeftLowerLeg LeftFoot LeftToe",
    "amass": "pelvis spine3 head left_shoulder left_elbow left_wrist left_hip left_knee left_ankle left_foot",
    "asf": "root thorax head lhumerus lradius lwrist lfemur ltibia lfoot ltoes",
    "unreal": "pelvis spine_03 head upperarm_l lowerarm_l hand_l thigh_l calf_l foot_l ball_l",
    "topology": "a j k o p q f g h i",
}
ROLES = ("pelvis", "chest", "head", "left_upper_arm", "left_forearm", "left_hand", "left_thigh", "left_shank",
         "left_foot", "left_toes")  # fmt: skip


def in_other_axes(skeleton: Skeleton, turn, unit) -> Skeleton:
    ends = tuple(replace(end, offset=readonly(unit * quat_rotate(turn, end.offset))) for end in skeleton.ends)
    return replace(skeleton, offsets=readonly(unit * quat_rotate(turn, skeleton.offsets)), ends=ends)


def nameless(skeleton: Skeleton) -> Skeleton:
    return replace(skeleton, names=tuple(f"joint{k}" for k in range(skeleton.count)))


@pytest.mark.parametrize("family", EXPECTED)
def test_families(family):
    skeleton = skeletons.PEOPLE[family]()
    roles = find_roles(skeleton)
    assert roles.family == family
    assert [skeleton.names[roles.joints[role]] for role in ROLES] == EXPECTED[family].split()


@pytest.mark.parametrize("family", skeletons.PEOPLE)
def test_left_and_right_are_told_apart(family):
    skeleton = skeletons.PEOPLE[family]()
    roles = find_roles(skeleton)
    for role in [r for r in roles.joints if r.startswith("left")]:
        other = role.replace("left", "right")
        assert roles.joints[other] != roles.joints[role]
    sides = {
        side
        for side, _ in (joint_sides_and_stems(skeleton.names)[roles.joints[r]] for r in roles.joints if "left" in r)
    }
    assert sides <= {"left", ""}


def test_biped_arms_on_the_neck_make_it_the_chest():
    skeleton = skeletons.biped()
    roles = find_roles(skeleton)
    assert [skeleton.names[j] for j in roles.spine] == ["Bip01 Spine", "Bip01 Spine1", "Bip01 Neck"]
    assert [skeleton.names[j] for j in roles.neck] == ["Bip01 Head"]
    assert skeleton.names[roles.joints["pelvis"]] == "Bip01 Pelvis"


def test_spine_and_neck_hold_zero_length_helpers():
    skeleton = skeletons.cmu()
    roles = find_roles(skeleton)
    assert [skeleton.names[j] for j in roles.spine] == ["LowerBack", "Spine", "Spine1"]
    assert [skeleton.names[j] for j in roles.neck] == ["Neck", "Neck1", "Head"]


@pytest.mark.parametrize("family", ["mixamo", "rokoko", "asf", "amass"])
def test_without_names_the_tree_tells_the_same(family):
    """Fingers, thumbs and twist joints do not lead astray."""
    skeleton = skeletons.PEOPLE[family]()
    named, bare = find_roles(skeleton), find_roles(nameless(skeleton))
    assert bare.family == "topology"
    assert dict(bare.joints) == dict(named.joints)
    assert (bare.spine, bare.neck) == (named.spine, named.neck)


def test_collarbones_may_be_longer_than_forearms():
    """Those of the CMU database begin in one place."""
    skeleton = skeletons.cmu()
    offsets = np.array(skeleton.offsets)
    offsets[[skeleton.index(f"{side}Arm") for side in ("Left", "Right")]] *= 1.3
    bare = nameless(replace(skeleton, offsets=readonly(offsets)))
    named = {role: joint for role, joint in find_roles(skeleton).joints.items() if "arm" in role}
    assert {role: joint for role, joint in find_roles(bare).joints.items() if "arm" in role} == named


def test_a_root_far_away_does_not_dwarf_the_limbs():
    near = nameless(skeletons.amass())
    offsets = np.concatenate([[[0.0, 0.0, 0.0], [12.0, 5.0, 1.0]], near.offsets[1:]])
    ends = tuple(replace(end, joint=end.joint + 1) for end in near.ends)
    far = replace(near, names=("mark", *near.names), parents=(-1, *(p + 1 for p in near.parents)),
                  offsets=readonly(offsets), ends=ends)  # fmt: skip
    assert {role: joint - 1 for role, joint in find_roles(far).joints.items()} == dict(find_roles(near).joints)


@settings(max_examples=25, deadline=None)
@given(
    turn=st.tuples(*[st.floats(-3, 3)] * 3),
    unit=st.sampled_from([0.0254, 1.0, 17.7, 100.0, 1000.0]),
    family=st.sampled_from(sorted(skeletons.PEOPLE)),
)
def test_units_and_axes_do_not_matter(turn, unit, family):
    skeleton = skeletons.PEOPLE[family]()
    there = in_other_axes(skeleton, quat_exp(np.array(turn)), unit)
    if skeleton.upright is not None:
        there = replace(there, upright=None)  # nothing but a heap of bones: names must do
    assert dict(find_roles(there).joints) == dict(find_roles(skeleton).joints)
    if skeleton.upright is None:
        assert dict(find_roles(nameless(there)).joints) == dict(find_roles(nameless(skeleton)).joints)


@pytest.mark.parametrize("creature", skeletons.CREATURES)
def test_creatures_are_no_people(creature):
    skeleton = skeletons.CREATURES[creature]()
    assert find_roles(skeleton) is None
    assert find_roles(nameless(skeleton)) is None


def test_a_dog_with_a_heap_of_bones_for_zero_pose_is_known_by_its_tail():
    heap = replace(skeletons.along_x(skeletons.dog()), upright=None)
    assert find_roles(heap) is None


@pytest.mark.parametrize(
    ("name", "side", "stem"),
    [
        ("mixamorig:LeftUpLeg", "left", "upleg"),
        ("Bip001 R Thigh", "right", "bip001thigh"),
        ("LHipJoint", "left", "hipjoint"),
        ("thigh.R", "right", "thigh"),
        ("rtibia", "right", "tibia"),
        ("lowerback", "", "lowerback"),
        ("radius_lower", "", "radiuslower"),
        ("l", "", "l"),
    ],
)
def test_spelling(name, side, stem):
    assert joint_sides_and_stems([name, "something_else_entirely"])[0] == (side, stem)


def test_decoration_is_left_out():
    names = ["Character1_Hips", "Character1_LeftLeg", "Character1_RightLeg", "Character1_Spine"]
    assert joint_sides_and_stems(names)[1] == ("left", "leg")


@pytest.mark.skipif(not MOCAP.exists(), reason="no mocap data here")
def test_every_cmu_file_is_cmu():
    bvh = pytest.importorskip("poise.motion.bvh")
    for path in sorted(MOCAP.glob("*.bvh"))[::8]:
        assert find_roles(bvh.read_bvh(path).skeleton).family == "cmu"


def renamed(skeleton, pattern, **words):
    """The skeleton with "left_hip" and the like spelled by a pattern of {side} and {part}."""
    names = []
    for name in skeleton.names:
        side, _, part = name.partition("_")
        part = words.get(part or name, part or name)
        spelling = {"Side": side.title(), "s": side[0], "S": side[0].upper(), "part": part, "Part": part.title()}
        names.append(pattern.format(**spelling) if side in ("left", "right") else words.get(name, name))
    return replace(skeleton, names=tuple(names))


@pytest.mark.parametrize(
    ("family", "pattern", "words"),
    [
        ("xsens", "{Side}{Part}", {"foot": "Toe", "spine3": "Chest4"}),
        ("classic", "{Side}{Part}", {"foot": "Toe", "spine3": "Chest"}),
        ("amass", "{S}_{Part}", {}),
        ("rigify", "{part}.{S}", {"hip": "thigh", "knee": "shin", "ankle": "foot", "foot": "toe",
                                  "shoulder": "upper_arm", "elbow": "forearm", "wrist": "hand",
                                  "collar": "shoulder"}),
        ("biped", "Bip001_{S}_{Part}", {"hip": "thigh", "knee": "calf", "ankle": "foot", "foot": "toe0",
                                        "shoulder": "upperarm", "elbow": "forearm", "wrist": "hand",
                                        "collar": "clavicle"}),
        ("poser", "{s}{Part}", {"hip": "thigh", "knee": "shin", "ankle": "foot", "foot": "toe", "shoulder": "shldr",
                                "elbow": "foreArm", "wrist": "hand"}),
        ("soma", "{Side}{Part}", {"hip": "Leg", "knee": "Shin", "ankle": "Foot", "foot": "ToeBase",
                                  "shoulder": "Arm", "elbow": "ForeArm", "wrist": "Hand", "collar": "Shoulder"}),
    ],
)  # fmt: skip
def test_other_spellings(family, pattern, words):
    skeleton = skeletons.amass()
    roles = find_roles(renamed(skeleton, pattern, **words))
    assert roles.family == family
    assert dict(roles.joints) == dict(find_roles(skeleton).joints)


def test_a_sword_in_one_hand_does_not_confuse():
    bare = nameless(skeletons.amass())
    hand = skeletons.amass().index("right_wrist")
    assert hand == bare.count - 1
    sword = replace(bare, names=(*bare.names, "thing"), parents=(*bare.parents, hand),
                    offsets=readonly(np.vstack([bare.offsets, [[0.0, -0.9, 0.0]]])))  # fmt: skip
    assert dict(find_roles(sword).joints) == dict(find_roles(bare).joints)
