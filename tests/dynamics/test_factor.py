"""Factors of mass matrices against dense algebra."""

import numpy as np
import pytest

from poise.body.body import Body
from poise.dynamics.factor import factor_mass, half_solve_mass, solve_mass, solve_mass_columns
from poise.dynamics.mechanism import DynamicsTerms
from poise.dynamics.tree import link_tree_of


@pytest.fixture(scope="module", params=["biped29", "human58"])
def factored(request):
    """Mass with damping (nv, nv), which DOF is below each, and the factor."""
    body = Body.named(request.param)
    terms, below = DynamicsTerms(body.model), link_tree_of(body.model).dof_below
    random = np.random.default_rng(0)
    terms.evaluate(np.array(body.standing), random.standard_normal(body.nv))
    extra = random.uniform(0.0, 1.0, body.nv)
    factor = np.zeros((body.nv, body.nv))
    factor_mass(terms.mass, extra, below, factor)
    return terms.mass + np.diag(extra), below, factor


def test_the_factor_is_a_root_that_is_as_sparse_as_the_tree(factored):
    mass, below, factor = factored
    np.testing.assert_allclose(factor.T @ factor, mass, rtol=1e-11, atol=1e-12)
    for dof in range(len(mass)):
        others = set(range(len(mass))) - {dof}
        ancestor = below[dof]
        while ancestor >= 0:
            others.discard(int(ancestor))
            ancestor = below[ancestor]
        assert not factor[dof, sorted(others)].any()


def test_solutions_are_those_of_the_dense_matrix(factored):
    mass, below, factor = factored
    columns = np.random.default_rng(1).standard_normal((len(mass), 4))
    expected = np.linalg.solve(mass, columns)
    found, one, half = columns.copy(), columns[:, 0].copy(), columns.copy()
    solve_mass_columns(factor, below, found)
    solve_mass(factor, below, one)
    half_solve_mass(factor, below, half)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(one, expected[:, 0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(half.T @ half, columns.T @ expected, rtol=1e-8, atol=1e-10)
