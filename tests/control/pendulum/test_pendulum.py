"""The controller walks, turns, stops, recovers from pushes, and repeats itself exactly."""

import mujoco
import numpy as np
import pytest

from bodies import body_of
from poise.control.commands import parse_steer
from poise.control.pendulum.gait import leg_tracks
from poise.control.pendulum.legs import walker_legs
from poise.control.pendulum.pendulum import Pendulum
from poise.control.pendulum.settings import PendulumSettings
from poise.control.pendulum.walker import Walker
from poise.library.motions import named_motion
from poise.measure.audit import audit
from poise.measure.metrics import fell_at
from poise.performance.cues import steer_cue
from poise.performance.stage import perform
from poise.rotations import yaw_of
from poise.world.pushes import parse_push
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

STEP = 0.02


def performed(body, reference, seconds, steer="0s:0@0.8", pushes=(), terrain="flat", settings=None, **changed):
    world = World(Scene.of(body, terrain), WorldSettings(step=STEP))
    controller = Pendulum(settings)
    cues = [steer_cue(controller, command) for command in parse_steer(steer)]
    told = [parse_push(push) for push in pushes]
    return perform(world, controller, reference, seconds=seconds, pushes=told, cues=cues, **changed).recording


def mean_speed(recording, since):
    """Mean speed (m/s) along x from a time (s) on."""
    first = round(since / recording.step)
    return (recording.qpos[-1, 0] - recording.qpos[first, 0]) / ((recording.steps - first) * recording.step)


@pytest.fixture(scope="module")
def walked(walks):
    return performed(body_of("human58"), walks("human58"), 8.0, noise=0.02)


def test_it_walks_at_the_speed_it_is_told_and_passes_the_audit(walked):
    assert fell_at(walked) is None
    assert mean_speed(walked, 5.0) == pytest.approx(0.8, abs=0.05)
    assert [check.name for check in audit(walked).checks if not check.passed] == []
    assert not walked.external.any()
    assert walked.meta["solver"]["approximate"] == 0


def test_its_feet_are_as_far_apart_as_in_the_reference(body, reference):
    apart = []
    for poses in (
        performed(body, reference, 6.0, steer="0s:0").qpos[100:, : body.nq],
        np.array([reference.at(k * STEP).qpos for k in range(200)]),
    ):
        ankle = leg_tracks(poses, body, walker_legs(body)).ankle
        apart.append(np.abs(ankle[:, 0, 1] - ankle[:, 1, 1]).mean())
    assert apart[0] == pytest.approx(apart[1], rel=0.25)


def test_no_joint_works_harder_than_it_may(walked, body):
    assert np.all(np.abs(walked.torque[:, 6:]) <= body.torque_limit[6:] + 1e-9)


def test_arms_and_trunk_stay_as_in_the_reference(walked, body):
    """The joints follow the target pose to within some degrees, and the target moves as the reference does."""
    upper = [q for name in ("chest", "left_elbow", "right_elbow", "head") for q in body.joint(name).qpos]
    off = walked.qpos[:, upper] - walked.reference_qpos[:, upper]
    assert np.sqrt(np.mean(off**2)) < 0.05


def test_it_walks_by_the_law_of_the_paper_too(body, reference, walked):
    paper = performed(body, reference, 8.0, noise=0.02, settings=PendulumSettings(law="paper"))
    assert fell_at(paper) is None
    assert mean_speed(paper, 5.0) == pytest.approx(0.8, abs=0.06)
    assert np.abs(paper.qpos - walked.qpos).max() > 0.01


def test_same_input_same_output(body, reference):
    first, second = (performed(body, reference, 1.0, noise=0.02, seed=3).qpos for _ in range(2))
    np.testing.assert_array_equal(first, second)
    other = performed(body, reference, 1.0, noise=0.02, seed=4).qpos
    assert np.abs(other[-1] - first[-1]).max() > 1e-6


@pytest.mark.parametrize("name", ["biped29", "human37"])
def test_other_bodies_walk_with_the_same_settings(name, walks):
    recording = performed(body_of(name), walks(name), 3.0, "0s:0@1")
    assert fell_at(recording) is None
    assert mean_speed(recording, 1.0) == pytest.approx(1.0, abs=0.25)
    assert audit(recording).passed


@pytest.mark.parametrize("direction", [0, 90, 180, 270])
def test_a_push_is_survived(body, reference, direction):
    push = f"200@2.2,duration=0.4,dir={direction}"
    pushed, plain = (performed(body, reference, 5.0, pushes=pushes) for pushes in ((push,), ()))
    assert fell_at(pushed) is None
    k = round(2.6 / STEP)
    assert np.linalg.norm(pushed.qvel[k, :2] - plain.qvel[k, :2]) > 0.3  # the push had an effect


def test_it_goes_where_it_is_told(body, reference):
    recording = performed(body, reference, 5.0, "0s:0@0.8 1s:90@0.8")
    assert fell_at(recording) is None
    assert yaw_of(recording.qpos[-1, 3:7]) == pytest.approx(np.pi / 2, abs=0.25)
    way = recording.qpos[-1, :2] - recording.qpos[-51, :2]
    assert np.arctan2(way[1], way[0]) == pytest.approx(np.pi / 2, abs=0.35)


def swings_together(body, recording, since):
    """Correlation of the leads of the left hand and the left foot over the right ones, from a time (s) on."""
    links = [[body.link_id(f"{side}_{part}") for side in ("left", "right")] for part in ("hand", "foot")]
    frames = placed(body, recording.qpos[round(since / recording.step) :])
    ahead = [[data.xpos[left, 0] - data.xpos[right, 0] for left, right in links] for data in frames]
    return np.corrcoef(np.transpose(ahead))[0, 1]


def test_it_goes_backward_with_arms_that_swing_against_its_legs(body, reference, walked):
    recording = performed(body, reference, 6.0, "0s:0@-0.4")
    assert fell_at(recording) is None
    assert mean_speed(recording, 4.0) == pytest.approx(-0.4, abs=0.1)
    for walk in (walked, recording):
        assert swings_together(body, walk, 4.0) < -0.8


def test_it_stops_and_stands_still(body, reference):
    recording = performed(body, reference, 6.0, "0s:0@0")
    assert fell_at(recording) is None
    assert np.abs(recording.qpos[-1, :2] - recording.qpos[-51, :2]).max() < 0.02
    assert np.abs(recording.qvel[-25:, :2]).max() < 0.1


def test_from_standing_it_walks_off(body):
    recording = performed(body, named_motion("stand", body), 5.0, "0s:0@0 1s:0@0.7")
    assert fell_at(recording) is None
    assert np.abs(recording.qpos[50, :2] - recording.qpos[0, :2]).max() < 0.05
    assert mean_speed(recording, 3.0) == pytest.approx(0.7, abs=0.12)


@pytest.mark.parametrize("terrain", ["slope:6", "slope:-6", "stairs:-0.05:0.3:6"])
def test_it_walks_on_ground_that_is_not_level(body, reference, terrain):
    recording = performed(body, reference, 5.0, terrain=terrain)
    assert fell_at(recording) is None
    assert recording.qpos[-1, 0] > 2.5


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_who_comes_fast_slows_down_downhill(body, reference, seed):
    """It starts at 1.3 m/s and must slow down."""
    recording = performed(body, reference, 6.0, "0s:0@0.9", terrain="slope:-10", noise=0.02, seed=seed)
    assert fell_at(recording) is None


def hanging(recording, walker, terrain):
    """Share of the time steps at which a touching foot has its ankle and its ball on different treads."""
    data = mujoco.MjData(walker.model)
    stood, hung = 0, 0
    for k, pose in enumerate(recording.qpos[1:]):
        data.qpos[:] = pose
        mujoco.mj_kinematics(walker.model, data)
        for side, foot in enumerate(walker.feet):
            if not (recording.contact_body[recording.contact_step == k] == foot).any():
                continue
            ankle = data.xpos[foot]
            ball = ankle + data.xmat[foot].reshape(3, 3) @ walker.legs.ball[side]
            stood += 1
            hung += abs(terrain.height(ankle[0], ankle[1]) - terrain.height(ball[0], ball[1])) > 0.05
    return hung / stood


def test_it_climbs_stairs_with_whole_feet_on_their_treads(body, reference):
    """Eight steps of 10 cm, from the first edge, 0.6 m ahead, to the top."""
    terrain = "stairs:0.1:0.3:8"
    climbed = performed(body, reference, 7.0, "0s:0@0.6", terrain=terrain, noise=0.02, seed=1)
    assert fell_at(climbed) is None
    assert climbed.qpos[-1, 2] - climbed.qpos[0, 2] > 0.75
    world = World(Scene.of(body, terrain))
    assert hanging(climbed, Walker(world), world.scene.terrain) < 0.05


def test_it_slows_down_on_a_steep_slope_since_it_sinks_for_its_steps(body, reference):
    """From the speed of the walk to a slower one, 10 degrees downhill; with stiff legs it stays too fast."""
    plain, stiff = (
        performed(body, reference, 6.0, terrain="slope:-10", settings=PendulumSettings(sinking=share), noise=0.02)
        for share in (1.0, 0.0)
    )
    assert fell_at(plain) is None
    assert mean_speed(plain, 3.0) == pytest.approx(0.8, abs=0.05)
    assert mean_speed(stiff, 3.0) > 0.95


def placed(body, frames):
    data = mujoco.MjData(body.model)
    for qpos in frames:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(body.model, data)
        mujoco.mj_comPos(body.model, data)
        yield data


def centres(body, frames):
    """Centres of mass (T, 3) m."""
    return np.array([np.array(data.subtree_com[1]) for data in placed(body, frames)])


def highest_swing(body, recording):
    """Maximum height (m) of the left ankle in steady walking."""
    link = body.link_id(body.feet[0].link)
    return max(data.xpos[link, 2] for data in placed(body, recording.qpos[100:]))


def test_feet_are_lifted_more_and_steps_last_longer_if_told(body, reference):
    plain, high = (performed(body, reference, 5.0, steer) for steer in ("0s:0@0.8", "0s:0@0.8,lift=0.12,step=0.7"))
    assert fell_at(high) is None
    assert highest_swing(body, high) > highest_swing(body, plain) + 0.06


def test_the_target_is_a_pose_with_the_centre_of_mass_where_it_is(walked, body):
    """The centre of mass of the target pose is horizontally where the body's is."""
    off = centres(body, walked.reference_qpos[1:]) - centres(body, walked.qpos[:-1])
    assert np.abs(off[:, :2]).max() < 0.01


def test_at_other_rates_it_walks_too(body, reference):
    world = World(Scene.of(body), WorldSettings(step=1 / 120))
    recording = perform(world, Pendulum(), reference, seconds=3.0).recording
    assert fell_at(recording) is None
    assert recording.qpos[-1, 0] > 2.5
