"""Preparing keeps the person: captured motions on their own bodies stay near their files."""

from pathlib import Path

import pytest

from poise.motion.likeness import likeness
from poise.retarget.prepare import prepare

MOCAP = Path(__file__).resolve().parents[2] / "../shared/mocap"
pytestmark = pytest.mark.skipif(not MOCAP.is_dir(), reason="needs the motion-capture folder")


@pytest.mark.parametrize("name", ["bvh/07_01", "bvh/132_20", "bvh/09_01", "bvh/02_03", "any/35_01", "any/91_36"])
def test_walks_and_runs_stay_near_their_files(name):
    prepared = prepare(MOCAP / f"{name}.bvh")
    now = likeness(prepared.source, prepared.clip.rigged_clip()).moments
    assert abs(now.pelvis_mean_cm) < 0.7
    assert abs(now.pelvis_worst_cm) < 2.5
    assert now.knee_deg < 3.0
    assert now.swing_ankle_cm < 1.0
    assert now.joints_deg < 3.0
    assert now.joints_cm < 1.5


def test_something_bears_in_squats_on_the_balls_of_the_feet_but_no_hand():
    clip = prepare(MOCAP / "any/22_14.bvh").clip
    hands = [part.name.endswith("hand") for part in clip.parts]
    assert clip.down.any(axis=1).all()
    assert not clip.down[:, hands].any()
