"""Clips played: between frames, past the end, round and round."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from poise.arrays import readonly
from poise.body.body import Body
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played
from poise.rotations import quat_exp, quat_multiply, quat_rotate, yaw_of

BODY = Body.named("human37")
KNEE = BODY.joint("left_knee").qpos[0]


def arc(turn, cyclic=True):
    """A cycle of one second that walks an arc and bends a knee."""
    share = np.linspace(0.0, 1.0, 21)
    qpos = np.tile(BODY.standing, (21, 1))
    qpos[:, 0], qpos[:, 1] = 0.4 + 1.2 * share, 0.3 * turn * share**2
    qpos[:, 3:7] = quat_exp(np.stack([0 * share, 0 * share, turn * share], axis=1))
    qpos[:, KNEE] = 0.3 * np.sin(2 * np.pi * share)
    return BodyClip("arc", BODY, 20.0, readonly(qpos), cyclic=cyclic)


def test_frames_are_met_and_the_way_between_is_even():
    played = Played(arc(0.5, cyclic=False))
    assert np.allclose(played.at(0.25).qpos, played.clip.qpos[5], atol=1e-12)
    between = played.at(0.275)
    assert between.qpos[KNEE] == pytest.approx(played.clip.qpos[5:7, KNEE].mean())
    assert between.qvel[0] == pytest.approx(1.2)


def test_the_end_is_held_at_rest():
    played = Played(arc(0.5, cyclic=False))
    assert played.duration == pytest.approx(1.0)
    late = played.at(7.0)
    assert np.allclose(late.qpos, played.clip.qpos[-1])
    assert not late.qvel.any()


@given(st.floats(-3.0, 3.0), st.integers(-3, 30))
def test_every_lap_begins_where_the_one_before_ends_turned_alike(turn, lap):
    played = Played(arc(turn))
    assert played.duration is None
    before, after = played.at(lap - 1e-7), played.at(lap + 1e-7)
    assert np.allclose(before.qpos[:3], after.qpos[:3], atol=1e-5)
    assert abs(before.qpos[3:7] @ after.qpos[3:7]) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("laps", [-2, 1, 4])
@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_laps_are_the_first_cycle_moved_again_and_again(turn, laps):
    clip = arc(turn)
    one = quat_exp([0.0, 0.0, float(yaw_of(clip.qpos[-1, 3:7]) - yaw_of(clip.qpos[0, 3:7]))])
    move = clip.qpos[-1, :3] - quat_rotate(one, clip.qpos[0, :3])
    place, facing = np.array(clip.qpos[7, :3]), np.array(clip.qpos[7, 3:7])
    seen = Played(clip).at(7 / 20 + laps).qpos
    if laps < 0:
        place, facing, seen = seen[:3], seen[3:7], clip.qpos[7]
    for _ in range(abs(laps)):
        place, facing = quat_rotate(one, place) + move, quat_multiply(one, facing)
    assert np.allclose(place, seen[:3], atol=1e-9)
    assert abs(facing @ seen[3:7]) == pytest.approx(1.0)


def test_contacts_are_those_of_the_nearest_frame():
    clip = arc(0.0)
    down = np.zeros((21, len(clip.parts)), bool)
    down[6, 0] = True
    played = Played(replace(clip, down=down))
    assert not played.at(0.27).down[0]
    assert played.at(0.28).down[0]
    assert played.at(0.30 + 3).down[0]
