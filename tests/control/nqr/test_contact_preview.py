"""Contact tracks of a motion and of what follows it."""

from dataclasses import replace

import numpy as np
import pytest

from poise.body.pose_space import PoseDisplacement, planar_displacement
from poise.control.nqr.footholds import nqr_contact_preview
from poise.library.motions import shipped_dynamic


@pytest.fixture(scope="module")
def turn():
    return shipped_dynamic("turn-90", "biped29")


@pytest.mark.parametrize("foot", [0, 1])
def test_a_cycle_goes_on_where_it_ended(turn, foot):
    """The last frame is the first of the next cycle, turned."""
    track, steps = nqr_contact_preview(turn), len(turn.torque)
    assert len(track.bearing_counts) == 3 * steps
    np.testing.assert_array_equal(track.bearing_counts[:steps], track.bearing_counts[steps : 2 * steps])
    last = turn.points()[-1]
    ours = [name.startswith(("left", "right")[foot]) for name in turn.contacts.names]
    np.testing.assert_allclose(track.ball_positions(foot, steps)[:, :2], last[ours, :2], atol=1e-5)
    once, twice = (
        track.ball_positions(foot, steps) - track.ball_positions(foot, 0),
        track.ball_positions(foot, 2 * steps) - track.ball_positions(foot, steps),
    )
    assert np.linalg.norm(once - twice, axis=1).min() > 0.5  # m: it has turned in between


def test_the_next_track_begins_where_the_motion_ends(turn):
    walk = shipped_dynamic("walk", "biped29")
    frame = 63
    ended = turn.clip.qpos[-1]
    there = PoseDisplacement(*planar_displacement(walk.clip.qpos[frame], ended))
    once = replace(turn, clip=replace(turn.clip, cyclic=False))
    track = nqr_contact_preview(once, nqr_contact_preview(walk).entered_at(frame, there))
    steps, rest = len(turn.torque), len(walk.torque) - frame
    np.testing.assert_array_equal(
        track.bearing_counts[steps : steps + rest], nqr_contact_preview(walk).bearing_counts[frame : frame + rest]
    )
    for later in (0, 40, rest, rest + 100):
        here = nqr_contact_preview(walk).ball_positions(0, frame + later)
        np.testing.assert_allclose(track.ball_positions(0, steps + later), there.vector(here) + there.way, atol=1e-12)


def test_frames_beyond_the_end_are_refused(turn):
    with pytest.raises(IndexError):
        nqr_contact_preview(turn).ball_positions(0, 3 * len(turn.torque))
