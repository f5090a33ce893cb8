"""Forward kinematics against a loop over frames with SciPy's rotations."""

import numpy as np
from hypothesis import given
from random_clips import clips
from scipy.spatial.transform import Rotation


def turn(q):
    return Rotation.from_quat(np.roll(q, -1))


@given(clips())
def test_places_are_those_of_a_plain_walk_down_the_tree(clip):
    skeleton = clip.skeleton
    for t in range(clip.frames):
        places, turns = [], []
        for joint, parent in enumerate(skeleton.parents):
            own = turn(clip.rotation[t, joint])
            if parent < 0:
                places.append(clip.position[t])
                turns.append(own)
                continue
            arm = skeleton.offsets[joint] if clip.translation is None else clip.translation[t, joint]
            places.append(places[parent] + turns[parent].apply(np.array(arm)))
            turns.append(turns[parent] * own)
        np.testing.assert_allclose(clip.places.position[t], places, atol=1e-12)
        for end, tip in zip(skeleton.ends, clip.places.ends[t], strict=True):
            np.testing.assert_allclose(
                tip, places[end.joint] + turns[end.joint].apply(np.array(end.offset)), atol=1e-12
            )


@given(clips())
def test_a_cut_is_those_frames(clip):
    part = clip.cut(1, 3)
    assert part.frames == max(0, min(clip.frames, 3) - 1)
    assert np.array_equal(part.rotation, clip.rotation[1:3])
    assert np.array_equal(part.places.position, clip.places.position[1:3])
    assert (part.translation is None) == (clip.translation is None)


@given(clips())
def test_arrays_cannot_be_written_to(clip):
    arrays = [clip.position, clip.rotation, clip.skeleton.offsets, clip.places.position, clip.places.rotation]
    assert not any(array.flags.writeable for array in arrays)


@given(clips())
def test_children_are_those_whose_parent_one_is(clip):
    skeleton = clip.skeleton
    for joint, children in enumerate(skeleton.children):
        assert [k for k, parent in enumerate(skeleton.parents) if parent == joint] == list(children)
