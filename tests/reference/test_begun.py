"""Cycles begun anywhere."""

import numpy as np
import pytest

from poise.body.pose_space import planar_displacement
from poise.library.motions import shipped_dynamic
from poise.measure.audit import audit
from poise.physics.dynamic_motion import recording_of_motion
from poise.reference.played import cycle_from_step
from poise.rotations import yaw_of


@pytest.mark.parametrize("name", ["walk", "turn-90"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.75])
def test_the_performer_starts_above_the_origin_and_faces_forward(name, share):
    cycle = shipped_dynamic(name, "biped29")
    step = round(share * len(cycle.torque))
    reference = cycle_from_step(cycle, step)
    first = reference.at(0.0)
    np.testing.assert_allclose(first.qpos[:2], 0.0, atol=1e-9)
    np.testing.assert_allclose(first.qpos[7:], cycle.clip.qpos[step, 7:], atol=1e-12)
    assert abs(np.degrees(yaw_of(first.qpos[3:7]))) < 25  # the pelvis sways, and a turn is not even
    velocity = reference.at(0.0).qvel
    assert np.linalg.norm(velocity[:3]) == pytest.approx(np.linalg.norm(cycle.qvel[step, :3]))
    assert velocity[0] > 0.5


def test_a_straight_walk_is_only_shifted():
    walk = shipped_dynamic("walk", "biped29")
    moved = cycle_from_step(walk, 40).dynamic
    np.testing.assert_allclose(moved.clip.qpos[:, 2:], walk.clip.qpos[:, 2:], atol=1e-9)
    np.testing.assert_allclose(moved.contacts.force, walk.contacts.force, atol=1e-6)


def test_a_turn_that_was_carried_still_obeys_physics_and_turns_as_much():
    turn = shipped_dynamic("turn-90", "biped29")
    moved = cycle_from_step(turn, 100).dynamic
    assert not np.allclose(moved.contacts.force, turn.contacts.force, atol=1.0)
    assert audit(recording_of_motion(moved)).passed
    assert planar_displacement(*moved.clip.qpos[[0, -1]])[0] == pytest.approx(
        planar_displacement(*turn.clip.qpos[[0, -1]])[0]
    )
