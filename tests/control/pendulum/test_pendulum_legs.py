"""Leg kinematics in closed form, against MuJoCo's."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import skeletons
from bodies import NAMES, body_of
from poise import PoiseError
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.control.pendulum.leg_ik import (
    BENT,
    HARD_MARGIN,
    MAX_TILT,
    SOFT_MARGIN,
    STRAIGHT,
    bend_leg_to_ankle,
    foot_with_heel_lifted,
    heel_lift_angle,
    set_stance_leg,
    soft_leg_reach,
    sole_depth,
)
from poise.control.pendulum.legs import LIMIT_MARGIN, walker_feet, walker_legs
from poise.rotations import quat_exp, quat_to_matrix

WALKERS = ("biped29", "human37", "human42", "human58", "baby", "cmu", "topology")
HINGED, BALLED = "human37", "human58"  # ankles of two hinges, of a ball
sides = st.sampled_from((0, 1))
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25)


def placed(body, qpos):
    data = mujoco.MjData(body.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(body.model, data)
    return data


def leg_of(body, data, side):
    """Hip, ankle, rotation of the foot and direction of the knee's axis, from MuJoCo."""
    foot = body.link_id(walker_feet(body)[side].link)
    shank = int(body.model.body_parentid[foot])
    thigh = int(body.model.body_parentid[shank])
    axis = data.xmat[shank].reshape(3, 3) @ walker_legs(body).axis[side]
    return np.array(data.xpos[thigh]), np.array(data.xpos[foot]), np.array(data.xmat[foot].reshape(3, 3)), axis


def somewhere(body, rng):
    """A pose with an arbitrary position and rotation of the root."""
    qpos = np.array(body.standing)
    qpos[:3] += rng.uniform(-1, 1, 3)
    qpos[3:7] = quat_exp(rng.uniform(-1, 1, 3))
    return qpos


def set_joint(qpos, place, hinges, angles):
    if hinges == 0:
        qpos[place : place + 4] = quat_exp(angles)
    else:
        qpos[place : place + hinges] = angles[:hinges]


def kicked(body, legs, side, rng):
    """A pose with a leg bent arbitrarily within its limits, neither fully stretched nor fully folded."""
    qpos = somewhere(body, rng)
    hip, knee, ankle, _ = legs.places[side]
    lower, upper = legs.lower[side], legs.upper[side]
    for place, hinges, low, high in zip((hip, ankle), legs.hinges[side], lower, upper, strict=True):
        set_joint(qpos, place, hinges, rng.uniform(low, high))
    qpos[knee] = rng.uniform(0.75, 2.2)
    return qpos


def rebent(body, seed, side):
    """Straighten a bent leg and solve for its former foot: it must bend as before."""
    legs = walker_legs(body)
    wanted = kicked(body, legs, side, np.random.default_rng(seed))
    _, ankle, foot, axis = leg_of(body, placed(body, wanted), side)
    qpos = np.array(wanted)
    hip_place, knee, ankle_place, _ = legs.places[side]
    for place, hinges in ((hip_place, legs.hinges[side, 0]), (ankle_place, legs.hinges[side, 1])):
        set_joint(qpos, place, hinges, np.zeros(3))
    qpos[knee] = 0.0
    bend_leg_to_ankle(qpos, legs, side, ankle, foot, axis, BENT)
    _, there, turn, across = leg_of(body, placed(body, qpos), side)
    np.testing.assert_allclose(there, ankle, atol=1e-9)
    np.testing.assert_allclose(turn, foot, atol=1e-8)
    np.testing.assert_allclose(across, axis, atol=1e-8)


@pytest.mark.parametrize("name", WALKERS)
@few
@given(seed=seeds, side=sides)
def test_a_leg_that_is_told_where_it_was_bends_as_it_did(name, seed, side):
    rebent(body_of(name), seed, side)


@pytest.mark.parametrize("name", [HINGED, BALLED])
@few
@given(seed=seeds, side=sides)
def test_whatever_is_asked_for_hips_and_ankles_keep_their_limits(name, seed, side):
    body = body_of(name)
    legs, rng = walker_legs(body), np.random.default_rng(seed)
    qpos = somewhere(body, rng)
    foot, across = (quat_to_matrix(quat_exp(rng.uniform(-2, 2, 3))) for _ in range(2))
    bend_leg_to_ankle(qpos, legs, side, qpos[:3] + rng.uniform(-1, 1, 3), foot, np.array(across[1]), BENT)
    angles = PoseSpace(body).angles(qpos[None])[0]
    foot_link = walker_feet(body)[side].link
    ankle = next(joint for joint in body.joints if joint.link == foot_link)
    knee = next(joint for joint in body.joints if joint.link == ankle.parent_link)
    hip = next(joint for joint in body.joints if joint.link == knee.parent_link)
    for joint in (hip, ankle):
        bent = angles[list(joint.dofs)]
        assert np.all(bent >= joint.lower + LIMIT_MARGIN - 1e-9)
        assert np.all(bent <= joint.upper - LIMIT_MARGIN + 1e-9)


@few
@given(seed=seeds, side=sides)
def test_what_is_out_of_reach_is_pointed_at(seed, side):
    body = body_of(BALLED)
    legs, rng = walker_legs(body), np.random.default_rng(seed)
    qpos = np.array(body.standing)
    hip, _, foot, _ = leg_of(body, placed(body, qpos), side)
    way = np.array([*rng.uniform(-0.4, 0.4, 2), -1.0])
    way /= np.linalg.norm(way)
    bend_leg_to_ankle(qpos, legs, side, hip + 2.0 * legs.length * way, foot, np.array([0.0, 1.0, 0.0]), BENT)
    _, there, _, _ = leg_of(body, placed(body, qpos), side)
    np.testing.assert_allclose((there - hip) / np.linalg.norm(there - hip), way, atol=1e-6)
    assert np.linalg.norm(there - hip) == pytest.approx(MOST * legs.length, rel=1e-6)


SOFT, MOST = 1.0 - SOFT_MARGIN * (1.0 - BENT), 1.0 - HARD_MARGIN * (1.0 - BENT)


# -- reach -----------------------------------------------------------------------------------------------------------


def test_reach_is_exact_then_soft_and_never_whole():
    length = 0.9
    distance = np.linspace(0.0, 3 * length, 2001)
    reach = np.array([soft_leg_reach(d, length, BENT) for d in distance])
    near = distance <= SOFT * length
    np.testing.assert_array_equal(reach[near], distance[near])
    assert np.all(np.diff(reach) >= 0)
    assert np.all(np.diff(reach[distance < 1.1 * length]) > 0)
    assert reach.max() <= MOST * length


def test_reach_has_no_kink():
    length, small = 0.9, 1e-6
    edge = SOFT * length
    before = (soft_leg_reach(edge, length, BENT) - soft_leg_reach(edge - small, length, BENT)) / small
    after = (soft_leg_reach(edge + small, length, BENT) - soft_leg_reach(edge, length, BENT)) / small
    assert before == pytest.approx(1.0, abs=1e-6)
    assert after == pytest.approx(1.0, abs=1e-6)


# -- feet ------------------------------------------------------------------------------------------------------------


def standing(body, rise):
    """A standing pose, the root higher by `rise` leg lengths; position of a ball, and rotation of its flat foot."""
    legs = walker_legs(body)
    qpos = np.array(body.standing)
    _, ankle, foot, _ = leg_of(body, placed(body, qpos), 0)
    qpos[2] += rise * legs.length
    return qpos, legs, ankle + foot @ legs.ball[0], foot


def test_a_foot_within_reach_stays_flat():
    qpos, legs, ball, foot = standing(body_of(BALLED), -0.1)
    assert heel_lift_angle(qpos, legs, 0, ball, foot, 0.985 * legs.length) == 0.0


@pytest.mark.parametrize("rise", [0.02, 0.04, 0.06])
@pytest.mark.parametrize("name", [HINGED, BALLED, "biped29"])
def test_a_rolled_foot_stretches_its_leg_by_what_it_may(name, rise):
    qpos, legs, ball, foot = standing(body_of(name), rise)
    reach = 0.985 * legs.length
    tilt = heel_lift_angle(qpos, legs, 0, ball, foot, reach)
    assert 0 < tilt < MAX_TILT
    hip = leg_of(body_of(name), placed(body_of(name), qpos), 0)[0]
    stretch = np.linalg.norm(ball - foot_with_heel_lifted(foot, tilt) @ legs.ball[0] - hip)
    assert stretch == pytest.approx(reach, rel=1e-12)


def test_a_foot_rolls_no_further_than_it_may():
    qpos, legs, ball, foot = standing(body_of(BALLED), 1.0)
    assert heel_lift_angle(qpos, legs, 0, ball, foot, legs.length) == pytest.approx(MAX_TILT, abs=1e-2)


@given(st.floats(-1.5, 1.5), seeds)
def test_rolling_lifts_the_heel_and_keeps_the_foots_own_axis(tilt, seed):
    foot = quat_to_matrix(quat_exp(np.random.default_rng(seed).uniform(-1, 1, 3)))
    rotated_xy = foot_with_heel_lifted(foot, tilt)
    np.testing.assert_allclose(rotated_xy @ rotated_xy.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(rotated_xy[:, 1], foot[:, 1], atol=1e-12)
    assert rotated_xy[:, 0] @ foot[:, 0] == pytest.approx(np.cos(tilt))
    heel = (rotated_xy - foot) @ np.array([-1.0, 0.0, 0.0])
    assert heel @ foot[:, 2] == pytest.approx(np.sin(tilt), abs=1e-12)


@pytest.mark.parametrize("name", [HINGED, BALLED, "biped29"])
@pytest.mark.parametrize("rise", [-0.1, 0.0])
def test_a_standing_leg_has_its_ball_where_it_is_told_and_its_toes_flat(name, rise):
    body = body_of(name)
    qpos, legs, ball, foot = standing(body, rise)
    tilt = set_stance_leg(qpos, legs, 0, ball, foot, np.array([0.0, 1.0, 0.0]), STRAIGHT, np.array([0.0, 1.0]))
    assert (tilt > 0) == (rise == 0)
    _, ankle, turn, _ = leg_of(body, placed(body, qpos), 0)
    np.testing.assert_allclose(ankle + turn @ legs.ball[0], ball, atol=2e-3)  # legs stay bent a little
    if legs.places[0, 3] >= 0:
        assert qpos[legs.places[0, 3]] == -tilt


def test_a_heel_lifts_at_least_as_far_as_wanted_and_no_further_than_it_may():
    qpos, legs, ball, foot = standing(body_of(BALLED), -0.1)  # the leg needs no lift
    across = np.array([0.0, 1.0, 0.0])
    tilts = [set_stance_leg(qpos, legs, 0, ball, foot, across, 0.94, np.array(lift)) for lift in ([0, 1], [0.3, 1])]
    assert tilts == [0.0, 0.3]
    qpos, legs, ball, foot = standing(body_of(BALLED), 0.0)  # the leg needs more than it may
    assert set_stance_leg(qpos, legs, 0, ball, foot, across, 0.94, np.array([0.0, 0.01])) == 0.01


@given(seed=seeds, side=sides)
def test_a_foot_as_high_as_its_sole_is_deep_just_touches_the_slope(seed, side):
    legs, random = walker_legs(body_of(BALLED)), np.random.default_rng(seed)
    foot = quat_to_matrix(quat_exp(random.uniform(-1, 1, 3)))
    grade = random.uniform(-0.4, 0.4, 2)
    points = legs.sole[side] @ foot.T
    depth = sole_depth(legs, side, foot, np.array([*-grade, 1.0]))
    assert depth == pytest.approx(max(-(points[:, 2] - points[:, :2] @ grade).min(), 0.0))


@pytest.mark.parametrize("name", WALKERS)
def test_a_standing_foot_is_as_high_as_its_sole_is_deep(name):
    body = body_of(name)
    legs = walker_legs(body)
    for side in (0, 1):
        assert sole_depth(legs, side, np.eye(3), np.array([0.0, 0.0, 1.0])) == pytest.approx(
            legs.ankle_height, abs=2e-3
        )


# -- suitable bodies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WALKERS)
def test_the_left_leg_is_first_and_mirrors_the_right(name):
    legs = walker_legs(body_of(name))
    assert legs.hip[0, 1] > 0 > legs.hip[1, 1]
    for values in (legs.hip, legs.thigh, legs.shank, legs.ball):
        np.testing.assert_allclose(values[0] * [1, -1, 1], values[1], atol=1e-6)


@pytest.mark.parametrize("name", ["lamp14", *skeletons.CREATURES])
def test_who_has_not_two_feet_is_refused_in_one_line(name):
    with pytest.raises(PoiseError, match=rf"^body '{name}' has \d feet: the pendulum controller needs two$"):
        walker_legs(body_of(name))


ONE_BONE = """
<mujoco model="peg"><worldbody><body name="pelvis" pos="0 0 1"><freejoint/><geom type="sphere" size=".1" mass="6"/>
{}</body></worldbody></mujoco>"""
PEG = """
<body name="{name}_foot" pos="0 {y} -.9"><joint name="{name}_ankle" axis="0 1 0" range="-60 60"/>
  <geom type="box" size=".1 .04 .02" mass=".3"/></body>"""


def test_who_has_no_knees_is_refused_in_one_line():
    pegs = "".join(PEG.format(name=name, y=y) for name, y in (("left", 0.1), ("right", -0.1)))
    with pytest.raises(PoiseError, match=r"^body 'peg': 'left_foot' must be carried by an ankle, a knee [^\n]*$"):
        walker_legs(Body.from_mjcf(ONE_BONE.format(pegs)))


LEG = """
<body name="{side}_thigh" pos="0 {y} -.1">{hip}<geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05" mass="6"/>
<body name="{side}_shank" pos="0 0 -.4">{knee}<geom type="capsule" fromto="0 0 0 0 0 -.35" size=".04" mass="3"/>
<body name="{side}_foot" pos="0 0 -.38">{ankle}<geom type="box" pos=".05 0 -.04" size=".1 .04 .02" mass="1"/>{toes}
</body></body></body>"""
TOES = """<body name="{side}_toes" pos=".15 0 -.04"><joint name="{side}_toe" axis="0 1 0" range="-60 30"/>
<geom type="sphere" size=".02" mass=".1"/></body>"""
HINGE = '<joint name="{{side}}_{}" axis="{}" range="{}"/>'
PARTS = {
    "hip": "".join(
        HINGE.format(f"hip_{name}", axis, "-80 80") for name, axis in (("x", "1 0 0"), ("z", "0 0 1"), ("y", "0 1 0"))
    ),
    "knee": HINGE.format("knee", "0 1 0", "-2 150"),
    "ankle": HINGE.format("ankle_y", "0 1 0", "-45 45") + HINGE.format("ankle_x", "1 0 0", "-30 30"),
    "toes": TOES,
}


def robot(above="", **changed):
    """A body of MJCF whose hips have three hinges in left-handed order; `above` is a joint under the root."""
    parts = {**PARTS, **changed}
    legs = "".join(
        LEG.format(side=side, y=y, **{name: part.format(side=side) for name, part in parts.items()})
        for side, y in (("left", 0.1), ("right", -0.1))
    )
    if above:
        legs = f'<body name="waist">{above}<geom type="sphere" size=".05" mass="1"/>{legs}</body>'
    return Body.from_mjcf(
        f"""<mujoco model="robot"><worldbody><body name="pelvis" pos="0 0 1"><freejoint name="root"/>
        <geom type="sphere" size=".1" mass="20"/>{legs}</body></worldbody></mujoco>"""
    )


ROBOT = robot()


@few
@given(seed=seeds, side=sides)
def test_three_hinges_bend_as_a_ball_does_whatever_their_order(seed, side):
    """Also left-handed ones, as here."""
    assert np.linalg.det(ROBOT.joint("left_hip").axes) == pytest.approx(-1.0)
    rebent(ROBOT, seed, side)


SQUINT = HINGE.format("hip_x", "1 0 0", "-60 60") + HINGE.format("hip_y", "1 1 0", "-60 60")
TWISTED = HINGE.format("hip_x", "1 0 0", "-60 60") + HINGE.format("hip_y", "0 1 0", "-60 60")


@pytest.mark.parametrize(
    ("changed", "joint", "why"),
    [
        ({"above": '<joint name="waist" axis="0 0 1" range="-60 60"/>'}, "waist", "is above 'left_hip'"),
        ({"hip": SQUINT}, "left_hip", "perpendicular to each other"),
        ({"hip": TWISTED + HINGE.format("hip_z", "0 1 1", "-60 60")}, "left_hip", "perpendicular to each other"),
        ({"hip": TWISTED + HINGE.format("hip_z", "0 0 1", "-2 2")}, "left_hip", "range of at least 0.1 rad"),
        ({"ankle": HINGE.format("ankle", "0 1 0", "-2 2")}, "left_ankle", "range of at least 0.1 rad"),
        ({"knee": HINGE.format("knee", "0 1 0", "-150 2")}, "left_knee", "about its y axis, from 0.3 to 1.5 rad"),
        ({"knee": HINGE.format("knee", "0 -1 0", "-2 150")}, "left_knee", "about its y axis"),
        ({"knee": HINGE.format("knee", "0 1 0", "40 150")}, "left_knee", "from 0.3 to 1.5 rad"),
        ({"knee": HINGE.format("knee", "1 0 0", "-2 150")}, "left_knee", "about its y axis"),
        ({"knee": HINGE.format("knee", "0 1 .2", "-2 150")}, "left_knee", "axis perpendicular to the thigh"),
        ({"knee": PARTS["knee"].replace("/>", ' pos="0 0 .02"/>')}, "left_knee", "origin of its link"),
        ({"toes": TOES.replace("0 1 0", "1 0 0")}, "left_toe", "rotate about its y axis"),
        ({"toes": TOES.replace("0 1 0", "0 -1 0")}, "left_toe", "rotate about its y axis"),
    ],
)
def test_legs_that_cannot_be_bent_in_closed_form_are_refused_in_one_line(changed, joint, why):
    with pytest.raises(PoiseError, match=rf"^body 'robot': joint '{joint}' [^\n]*$") as caught:
        walker_legs(robot(**changed))
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ('pos="0.1 0 -0.4"', "joint 'left_knee' must have thigh and shank in line at rest"),
        ('pos="0 0 -0.4" quat="0.99 0 0.14 0"', "link 'left_shank' of a leg must be parallel to the root at rest"),
    ],
)
def test_legs_that_are_crooked_at_rest_are_refused_in_one_line(place, why):
    straight = 'name="left_shank" pos="0.0 0.0 -0.4" quat="1.0 0.0 0.0 0.0"'
    assert straight in ROBOT.mjcf
    with pytest.raises(PoiseError, match=rf"^body 'robot': {why}$"):
        walker_legs(Body.from_mjcf(ROBOT.mjcf.replace(straight, f'name="left_shank" {place}')))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("lamp14", *skeletons.CREATURES)])
def test_whoever_has_two_legs_is_not_refused(name):
    assert walker_legs(body_of(name)).length > 0.1
