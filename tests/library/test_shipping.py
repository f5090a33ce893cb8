import re
from itertools import pairwise
from pathlib import Path

import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.body.self_contact import SelfDistances
from poise.errors import PoiseError
from poise.library.authoring.source import read_source, shipped_names
from poise.library.motions import (
    build_shipped_motion,
    motion_names,
    named_motion,
    shipped_dynamic,
    shipped_dynamic_bodies,
    shipped_motions_in_build_order,
    shipped_motions_joined_by,
)
from poise.physics.certificate import certify
from poise.reference.dynamic import Dynamic
from poise.reference.played import Played
from poise.rotations import quat_conjugate, quat_multiply, yaw_of

PROMISED = (
    "stand", "walk", "walk-slow", "walk-fast", "run", "turn-15", "turn-45", "turn-60", "turn-90", "turn-180",
    "start", "stop", "squat", "crouch-walk", "sneak", "broad-jump", "jump", "hang", "swing", "chin-up",
    "punch", "roll", "log-roll", "backflip", "fall",
)  # fmt: skip
FINISHED = [(name, body) for name in shipped_names() for body in shipped_dynamic_bodies(name)]


def test_all_that_is_promised_is_there():
    assert set(PROMISED) <= set(motion_names())
    assert {name for name, body in FINISHED if body == "biped29"} >= set(PROMISED) - {"fall"}


@pytest.mark.parametrize(("name", "body"), FINISHED)
def test_a_finished_reference_obeys_physics(name, body):
    obeys_physics(shipped_dynamic(name, body))


def obeys_physics(motion):
    sure = certify(motion)
    assert sure.equations < 2e-6  # body weights
    assert sure.slip_mm < 0.5
    assert sure.gap_mm < 1e-3
    assert sure.penetration_mm < 0.1
    assert sure.cone == sure.torque_excess == sure.joint_excess_deg == 0.0


@pytest.mark.parametrize(("name", "body"), FINISHED)
def test_links_do_not_pass_through_each_other(name, body):
    near = SelfDistances(Body.named(body), 0.0).at(shipped_dynamic(name, body).clip.qpos, moves=False)
    assert near.distance.min(initial=0.0) > -0.003


@pytest.mark.parametrize(("name", "body"), [pair for pair in FINISHED if shipped_dynamic(*pair).clip.cyclic])
def test_a_cycle_closes(name, body):
    motion = shipped_dynamic(name, body)
    first, last = motion.clip.qpos[0], motion.clip.qpos[-1]
    assert np.allclose(first[7:], last[7:], atol=1e-8)
    assert first[2] == pytest.approx(last[2], abs=1e-8)
    assert np.allclose(motion.qvel[0, 3:], motion.qvel[-1, 3:], atol=1e-6)
    assert np.linalg.norm(motion.qvel[0, :3]) == pytest.approx(np.linalg.norm(motion.qvel[-1, :3]), abs=1e-6)


@pytest.mark.parametrize("degrees", [15, 45, 60, 90, 180])
def test_a_turn_goes_from_the_walk_into_the_walk(degrees):
    turn, walk = shipped_dynamic(f"turn-{degrees}", "biped29"), shipped_dynamic("walk", "biped29")
    first, last = turn.clip.qpos[0], turn.clip.qpos[-1]
    assert np.allclose(first[2:], walk.clip.qpos[0, 2:], atol=1e-8)
    assert np.allclose(last[7:], walk.clip.qpos[0, 7:], atol=1e-8)
    assert np.allclose(turn.qvel[0], walk.qvel[0], atol=1e-6)
    assert np.allclose(turn.qvel[-1, 3:], walk.qvel[0, 3:], atol=1e-6)
    turned = np.degrees(yaw_of(quat_multiply(last[3:7], quat_conjugate(first[3:7]))))
    assert abs(turned) == pytest.approx(degrees, abs=1e-6)


def test_start_and_stop_join_standing_and_walking():
    start, stop, stand, walk = (shipped_dynamic(name, "biped29") for name in ("start", "stop", "stand", "walk"))
    for motion, rest, moving in ((start, 0, -1), (stop, -1, 0)):
        assert np.allclose(motion.clip.qpos[rest, 7:], stand.clip.qpos[0, 7:], atol=1e-7)
        assert np.allclose(motion.qvel[rest], 0.0, atol=1e-4)
        assert np.allclose(motion.clip.qpos[moving, 7:], walk.clip.qpos[0, 7:], atol=1e-7)
        assert np.allclose(motion.qvel[moving, 3:], walk.qvel[0, 3:], atol=1e-5)


def test_the_walk_is_normal(beyond_normal):
    """Hip, knee and ankle stay within two standard deviations of gait analysis."""
    for joint, away in beyond_normal(shipped_dynamic("walk", "biped29").clip).items():
        assert np.abs(away).max() < 2.0, joint


@pytest.mark.parametrize(("name", "speed"), [("walk-slow", 0.9), ("walk", 1.3), ("walk-fast", 1.7), ("run", 3.0)])
def test_gaits_have_their_speed(name, speed):
    clip = shipped_dynamic(name, "biped29").clip
    assert (clip.qpos[-1, 0] - clip.qpos[0, 0]) / clip.seconds == pytest.approx(speed, rel=0.01)


@pytest.mark.parametrize("name", ["walk-slow", "walk", "walk-fast", "run"])
def test_arms_swing_against_the_legs(name):
    clip = shipped_dynamic(name, "biped29").clip
    hip, shoulder = (clip.qpos[:, clip.body.joint(f"left_{joint}").qpos[2]] for joint in ("hip", "shoulder"))
    assert np.corrcoef(hip, shoulder)[0, 1] < -0.6


@pytest.mark.parametrize("name", ["walk-slow", "walk", "walk-fast"])
def test_heels_strike_first_and_toes_leave_last(name):
    motion = shipped_dynamic(name, "biped29")
    names, down = motion.contacts.names, motion.contacts.down[:-1]
    heel, ball = (down[:, names.index(f"left_foot_{part}_0")] for part in ("heel", "ball"))
    assert heel[0]
    assert not ball[0]
    lands, leaves = np.argmax(ball), len(ball) - 1 - np.argmax(ball[::-1])
    assert 0 < lands < 0.15 * len(ball)
    assert heel[lands]
    assert not heel[leaves]


@pytest.mark.parametrize("name", ["run", "jump", "broad-jump", "backflip"])
def test_flights_are_free_falls(name):
    motion = shipped_dynamic(name, "biped29")
    clip, model = motion.clip, motion.clip.body.model
    data = mujoco.MjData(model)
    height = []
    for pose in clip.qpos:
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        height.append(data.subtree_com[1, 2])
    # A step is free if nothing acts in it; the centre of mass then changes its speed by gravity alone.
    free = ~motion.contacts.force.any(axis=(1, 2))
    steps = [k for k, (one, two) in enumerate(pairwise(free)) if one and two]
    assert len(steps) > 10
    fall = np.diff(height, 2)[steps] * clip.rate**2
    assert np.allclose(fall, -9.81, atol=1e-4)


def test_motions_are_played_with_their_forces_where_they_are_finished():
    played = named_motion("walk", Body.named("biped29"))
    assert isinstance(played, Played)
    target = played.at(1.5 * played.clip.seconds)
    assert target.torque is not None
    assert target.force is not None
    weight = 9.81 * played.clip.body.mass
    assert 0.3 * weight < target.force[:, 2].sum() < 2.0 * weight


def test_other_bodies_get_the_motion_as_it_was_authored():
    reference = named_motion("squat", Body.named("human58"))
    assert reference.at(0.5).torque is None
    assert reference.at(0.5).qpos.shape == (Body.named("human58").nq,)


def test_a_scaled_body_is_not_given_the_forces_of_another():
    reference = named_motion("squat", Body.named("biped29").scaled(legs=1.1))
    assert reference.at(0.5).torque is None


def test_titles_are_written_alike():
    for name in shipped_names():
        title = read_source(name).title
        assert title != name
        assert title[0].islower(), title
        assert title[-1].isalnum(), title


def test_the_chin_comes_above_the_bar_and_the_body_stays_below_it():
    motion = shipped_dynamic("chin-up", "biped29")
    clip, model = motion.clip, motion.clip.body.model
    data = mujoco.MjData(model)
    chin, lean = [], []
    for pose in clip.qpos:
        data.qpos[:] = pose
        mujoco.mj_forward(model, data)
        bar = np.mean([data.body(hand.link).xpos + data.body(hand.link).xmat.reshape(3, 3) @ hand.point
                       for hand in clip.body.hands], axis=0)  # fmt: skip
        chin.append(data.body("head").xpos[2] - bar[2])
        trunk = data.body("head").xpos - data.body("pelvis").xpos
        lean.append(np.degrees(np.arccos(trunk[2] / np.linalg.norm(trunk))))
    assert chin[0] < -0.4
    assert max(chin) > 0.03
    assert max(lean) < 20


def test_motions_that_join_motions_that_join_others_are_refused(tmp_path):
    path = tmp_path / "bend.toml"
    path.write_text(read_source("turn-15").path.read_text().replace('begins = "walk"', 'begins = "turn-45"'))
    with pytest.raises(PoiseError, match=r"bend.toml, line 3: 'begins' must name a motion that joins no others"):
        build_shipped_motion(path, Body.named("biped29"))


def test_a_source_of_ones_own_is_built_as_the_manual_says(tmp_path):
    manual = Path(__file__).parents[2] / "docs" / "motions.md"
    (text,) = re.findall(r"```toml\n(.*?)```", manual.read_text(encoding="utf-8"), flags=re.DOTALL)
    path = tmp_path / "bow.toml"
    path.write_text(text)
    built = build_shipped_motion(path, Body.named("biped29"))
    obeys_physics(built.dynamic)
    assert np.abs(built.dynamic.qvel[[0, -1]]).max() < 1e-6
    spine = built.dynamic.clip.qpos[:, built.dynamic.clip.body.joint("spine").qpos[2]]
    assert np.argmax(np.abs(spine)) == pytest.approx(0.75 * built.dynamic.clip.rate, abs=20)


def test_what_is_joined_is_built_first():
    assert shipped_motions_joined_by("turn-45") == ("walk", "walk")
    assert shipped_motions_joined_by("walk") == ()
    assert shipped_motions_in_build_order(["start", "turn-45", "stand", "walk"]) == [
        "stand",
        "walk",
        "start",
        "turn-45",
    ]


def test_a_missing_reference_is_told():
    with pytest.raises(PoiseError, match=r"cannot read .*lamp14"):
        shipped_dynamic("walk", "lamp14")


def test_a_reference_can_be_built_again():
    again = build_shipped_motion("walk-fast", Body.named("biped29")).dynamic
    assert isinstance(again, Dynamic)
    assert np.allclose(again.clip.qpos, shipped_dynamic("walk-fast", "biped29").clip.qpos, atol=1e-6)
