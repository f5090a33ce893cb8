"""Which reader a file gets."""

import numpy as np
import pytest
from test_bvh_read import ARM

from poise.errors import PoiseError
from poise.motion.files import read_motion


def test_a_bvh_says_nothing_about_units(tmp_path):
    (tmp_path / "a.BVH").write_text(ARM)
    motion = read_motion(tmp_path / "a.BVH")
    assert (motion.kind, motion.unit, motion.axes, motion.notes) == ("bvh", None, None, ())
    assert motion.clip.skeleton.convention.unit == 1
    assert np.array_equal(motion.clip.skeleton.convention.axes, np.eye(3))


@pytest.mark.parametrize("name", ["motion.fbx", "motion", "motion.asf"])
def test_other_endings(tmp_path, name):
    (tmp_path / name).write_text(ARM)
    with pytest.raises(PoiseError, match=r"motion files end in \.bvh, \.amc, \.npz"):
        read_motion(tmp_path / name)
