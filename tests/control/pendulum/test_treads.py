"""Steps that fit stairs."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from poise.control.pendulum.foothold_ground import (
    MAX_CLIMB,
    MIN_DURATION,
    SPACING,
    FootStrip,
    StepRhythm,
    rhythm_on_treads,
)

USUAL = StepRhythm(0.8, 0.5)


def stairs(rise, tread, places=64, edges=None):
    """A strip with an edge after each tread (m); only the first `edges` ones, if given."""
    ahead = SPACING * np.arange(places) + 1e-6
    step = np.floor(ahead / tread)
    level = rise * (step if edges is None else np.minimum(step, edges))
    return FootStrip(0.0, level, np.ones(places, bool), math.nan)


@given(st.floats(-1.6, 1.6), st.floats(0.3, 0.7), st.sampled_from([0.2, 0.3, 0.4]), st.sampled_from([0.05, 0.15, -0.1]))
def test_a_step_is_as_long_as_some_treads_or_stairs_are_not_minded(speed, duration, tread, rise):
    wanted = StepRhythm(speed, duration)
    found = rhythm_on_treads(stairs(rise, tread), wanted, 1.0)
    if found == wanted:
        assert abs(speed) * duration <= 0.5 * tread + 1e-9 or speed == pytest.approx(found.speed)
        return
    treads = abs(found.speed) * found.duration / tread
    assert treads == pytest.approx(round(treads))
    assert math.copysign(1.0, found.speed) == math.copysign(1.0, speed)
    assert MIN_DURATION * duration - 1e-9 <= found.duration <= duration + 1e-9


@pytest.mark.parametrize(("rise", "most"), [(0.15, 1), (0.1, 1), (0.08, 2)])
@pytest.mark.parametrize("shift", [0, 5, 11])
def test_no_step_climbs_too_far_wherever_the_edges_are(rise, most, shift):
    whole = stairs(rise, 0.3, places=90)
    seen = whole._replace(level=whole.level[shift : shift + 64], free=whole.free[:64])
    found = rhythm_on_treads(seen, StepRhythm(1.8, 0.5), 1.0)
    assert found.speed * found.duration == pytest.approx(0.3 * most)
    assert most * rise <= MAX_CLIMB


def test_a_speed_that_fits_is_kept():
    assert rhythm_on_treads(stairs(0.1, 0.4), USUAL, 1.0) == pytest.approx(USUAL)


@pytest.mark.parametrize("ground", [stairs(0.0, 0.3), stairs(0.02, 0.3), stairs(0.1, 0.3, edges=1), stairs(0.1, 0.1)])
def test_what_is_no_stairs_is_not_minded(ground):
    """Level ground, low edges, a single edge, and treads shorter than a foot."""
    assert rhythm_on_treads(ground, USUAL, 1.0) == USUAL


def test_stairs_as_much_larger_as_the_body_are_walked_alike():
    small, large = (
        rhythm_on_treads(stairs(0.1, 0.3), USUAL, 1.0),
        rhythm_on_treads(stairs(0.2, 0.6), StepRhythm(1.6, 0.5), 2.0),
    )
    assert large.speed == pytest.approx(2 * small.speed)
