"""What is said about a motion, against motions whose answers are known."""

from dataclasses import replace

import numpy as np
import pytest

from poise.body.body import Body
from poise.library.motions import MotionFacts, shipped_motion_facts
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import ContactSchedule, Dynamic
from poise.rotations import quat_exp, quat_multiply

BODY = Body.named("biped29")
FRAMES, RATE = 121, 60.0  # 2 s
TIME = np.arange(FRAMES) / RATE
HERE, AHEAD = np.zeros((FRAMES, 2)), np.zeros(FRAMES)


def moving(place, yaw, *contacts):
    """The standing pose carried along a path on the ground; contacts are (link, whether held, when down)."""
    qpos = np.tile(BODY.standing, (FRAMES, 1))
    qpos[:, :2] = place
    turn = quat_exp(np.stack([0 * yaw, 0 * yaw, yaw], axis=-1))
    qpos[:, 3:7] = quat_multiply(turn, qpos[:, 3:7])
    links, held = tuple(c[0] for c in contacts), np.array([c[1] for c in contacts], bool)
    down = np.array([c[2] for c in contacts], bool).reshape(-1, FRAMES).T
    count, zero = len(contacts), np.zeros
    balls = ContactSchedule(
        links, links, zero((count, 3)), zero(count), held, down, zero((FRAMES - 1, count, 3)), zero((FRAMES, count))
    )
    still, limp = zero((FRAMES, BODY.nv)), zero((FRAMES - 1, BODY.nv))
    return Dynamic(BodyClip("moving", BODY, RATE, qpos), still, limp, balls, 1.0)


def speed(place, yaw=AHEAD):
    return shipped_motion_facts(moving(place, yaw)).speed


@pytest.mark.parametrize("direction", [0.0, np.pi / 2, 2.0])
def test_the_speed_of_a_straight_path_is_its_length_by_its_time(direction):
    way = np.array([np.cos(direction), np.sin(direction)])
    assert speed(1.3 * TIME[:, None] * way) == pytest.approx(1.3)


def test_going_round_counts_as_going():
    yaw = np.pi * TIME  # a whole circle of radius 0.4 m in 2 s
    circle = 0.4 * np.stack([np.sin(yaw), 1 - np.cos(yaw)], axis=1)
    assert speed(circle, yaw) == pytest.approx(0.4 * np.pi, rel=1e-2)


def test_going_to_and_fro_does_not():
    assert speed(np.stack([0.2 * np.sin(np.pi * TIME), 0 * TIME], axis=1)) == pytest.approx(0, abs=1e-9)


def test_one_frame_has_no_speed():
    motion = moving(HERE, AHEAD)
    still = shipped_motion_facts(replace(motion, clip=replace(motion.clip, qpos=motion.clip.qpos[:1])))
    assert (still.seconds, still.speed) == (0.0, 0.0)


def until(share):
    return np.arange(FRAMES) < share * FRAMES


def test_what_bears_it_is_named_by_kind_once():
    heels = [(foot.link, False, until(0.5)) for foot in BODY.feet for _ in range(2)]
    left, right = (hand.link for hand in BODY.hands)
    seat, never = (BODY.links[0], False, until(0.2)), (BODY.links[1], False, until(0.0))

    def contacts(*given):
        return shipped_motion_facts(moving(HERE, AHEAD, *given)).contacts

    assert contacts(*heels) == ("feet",)
    assert contacts((left, True, until(0.7)), *heels) == ("hands on a bar", "feet")
    assert contacts((right, False, until(0.1)), seat, never) == ("hands", "body")
    assert contacts(never) == contacts() == ()


def test_the_share_in_the_air_is_that_without_any_contact():
    early, late = (BODY.links[0], False, until(0.25)), (BODY.links[1], False, ~until(0.75))
    assert shipped_motion_facts(moving(HERE, AHEAD, early, late)).airborne == pytest.approx(0.5, abs=0.01)
    assert shipped_motion_facts(moving(HERE, AHEAD)).airborne == 1.0


def test_it_reads_as_a_line():
    assert str(MotionFacts(1.1, True, 1.3, ("feet",), 0.0)) == "1.10 s a cycle, 1.30 m/s, contacts: feet"
    assert str(MotionFacts(3.2, False, 0.0, ("hands on a bar", "feet"), 0.26)) == (
        "3.20 s, 0.00 m/s, contacts: hands on a bar, feet, 26 % in the air"
    )
