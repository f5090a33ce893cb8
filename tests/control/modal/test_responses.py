"""Responses of a mode to impulses and displacements against the matrix exponential."""

import numpy as np
from hypothesis import given, strategies as st
from scipy.linalg import expm

from poise.control.modal.law import mode_response


@given(square=st.floats(0.0, 2500.0), time=st.floats(0.0, 0.5))
def test_responses_solve_the_equation_of_a_mode(square, time):
    exact = expm(np.array([[0.0, 1.0], [-square, 0.0]]) * time)
    position, velocity = mode_response(square, time)
    np.testing.assert_allclose([[velocity, position], [-square * position, velocity]], exact, rtol=1e-5, atol=2e-5)


def test_initial_values():
    assert mode_response(100.0, 0.0) == (0.0, 1.0)
