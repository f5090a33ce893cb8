"""Legs in closed form, heels that rise, and what comes of it on bodies whose legs have a freedom too many."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseSpace
from poise.edit.foot_placement import EditedFootPlacement, EditedHeels
from poise.edit.limb_ik import EditedLimbSolver
from poise.edit.parse import parse_edit
from poise.edit.take import Frame, edited
from poise.rotations import quat_conjugate, quat_exp, quat_log, quat_multiply

BODIES = ["biped29", "human37", "human58", "own"]


@pytest.fixture(params=BODIES)
def body(request, own_walk):
    return own_walk.body if request.param == "own" else Body.named(request.param)


def crouch(body, frames=20, seed=0):
    """Poses with bent knees, and everything else a little different in each."""
    qpos = np.tile(body.standing, (frames, 1))
    step = 0.15 * np.random.default_rng(seed).standard_normal((frames, body.nv))
    for side in ("left", "right"):
        step[:, body.joint(f"{side}_knee").dofs[0]] = 0.7
        step[:, body.joint(f"{side}_hip").dofs[1]] = -0.4
    return PoseSpace(body).clamped(PoseSpace(body).moved(qpos, step))


def feet_of(body):
    links = [foot.link for foot in body.feet]
    return LinkKinematics(body, [(link, np.zeros(3)) for link in links], links)


def legs_of(body):
    return EditedLimbSolver(body, [(foot.link, np.zeros(3)) for foot in body.feet], len(body.feet))


def test_feet_go_exactly_where_they_are_wanted(body):
    qpos, legs, feet = crouch(body), legs_of(body), feet_of(body)
    place, turn = feet.at(qpos)
    chance = np.random.default_rng(1)
    place = place + 0.015 * chance.standard_normal(place.shape)
    turn = quat_multiply(turn, quat_exp(0.2 * chance.standard_normal(place.shape)))
    there, turned = feet.at(legs.placed(legs.read(qpos), place, turn))
    assert there == pytest.approx(place, abs=1e-9)
    assert quat_log(quat_multiply(turned, quat_conjugate(turn))) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("knee", [-0.08, 0.0, 0.4])
def test_feet_that_stay_leave_legs_as_they_are_even_overstretched(body, knee):
    qpos, legs = crouch(body), legs_of(body)
    qpos[:, [body.joint(f"{side}_knee").qpos[0] for side in ("left", "right")]] = knee
    place, turn = feet_of(body).at(qpos)
    same = legs.placed(legs.read(qpos), place, turn)
    assert PoseSpace(body).difference(qpos, same) == pytest.approx(0.0, abs=0.03 if knee == 0 else 1e-5)


@pytest.mark.parametrize("name", ["human58", "own"])
def test_to_face_elsewhere_the_leg_turns_not_the_ankle(name, own_walk):
    body = own_walk.body if name == "own" else Body.named(name)
    qpos, legs = crouch(body), legs_of(body)
    place, turn = feet_of(body).at(qpos)
    faced = legs.placed(legs.read(qpos), place, quat_multiply(quat_exp(np.array([0.0, 0.0, 0.4])), turn))
    change = np.abs(PoseSpace(body).difference(qpos, faced))
    assert change[:, body.joint("left_hip").dofs].max() > 0.3
    assert change[:, body.joint("left_ankle").dofs[2]].max() < 0.2


def test_heels_rise_about_the_balls_just_as_far_as_ankles_ask_for(body):
    qpos = crouch(body)
    place, turn = feet_of(body).at(np.tile(body.standing, (len(qpos), 1)))
    qpos[:] = body.standing
    qpos[:, 2] -= 0.3
    legs = legs_of(body)
    found, *_ = EditedHeels(body, legs).raised(legs.read(qpos), place, turn)
    soles = LinkKinematics(body, [(foot.link, point) for foot in body.feet for point in foot.points])
    height = soles.at(found)[0].reshape(len(qpos), -1, 4, 3)[..., 2]
    assert height[..., 2:] == pytest.approx(0.0, abs=1e-3)  # balls
    assert height[..., :2].min() > 0.01  # heels
    ankle = body.joint("left_ankle")
    beyond = np.abs(PoseSpace(body).difference(found, PoseSpace(body).clamped(found)))
    assert beyond[:, list(ankle.dofs)].max() < 1e-3


def test_a_foot_that_faces_too_far_stays_flat(body):
    footing, qpos = EditedFootPlacement(body), crouch(body, 4)
    qpos[:] = body.standing
    qpos[:, 2] -= 0.05
    place, turn = footing.places(np.tile(body.standing, (4, 1)))
    turn[:, 0] = quat_multiply(quat_exp(np.array([0.0, 0.0, 1.4])), turn[:, 0])
    frames = footing.settled([Frame(pose, None) for pose in qpos], place, turn)
    soles = LinkKinematics(body, [(body.feet[0].link, point) for point in body.feet[0].points])
    assert soles.at(np.array([frame.qpos for frame in frames]))[0][..., 2] == pytest.approx(0.0, abs=2e-3)


@pytest.mark.parametrize(
    ("text", "speed", "bears"),
    [
        ("trunk:-0.1@0.5-2", 1.5, 0.95),
        ("trunk:+0.1", 1.1, 0.99),
        ("stride:+0.12", 1.3, 0.99),
        ("turn:120@0.5-2.5", 1.3, 0.99),
        ("path:1:0/1.5:1", 1.3, 0.99),
        ("slope:8", 1.5, 0.95),
        ("slope:-8", 1.4, 0.99),
        ("stairs:0.15:0.3:4", 2.1, 0.99),
        ("reach:left_hand=0.15:0.05:0.2@0.5-1.5", 1.5, 0.99),
        ("mirror@1", 1.2, 0.9),
    ],
)
def test_a_body_of_ones_own_does_not_pop(own_walk, slip, text, speed, bears):
    out = edited(own_walk, parse_edit(text))
    assert slip(out) < 0.002
    assert np.abs(out.qvel[:, 6:]).max() < speed * np.abs(own_walk.qvel[:, 6:]).max()
    assert out.down.mean() > bears * own_walk.down.mean()


def test_a_raised_trunk_stops_where_legs_are_straight(own_walk):
    high = edited(own_walk, parse_edit("trunk:+0.3"))
    assert np.all(high.qpos[:, 2] >= own_walk.qpos[:, 2] - 1e-9)
    assert (high.qpos[:, 2] - own_walk.qpos[:, 2]).max() < 0.1


def test_an_offset_lifts_what_hangs_on_its_joint(own_walk):
    out = edited(own_walk, parse_edit("offset:left_knee_y=20@1-2"))
    left = [i for i, part in enumerate(out.parts) if part.name.startswith("left")]
    others = [i for i in range(len(out.parts)) if i not in left]
    held = slice(round(1.05 * out.rate), round(1.95 * out.rate))
    assert own_walk.down[held, left].any()
    assert not out.down[held, left].any()
    assert np.array_equal(out.down[:, others], own_walk.down[:, others])
