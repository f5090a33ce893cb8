"""Footholds: when and where feet come down."""

from dataclasses import replace

import numpy as np
import pytest

from poise.body.body import Body
from poise.body.pose_space import PoseDisplacement, planar_displacement
from poise.body.surface import foot_links
from poise.control.nqr.footholds import nqr_contact_preview, segment_foot_contacts
from poise.control.nqr.segment import last_pose_as_nqr_segment
from poise.library.motions import shipped_dynamic

BODY = Body.named("biped29")


@pytest.fixture(scope="module", params=["walk", "run", "turn-45"])
def motion(request):
    return shipped_dynamic(request.param, "biped29")


def foot_balls(motion):
    links = [BODY.link_id(link) for link in motion.contacts.links]
    return [np.isin(links, foot) for foot in foot_links(BODY)]


def footholds(motion):
    return segment_foot_contacts(motion, nqr_contact_preview(motion))


def test_feet_land_on_their_footprints(motion):
    """In two cycles; the second goes on from where the first ended."""
    holds, steps = footholds(motion), len(motion.torque)
    further = PoseDisplacement(*planar_displacement(motion.clip.qpos[0], motion.clip.qpos[-1]))
    once = motion.points()[:-1]
    points = np.concatenate([once, further.vector(once) + further.way])
    bearing = np.tile(motion.contacts.down[:-1], (2, 1))
    for foot, balls in enumerate(foot_balls(motion)):
        for k in np.flatnonzero(~holds.down[:, foot]):
            landed = k + int(np.argmax(bearing[k:, balls].any(axis=1)))
            full = landed + int(np.argmax(bearing[landed : landed + steps // 2, balls].sum(axis=1)))
            print_ = holds.footprints[holds.next_footprint[k, foot]]
            np.testing.assert_allclose(print_[:, :2], points[full][balls, :2], atol=0.01)
            np.testing.assert_array_equal(print_[:, 2], 0.0)


def test_steps_to_landing_agree_with_the_contacts(motion):
    holds, steps = footholds(motion), len(motion.torque)
    for foot, down in enumerate(np.tile(holds.down, (2, 1)).T):
        for k, until in enumerate(holds.steps_to_landing[:, foot].astype(int)):
            lands = k + until
            assert down[lands]
            assert not down[lands - 1]
            assert not np.any(down[k + 1 : lands] & ~down[k : lands - 1])
            assert holds.lands[lands % steps, foot]


def test_some_foot_always_lands_first(motion):
    holds = footholds(motion)
    assert np.all(holds.lands_first.any(axis=1))
    for k in range(len(holds.down)):
        first = holds.steps_to_landing[k].min()
        np.testing.assert_array_equal(holds.steps_to_landing[k, holds.lands_first[k]], first)
        assert np.all(holds.steps_to_landing[k, ~holds.lands_first[k]] > first)


def test_feet_that_stand_when_a_motion_begins_have_not_just_landed():
    walk = shipped_dynamic("walk", "biped29")
    once = replace(walk, clip=replace(walk.clip, cyclic=False))
    assert footholds(walk).lands[0].tolist() == [True, False]
    assert not footholds(once).lands[0].any()


def test_a_foot_that_stays_in_the_air_has_no_footprint():
    """A walk that ends with a foot in the air, and that nothing follows."""
    walk = shipped_dynamic("walk", "biped29")
    once = replace(walk, clip=replace(walk.clip, cyclic=False))
    holds, cycle = footholds(once), footholds(walk)
    np.testing.assert_array_equal(holds.down, cycle.down)
    aloft = ~holds.down[-1]
    assert aloft.any()
    assert np.all(np.isinf(holds.steps_to_landing[-1, aloft]))
    assert np.all(holds.next_footprint[-1, aloft] == -1)


def test_a_held_pose_has_no_landings():
    holds = footholds(last_pose_as_nqr_segment(shipped_dynamic("stand", "biped29")))
    assert holds.down.all()
    assert not holds.lands_first.any()
    assert not holds.footprints
    assert np.all(np.isinf(holds.steps_to_landing))


def test_footprints_have_the_height_of_the_motions_ground():
    walk = shipped_dynamic("walk", "biped29")
    ground = np.where(walk.points()[..., 0] > 0.5, 0.1, 0.0)
    climbing = replace(walk, contacts=replace(walk.contacts, ground=ground))
    holds = footholds(climbing)
    for foot in range(2):
        for k in range(len(holds.down)):
            print_ = holds.footprints[holds.next_footprint[k, foot]]
            within = holds.steps_to_landing[k, foot] + k < len(holds.down) - 30
            if within:
                np.testing.assert_array_equal(print_[:, 2], np.where(print_[:, 0] > 0.5, 0.1, 0.0))
    assert set(np.unique(holds.ground)) > {0.0}
