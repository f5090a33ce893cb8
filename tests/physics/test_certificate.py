"""The certificate of a motion: whatever is spoiled in a good one is found, and named by the right number."""

from dataclasses import replace

import numpy as np
import pytest

from poise.arrays import readonly
from poise.body.body import Body
from poise.errors import PoiseError
from poise.library.motions import shipped_dynamic
from poise.physics.certificate import certify, deviation_from
from poise.reference.body_clip import BodyClip


@pytest.fixture(scope="module")
def walk():
    return shipped_dynamic("walk", "biped29")


def other(table, *index, by):
    """A table with one entry, or several, changed."""
    out = np.array(table)
    out[index] += by
    return readonly(out)


def pushed(motion, step, contact, force):
    """The motion with another force of a contact in a step."""
    table = np.array(motion.contacts.force)
    table[step, contact] = force
    return replace(motion, contacts=replace(motion.contacts, force=readonly(table)))


def posed(motion, *index, by):
    return replace(motion, clip=replace(motion.clip, qpos=other(motion.clip.qpos, *index, by=by)))


def swinging(motion):
    """A step and a contact that is high in the air all through it."""
    clear = (motion.points()[..., 2] - motion.contacts.ground).min(axis=1) >= 0  # frames without any deeper
    height = np.where(motion.contacts.down, 0.0, motion.points()[..., 2]) * clear[:, None]
    step, contact = np.unravel_index(int(height[1:-1].argmax()), height[1:-1].shape)
    assert height[step + 1, contact] > 0.02
    return int(step), int(contact)


def test_a_finished_walk_is_clean(walk):
    found = certify(walk)
    assert found.equations < 1e-9
    assert found.slip_mm < 1e-6
    assert found.gap_mm < 1e-6
    assert found.cone == found.torque_excess == found.joint_excess_deg == 0.0
    assert found.penetration_mm < 1e-6
    assert 1.0 < found.peak_force < 2.0


def test_a_hand_from_heaven_is_found(walk):
    assert certify(replace(walk, torque=other(walk.torque, 20, 2, by=5.0))).torque_excess == pytest.approx(5.0)


@pytest.mark.parametrize("dof", [6, 20])
def test_a_torque_that_is_not_there_is_missed(walk, dof):
    weight = walk.clip.body.mass * 9.81
    spoiled = replace(walk, torque=other(walk.torque, 20, dof, by=-1.0))
    assert certify(spoiled).equations == pytest.approx(1.0 / weight, rel=0.2)


def test_a_wrong_velocity_is_missed(walk):
    assert certify(replace(walk, qvel=other(walk.qvel, 30, 8, by=0.01))).equations > 1e-4


def test_a_wrong_pose_is_missed(walk):
    assert certify(posed(walk, 30, 0, by=1e-5)).equations > 1e-4


def test_a_force_on_a_foot_in_the_air_shows_its_gap(walk):
    step, contact = swinging(walk)
    spoiled = pushed(walk, step, contact, [0.0, 0.0, 1e-3])
    height = walk.points()[step + 1, contact, 2]
    assert certify(spoiled).gap_mm == pytest.approx(1e3 * height, rel=1e-6)


def test_friction_before_a_foot_has_landed_shows_its_gap(walk):
    down = walk.contacts.down
    step, contact = np.argwhere(down[1:] & ~down[:-1])[0]
    force = walk.contacts.force[step, contact]
    assert not force[:2].any()
    spoiled = pushed(walk, step, contact, force + [1e-3, 0.0, 0.0])
    assert certify(spoiled).gap_mm > 0.1


def test_feet_that_pull_or_rub_too_much_leave_the_cone(walk):
    step, contact = np.argwhere(walk.contacts.force[..., 2] > 100)[0]
    assert certify(pushed(walk, step, contact, [0.0, 0.0, -50.0])).cone == pytest.approx(35.0)
    assert certify(pushed(walk, step, contact, [60.0, 60.0, 100.0])).cone == pytest.approx(50.0)


def test_a_cycle_that_does_not_close_is_found(walk):
    """Each step is right, but the last state is not the first."""
    frames, contacts = slice(0, walk.clip.frames - 20), walk.contacts
    steps = slice(0, walk.clip.frames - 21)
    shorter = replace(
        walk,
        clip=replace(walk.clip, qpos=walk.clip.qpos[frames], down=walk.clip.down[frames], cyclic=False),
        qvel=walk.qvel[frames],
        torque=walk.torque[steps],
        contacts=replace(
            contacts, down=contacts.down[frames], force=contacts.force[steps], ground=contacts.ground[frames]
        ),
    )
    assert certify(shorter).equations < 1e-9
    assert certify(replace(shorter, clip=replace(shorter.clip, cyclic=True))).equations > 1.0


def test_hands_that_leave_the_bar_upwards_slip():
    hang = shipped_dynamic("hang", "biped29")
    assert certify(hang).slip_mm < 1e-6
    lifted = posed(hang, slice(10, None), 2, by=0.01)
    assert certify(lifted).slip_mm == pytest.approx(10.0, rel=1e-3)


def test_feet_that_slide_slip_and_feet_that_sink_are_deep(walk):
    assert certify(posed(walk, slice(30, None), 1, by=0.01)).slip_mm == pytest.approx(10.0, rel=1e-3)
    sunk = certify(posed(walk, slice(None), 2, by=-0.01))
    assert sunk.gap_mm == pytest.approx(10.0, rel=1e-3)
    assert sunk.penetration_mm == pytest.approx(10.0, rel=1e-3)


def test_a_joint_beyond_its_limit_is_found(walk):
    body = walk.clip.body
    knee = body.joint("left_knee")
    over = np.degrees(body.upper[knee.dofs[0]] - walk.clip.qpos[30, knee.qpos[0]]) + 3.0
    spoiled = posed(walk, 30, knee.qpos[0], by=np.radians(over))
    assert certify(spoiled).joint_excess_deg == pytest.approx(3.0)


def test_what_is_no_number_is_refused(walk):
    with pytest.raises(PoiseError, match="not finite"):
        certify(posed(walk, 30, 0, by=np.nan))


def test_likeness_is_a_root_mean_square(walk):
    wished = replace(walk.clip, qpos=other(walk.clip.qpos, slice(None), 0, by=0.03))
    found = deviation_from(walk, wished)
    assert found.root_rms_m == pytest.approx(0.03)
    assert found.joint_rms_deg < 1e-9


def test_a_body_without_joints_is_like_itself(walk):
    text = '<mujoco><worldbody><body name="b"><freejoint/><geom type="sphere" size=".1"/></body></worldbody></mujoco>'
    ball = Body.from_mjcf(text)
    clip = BodyClip("ball", ball, 120.0, readonly(np.tile(ball.standing, (3, 1))))
    assert deviation_from(replace(walk, clip=clip), clip).worst_joint == "none"
