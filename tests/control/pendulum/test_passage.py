"""Where a foot can be around the stance foot: the nearest such point, and the way to it."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from poise.control.pendulum.passage import ACROSS, BESIDE, LENGTH, WAYS, least_aside, nearest_passage, passage_length

LEG = 0.9
places = arrays(float, 2, elements=st.floats(-1.0, 1.0))
sides, ways = st.sampled_from((1.0, -1.0)), st.sampled_from(WAYS)


def possible(place, out):
    return out * place[1] >= least_aside(place[0], LEG) - 1e-9


@given(places, ways, sides)
def test_the_nearest_passage_is_possible_and_its_own_nearest(place, way, out):
    found = nearest_passage(place, LEG, out, way)
    assert possible(found, out)
    np.testing.assert_allclose(nearest_passage(found, LEG, out, way), found, atol=1e-9)


@given(places, sides, st.floats(-0.3, 0.3), st.floats(-0.3, 0.3))
def test_no_possible_point_is_much_nearer_than_the_best_way(place, out, ahead, aside):
    """The best of the ways is the nearest point of the whole region, but for its two corners."""
    other = place + np.array([ahead, aside])
    if possible(other, out):
        nearest = min(np.linalg.norm(nearest_passage(place, LEG, out, way) - place) for way in WAYS)
        assert nearest <= np.linalg.norm(other - place) + 1e-9


def test_far_ahead_a_foot_can_be_across():
    assert least_aside(LENGTH * LEG, LEG) == pytest.approx(BESIDE * LEG)
    assert least_aside(-(LENGTH + BESIDE / ACROSS) * LEG, LEG) == pytest.approx(0.0, abs=1e-12)


@given(places, places, sides)
def test_the_way_around_is_no_shorter_than_the_straight_one_and_mirrors(foot, place, out):
    along = passage_length(foot, place, LEG, out)
    assert along >= np.linalg.norm(place - foot) - 1e-9
    mirror = np.array([1.0, -1.0])
    assert passage_length(foot * mirror, place * mirror, LEG, -out) == pytest.approx(along)


@given(places, ways)
def test_without_a_leg_to_pass_all_places_are_possible(place, way):
    np.testing.assert_array_equal(nearest_passage(place, LEG, math.nan, way), place)
    assert passage_length(np.array([0.5, 0.0]), np.array([-0.5, 0.0]), LEG, math.nan) == 1.0
