"""Preparing keeps the person: captured motions on their own bodies stay near their files."""

from pathlib import Path

import pytest

from poise.arrays import true_runs
from poise.body.link_kinematics import LinkKinematics
from poise.motion.likeness import likeness
from poise.retarget.footprints import foot_of_link
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


def test_toes_that_point_into_the_ground_are_not_folded_under_the_foot():
    prepared = prepare(MOCAP / "any/115_07.bvh")  # picks up a box, on the ball of the left foot
    now = likeness(prepared.source, prepared.clip.rigged_clip()).moments
    assert abs(now.pelvis_worst_cm) < 2.5
    assert now.knee_deg < 3.0
    assert now.worst_joint_deg < 10.0


def test_a_bent_neck_does_not_push_the_shoulders():
    prepared = prepare(MOCAP / "bvh/113_21.bvh", span=(1.0, 3.0))  # stands still, the head bent to the left
    assert likeness(prepared.source, prepared.clip.rigged_clip()).moments.joints_cm < 1.5


@pytest.mark.parametrize("name", ["bvh/02_01", "bvh/132_20", "any/91_36"])
def test_swing_feet_keep_their_clearance(name):
    prepared = prepare(MOCAP / f"{name}.bvh")
    clip, file = prepared.clip, prepared.retargeted.clip
    for foot in clip.body.feet:
        parts = [part for part in clip.parts if foot_of_link(clip.body, part.link) is foot]
        points = LinkKinematics(clip.body, [(part.link, point) for part in parts for point in part.points])
        here, there = (points.at(each.qpos)[0][..., 2].min(axis=1) for each in (clip, file))
        up = ~clip.down[:, [part in parts for part in clip.parts]].any(axis=1)
        for start, stop in true_runs(up):
            middle = slice(start + (stop - start) // 4, stop - (stop - start) // 4)
            if start > 0 and stop < clip.frames:
                least = min(there[middle].min(), max(0.02, there[middle].min() - 0.005), 0.05)
                assert here[middle].min() > least - 0.002
