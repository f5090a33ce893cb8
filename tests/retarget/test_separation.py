"""Links that pass through each other come apart; what stands stays, and what is clean stays as it is."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.arrays import readonly
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseSpace
from poise.body.self_contact import SelfDistances
from poise.errors import PoiseError
from poise.library.motions import sketch_of_source
from poise.motion.repair.finding import ImportSettings
from poise.reference.body_clip import BodyClip
from poise.retarget.prepare import prepare
from poise.retarget.separation import separate_limbs

MOCAP = Path(__file__).resolve().parents[2] / "../shared/mocap/bvh"
BODY = Body.named("biped29")
RATE = 120.0


def passing(inward):
    """(T, nq): standing on the right foot while the left leg swings forward, turned inward (rad) as it passes."""
    time = np.arange(241) / RATE - 1.0  # s, 0 as it passes
    qpos = np.tile(BODY.standing, (len(time), 1))
    x, y = BODY.joint("left_hip").qpos[0] + np.array([0, 1])  # the first two of a quaternion's components
    swing, tilt = 0.5 * np.tanh(-4 * time), -inward * np.exp(-((time / 0.25) ** 2))
    qpos[:, y + 1], qpos[:, x + 1] = np.sin(0.5 * swing), np.sin(0.5 * tilt)
    qpos[:, x] = np.sqrt(1 - qpos[:, y + 1] ** 2 - qpos[:, x + 1] ** 2)
    qpos[:, BODY.joint("left_knee").qpos[0]] = 0.5 * np.exp(-((time / 0.3) ** 2))
    clip = BodyClip("passing", BODY, RATE, readonly(qpos))
    down = np.tile([part.name.startswith("right_foot") for part in clip.parts], (len(time), 1))
    return replace(clip, down=down)


def stance_points(clip):
    points = [(part.link, point) for part in clip.parts if part.name.startswith("right_foot") for point in part.points]
    return LinkKinematics(clip.body, points).at(clip.qpos)[0]


def most_turned(before, after):
    """Degrees: largest change of a joint."""
    return np.degrees(np.abs(PoseSpace(before.body).difference(before.qpos, after.qpos)[:, 6:]).max())


def depth(body, qpos):
    return -float(SelfDistances(body, 0.0).at(qpos).distance.min(initial=0.0))


@pytest.mark.parametrize(("inward", "crossed"), [(0.22, False), (0.33, True)])
def test_a_leg_that_passes_through_the_other_goes_round_it(inward, crossed):
    clip = passing(inward)
    shanks = LinkKinematics(BODY, [(f"{side}_shank", [0.0, 0.0, -0.2]) for side in ("left", "right")])
    assert (np.subtract(*shanks.at(clip.qpos)[0][120])[1] < 0) == crossed
    apart = separate_limbs(clip)
    assert apart.before.depth > 0.04
    assert apart.after.depth == depth(BODY, apart.clip.qpos) < 0.002
    assert np.subtract(*shanks.at(apart.clip.qpos)[0][120])[1] > 0.08  # m: left of it, not beyond it
    assert np.abs(stance_points(apart.clip) - stance_points(clip)).max() < 0.0005
    assert most_turned(clip, apart.clip) == pytest.approx(apart.turned_deg)
    assert apart.turned_deg < np.degrees(inward) + 1
    assert np.array_equal(apart.clip.qpos[[0, 1, -2, -1]], clip.qpos[[0, 1, -2, -1]])


def test_the_corrections_are_smooth():
    clip = passing(0.22)
    change = PoseSpace(BODY).difference(clip.qpos, separate_limbs(clip).clip.qpos)
    bend = np.diff(change, 2, axis=0) * RATE**2  # rad/s^2
    assert np.abs(bend).max() < 40


def test_a_clean_clip_is_returned_as_it_is():
    clip = passing(0.0)
    apart = separate_limbs(clip)
    assert apart.clip is clip
    assert apart.finding().done == "nothing"


def test_a_cycle_stays_a_cycle():
    sketch = sketch_of_source("walk", BODY)
    apart = separate_limbs(sketch.clip, sketch.supports)
    qpos = apart.clip.qpos
    assert apart.before.depth > 0.03
    assert apart.after.depth < 0.002
    assert apart.turned_deg < 5
    assert np.allclose(qpos[0, 7:], qpos[-1, 7:])
    before, after = (PoseSpace(BODY).difference(c[:-1], c[1:])[[0, -1]] for c in (sketch.clip.qpos, qpos))
    assert np.abs(after - before).max() < 2e-3  # rad per frame: no jump at the seam


def test_distances_have_the_derivatives_that_they_state():
    distances = SelfDistances(BODY, 0.05)
    qpos = passing(0.2).qpos[::10]
    step = 1e-6 * np.random.default_rng(1).normal(size=(len(qpos), BODY.nv))
    near, moved = distances.at(qpos), distances.at(PoseSpace(BODY).moved(qpos, step))
    expected = np.einsum("ki,kij,kj->k", near.normal, near.moves, step[near.frame])
    assert np.array_equal(near.pair, moved.pair)
    assert np.allclose(moved.distance - near.distance, expected, atol=1e-9)


@pytest.mark.skipif(not MOCAP.is_dir(), reason="needs the motion-capture folder")
@pytest.mark.parametrize(("name", "least", "most"), [("07_01", 0.02, 6), ("02_01", 0.01, 4), ("16_17", 0.02, 4)])
def test_captured_legs_come_apart(name, least, most):
    kept = prepare(MOCAP / f"{name}.bvh", imports=ImportSettings(overlap="keep"))
    found = prepare(MOCAP / f"{name}.bvh")
    told, before = (each.imported.finding("overlap") for each in (found, kept))
    assert before.value["before_m"] == told.value["before_m"] > least
    assert before.done == "nothing"
    distances = SelfDistances(found.clip.body, 0.0)
    assert distances.at(found.clip.qpos, distances.apart).distance.min(initial=0.0) > -0.005
    assert told.value["after_m"] < 0.02  # neck and collar bone stay as they are
    assert told.value["turned_deg"] < most
    assert "passes through" in told.found
    assert "moved apart, at most" in told.done
    assert told.override == "overlap=keep"


def test_a_word_for_overlap_that_is_unknown_is_refused():
    with pytest.raises(PoiseError, match="value of overlap"):
        ImportSettings(overlap="yes")
