"""Holds of a script: grips that are made and released."""

import mujoco
import numpy as np
import pytest

from poise.animate.animate import animate
from poise.animate.read_script import read_script
from poise.animate.script import ScriptRehearsal, hold_cues

HANGING = """
body = "human37"
seconds = 0.6
start = { lift = 1.0 }
stabilise = { during = [] }

[[pose]]
time = 0
angles = { shoulder = [0, -175, 0] }

[[hold]]
link = "left_hand"
what = "world"
points = [[0, 0, -0.1], [0, 0, -0.05]]
until = 0.4
"""


@pytest.fixture
def hanging(tmp_path):
    path = tmp_path / "hanging.toml"
    path.write_text(HANGING)
    return read_script(path)


def hand_places(recording):
    data = mujoco.MjData(recording.model)
    out = []
    for qpos in recording.qpos:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(recording.model, data)
        hand = data.body("left_hand")
        out.append(hand.xpos + hand.xmat.reshape(3, 3) @ [0.0, 0.0, -0.1])
    return np.array(out)


def test_a_hold_is_made_and_released(hanging):
    cues = hold_cues(hanging)
    assert [cue.time for cue in cues] == [0.0, 0.4]
    assert [cue.name for cue in cues] == ["left_hand holds world", "left_hand lets go of world"]


def test_a_hold_without_an_end_is_never_released(tmp_path):
    path = tmp_path / "hanging.toml"
    path.write_text(HANGING.replace("until = 0.4", ""))
    assert len(hold_cues(read_script(path))) == 1


def test_a_hand_that_holds_the_world_stays_in_place(hanging):
    recording = animate(hanging).recording
    points = hand_places(recording)
    held = recording.time <= 0.4
    assert np.linalg.norm(points[held] - points[0], axis=1).max() < 0.005
    assert points[-1, 2] < points[0, 2] - 0.05  # it falls after the release


@pytest.mark.parametrize("until", [0.4, 0.397, 0.4031])  # on the grid of steps, and off it
def test_a_rehearsal_holds_and_releases_as_a_performance_does(tmp_path, until):
    path = tmp_path / "hanging.toml"
    path.write_text(HANGING.replace("until = 0.4", f"until = {until}"))
    script = read_script(path)
    recording = animate(script).recording
    rehearsal = ScriptRehearsal(script)
    states = []
    for step in range(recording.steps):
        states.append(rehearsal.run.world.snapshot)
        rehearsal.run.step()
        assert np.array_equal(rehearsal.run.world.qpos, recording.qpos[step + 1])
    for step in range(0, recording.steps, 7):  # resumed anywhere, it goes on in the same way
        rehearsal.run.resume(states[step])
        rehearsal.continue_with(())
        rehearsal.run.step()
        assert np.array_equal(rehearsal.run.world.qpos, recording.qpos[step + 1])


def test_a_hold_can_be_played_twice(hanging):
    one, two = (animate(hanging).recording.qpos for _ in range(2))
    np.testing.assert_array_equal(one, two)
