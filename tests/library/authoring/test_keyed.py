"""Motions of key poses: curves, what bears, flight, hanging, rolling."""

from functools import lru_cache
from pathlib import Path

import mujoco
import numpy as np
import pytest

from poise.arrays import true_runs
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseSpace
from poise.body.surface import ContactSphere
from poise.errors import PoiseError
from poise.library.authoring.curves import CurveKeys, authored_curve
from poise.library.authoring.figure import SourceFigure
from poise.library.authoring.keyed import keyed_source_pitch_momentum, keyed_source_swing_period, sketch_of_keyed_source
from poise.library.authoring.keyed_roll import poses_of_roll_source
from poise.library.authoring.source import MotionSource, read_keyed_source
from poise.library.motions import sketch_of_source
from poise.reference.body_clip import centres_of_mass
from poise.reference.supports import Sketch
from poise.retarget.figure import figure_of_body
from poise.rotations import quat_conjugate, quat_exp, quat_log, quat_multiply, quat_rotate
from poise.toml_reader import TomlTable

GRAVITY = 9.81


@lru_cache
def body(name="biped29"):
    return Body.named(name)


@lru_cache
def sketch(motion, name="biped29") -> Sketch:
    return sketch_of_source(motion, body(name))


def places(made, support):
    return LinkKinematics(made.clip.body, [(support.link, support.centre)]).at(made.clip.qpos)[0][:, 0]


def flight(made):
    down = np.any([support.down for support in made.supports], axis=0)
    [(start, stop)] = true_runs(np.logical_not(down))
    return slice(start - 1, stop + 1)


def test_curve_passes_its_keys_and_never_overshoots_where_they_rise():
    times, values = np.array([0.0, 0.2, 0.9, 1.0, 1.6]), np.array([0.0, 1.0, 2.0, 6.0, 6.5])
    fine = np.linspace(0, 1.6, 2001)
    found = authored_curve(CurveKeys(times, values), fine)
    assert np.allclose(authored_curve(CurveKeys(times, values), times), values)
    assert found.min() >= -1e-9
    assert found.max() <= 6.5 + 1e-9
    assert np.abs(np.gradient(found, fine)[[0, -1]]).max() < 0.05


def test_curve_has_a_continuous_acceleration_and_rests_between_equal_keys():
    keys = CurveKeys(np.array([0.0, 0.3, 0.75, 1.0, 1.5]), np.array([0.0, 0.0, -0.4, 0.1, 0.1]))
    step = 1e-4
    fine = np.arange(0.01, 1.49, step)
    acceleration = np.diff(authored_curve(keys, fine), 2) / step**2
    assert np.abs(np.diff(acceleration)).max() < 0.01 * np.abs(acceleration).max()
    assert np.abs(authored_curve(keys, np.linspace(0, 0.3, 50))).max() == 0


def test_cyclic_curve_goes_on_where_it_ends_one_turn_further():
    keys = CurveKeys(np.array([0.0, 0.5, 1.0, 2.0]), np.array([-90.0, 0.0, 90.0, 270.0]), cyclic=True)
    step = 1e-5
    start, end = authored_curve(keys, np.array([0.0, step])), authored_curve(keys, np.array([2.0 - step, 2.0]))
    assert np.diff(start) / step == pytest.approx(np.diff(end) / step, rel=1e-3)
    assert np.diff(start)[0] / step > 50


def written(**changes):
    table = {
        "kind": "keyed",
        "keys": [[0.0, "stand"], [1.0, "low"], [2.0, "high"]],
        "poses": {
            "stand": {"knee_flexion": 10},
            "low": {"knee_flexion": 90, "left_knee_flexion": 80, "trunk_flexion": 20},
            "high": {"like": "low", "trunk_flexion": 5},
        },
        "contacts": {"heel": [[0.0, 2.0]], "left_ball": [[0.0, 1.0]]},
    }
    return MotionSource(Path("dip.toml"), TomlTable("dip.toml", {}, "", 0, table | changes))


def test_poses_name_both_sides_or_one_and_leave_alone_what_they_do_not_name():
    motion = read_keyed_source(written(keys=[[0.0, "stand"], [1.0, "low"], [1.5, "stand"], [2.0, "high"]]))
    assert list(motion.curves["left_knee_flexion"].values) == [10, 80, 10, 80]
    assert list(motion.curves["right_knee_flexion"].values) == [10, 90, 10, 90]
    assert list(motion.curves["trunk_flexion"].values) == [0, 20, 0, 5]
    assert "left_hip_flexion" not in motion.curves
    assert set(motion.contacts) == {"left_heel", "right_heel", "left_ball"}


@pytest.mark.parametrize(
    ("changes", "culprit"),
    [
        ({"keys": [[0.0, "stand"], [1.0, "lwo"]]}, "'lwo'.*Did you mean 'low'"),
        ({"keys": [[0.0, "stand"], [0.0, "low"]]}, "dip.toml: the times"),
        ({"keys": [[0.5, "stand"], [1.0, "low"]]}, "begin at 0"),
        ({"keys": [["stand", 0.0]]}, "dip.toml: 'keys' must be"),
        ({"poses": {"stand": {"knee": 3}, "low": {}, "high": {}}}, "dip.toml: unknown angle 'knee'"),
        ({"poses": {"stand": {}, "low": {"like": "hgih"}, "high": {}}}, "'hgih'.*Did you mean 'high'"),
        (
            {"poses": {"stand": {"knee_flexion": "far"}, "low": {}, "high": {}}},
            "'knee_flexion' must be a number",
        ),
        ({"contacts": {"elbow": [[0, 1]]}}, "dip.toml: unknown contact 'elbow'"),
        ({"contacts": {"heel": [0, 1]}}, "dip.toml: each interval of contact 'heel'"),
        ({"contacts": {"heel": 1}}, "dip.toml: each interval of contact 'heel'"),
        ({"poses": {"stand": 3}}, "'stand' must be a table, not 3"),
        ({"bearing": "floating"}, "bearing.*'floating'"),
        ({"rhythm": "waltz"}, "rhythm.*'waltz'"),
        ({"title": 1, "cyclic": "no"}, "dip.toml: 'cyclic' must be true or false"),
        ({"trvel": 1.0}, "entry.*'trvel'.*Did you mean 'travel'"),
    ],
)
def test_mistakes_in_a_source_are_named(changes, culprit):
    with pytest.raises(PoiseError, match=culprit):
        read_keyed_source(written(**changes))


def test_an_angle_that_is_named_no_more_rests():
    motion = read_keyed_source(written(poses={"stand": {}, "low": {"knee_flexion": 90}, "high": {"trunk_flexion": 10}}))
    assert list(authored_curve(motion.curves["left_knee_flexion"], np.array([1.0, 1.5, 2.0]))) == [90, 90, 90]


def test_a_pose_may_name_nothing_and_is_the_standing_one():
    made = sketch_of_keyed_source(written(keys=[[0.0, "still"], [0.5, "still"]], poses={"still": {}}), body())
    assert made.clip.seconds == 0.5
    assert np.allclose(made.clip.qpos, made.clip.qpos[0], atol=1e-6)
    arm = list(body().joint("left_shoulder").qpos)
    assert np.allclose(made.clip.qpos[:, arm], body().standing[arm], atol=1e-6)


def test_a_motion_that_nothing_bears_is_refused():
    with pytest.raises(PoiseError, match=r"dip.toml: .*what supports the body at the start"):
        sketch_of_keyed_source(written(contacts={"heel": [[1.0, 2.0]]}), body())


def test_what_a_cycle_rolls_on_at_its_end_it_rolls_on_at_its_start():
    down = np.stack([support.down for support in sketch("log-roll").supports], axis=1)
    assert np.array_equal(down[0], down[-1])
    assert down[0].any()


@pytest.mark.parametrize("motion", ["squat", "punch"])
def test_feet_stand_and_the_centre_of_mass_stays_above_them(motion):
    made = sketch(motion)
    spots = np.stack([places(made, support) for support in made.supports], axis=1)
    down = np.stack([support.down for support in made.supports], axis=1)
    for n in range(len(made.supports)):
        for start, stop in true_runs(down[:, n]):
            assert np.ptp(spots[start:stop, n], axis=0).max() < 0.002
            assert np.abs(spots[start:stop, n, 2] - made.supports[n].radius).max() < 0.001
    low, high = spots[:, :, :2].min(axis=1), spots[:, :, :2].max(axis=1)
    centre = centres_of_mass(body(), made.clip.qpos)[:, :2]
    assert np.all(centre > low + 0.05)
    assert np.all(centre < high - 0.05)


def test_squat_is_deep_and_keeps_its_balance_over_the_middle_of_the_feet():
    made = sketch("squat")
    knee = np.degrees(made.clip.qpos[:, body().joint("left_knee").qpos[0]])
    assert knee.max() > 95
    middle = np.mean([places(made, support)[0] for support in made.supports], axis=0)
    centre = centres_of_mass(body(), made.clip.qpos)
    assert np.abs(centre[:, :2] - middle[:2]).max() < 0.003
    assert np.allclose(made.clip.qpos[0], made.clip.qpos[-1], atol=1e-4)


@pytest.mark.parametrize("motion", ["broad-jump", "backflip"])
def test_flight_is_a_parabola_with_constant_angular_momentum(motion):
    made = sketch(motion)
    air, clip = flight(made), made.clip
    centre = centres_of_mass(body(), clip.qpos)[air]
    time = np.arange(len(centre)) / clip.rate
    share = (time / time[-1])[:, None]
    fall = np.outer(GRAVITY / 2 * time * (time[-1] - time), (0.0, 0.0, 1.0))
    assert np.abs(centre - (1 - share) * centre[0] - share * centre[-1] - fall).max() < 0.01
    momentum, _ = keyed_source_pitch_momentum(body(), clip.qpos[air], clip.qvel[air])
    middle = momentum[6:-6]
    assert np.ptp(middle) < 0.1 * np.abs(middle).mean() + 1.5


@pytest.mark.parametrize("motion", ["broad-jump", "backflip"])
def test_the_centre_of_mass_takes_off_and_lands_without_a_jolt(motion):
    made = sketch(motion)
    air, clip = flight(made), made.clip
    speed = np.diff(centres_of_mass(body(), clip.qpos), axis=0) * clip.rate
    for frame in (air.start, air.stop - 1):
        change = np.abs(np.diff(speed[frame - 4 : frame + 4], axis=0)).max()
        assert change < 0.35  # m/s per frame; 3.5 body weights change the speed by 0.29


def test_backflip_turns_once_and_lands_on_its_feet():
    clip = sketch("backflip").clip
    steps = PoseSpace(body()).difference(clip.qpos[:-1], clip.qpos[1:])
    assert np.degrees(steps[:, 4].sum()) == pytest.approx(-360, abs=0.5)
    assert clip.down[0].sum() == clip.down[-1].sum() == 4
    assert np.allclose(clip.qpos[-1, 7:], clip.qpos[0, 7:], atol=1e-3)


def test_broad_jump_goes_as_far_as_its_source_says_in_legs():
    made = sketch("broad-jump")
    heel = places(made, made.supports[0])
    assert heel[-1, 0] - heel[0, 0] == pytest.approx(1.7 * figure_of_body(body()).leg, abs=0.005)
    assert 1.3 < heel[-1, 0] - heel[0, 0] < 1.6


@pytest.mark.parametrize("name", ["biped29", "human42"])
def test_hanging_body_is_held_by_its_hands_below_the_bar_and_clear_of_the_ground(name):
    made = sketch("hang", name)
    assert [support.place is not None for support in made.supports] == [True, True]
    for support in made.supports:
        assert np.abs(places(made, support) - support.place).max() < 0.002
    bar = np.mean([support.place for support in made.supports], axis=0)
    centre = centres_of_mass(body(name), made.clip.qpos)
    assert np.abs(centre[:, :2] - bar[:2]).max() < 0.005
    lowest = LinkKinematics(body(name), [(f.link, p) for f in body(name).feet for p in f.points]).at(made.clip.qpos)[0]
    assert 0.09 < lowest[..., 2].min() < 0.16


def test_chin_up_lifts_the_chin_above_the_bar():
    made = sketch("chin-up")
    chin = LinkKinematics(body(), [("head", np.array([0.08, 0.0, 0.0]))]).at(made.clip.qpos)[0][:, 0, 2]
    bar = made.supports[0].place[2]
    assert chin[0] < bar - 0.3
    assert chin.max() > bar


def test_swing_lasts_as_long_as_a_pendulum_of_the_bodys_inertia():
    pose = SourceFigure(body()).poses({"left_shoulder_flexion": 150.0, "right_shoulder_flexion": 150.0})
    hands = LinkKinematics(body(), [(hand.link, hand.point) for hand in body().hands]).at(pose)[0][0].mean(axis=0)
    data = mujoco.MjData(body().model)
    data.qpos[:] = pose[0]
    mujoco.mj_forward(body().model, data)
    turning, product = np.zeros(body().nv), np.zeros(body().nv)
    turning[:3] = np.cross((0.0, 1.0, 0.0), pose[0, :3] - hands)
    turning[4] = 1.0
    mujoco.mj_mulM(body().model, data, product, turning)
    still = 2 * np.pi * np.sqrt(turning @ product / body().mass / GRAVITY / np.linalg.norm(data.subtree_com[1] - hands))
    assert keyed_source_swing_period(body(), np.repeat(pose, 2, axis=0)) == pytest.approx(still, rel=5e-3)
    assert sketch("swing").clip.seconds == pytest.approx(still, rel=0.08)


def test_a_stiff_body_on_wheels_rolls_as_far_as_they_are_round():
    turn = np.linspace(0, 2 * np.pi, 200)
    wished = np.tile(body().standing, (200, 1))
    wished[:, 3:7] = quat_multiply(quat_exp(turn[:, None] * (0.0, 1.0, 0.0)), wished[:, 3:7])
    wheels = [
        ContactSphere(side, "pelvis", np.array([0.0, y, 0.0]), 0.3) for side, y in (("left", 0.5), ("right", -0.5))
    ]
    qpos, _ = poses_of_roll_source(body(), wished, wheels, np.zeros((200, 2), bool), 120.0, False)
    assert qpos[-1, 0] - qpos[0, 0] == pytest.approx(0.3 * 2 * np.pi, rel=1e-6)
    assert np.allclose(qpos[:, 2], 0.3, atol=1e-9)


@pytest.mark.parametrize("motion", ["roll", "log-roll"])
def test_rolls_turn_once_on_balls_that_touch_and_hardly_slip(motion):
    made = sketch(motion)
    clip = made.clip
    slips = []
    for support in made.supports:
        spots, turns = LinkKinematics(body(), [(support.link, support.centre)], [support.link]).at(clip.qpos)
        gap = spots[support.down, 0, 2] - support.radius
        assert np.abs(gap).max() < 0.02
        slips.append(slip(spots[:, 0], turns[:, 0], support)[support.down[1:] & support.down[:-1]] * clip.rate)
    assert np.median(np.concatenate(slips)) < 0.15  # m/s; the body itself goes at 0.4 to 1.2
    whole = quat_multiply(clip.qpos[-1, 3:7], quat_conjugate(clip.qpos[0, 3:7]))
    assert abs(whole[0]) == pytest.approx(1, abs=1e-3)
    assert clip.qpos[-1, 0] - clip.qpos[0, 0] > 1.0
    steps = PoseSpace(body()).difference(clip.qpos[:-1], clip.qpos[1:])
    assert np.degrees(quat_rotate(clip.qpos[:-1, 3:7], steps[:, 3:6])[:, 1].sum()) == pytest.approx(360, abs=2)


@pytest.mark.parametrize("motion", ["log-roll", "swing"])
def test_cycles_go_on_without_a_jolt(motion):
    clip = sketch(motion).clip
    before, after = clip.qvel[-1], clip.qvel[0]  # each over one frame, half a frame before and after the seam
    assert np.abs(after - before).max() < 0.15
    assert np.allclose(clip.qpos[-1, 7:], clip.qpos[0, 7:], atol=1e-6)


def slip(spots, turns, support):
    """How far the lowest point of a ball slips from frame to frame, m."""
    turn = quat_log(quat_multiply(turns[1:], quat_conjugate(turns[:-1])))
    return np.hypot(*(np.diff(spots[:, :2], axis=0) - support.radius * np.stack([turn[:, 1], -turn[:, 0]], axis=1)).T)
