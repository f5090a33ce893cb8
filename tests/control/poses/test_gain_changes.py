"""Gains that change in time."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from poise.control.poses.rig import GainChange, PoseControlGains, PoseControlRig, TimeSpan

RIG = PoseControlRig(np.arange(8.0), 10.0 * np.arange(8.0))
TIMES = st.integers(0, 40).map(lambda k: 0.25 * k)  # s; coarse, so that edges coincide
SPANS = st.tuples(TIMES, st.one_of(TIMES, st.just(math.inf))).map(lambda ends: TimeSpan(min(ends), max(ends)))
FACTORS = st.sampled_from([0.0, 0.5, 2.0, 3.0])
CHANGES = st.builds(
    GainChange, SPANS, st.sets(st.integers(0, 7), min_size=1).map(lambda dofs: tuple(sorted(dofs))), FACTORS, FACTORS
)


@given(st.lists(CHANGES, max_size=4).map(tuple), TIMES)
def test_simultaneous_changes_multiply(changes, time):
    stiffness, damping = np.array(RIG.stiffness), np.array(RIG.damping)
    for change in changes:
        if change.when.start <= time < change.when.end:
            for dof in change.dofs:
                stiffness[dof] *= change.stiffness
                damping[dof] *= change.damping
    found = PoseControlGains(RIG, changes).at(time)
    np.testing.assert_allclose(found[0], stiffness)
    np.testing.assert_allclose(found[1], damping)


def test_without_changes_gains_are_the_rigs():
    for time in (0.0, 5.0):
        np.testing.assert_array_equal(PoseControlGains(RIG).at(time), (RIG.stiffness, RIG.damping))


def test_a_change_ends_when_the_next_begins():
    first, second = (GainChange(TimeSpan(k, k + 1), (7,), 2.0 + k) for k in (0, 1))
    gains = PoseControlGains(RIG, (first, second))
    assert [gains.at(time)[0][7] / 7 for time in (0.5, 1.0, 1.5, 2.0)] == [2, 3, 3, 1]


def test_edges_tolerate_rounding():
    gains = PoseControlGains(RIG, (GainChange(TimeSpan(0.3), (7,), 2.0),))
    assert 3 * 0.1 != 0.3
    assert gains.at(3 * 0.1)[0][7] == gains.at(0.3 - 1e-12)[0][7] == 14


@pytest.mark.parametrize(
    ("time", "inside"),
    [(0.999, False), (1.0, True), (1 - 1e-12, True), (1.999, True), (2.0, False), (2 - 1e-12, False)],
)
def test_a_span_includes_its_start_and_excludes_its_end(time, inside):
    assert (time in TimeSpan(1.0, 2.0)) is inside
