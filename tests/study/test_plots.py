"""What plots share."""

import numpy as np
import pytest

from poise.study.experiment.plots import ring_edges


@pytest.mark.parametrize(
    ("radii", "edges"),
    [
        ([50.0, 100.0, 150.0], [25.0, 75.0, 125.0, 175.0]),
        ([250.0, 350.0, 400.0], [200.0, 300.0, 375.0, 425.0]),
        ([300.0], [150.0, 450.0]),
    ],
)
def test_rings_meet_half_way(radii, edges):
    np.testing.assert_allclose(ring_edges(radii), edges)
