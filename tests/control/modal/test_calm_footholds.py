"""Footholds that stay: small errors are no reason to step elsewhere, large ones are."""

import numpy as np
import pytest

from poise.control.modal.footholds import CALM, beyond_calm


@pytest.mark.parametrize("size", [0.0, 0.5 * CALM, CALM])
def test_small_errors_of_the_capture_point_move_no_foothold(size):
    np.testing.assert_array_equal(beyond_calm(size * np.array([0.6, -0.8])), 0.0)


def test_of_large_ones_counts_what_is_beyond():
    np.testing.assert_allclose(beyond_calm(np.array([0.06, -0.08])), (0.1 - CALM) * np.array([0.6, -0.8]))
