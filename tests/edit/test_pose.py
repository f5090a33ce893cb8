import numpy as np
import pytest

from poise.body.link_kinematics import LinkKinematics
from poise.edit.foot_placement import EditedFootPlacement
from poise.edit.limbs import part_point
from poise.edit.pose import Carry, Offset, TrunkEdit
from poise.edit.reach import Reach, ReachGoal
from poise.edit.take import Span, edited
from poise.errors import PoiseError
from poise.forms import CARRY_POSES
from poise.rotations import quat_exp, quat_multiply


def part_places(clip, name):
    return LinkKinematics(clip.body, [part_point(clip.body, name)]).at(clip.qpos)[0][:, 0]


def test_an_offset_turns_one_hinge_and_nothing_else(gait):
    turned = edited(gait, Offset("left_elbow_y", (-30.0,), Span(1.0, 2.5, 0.3)))
    change = turned.qpos - gait.qpos
    elbow = gait.body.joint("left_elbow").qpos[0]
    assert change[round(1.75 * gait.rate), elbow] == pytest.approx(np.radians(-30))
    assert np.abs(change[: round(1.0 * gait.rate)]).max() < 1e-12
    assert np.abs(change[round(2.5 * gait.rate) :]).max() < 1e-12
    assert np.abs(np.delete(change, elbow, axis=1)).max() < 1e-12


def test_an_offset_of_a_ball_is_a_turn_in_its_frame(gait):
    turned = edited(gait, Offset("spine", (0.0, 20.0, 0.0)))
    spine = list(gait.body.joint("spine").qpos)
    wanted = quat_multiply(gait.qpos[:, spine], quat_exp(np.radians([0.0, 20.0, 0.0])))
    assert turned.qpos[:, spine] == pytest.approx(wanted)
    with pytest.raises(PoiseError, match="takes 3"):
        edited(gait, Offset("spine", (20.0,)))


@pytest.mark.parametrize("metres", [-0.1, -0.03])
def test_a_lowered_trunk_leaves_feet_where_they_are(gait, metres, slip, soles):
    low = edited(gait, TrunkEdit(metres, Span(1.0, 3.0, 0.3)))
    middle = slice(round(1.4 * gait.rate), round(2.6 * gait.rate))
    assert low.qpos[middle, 2] - gait.qpos[middle, 2] == pytest.approx(metres, abs=0.004)
    assert slip(low) < 0.002
    balls = np.linalg.norm((soles(low) - soles(gait))[:, :, 2:].mean(axis=2), axis=-1)
    assert balls.max() < 0.001


def test_a_straight_leg_finds_its_bend():
    from poise.body.body import Body
    from poise.reference.body_clip import BodyClip

    body = Body.named("human37")
    standing = BodyClip("stand", body, 60.0, np.tile(body.standing, (10, 1)))
    crouched = edited(standing, TrunkEdit(-0.25))
    assert crouched.qpos[:, 2] == pytest.approx(body.standing[2] - 0.25, abs=0.005)
    assert crouched.qpos[0, body.joint("left_knee").qpos[0]] > 0.8


@pytest.mark.parametrize("part", ["left_hand", "right_hand", "head"])
def test_a_part_reaches_its_offset_while_feet_stand(gait, part, slip):
    moved = edited(gait, Reach((ReachGoal(part, (0.05, 0.02, -0.04)),), span=Span(1.0, 3.0)))
    k = round(2.0 * gait.rate)
    assert part_places(moved, part)[k] - part_places(gait, part)[k] == pytest.approx([0.05, 0.02, -0.04], abs=0.004)
    assert slip(moved) < 0.002
    assert moved.qpos[: round(gait.rate)] == pytest.approx(gait.qpos[: round(gait.rate)], abs=1e-12)


def test_two_hands_meet_at_places_in_the_world(gait):
    goals = (ReachGoal("left_hand", (2.0, 0.15, 1.1)), ReachGoal("right_hand", (2.0, -0.15, 1.1)))
    moved = edited(gait, Reach(goals, absolute=True, span=Span(1.2, 2.4)))
    k = round(1.8 * gait.rate)
    for goal in goals:
        assert part_places(moved, goal.part)[k] == pytest.approx(goal.place, abs=0.01)


def test_a_foot_that_is_moved_no_longer_stands(gait, soles):
    moved = edited(gait, Reach((ReachGoal("left_foot", (0.0, 0.1, 0.05)),), span=Span(1.0, 2.0)))
    k = round(1.5 * gait.rate)
    shift = (
        EditedFootPlacement(gait.body).places(moved.qpos[k : k + 1])[0]
        - EditedFootPlacement(gait.body).places(gait.qpos[k : k + 1])[0]
    )
    heel, ball = (soles(moved) - soles(gait))[k, 0].reshape(2, 2, 3)
    assert ball == pytest.approx(np.tile([0.0, 0.1, 0.05], (2, 1)), abs=0.0005)
    assert heel == pytest.approx(np.tile([0.0, 0.1, 0.05], (2, 1)), abs=0.005)  # biped29's ankle is at its limit
    assert shift[0, 1] == pytest.approx(np.zeros(3), abs=0.002)
    lefts = [i for i, part in enumerate(gait.parts) if part.name.startswith("left")]
    assert not moved.down[k, lefts].any()


def test_an_unknown_part_is_named(gait):
    with pytest.raises(PoiseError, match="unknown body part 'tail'"):
        edited(gait, Reach((ReachGoal("tail", (0.0, 0.0, 0.1)),)))


@pytest.mark.parametrize("pose", CARRY_POSES)
def test_a_carry_pose_holds_the_arms_and_keeps_the_rest(gait, pose):
    carried = edited(gait, Carry(pose, Span(1.0, None, 0.5)))
    arms = [q for group in ("left_arm", "right_arm") for n in gait.body.groups[group] for q in gait.body.joint(n).qpos]
    rest = np.setdiff1d(np.arange(gait.body.nq), arms)
    assert carried.qpos[:, rest] == pytest.approx(gait.qpos[:, rest], abs=1e-12)
    held = carried.qpos[round(1.5 * gait.rate) :, arms]
    moving = np.ptp(gait.qpos[:, arms], axis=0) > 1e-6
    one_sided = "_left" in pose or "_right" in pose
    assert (np.ptp(held, axis=0) < 1e-9).sum() >= (~moving).sum() + moving.sum() // (2 if one_sided else 1)
    assert carried.qpos[: round(gait.rate)] == pytest.approx(gait.qpos[: round(gait.rate)], abs=1e-12)


def test_overhead_is_over_the_head_and_front_is_in_front(gait):
    over, front = (edited(gait, Carry(pose)) for pose in ("overhead", "front"))
    for hand in ("left_hand", "right_hand"):
        assert (part_places(over, hand)[:, 2] > part_places(over, "head")[:, 2] + 0.1).all()
        assert (part_places(front, hand)[:, 0] > front.qpos[:, 0] + 0.2).all()


def test_a_body_without_hands_says_so():
    from poise.body.body import Body
    from poise.edit.take import take_of
    from poise.library.motions import stand_motion

    lamp = Body.named("lamp14")
    with pytest.raises(PoiseError, match="lacks hands"):
        Carry("front").on(take_of(stand_motion(lamp), lamp))
    with pytest.raises(PoiseError, match="lacks legs"):
        TrunkEdit(-0.1).on(take_of(stand_motion(lamp), lamp))


def test_a_lamp_bows_while_its_base_stands():
    from poise.body.body import Body
    from poise.edit.take import take_of
    from poise.library.motions import stand_motion

    lamp = Body.named("lamp14")
    still = take_of(stand_motion(lamp), lamp)
    bowed = Reach((ReachGoal("shade", (0.03, 0.0, -0.05)),)).on(still).clip(0.1)
    moved = part_places(bowed, "shade")[0] - part_places(still.clip(0.1), "shade")[0]
    assert moved == pytest.approx([0.03, 0.0, -0.05], abs=0.005)
    assert bowed.qpos[0, :7] == pytest.approx(lamp.standing[:7], abs=0.002)


def test_a_trunk_does_not_go_underground(gait):
    with pytest.raises(PoiseError, match=r"trunk:-5.*below the feet"):
        edited(gait, TrunkEdit(-5.0))
