"""Free and impulse responses of a mode against the matrix exponential."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from poise.control.modal.law import mode_response


@given(
    square=st.floats(0.0, 2500.0),
    damping=st.floats(0.0, 60.0),
    time=st.floats(0.0, 0.5),
)
def test_responses_solve_the_equation_of_a_mode(square, damping, time):
    exact = expm(np.array([[0.0, 1.0], [-square, -damping]]) * time)
    a, a_rate, c, c_rate = mode_response(square, damping, time)
    np.testing.assert_allclose([[c, a], [c_rate, a_rate]], exact, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("damping", [0.0, 8.0, 20.0, 50.0])  # undamped, underdamped, critically damped, overdamped
def test_initial_values(damping):
    a, a_rate, c, c_rate = mode_response(100.0, damping, 0.0)
    assert (a, a_rate, c, c_rate) == (0.0, 1.0, 1.0, 0.0)
