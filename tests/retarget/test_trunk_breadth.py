"""The trunk of a body that is built for a file is no broader than the arms of the file allow."""

from pathlib import Path

import numpy as np
import pytest

from poise.arrays import readonly
from poise.body.body import Body
from poise.motion.likeness import likeness
from poise.reference.archive import load_prepared, save_prepared
from poise.reference.body_clip import BodyClip
from poise.retarget.prepare import fit_trunk_breadth, prepare
from poise.rotations import quat_exp, quat_multiply
from skeletons import CREATURES

ROOT = Path(__file__).resolve().parents[2]
WALK, MOCAP = ROOT / "examples/motions/walk.bvh", ROOT / "../shared/mocap/bvh"


@pytest.fixture(scope="module")
def walker():
    return prepare(WALK, span=(0.5, 0.7)).clip.body


def standing(body, inward):
    """The body stands with both arms turned inward (rad), in ten frames."""
    qpos = np.tile(body.standing, (10, 1))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        joint = list(body.joint(f"{side}_shoulder").qpos)
        qpos[:, joint] = quat_multiply(quat_exp(np.array([sign * inward, 0.0, 0.0])), qpos[:, joint])
    return BodyClip("standing", body, 60.0, readonly(qpos))


def test_arms_that_hang_free_leave_the_trunk_as_it_is(walker):
    clip, found = fit_trunk_breadth(standing(walker, 0.0))
    assert found.value == 1.0
    assert clip.body is walker


def test_a_trunk_that_arms_pass_through_is_narrower(walker):
    clip, found = fit_trunk_breadth(standing(walker, 0.15))
    assert 0.6 <= found.value < 0.95
    assert clip.body.mass == pytest.approx(walker.mass)
    assert fit_trunk_breadth(clip)[0].body.mjcf == clip.body.mjcf


def test_a_narrow_trunk_comes_back_from_a_file(walker, tmp_path):
    clip, _ = fit_trunk_breadth(standing(walker, 0.15))
    assert clip.body.mjcf != walker.mjcf
    assert load_prepared(save_prepared(clip, tmp_path / "still.npz")).body.mjcf == clip.body.mjcf


def test_a_creature_has_no_arms():
    body = Body.from_skeleton(CREATURES["snake"]())
    assert fit_trunk_breadth(BodyClip("snake", body, 60.0, readonly(body.standing[None])))[1].value == 1.0


@pytest.mark.skipif(not MOCAP.is_dir(), reason="needs the motion-capture folder")
def test_captured_arms_stay_where_they_are():
    prepared = prepare(MOCAP / "16_17.bvh")
    assert prepared.imported.finding("trunk").value < 0.9
    now = likeness(prepared.source, prepared.clip.rigged_clip()).moments
    assert now.joints_deg < 3.0
    assert now.joints_cm < 1.5
