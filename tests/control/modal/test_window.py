"""Contact forces of a window: projection on the cone, and optimality."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize, nnls

from poise.control.modal.window import CORNERS, project_window_force, window_forces

FRICTION = 0.8
EDGES = np.column_stack([FRICTION * CORNERS, np.ones(6)])  # (6, 3) that span the cone


def nearest(force, friction=FRICTION):
    out, slope = np.empty(3), np.empty((3, 3))
    project_window_force(np.asarray(force, float), friction, out, slope)
    return out, slope


@given(arrays(float, 3, elements=st.floats(-5, 5)))
def test_the_nearest_force_is_the_least_squares_solution_over_the_edges(force):
    found, _ = nearest(force)
    weights, _ = nnls(EDGES.T, force)
    np.testing.assert_allclose(found, EDGES.T @ weights, atol=1e-7)


@pytest.mark.parametrize("force", [(0.1, 0.2, 1.0), (1.5, 0.3, 0.6), (1.3, 0.0, 0.4), (0.1, 0.1, -3.0)])
def test_the_slope_is_the_derivative(force):
    _, slope = nearest(force)
    h = 1e-6
    for j in range(3):
        step = h * np.eye(3)[j]
        rate = (nearest(np.array(force) + step)[0] - nearest(np.array(force) - step)[0]) / (2 * h)
        np.testing.assert_allclose(slope[:, j], rate, atol=1e-6)


def problem(seed, count=6):
    random = np.random.default_rng(seed)
    effect = 0.1 * random.standard_normal((count, 12, 3))
    usual = np.abs(random.standard_normal((count, 3))) * [0.1, 0.1, 0.5]
    return effect, 0.3 * random.standard_normal(12), usual, 10 ** random.uniform(-1, 1, 12)


@pytest.mark.parametrize("seed", range(5))
def test_forces_of_a_window_are_optimal_within_their_cones(seed):
    effect, wanted, usual, weights = problem(seed)
    effort, dual, forces = 1e-2, np.zeros(12), np.zeros((6, 3))
    held = np.zeros(6, bool)
    iterations = window_forces(effect, held, FRICTION, wanted, usual, weights, effort, dual, forces)
    assert iterations < 20

    def cost(share):
        u = share.reshape(6, 6) @ EDGES
        lack = wanted - np.einsum("cij,cj->i", effect, u)
        return weights @ lack**2 + effort * np.sum((u - usual) ** 2)

    shares = np.array([nnls(EDGES.T, force)[0] for force in forces])
    np.testing.assert_allclose(shares @ EDGES, forces, atol=1e-7)  # in their cones
    best = minimize(cost, np.full(36, 0.1), bounds=[(0, None)] * 36, method="L-BFGS-B", options={"maxiter": 5000})
    assert cost(shares.ravel()) <= best.fun * (1 + 1e-4) + 1e-9


def test_held_contacts_may_pull():
    effect, wanted, usual, weights = problem(0, count=1)
    wanted = np.einsum("ij,j->i", effect[0], [0.0, 0.0, -2.0])
    forces = np.zeros((1, 3))
    window_forces(effect, np.array([True]), 1.0, wanted, 0 * usual, 100 + weights, 1e-6, np.zeros(12), forces)
    np.testing.assert_allclose(forces[0], [0, 0, -2], atol=1e-3)
