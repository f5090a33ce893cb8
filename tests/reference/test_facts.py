"""What is said about a motion, against motions whose answers are known."""

from dataclasses import replace

import numpy as np
import pytest

from poise.body import Body
from poise.reference.bodyclip import BodyClip
from poise.reference.facts import Facts, facts_of
from poise.reference.supports import Sketch, Support, supports_of
from poise.spatial import quat_exp, quat_multiply

BODY = Body.named("biped29")
FRAMES, RATE = 121, 60.0  # 2 s


def moving(place, yaw, down=None):
    """The standing pose carried along a path on the ground."""
    qpos = np.tile(BODY.standing, (FRAMES, 1))
    qpos[:, :2] = place
    turn = quat_exp(np.stack([0 * yaw, 0 * yaw, yaw], axis=-1))
    qpos[:, 3:7] = quat_multiply(turn, qpos[:, 3:7])
    return BodyClip("moving", BODY, RATE, qpos, down)


def facts(place, yaw=None):
    return facts_of(Sketch(moving(place, np.zeros(FRAMES) if yaw is None else yaw), ()))


TIME = np.arange(FRAMES) / RATE


@pytest.mark.parametrize("direction", [0.0, np.pi / 2, 2.0])
def test_the_speed_of_a_straight_path_is_its_length_by_its_time(direction):
    way = np.array([np.cos(direction), np.sin(direction)])
    assert facts(1.3 * TIME[:, None] * way).speed == pytest.approx(1.3)


def test_going_round_counts_as_going():
    yaw = np.pi * TIME  # a whole circle of radius 0.4 m in 2 s
    circle = 0.4 * np.stack([np.sin(yaw), 1 - np.cos(yaw)], axis=1)
    assert facts(circle, yaw).speed == pytest.approx(0.4 * np.pi, rel=1e-2)


def test_going_to_and_fro_does_not():
    sway = np.stack([0.2 * np.sin(np.pi * TIME), 0 * TIME], axis=1)
    assert facts(sway).speed == pytest.approx(0, abs=1e-9)


def test_one_frame_has_no_speed():
    clip = moving(np.zeros((FRAMES, 2)), np.zeros(FRAMES))
    still = facts_of(Sketch(replace(clip, qpos=clip.qpos[:1]), ()))
    assert (still.seconds, still.speed) == (0.0, 0.0)


def down_until(share):
    return np.arange(FRAMES) < share * FRAMES


def test_what_bears_it_is_named_by_kind_once():
    clip = moving(np.zeros((FRAMES, 2)), np.zeros(FRAMES))
    down = np.zeros((FRAMES, len(clip.parts)), bool)
    for p, part in enumerate(clip.parts):
        down[:, p] = down_until(0.5) & (part.limb == "left_foot")
    feet = supports_of(replace(clip, down=down))
    hand = BODY.hands[0]
    held = Support("left_hand", hand.link, hand.point, down_until(0.75), place=np.zeros(3))
    palm = Support("right_hand", BODY.hands[1].link, hand.point, down_until(0.25))
    seat = Support("seat", BODY.links[0], np.zeros(3), down_until(0.25), radius=0.1)
    never = Support("back", BODY.links[1], np.zeros(3), down_until(0.0), radius=0.1)
    assert len(feet) > 1
    assert facts_of(Sketch(clip, feet)).contacts == ("feet",)
    assert facts_of(Sketch(clip, (held, *feet))).contacts == ("hands on a bar", "feet")
    assert facts_of(Sketch(clip, (palm, seat, never))).contacts == ("hands", "body")


def test_the_share_in_the_air_is_that_without_any_support():
    clip = moving(np.zeros((FRAMES, 2)), np.zeros(FRAMES))
    links = BODY.links[:2]
    early, late = down_until(0.25), ~down_until(0.75)
    supports = tuple(Support(n, n, np.zeros(3), d) for n, d in zip(links, (early, late), strict=True))
    assert facts_of(Sketch(clip, supports)).airborne == pytest.approx(0.5, abs=0.01)
    assert facts_of(Sketch(clip, ())).airborne == 1.0


def test_it_reads_as_a_line():
    assert str(Facts(1.1, True, 1.3, ("feet",), 0.0)) == "1.10 s a cycle, 1.30 m/s, contacts: feet"
    assert str(Facts(3.2, False, 0.0, ("hands on a bar", "feet"), 0.26)) == (
        "3.20 s, 0.00 m/s, contacts: hands on a bar, feet, 26 % in the air"
    )
