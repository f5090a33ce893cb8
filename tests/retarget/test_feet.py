"""Clean feet: what is down stands still, nothing pops, nothing sinks."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.arrays import readonly, true_runs
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseSpace
from poise.body.surface import contact_parts
from poise.errors import PoiseError
from poise.motion.repair.importer import import_motion
from poise.reference.body_clip import BodyClip
from poise.retarget.contact_detection import find_contacts
from poise.retarget.foot_cleanup import FootSettings, clean_feet
from poise.retarget.footprints import footprints
from poise.retarget.retarget import retarget
from poise.rotations import quat_exp, yaw_of

MOCAP = Path(__file__).resolve().parents[2] / "../shared/mocap/bvh"
BODY = Body.named("human37")
RATE = 120.0


def standing(frames=120, slide=0.0, height=0.0, down=None):
    qpos = np.tile(BODY.standing, (frames, 1))
    qpos[:, 0] += np.linspace(0.0, slide, frames)
    qpos[:, 2] += height
    clip = BodyClip("test", BODY, RATE, readonly(qpos))
    if down is None:
        down = np.tile([not part.name.endswith("_hand") for part in clip.parts], (frames, 1))
    return replace(clip, down=down)


def points_of(clip):
    points = [(part.link, point) for part in clip.parts for point in part.points]
    parts = [k for k, part in enumerate(clip.parts) for _ in part.points]
    return LinkKinematics(clip.body, points).at(clip.qpos)[0], parts


def most_moved(clip):
    """m: the farthest that any contact point gets from its median during a contact."""
    places, parts = points_of(clip)
    return max(
        np.linalg.norm(places[a:b, point] - np.median(places[a:b, point], axis=0), axis=1).max()
        for point, part in enumerate(parts)
        for a, b in true_runs(clip.down[:, part])
    )


def joint_speeds(clip):
    """(T - 1, joints) rad/s."""
    step = PoseSpace(clip.body).difference(clip.qpos[:-1], clip.qpos[1:]) * clip.rate
    return np.stack([np.linalg.norm(step[:, list(j.dofs[-3:])], axis=1) for j in clip.body.joints], axis=1)


def test_a_stand_that_slides_three_centimetres_is_pinned():
    assert most_moved(standing(slide=0.03)) > 0.014
    assert most_moved(clean_feet(standing(slide=0.03))) < 0.0005


@pytest.mark.parametrize("height", [-0.03, 0.03])
def test_sunk_and_floating_soles_come_to_the_floor(height):
    places, parts = points_of(clean_feet(standing(height=height)))
    feet = [k for k, part in enumerate(parts) if not standing(2).parts[part].name.endswith("_hand")]
    assert np.abs(places[:, feet, 2]).max() < 0.001


def test_what_is_right_stays_as_it_is():
    clip = standing()
    assert np.allclose(clean_feet(clip).qpos, clip.qpos, atol=1e-6)


def test_a_contact_between_swings_is_corrected_without_a_jump():
    down = np.zeros((240, 8), bool)
    down[105:135, :3] = True
    clip = standing(240, height=0.03, down=down)
    clean = clean_feet(clip, FootSettings(smoothing=None))
    assert most_moved(clean) < 0.001
    assert joint_speeds(clean).max() < 1.5  # rad/s; a jump within a frame would be ten times that
    assert np.allclose(clean.qpos[:5], clip.qpos[:5], atol=3e-3)


def test_a_foot_rolls_over_its_ball():
    frames = 90
    lift = np.clip((np.arange(frames) - 30) / 30, 0.0, 1.0)
    qpos = np.tile(BODY.standing, (frames, 1))
    ankle = BODY.joint("left_ankle")
    qpos[:, ankle.qpos[0]] = 0.5 * lift  # the heel rises by turning, so that the ball is pushed into the ground
    clip = BodyClip("test", BODY, RATE, readonly(qpos))
    names = [part.name for part in clip.parts]
    down = np.zeros((frames, len(names)), bool)
    down[:, names.index("left_foot_ball")] = True
    down[:32, names.index("left_foot_heel")] = True
    clean = clean_feet(replace(clip, down=down))
    places, parts = points_of(clean)
    heel = [k for k, part in enumerate(parts) if names[part] == "left_foot_heel"]
    assert most_moved(clean) < 0.001
    assert places[-1, heel, 2].min() > 0.02


def test_footprints_know_place_heading_and_height():
    qpos = np.tile(BODY.standing, (40, 1))
    qpos[:, :3] += [1.0, 2.0, 0.3]
    qpos[:, 3:7] = quat_exp([0.0, 0.0, 0.7])
    clip = replace(standing(40), qpos=readonly(qpos))
    for stance in footprints(clip):
        assert (stance.start, stance.stop) == (0, 40)
        assert stance.height == pytest.approx(0.3, abs=1e-6)
        assert yaw_of(stance.turn) == pytest.approx(0.7)
        seen = LinkKinematics(BODY, [(stance.foot.link, p) for p in stance.foot.points]).at(clip.qpos)[0][0]
        assert np.allclose(stance.points(stance.foot.points), seen, atol=1e-6)


def test_footprints_lie_on_slopes_but_not_on_slightly_tilted_feet():
    for tilt, expected in ((0.25, 0.25), (0.05, 0.0)):
        qpos = np.tile(BODY.standing, (40, 1))
        qpos[:, 2] += 0.4
        qpos[:, 3:7] = quat_exp([0.0, -tilt, 0.0])
        turn = footprints(replace(standing(40), qpos=readonly(qpos)))[0].turn
        assert 2 * np.arcsin(-turn[2]) == pytest.approx(expected, abs=0.01)


def stepping(height):
    """The left foot swings, hardly lifted, while the right one stands."""
    frames, start, stop = 120, 40, 80
    share = np.clip((np.arange(frames) - start) / (stop - start), 0, 1)
    qpos = np.tile(BODY.standing, (frames, 1))
    bend = np.arccos(1 - height / 0.86) * np.sin(np.pi * share)
    hip, knee = BODY.joint("left_hip"), BODY.joint("left_knee")
    qpos[:, list(hip.qpos)] = quat_exp(np.stack([0 * bend, -bend, 0 * bend], axis=1))
    qpos[:, knee.qpos[0]] = 2 * bend
    qpos[:, BODY.joint("left_ankle").qpos[0]] = -bend
    clip = standing(frames)
    down = np.array(clip.down)
    down[start:stop, :3] = False
    return replace(clip, qpos=readonly(qpos), down=down)


def test_swings_are_raised_on_request():
    clip = stepping(0.02)
    left = slice(0, 5)
    low, high = (points_of(clean_feet(clip, FootSettings(clearance=c)))[0][60, left, 2].min() for c in (None, 0.08))
    assert low < 0.03
    assert high > 0.075


def test_swinging_feet_do_not_sink():
    clip = stepping(0.02)
    qpos = np.array(clip.qpos)
    qpos[45:75, 2] -= 0.05 * np.sin(np.pi * np.arange(30) / 30)
    places, _ = points_of(clean_feet(replace(clip, qpos=readonly(qpos))))
    assert places[..., 2].min() > -0.004


def test_contacts_must_be_known():
    with pytest.raises(PoiseError, match="no contacts"):
        clean_feet(replace(standing(), down=None))


def test_a_body_without_feet_is_left_alone():
    lamp = Body.named("lamp14")
    clip = find_contacts(BodyClip("test", lamp, RATE, readonly(np.tile(lamp.standing, (30, 1)))))
    assert np.allclose(clean_feet(clip).qpos, clip.qpos, atol=1e-2)


@pytest.mark.skipif(not MOCAP.is_dir(), reason="needs the motion-capture set")
@pytest.mark.parametrize(("name", "start", "stop"), [("02_01", 10, 332), ("02_03", 15, 161)])
def test_captured_gaits_are_clean(name, start, stop):
    source = import_motion(MOCAP / f"{name}.bvh").clip
    raw = retarget(source.cut(start, stop), BODY).clip
    clean = clean_feet(find_contacts(raw))
    assert most_moved(clean) < 0.002
    space = PoseSpace(BODY)
    assert np.allclose(space.clamped(clean.qpos), clean.qpos, atol=1e-9)
    assert np.all(joint_speeds(clean).max(axis=0) <= 1.3 * np.percentile(joint_speeds(raw), 99, axis=0))


def steps_on(height, count=6):
    """A figure that is put down at one place after the other, at heights that depend on the place."""
    qpos = np.tile(BODY.standing, (20 * count, 1))
    down = np.tile([not part.name.endswith("_hand") for part in contact_parts(BODY)], (20 * count, 1))
    for k in range(count):
        qpos[20 * k : 20 * k + 20, 0] = 0.7 * k
        qpos[20 * k : 20 * k + 20, 2] += height(0.7 * k)
        down[20 * k] = False
    return BodyClip("steps", BODY, RATE, readonly(qpos), readonly(down, bool))


@pytest.mark.parametrize("height", [lambda x: 0.08 * x, lambda x: 0.1 * (x > 2)], ids=["slope", "stair"])
def test_a_slope_or_a_stair_is_none(height):
    prints = footprints(steps_on(height))
    assert max(p.height for p in prints) == pytest.approx(height(3.5), abs=0.01)
