"""Units and axes: conversion moves everything alike, and undoing it gives the file's numbers back."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from random_clips import clips
from scipy.spatial.transform import Rotation

from poise.arrays import readonly
from poise.motion.clip import clip_from, clip_in_file_units, convert_clip, file_convention
from poise.motion.skeleton import Y_UP, Skeleton
from poise.rotations import quat_to_matrix

AXES = Rotation.from_rotvec([0.4, 1.3, -0.8]).as_matrix()


def refiled(clip):
    """The clip as if its numbers were those of a file."""
    return replace(clip, skeleton=replace(clip.skeleton, convention=file_convention()))


@given(clips())
def test_every_place_and_turn_is_converted_alike(clip):
    clip = refiled(clip)
    ours = convert_clip(clip, 0.3, AXES)
    np.testing.assert_allclose(ours.places.position, 0.3 * clip.places.position @ AXES.T, atol=1e-12)
    np.testing.assert_allclose(ours.places.ends, 0.3 * clip.places.ends @ AXES.T, atol=1e-12)
    expected = AXES @ quat_to_matrix(clip.places.rotation) @ AXES.T
    np.testing.assert_allclose(quat_to_matrix(ours.places.rotation), expected, atol=1e-12)


@given(clips())
def test_the_file_numbers_come_back(clip):
    clip = refiled(clip)
    again = clip_in_file_units(convert_clip(convert_clip(clip, 0.01, Y_UP), 5.0, AXES))
    np.testing.assert_allclose(again.position, clip.position, atol=1e-13)
    np.testing.assert_allclose(again.rotation, clip.rotation, atol=1e-13)
    np.testing.assert_allclose(again.skeleton.offsets, clip.skeleton.offsets, atol=1e-13)
    if clip.translation is not None:
        np.testing.assert_allclose(again.translation, clip.translation, atol=1e-13)


def test_the_convention_and_the_upright_pose_go_along():
    upright = readonly([[0.5, 0.5, 0.5, 0.5], [0.8, 0.6, 0, 0]])
    skeleton = Skeleton(
        ("a", "b"), (-1, 0), readonly(np.ones((2, 3))), (), file_convention((("Xrotation",), ())), upright
    )
    clip = clip_from("c", skeleton, 30, np.zeros((1, 3)), np.tile([1.0, 0, 0, 0], (1, 2, 1)))
    ours = convert_clip(clip, 0.01, Y_UP).skeleton
    assert ours.convention.unit == 0.01
    assert np.array_equal(ours.convention.axes, Y_UP)
    assert ours.convention.channels == (("Xrotation",), ())
    np.testing.assert_allclose(quat_to_matrix(ours.upright[1]), Y_UP @ quat_to_matrix(upright[1]) @ Y_UP.T, atol=1e-12)
    assert convert_clip(replace(clip, skeleton=ours), 2.0, AXES).skeleton.convention.unit == 0.02
