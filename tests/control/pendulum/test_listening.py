"""The gait of a reference: its steps, their style, and edits during a run."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from bodies import body_of
from poise.arrays import readonly
from poise.body.pose_space import PoseSpace
from poise.control.pendulum.gait import PLAIN_STEP, SAMPLES, leg_tracks, plain_step_style
from poise.control.pendulum.legs import walker_legs
from poise.control.pendulum.reference_gait import MAX_STEP, MIN_WIDTH, SEARCH_ENDLESS, ReferenceWalk, foot_strike_frames
from poise.edit.parse import parse_edit
from poise.edit.take import Live
from poise.library.motions import named_motion
from poise.reference.played import Played
from poise.rotations import quat_exp, quat_rotate, yaw_of

PARTS = (("qpos", float), ("down", bool))


@pytest.fixture
def body():
    """A body whose motions come with Poise."""
    return body_of("biped29")


def heard(name, motion):
    body = body_of(name)
    return ReferenceWalk(named_motion(motion, body), body, walker_legs(body))


# -- steps -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("motion", ["walk", "walk-slow", "walk-fast", "crouch-walk"])
def test_it_finds_the_stride_of_a_walk(body, motion):
    clip = named_motion(motion, body).clip
    walk = heard("biped29", motion)
    assert not walk.takes_no_steps
    assert 2 * walk.duration == pytest.approx(clip.seconds, rel=0.01)
    assert walk.speed == pytest.approx((clip.qpos[-1, 0] - clip.qpos[0, 0]) / clip.seconds, rel=0.01)


def ending(reference, seconds):
    """The same as a clip with an end, which does not repeat itself."""
    frames = [reference.at(t) for t in np.arange(0.0, seconds, 1 / reference.clip.rate)]
    qpos, down = (readonly([getattr(frame, name) for frame in frames], kind) for name, kind in PARTS)
    return replace(reference.clip, qpos=qpos, down=down, cyclic=False)


def test_a_walk_that_ends_is_heard_like_the_one_that_goes_on(body, walk, reference):
    other = ReferenceWalk(Played(ending(reference, 4.0)), body, walker_legs(body))
    assert other.duration == pytest.approx(walk.duration, rel=0.01)
    assert other.speed == pytest.approx(walk.speed, rel=0.01)
    assert other.width == pytest.approx(walk.width, rel=0.02)


def test_strikes_are_the_frames_at_which_a_foot_comes_down():
    down = np.zeros(200, bool)
    down[:20] = down[50:55] = down[58:90] = down[150:180] = True
    assert foot_strike_frames(down, 50.0) == [50, 150]


@pytest.mark.parametrize("first", [0, 1])
def test_of_three_strikes_alone_a_walk_is_heard_whichever_foot_is_first(body, walk, reference, first):
    """A clip that ends just after the first foot has struck again."""
    clip, step = ending(reference, 6.0), walk.duration
    down = clip.down[:, first * 2 : first * 2 + 2].any(axis=1)
    begin = foot_strike_frames(down, clip.rate)[0] - round(0.3 * step * clip.rate)
    short = slice(begin, begin + round(2.6 * step * clip.rate))
    other = ReferenceWalk(Played(replace(clip, qpos=clip.qpos[short], down=clip.down[short])), body, walker_legs(body))
    assert other.duration == pytest.approx(walk.duration, rel=0.01)
    for stance in (0, 1):
        apart = PoseSpace(body).difference(other.step_style(stance, 0.0).pose, walk.step_style(stance, 0.0).pose)
        assert np.abs(apart[:, 6:]).max() < 0.05  # rad


def test_a_clip_that_walks_late_is_heard_to_its_end(body, walk, reference):
    """The reference stands with occasional contacts for longer than an endless one is searched."""
    clip = ending(reference, 4.0)
    idle = round(1.5 * SEARCH_ENDLESS * clip.rate)
    down = np.ones((idle, clip.down.shape[1]), bool)
    shuffled = np.arange(idle) // round(0.5 * walk.duration * clip.rate) % 4
    down[shuffled == 1, 0:2] = down[shuffled == 3, 2:4] = False
    stood = replace(
        clip,
        qpos=readonly(np.vstack([np.tile(clip.qpos[0], (idle, 1)), clip.qpos])),
        down=readonly(np.vstack([down, clip.down]), bool),
    )
    late = ReferenceWalk(Played(stood), body, walker_legs(body))
    assert late.duration == pytest.approx(walk.duration, rel=0.01)
    assert late.speed == pytest.approx(walk.speed, rel=0.01)


def marching(body, clip):
    """A clip that lifts the knees in turn, twice a second, and drifts a little."""
    time = np.arange(round(4.0 * clip.rate)) / clip.rate
    qpos, down = np.tile(body.standing, (len(time), 1)), np.ones((len(time), clip.down.shape[1]), bool)
    qpos[:, 0] += 1e-3 * time
    for foot, side in enumerate(("left", "right")):
        bent = np.maximum(np.sin(2 * np.pi * time - np.pi * foot), 0.0)
        hip, knee, ankle = (body.joint(f"{side}_{name}") for name in ("hip", "knee", "ankle"))
        qpos[:, list(hip.qpos)] = quat_exp(np.outer(bent, [0.0, -1.0, 0.0]))
        qpos[:, knee.qpos[0]], qpos[:, ankle.qpos[0]] = 1.2 * bent, -0.2 * bent
        down[bent > 0, 2 * foot : 2 * foot + 2] = False
    return replace(clip, qpos=readonly(qpos), down=readonly(down, bool), cyclic=False)


def test_who_marches_on_the_spot_has_plain_progress(body, reference):
    """The feet stay in place: their progress would be arbitrary."""
    legs = walker_legs(body)
    marches = ReferenceWalk(Played(marching(body, reference.clip)), body, legs)
    assert marches.duration == pytest.approx(0.5, rel=0.02)
    assert abs(marches.speed) < 0.01
    for stance in (0, 1):
        step = marches.step_style(stance, 0.0)
        np.testing.assert_array_equal(step.progress, plain_step_style(body, legs, body.standing).progress)
        assert step.clear.max() > 0.1
        assert np.abs(step.bow).max() < 0.01


def test_a_walk_that_does_not_quite_repeat_itself_is_closed(body, reference):
    """A stride ends as the next begins, though the elbow keeps bending."""
    clip = ending(reference, 4.0)
    qpos = np.array(clip.qpos)
    elbow = body.joint("left_elbow").qpos[0]
    qpos[:, elbow] += np.linspace(0.0, 0.4, len(qpos))
    walk = ReferenceWalk(Played(replace(clip, qpos=readonly(qpos))), body, walker_legs(body))
    left, right = walk.step_style(0, 0.0), walk.step_style(1, 0.0)
    assert left.pose[0, elbow] == pytest.approx(right.pose[-1, elbow], abs=2e-3)
    assert left.pose[-1, elbow] == pytest.approx(right.pose[0, elbow], abs=2e-3)


def test_steps_that_last_for_ever_are_walked_faster(body, walk, reference):
    legs = walker_legs(body)
    dawdles = ReferenceWalk(Played(replace(reference.clip, rate=0.5 * reference.clip.rate)), body, legs)
    assert dawdles.speed == pytest.approx(0.5 * walk.speed, rel=0.01)
    assert dawdles.duration == MAX_STEP * legs.time_scale < 2 * walk.duration


def test_who_walks_faster_than_the_motion_takes_quicker_steps(walk):
    durations = [walk.duration_at(speed) for speed in (-0.5, 0.0, 0.5, walk.speed, 1.5 * walk.speed, 2 * walk.speed)]
    assert durations[:4] == pytest.approx([walk.duration] * 4)
    assert walk.duration > durations[4] > durations[5] > 0.5 * walk.duration


@pytest.mark.parametrize("name", ["biped29", "baby"])
def test_who_stands_takes_no_steps_and_plain_ones_if_it_must(name):
    walk, legs = heard(name, "stand"), walker_legs(body_of(name))
    assert walk.takes_no_steps
    assert walk.speed == 0.0
    assert walk.duration == pytest.approx(PLAIN_STEP * np.sqrt(legs.length / 0.9))
    assert walk.width >= MIN_WIDTH * legs.length
    plain = walk.step_style(0, 0.0)
    assert plain.clear[0] == plain.clear[-1] == 0.0
    assert 0 < plain.clear.max() < 0.1 * legs.length
    assert (plain.progress[0], plain.progress[-1]) == (0.0, 1.0)
    assert np.all(np.diff(plain.progress) >= 0)


def test_feet_are_kept_apart(walker, walk):
    assert walk.width >= MIN_WIDTH * walker.legs.length


# -- style -----------------------------------------------------------------------------------------------------------


def test_left_steps_mirror_right_ones(body, walk):
    left, right = walk.step_style(0, 0.0), walk.step_style(1, 0.0)
    apart = PoseSpace(body).difference(body.mirrored(left.pose), right.pose)
    assert np.abs(apart[:, 3:]).max() < 0.02  # rad
    for name in ("sink", "clear", "progress"):
        np.testing.assert_allclose(getattr(left, name), getattr(right, name), atol=5e-3)
    np.testing.assert_allclose(left.bow, -right.bow, atol=5e-3)


@pytest.mark.parametrize("stance", [0, 1])
def test_who_goes_the_other_way_does_the_same_backward(walk, stance):
    """The other foot is ahead of the stance foot at first; the swing foot lands behind."""
    ahead, back = walk.step_style(stance, 0.0, 0.3), walk.step_style(stance, 0.0, -0.3)
    np.testing.assert_allclose(back.pose[:, 7:], ahead.pose[::-1, 7:], atol=1e-12)
    np.testing.assert_allclose(back.sink, ahead.sink[::-1])
    assert back.way == pytest.approx(-ahead.way)
    assert ahead.way == pytest.approx(2 * walk.speed * walk.duration, rel=0.1)
    assert (back.progress[0], back.progress[-1]) == pytest.approx((0.0, 1.0))


def test_a_manner_is_that_of_the_motion(body, walker, walk):
    """The hips are as high as in the reference, and neither foot sinks into the ground."""
    step = walk.step_style(0, 0.0)
    work = leg_tracks(step.pose, body, walker.legs)
    hips = work.hip[:, :, 2].mean(axis=1) - work.ankle[:, :, 2].min()
    np.testing.assert_allclose(step.top - step.sink, hips)
    assert np.all(step.clear >= 0)
    assert step.clear[-1] == pytest.approx(0.0, abs=1e-9)
    assert step.clear.max() > 0.01
    assert (step.progress[0], step.progress[-1]) == pytest.approx((0.0, 1.0))
    assert step.sink.min() == 0.0


@pytest.mark.parametrize("motion", ["walk", "turn-45"])
def test_steps_head_along_x(body, motion):
    walk = heard("biped29", motion)
    for stance in (0, 1):
        pose = walk.step_style(stance, 0.0).pose
        assert np.mean(yaw_of(pose[:, 3:7])) == pytest.approx(0.0, abs=0.05)
        way = pose[-1, :2] - pose[0, :2]
        assert abs(way[1]) < 0.15 * way[0]


def test_a_moment_at_a_sample_is_that_sample(walk):
    step = walk.step_style(0, 0.0)
    for i, phase in enumerate(np.linspace(0.0, 1.0, SAMPLES)):
        for name, value in step.at(phase)._asdict().items():
            np.testing.assert_allclose(value, getattr(step, name)[i], atol=1e-12)


def test_between_samples_it_is_between_and_beyond_the_ends_at_the_ends(walk):
    step = walk.step_style(1, 0.0)
    between = step.at(0.5 / (SAMPLES - 1))
    np.testing.assert_allclose(between.pose, 0.5 * (step.pose[0] + step.pose[1]))
    for phase, end in ((-0.3, 0), (1.7, -1)):
        assert step.at(phase).sink == step.sink[end]


def test_a_plain_manner_is_one_pose_upright_whichever_way_it_faced(body, walker):
    pose = np.array(body.standing)
    pose[3:7] = [np.cos(0.4), 0.0, 0.0, np.sin(0.4)]
    plain = plain_step_style(body, walker.legs, pose)
    assert np.ptp(plain.pose, axis=0).max() == 0.0
    np.testing.assert_allclose(quat_rotate(plain.pose[0, 3:7], [1.0, 0.0, 0.0]), [1.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_array_equal(plain.pose[0, 7:], pose[7:])


def test_quaternions_that_change_their_sign_are_the_same_turn(body, walk, reference):
    """Also between samples, where numbers are interpolated."""
    clip = ending(reference, 4.0)
    flips = np.where(np.random.default_rng(3).random((clip.frames, 1)) < 0.5, -1.0, 1.0)
    qpos = np.array(clip.qpos)
    for joint in body.joints:
        if joint.kind != "hinge":
            qpos[:, joint.qpos[-4:]] *= flips
    plain, flipped = (
        ReferenceWalk(Played(replace(clip, qpos=readonly(frames))), body, walker_legs(body))
        for frames in (clip.qpos, qpos)
    )
    for stance in (0, 1):
        steps = [heard.step_style(stance, 0.0) for heard in (plain, flipped)]
        for phase in np.linspace(0.0, 1.0, 4 * SAMPLES):
            poses = [np.array(step.at(phase).pose) for step in steps]
            for pose in poses:
                mujoco.mj_normalizeQuat(body.model, pose)
            apart = PoseSpace(body).difference(poses[0][None], poses[1][None])
            assert np.abs(apart).max() < 1e-6


# -- phase of a pose, and edits --------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.1, 0.35, 0.6, 0.85])
def test_it_knows_where_in_its_steps_a_pose_is(reference, walk, share):
    """A quarter of a stride later, the phase is half a step further."""
    period = 2 * walk.duration
    first, later = (walk.nearest_phase(reference.at(t).qpos) for t in (share * period, (share + 0.25) * period))
    passed = (later[0] + later[1]) - (first[0] + first[1])
    assert passed % 2.0 == pytest.approx(0.5, abs=0.07)


def test_an_edit_is_heard_with_the_next_step(body, walker, reference):
    live = Live(reference, body)
    walk = ReferenceWalk(live, body, walker.legs)
    before = walk.step_style(0, 0.0)
    live.edit(parse_edit("offset:spine=0:25:0,ease=0.1"), 0.0)
    after = walk.step_style(0, walk.duration)
    spine = list(body.joint("spine").qpos)
    turn = np.abs(np.sum(before.pose[:, spine] * after.pose[:, spine], axis=1))
    np.testing.assert_allclose(2 * np.degrees(np.arccos(np.minimum(turn, 1.0))), 25.0, atol=0.5)
    legs = [q for name in ("left_knee", "right_knee") for q in body.joint(name).qpos]
    np.testing.assert_allclose(after.pose[:, legs], before.pose[:, legs], atol=1e-6)


def test_an_edit_is_heard_when_it_is_made_however_slowly_it_walks(body, walker, reference):
    """The time of the world counts, not the number of steps; also when standing."""
    late, spine = 10.0, list(body.joint("spine").qpos)
    for motion in (reference, named_motion("stand", body)):
        live = Live(motion, body)
        plain, edited = (ReferenceWalk(heard, body, walker.legs) for heard in (motion, live))
        live.edit(parse_edit("offset:spine=0:25:0,ease=0.1"), late)
        for away in (-4 * plain.duration, 4 * plain.duration):
            change = edited.step_style(0, late + away).pose[:, spine] - plain.step_style(0, late + away).pose[:, spine]
            assert (np.abs(change).max() > 0.05) == (away > 0)
        np.testing.assert_allclose(edited.step_style(0, 0.0).pose, plain.step_style(0, 0.0).pose, atol=1e-9)


@pytest.mark.parametrize("motion", ["walk", "walk-fast", "crouch-walk"])
def test_an_edit_of_later_is_not_heard_at_first(body, walker, motion):
    """Wherever in the motion the stride was found."""
    plain = named_motion(motion, body)
    live = Live(plain, body)
    walk = ReferenceWalk(live, body, walker.legs)
    live.edit(parse_edit(f"offset:spine=0:25:0@{4 * walk.duration},ease=0.1"), 0.0)
    spine = list(body.joint("spine").qpos)
    steps = [
        [heard.step_style(stance, 0.0).pose[:, spine] for stance in (0, 1)]
        for heard in (walk, ReferenceWalk(plain, body, walker.legs))
    ]
    np.testing.assert_allclose(steps[0], steps[1], atol=1e-9)


def test_an_edit_that_passes_is_heard_while_it_lasts(body, walker, reference):
    """An endless reference is sampled at the present time, lap by lap."""
    live = Live(reference, body)
    walk = ReferenceWalk(live, body, walker.legs)
    period = 2 * walk.duration
    live.edit(parse_edit(f"offset:spine=0:25:0@{2 * period}-{4 * period},ease=0.1"), 0.0)
    laps = [walk.step_style(0, lap * period) for lap in range(6)]
    spine = list(body.joint("spine").qpos)
    bent = [float(np.abs(lap.pose[12, spine] - laps[0].pose[12, spine]).max()) > 0.05 for lap in laps]
    assert sum(bent) == 2
    assert not bent[0]
    assert not bent[-1]


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_a_walk_whose_pace_is_changed_meanwhile_is_heard_in_time(body, walker, reference, factor):
    """Steps last as long as in the edited walk, and are still those of the walk, foot by foot."""
    live = Live(reference, body)
    walk = ReferenceWalk(live, body, walker.legs)
    slow, pace = walk.duration, walk.speed
    before = [walk.step_style(stance, 0.0) for stance in (0, 1)]
    live.edit(parse_edit(f"warp:{factor},ease=0.2"), 2.0)
    for time in np.arange(2.0, 5.0, slow):
        walk.step_style(0, time)
    after = [walk.step_style(stance, 5.0) for stance in (0, 1)]
    assert walk.duration == pytest.approx(slow / factor, rel=0.03)
    assert walk.speed == pytest.approx(pace * factor, rel=0.03)
    for was, now in zip(before, after, strict=True):
        np.testing.assert_allclose(now.pose[:, 7:], was.pose[:, 7:], atol=0.15)


def test_a_walk_whose_strides_are_changed_meanwhile_is_heard_to_be_faster(body, walker, reference):
    live = Live(reference, body)
    walk = ReferenceWalk(live, body, walker.legs)
    lasts, pace = walk.duration, walk.speed
    live.edit(parse_edit("stride:+0.1,ease=0.2"), 2.0)
    walk.step_style(0, 4.0)
    assert walk.duration == pytest.approx(lasts, rel=0.02)
    assert walk.speed == pytest.approx(pace + 0.1 / lasts, rel=0.05)
