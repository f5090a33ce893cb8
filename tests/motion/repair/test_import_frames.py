"""Frames that nobody performed, and rotations that jump."""

import numpy as np
import pytest
from figures import filed, marked, standing, stroll
from hypothesis import given, settings, strategies as st

from poise.errors import PoiseError
from poise.motion.clip import clip_from
from poise.motion.repair.bones import leg_length
from poise.motion.repair.false_frames import count_bad_frames, count_tpose_frames, root_jump_frames_of_file
from poise.motion.repair.finding import ImportSettings
from poise.motion.repair.importer import repair_motion, unwrap_rotations
from poise.motion.repair.unit_and_axes import poise_axes
from poise.motion.roles import find_roles
from poise.motion.skeleton import Skeleton
from poise.rotations import quat_conjugate, quat_from_axis_angle, quat_multiply
from skeletons import PEOPLE

LEG = 0.85
Y_UP = poise_axes("+y", "+z")


def arms_down(clip, first=0, ease=0):
    """The clip with hanging arms from frame `first` on, lowered over `ease` frames."""
    roles = find_roles(clip.skeleton)
    share = np.clip((np.arange(clip.frames) - first + 1) / (ease + 1), 0, 1)
    rotation, world = np.array(clip.rotation), clip.places.rotation
    for side, turn in (("left", -1.3), ("right", 1.3)):
        joint = roles.joints[f"{side}_upper_arm"]
        above = world[:, clip.skeleton.parents[joint]]
        lowered = quat_multiply(quat_from_axis_angle([1.0, 0, 0], turn * share), world[:, joint])
        rotation[:, joint] = quat_multiply(quat_conjugate(above), lowered)
    return clip_from(clip.name, clip.skeleton, clip.rate, clip.position, rotation)


def with_tpose(count, family="mixamo", ease=0):
    clip = stroll(family)
    still = clip_from("t", clip.skeleton, clip.rate, np.concatenate([clip.position[:1]] * count + [clip.position]),
                      np.concatenate([standing(clip.skeleton, count), clip.rotation]))  # fmt: skip
    return arms_down(still, count, ease)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("family", ["mixamo", "lafan1", "cmu"])
def test_a_tpose_put_in_front_is_dropped(family, count):
    clip = with_tpose(count, family)
    found = repair_motion(filed(clip, 0.01, Y_UP))
    assert found.finding("tpose").value == count
    assert found.clip.frames == clip.frames - count
    kept = repair_motion(filed(clip, 0.01, Y_UP), ImportSettings(tpose="keep"))
    assert kept.clip.frames == clip.frames
    assert kept.finding("tpose").done == "nothing"


def test_a_tpose_before_a_fast_start_is_dropped():
    clip = with_tpose(1)
    rotation = np.array(clip.rotation)
    swing = quat_from_axis_angle([0.0, 1.0, 0.0], 0.12 * np.arange(clip.frames))
    rotation[1:, 0] = quat_multiply(swing, rotation[:, 0])[1:]
    fast = clip_from("fast", clip.skeleton, 30.0, clip.position, rotation)
    assert count_tpose_frames(fast, find_roles(clip.skeleton), LEG) == 1


def test_leaps_below_a_root_that_stays_are_seen():
    clip = stroll()
    position = np.array(clip.position)
    position[4:] += [3.0, 0.0, 0.0]
    leaping = clip_from("leap", clip.skeleton, 60.0, position, clip.rotation)
    found = repair_motion(filed(marked(leaping), 0.01, Y_UP))
    assert found.finding("leading").value == 4


def test_a_dropped_tpose_shows_how_to_stand():
    found = repair_motion(filed(with_tpose(1, "lafan1"), 0.01, Y_UP))
    assert found.finding("upright").value == "first pose"
    expected = PEOPLE["lafan1"]().upright
    got = found.clip.skeleton.upright
    np.testing.assert_allclose(np.abs(np.sum(expected * got, axis=-1)), 1.0, atol=1e-3)


def test_an_animation_that_begins_in_its_rest_pose_is_whole():
    clip = with_tpose(1, ease=30)
    assert count_tpose_frames(clip, find_roles(clip.skeleton), LEG) == 0


def test_a_sudden_but_performed_start_is_whole():
    clip = arms_down(stroll(), 1)
    roles = find_roles(clip.skeleton)
    rotation = np.array(clip.rotation)
    rotation[:, :, 1] += 0.05  # nothing is unturned, and one arm is bent: this pose is no mirror image
    rotation[:, roles.joints["left_forearm"]] = quat_from_axis_angle([0, 0, 1.0], np.array(0.9))
    rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
    mess = clip_from("start", clip.skeleton, clip.rate, clip.position, rotation)
    assert count_tpose_frames(mess, roles, LEG) == 0


def walk(frames=100, step=0.012):
    return np.stack([1.0 + step * np.arange(frames), np.full(frames, 2.0), np.full(frames, 0.9)], axis=1)


@given(st.integers(1, 60))
def test_a_root_at_the_origin_before_the_start_is_cut(count):
    position = np.concatenate([np.zeros((count, 3)), walk()])
    assert count_bad_frames(position, LEG) == count


def test_an_animation_in_place_is_whole():
    assert count_bad_frames(np.zeros((100, 3)), LEG) == 0
    assert count_bad_frames(np.concatenate([np.zeros((5, 3)), walk() - walk()[:1]]), LEG) == 0


def test_leaps_are_cut_at_the_beginning_and_reported_inside():
    position = walk()
    position[4:] += [0.5, 0, 0]
    assert count_bad_frames(position, LEG) == 4
    position = walk()
    position[50:] += [0.5, 0, 0]
    assert count_bad_frames(position, LEG) == 0
    assert root_jump_frames_of_file(position, LEG) == [50]


def test_a_sprint_at_30_frames_per_second_does_not_leap():
    assert root_jump_frames_of_file(walk(step=0.3), LEG) == []


def test_cutting_is_reported_and_can_be_overruled():
    clip = stroll()
    position = np.concatenate([np.zeros((7, 3)), clip.position + [3.0, 0, 0]])
    rotation = np.concatenate([clip.rotation[:7], clip.rotation])
    raw = filed(clip_from("late", clip.skeleton, 60.0, position, rotation), 0.01, Y_UP)
    found = repair_motion(raw)
    assert (found.finding("leading").value, found.clip.frames) == (7, clip.frames)
    kept = repair_motion(raw, ImportSettings(leading=0))
    assert kept.clip.frames == clip.frames + 7
    assert kept.finding("leaps").value == [7]


@given(st.lists(st.booleans(), min_size=8, max_size=8))
def test_signs_of_quaternions_become_continuous(flips):
    clip = stroll(frames=8)
    rotation = np.where(np.array(flips)[:, None, None], -1.0, 1.0) * clip.rotation
    fixed, found = unwrap_rotations(clip_from("f", clip.skeleton, 60.0, clip.position, rotation))
    steps = np.sum(fixed.rotation[1:] * fixed.rotation[:-1], axis=-1)
    assert steps.min() > 0
    np.testing.assert_allclose(np.abs(fixed.rotation), np.abs(clip.rotation))
    assert found.value == clip.skeleton.count * np.count_nonzero(np.diff(flips))


def test_the_leg_is_measured_over_helper_joints():
    for family in PEOPLE:
        clip = stroll(family, frames=2)
        assert leg_length(clip, find_roles(clip.skeleton)) == pytest.approx(0.84, abs=0.01)


@settings(max_examples=25)
@given(st.integers(1, 30), st.floats(10, 200))
def test_clips_of_few_frames_import(frames, rate):
    clip = repair_motion(filed(stroll(frames=frames, rate=rate), 0.01, Y_UP)).clip
    assert clip.frames == frames
    assert clip.fault() is None


def test_offsets_in_position_channels_are_measured():
    """Some exporters write every bone as a position and leave the offsets empty."""
    clip = stroll()
    empty = Skeleton(clip.skeleton.names, clip.skeleton.parents, 0 * clip.skeleton.offsets, clip.skeleton.ends)
    placed = np.tile(clip.skeleton.offsets, (clip.frames, 1, 1))
    raw = filed(clip_from("six", empty, 60.0, clip.position, clip.rotation, placed), 0.01, Y_UP)
    found = repair_motion(raw)
    np.testing.assert_allclose(found.clip.skeleton.offsets[1:], clip.skeleton.offsets[1:], atol=1e-12)
    assert (found.finding("unit").value, found.finding("up").value) == (0.01, "+y")
    assert found.finding("offsets").value > 5
    assert repair_motion(raw, ImportSettings(offsets="file", unit="cm")).finding("offsets").done == "nothing"


def test_points_without_bones_are_nobody():
    clip = stroll()
    points = Skeleton(clip.skeleton.names, clip.skeleton.parents, 0 * clip.skeleton.offsets)
    found = repair_motion(filed(clip_from("dust", points, 60.0, clip.position, clip.rotation), 0.01, Y_UP))
    assert found.finding("unit").confidence == 0.0


def test_whoever_asks_may_drop_a_first_frame_that_looks_right():
    clip = stroll()
    found = repair_motion(filed(clip, 0.01, Y_UP), ImportSettings(tpose="drop"))
    assert found.clip.frames == clip.frames - 1
    assert found.finding("tpose").value == 1


def test_a_clip_cannot_be_cut_to_nothing():
    clip = stroll()
    with pytest.raises(PoiseError, match=f"cannot cut {clip.frames} leading frames"):
        repair_motion(filed(clip, 0.01, Y_UP), ImportSettings(leading=clip.frames))
