"""The punch, and the blow with its three falls: they show what they should, physically."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from poise.animate.animate import animate
from poise.animate.read_script import read_script
from poise.animate.script import Script
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.errors import PoiseError
from poise.measure.audit import audit
from poise.measure.metrics import NOTHING, fell_at, ground_impulse, stabilising_torques
from poise.study.poses.scripts import GOALS, varied_trial_script
from poise.world.recording import Recording

FALLS = ("blow", "blow-arms", "blow-roll")
BLOW = 0.5  # s: time of the blow


@pytest.fixture(scope="module")
def played():
    """Recordings by script."""
    return {name: animate(read_script(name)).recording for name in ("punch", *FALLS)}


@pytest.mark.parametrize("name", ["punch", *FALLS])
def test_it_does_what_it_is_for_and_is_physical(played, name):
    assert GOALS[name](played[name])
    assert audit(played[name]).passed


@pytest.mark.parametrize("name", ["punch", *FALLS])
@pytest.mark.parametrize("seed", [100, 101])
def test_it_does_so_under_variations(name, seed):
    assert GOALS[name](animate(varied_trial_script(read_script(name), seed)).recording)


@pytest.mark.parametrize("name", ["punch", *FALLS])
def test_arms_do_not_pass_through_the_trunk(played, name):
    """The poses and the contacts between links of one body ensure it."""
    recording = played[name]
    model, data = recording.model, mujoco.MjData(recording.model)
    solid = [g for g in range(model.ngeom) if model.geom_contype[g]]
    link = {g: model.body(model.geom_bodyid[g]).name for g in solid}
    arms = [g for g in solid if link[g].endswith(("forearm", "hand"))]
    trunk = [g for g in solid if link[g] in ("head", "torso", "pelvis")]
    for qpos in recording.qpos[::6]:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        gaps = [mujoco.mj_geomDistance(model, data, arm, part, 0.1, None) for arm in arms for part in trunk]
        assert min(gaps) > -0.01


# -- punch ---------------------------------------------------------------------------------------------------------


def test_six_poses_of_two_to_nine_angles_make_the_punch():
    stance, *poses = read_script("punch").poses
    assert stance.time == 0
    assert len(poses) == 6
    assert all(2 <= len(pose.angles) <= 9 for pose in poses)


def test_a_closed_fist_strikes_with_its_knuckles(played):
    """The hand is a fist, and in line with the forearm when it strikes."""
    recording = played["punch"]
    body = read_script("punch").scene.body
    palm, open_palm = (each.model.geom("right_hand_palm").size for each in (body, Body.named("human37")))
    assert palm[0] > 1.4 * open_palm[0]
    assert palm[1] < 0.7 * open_palm[1]
    data = mujoco.MjData(recording.model)
    data.qpos[:] = recording.qpos[int(np.argmax(speeds(recording, "ball") > 0.1))]
    mujoco.mj_kinematics(recording.model, data)
    hand, forearm = (data.body(f"right_{link}").xmat.reshape(3, 3)[:, 2] for link in ("hand", "forearm"))
    assert hand @ forearm > np.cos(np.radians(15))


def test_only_hands_that_can_close_become_fists():
    with pytest.raises(PoiseError, match="'lamp14' has no hands that close"):
        Body.named("lamp14").with_fists()


def speeds(recording: Recording, link: str) -> np.ndarray:
    """(T+1,) speed (m/s) of a link's frame."""
    data, out = mujoco.MjData(recording.model), []
    for qpos in recording.qpos:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(recording.model, data)
        out.append(np.array(data.body(link).xpos))
    return np.linalg.norm(np.gradient(np.array(out), recording.time, axis=0), axis=1)


def test_the_fist_is_fast_and_the_ball_flies(played):
    fist, ball = speeds(played["punch"], "right_hand"), speeds(played["punch"], "ball")
    hit = int(np.argmax(ball > 0.1))
    assert 6.0 < fist.max() < 12.0
    assert abs(int(np.argmax(fist)) - hit) < 6  # a twentieth of a second
    assert ball[:hit].max(initial=0.0) < 0.05
    assert ball[hit : hit + 12].max() > 4.0


def test_the_impact_moves_the_whole_body():
    """After the impact the whole body moves differently than in the same punch at a ball out of reach."""
    script = read_script("punch")
    body = script.scene.body
    hit, missed = (
        np.degrees(PoseSpace(body).angles(animate(each, seconds=1.6).recording.qpos[:, : body.nq]))
        for each in (script, _without_ball(script))
    )
    change = np.abs(hit - missed)
    assert change[: int(0.75 * 120)].max() < 1e-6
    least = {"right_elbow": 5, "right_shoulder": 1, "spine": 1, "neck": 1, "left_shoulder": 0.3, "right_ankle": 1}
    for joint, degrees in least.items():
        assert change[:, list(body.index(joint))].max() > degrees, joint


def _without_ball(script: Script) -> Script:
    away = tuple(replace(prop, at=(prop.at[0] + 5.0, *prop.at[1:])) for prop in script.scene.props)
    return replace(script, scene=replace(script.scene, props=away))


def test_the_body_returns_to_its_guard(played):
    recording, script = played["punch"], read_script("punch")
    nq = script.scene.body.nq
    early, late = recording.qpos[24, 7:nq], recording.qpos[-1, 7:nq]
    assert np.abs(late - early).max() < 0.35
    assert np.abs(recording.qvel[-1, : script.scene.body.nv]).max() < 0.3
    assert fell_at(recording) is None


# -- blows ---------------------------------------------------------------------------------------------------------


def test_the_three_falls_share_everything_but_the_reaction():
    plain, *reacting = (read_script(name) for name in FALLS)
    for script in reacting:
        assert script.scene.body.name == plain.scene.body.name
        assert np.array_equal(script.scene.body.torque_limit, plain.scene.body.torque_limit)
        assert (script.pushes, script.stabilised, script.seconds) == (plain.pushes, plain.stabilised, plain.seconds)
        assert script.poses[0] == plain.poses[0]
        assert all(pose.time >= BLOW for pose in script.poses[1:])
        assert all(change.when.start >= BLOW for change in script.gain_changes)


def test_the_falls_are_equal_until_the_blow(played):
    steps = int(BLOW * 120)
    for name in FALLS[1:]:
        np.testing.assert_array_equal(played[name].qpos[:steps], played["blow"].qpos[:steps])


@pytest.mark.parametrize("name", FALLS)
def test_no_stabilising_torques_act_after_the_blow(played, name):
    recording = played[name]
    after = recording.time[:-1] >= BLOW - 1e-9
    held = np.linalg.norm(stabilising_torques(recording), axis=1)
    assert held[after].max() < NOTHING
    assert held[~after].max() > 1.0


def test_the_arms_protect_the_head(played):
    hurt, spared = (ground_impulse(played[name], "head") for name in ("blow", "blow-arms"))
    assert hurt > 30.0  # N s
    assert spared < 1.0


def test_the_arms_touch_before_the_chest(played):
    recording = played["blow-arms"]
    model = recording.model
    arms = {model.body(f"{side}_{part}").id for side in ("left", "right") for part in ("hand", "forearm")}
    ground = recording.contact_other == 0
    first = {int(b): int(recording.contact_step[ground & (recording.contact_body == b)].min(initial=10**6))
             for b in (*arms, model.body("torso").id)}  # fmt: skip
    assert min(first[arm] for arm in arms) < first[model.body("torso").id]
