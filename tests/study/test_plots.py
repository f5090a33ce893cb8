"""Survival shares and rings of plots."""

import numpy as np
import pytest

from poise.study.experiment.plots import plot_ring_edges, survival_shares


@pytest.mark.parametrize(
    ("radii", "edges"),
    [
        ([50.0, 100.0, 150.0], [25.0, 75.0, 125.0, 175.0]),
        ([250.0, 350.0, 400.0], [200.0, 300.0, 375.0, 425.0]),
        ([300.0], [150.0, 450.0]),
    ],
)
def test_rings_meet_half_way(radii, edges):
    np.testing.assert_allclose(plot_ring_edges(radii), edges)


def test_pairs_without_trials_have_no_share():
    rows = [{"force": 100.0, "direction": angle, "survived": angle == 0} for angle in (0, 0, 90)]
    weaker = {"force": 75.0, "direction": 0, "survived": True}
    angles, forces, shares = survival_shares(rows, "direction", "force", within=[*rows, weaker])
    assert (angles, forces) == ([0, 90], [75.0, 100.0])
    np.testing.assert_array_equal(shares, [[np.nan, np.nan], [1.0, 0.0]])
