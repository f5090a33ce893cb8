"""Hands that hold on: found where nothing else bears a body that does not fall."""

from dataclasses import replace

import numpy as np
import pytest

from poise.library.motions import shipped_dynamic
from poise.retarget.contact_detection import find_contacts

SWING, JUMP = (shipped_dynamic(name, "human42").clip for name in ("swing", "jump"))


def hands(clip):
    found = find_contacts(replace(clip, down=None, cyclic=False))
    columns = [k for k, part in enumerate(found.parts) if part.name.endswith("_hand")]
    return found.down[:, columns]


def shaken(clip, far):
    """The clip moved to and fro, once, by so many metres."""
    qpos = np.array(clip.qpos)
    qpos[:, 0] += far * np.sin(np.linspace(0.0, 2.0 * np.pi, clip.frames))
    return replace(clip, qpos=qpos)


@pytest.mark.parametrize("far", [0.0, 0.15])
def test_who_swings_from_a_bar_holds_on_all_the_time_also_where_the_bar_gives_way(far):
    assert hands(shaken(SWING, far))[10:-10].all()  # at both ends feet rest, nobody knows how long


def test_hands_that_fly_about_hold_on_to_nothing():
    assert not hands(shaken(SWING, 1.0)).all(axis=0).any()


def test_raised_arms_in_a_jump_hold_on_to_nothing():
    assert not hands(JUMP).any()
