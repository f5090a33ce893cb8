"""Cues that grip and release a bar when the hands of a motion do."""

from dataclasses import replace

import numpy as np

from poise.library.motions import shipped_dynamic
from poise.performance.cues import grip_cues
from poise.performance.request import Request
from poise.physics.dynamic_motion import scene_of_dynamic
from poise.world.world import World


def test_hanging_hands_grip_at_the_start_and_never_release():
    motion = shipped_dynamic("hang", "biped29")
    cues = grip_cues(motion)
    assert [cue.time for cue in cues] == [0.0, 0.0]
    world = World(scene_of_dynamic(motion))
    world.reset(np.array(motion.clip.qpos[0]), np.array(motion.qvel[0]))
    for cue in cues:
        cue.do(world)
    assert len(world.grips) == 2


def test_releasing_the_bar_has_a_cue():
    motion = shipped_dynamic("hang", "biped29")
    down = np.array(motion.contacts.down)
    down[50:, 0] = False
    cues = grip_cues(replace(motion, contacts=replace(motion.contacts, down=down)))
    assert sorted(cue.time for cue in cues) == [0.0, 0.0, 50 * motion.step]


def test_a_swing_is_performed_on_a_bar():
    recording = Request("swing", body="biped29", controller="modal", seconds=1.0).perform().recording
    assert np.sum(recording.contact_kind == 1) == 2 * recording.steps
    assert "bar" in recording.model_xml
    assert np.abs(recording.qpos[-1] - recording.reference_qpos[-1]).max() < 0.05
