"""Symmetric systems against NumPy's dense algebra."""

import numpy as np
import pytest

from poise.control.nqr.law import solve_policy_normal_equations


@pytest.mark.parametrize("n", [1, 2, 23])
@pytest.mark.parametrize("columns", [0, 1, 7])
def test_only_the_upper_triangle_is_read(n, columns):
    random = np.random.default_rng(n)
    root, right = random.standard_normal((n + 3, n)), random.standard_normal((n, columns))
    matrix = root.T @ root
    system = np.concatenate([np.where(np.tri(n, k=-1), np.nan, matrix), right], axis=1)
    solve_policy_normal_equations(system)
    factor = np.triu(system[:, :n])
    np.testing.assert_allclose(factor.T @ factor, matrix, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(matrix @ system[:, n:], right, rtol=1e-7, atol=1e-9)
