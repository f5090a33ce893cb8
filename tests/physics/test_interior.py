"""The interior point method on problems whose optimum is known."""

import numpy as np
import pytest
from problems import EXACT, Vectors, least_squares, whole
from scipy.optimize import lsq_linear

from poise.errors import PoiseError
from poise.physics.interior import InteriorSettings, minimise
from poise.physics.rows import LinearisedProblem, violations


def random_problem(seed, size=12, rows=15, constraints=4):
    random = np.random.default_rng(seed)
    matrix, wanted = random.normal(size=(rows, size)), random.normal(size=rows)
    return matrix, wanted, random.normal(size=(constraints, size)), random.normal(size=constraints)


def kkt(matrix, wanted, a, b):
    """The optimum with A x = b, by dense algebra."""
    count = len(b)
    system = np.block([[matrix.T @ matrix, a.T], [a, np.zeros((count, count))]])
    return np.linalg.solve(system, np.concatenate([matrix.T @ wanted, b]))[: matrix.shape[1]]


@pytest.mark.parametrize("kind", ["equal", "tied"])
@pytest.mark.parametrize("seed", range(3))
def test_equality_constrained_least_squares(seed, kind):
    matrix, wanted, a, b = random_problem(seed)
    found = minimise(least_squares(matrix, wanted, **{kind: (a, b)}), np.zeros(12), EXACT)
    assert found.converged
    assert np.allclose(found.point, kkt(matrix, wanted, a, b), atol=1e-7)


def test_redundant_constraints_change_nothing():
    matrix, wanted, a, b = random_problem(3)
    twice = np.concatenate([a, a, a[:1] + a[1:2]]), np.concatenate([b, b, b[:1] + b[1:2]])
    found = minimise(least_squares(matrix, wanted, equal=twice, tied=(a, b)), np.zeros(12), EXACT)
    assert found.converged
    assert np.allclose(found.point, kkt(matrix, wanted, a, b), atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_bounded_least_squares_are_scipys(seed):
    matrix, wanted, _, _ = random_problem(seed)
    lower, upper = np.full(12, -0.1), np.full(12, 0.2)
    lower[:3], upper[2:5] = -np.inf, np.inf
    theirs = lsq_linear(matrix, wanted, (lower, upper), tol=1e-14).x
    found = minimise(least_squares(matrix, wanted, bounds=(lower, upper)), np.full(12, 5.0), EXACT)
    assert found.converged
    assert (np.isclose(theirs, lower) | np.isclose(theirs, upper)).any()  # some press, some do not
    assert not (np.isclose(theirs, lower) | np.isclose(theirs, upper)).all()
    assert np.allclose(found.point, theirs, atol=1e-6)
    assert (found.point >= lower - 1e-10).all()
    assert (found.point <= upper + 1e-10).all()


def test_constraints_that_contradict_each_other_are_named():
    a, b = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0.0, 1.0])
    found = minimise(least_squares(np.eye(2), np.zeros(2), equal=(a, b)), np.zeros(2), InteriorSettings(iterations=40))
    assert not found.converged
    assert found.violation > 0.4
    worst, excess = max(violations(found.linearised), key=lambda item: item[1].max())
    assert worst.name == "equal"
    assert excess.max() == found.violation


def test_bounds_that_exclude_a_constraint_are_not_crossed_silently():
    a, b = np.array([[1.0, 1.0]]), np.array([3.0])
    bounds = np.zeros(2), np.ones(2)
    problem = least_squares(np.eye(2), np.zeros(2), equal=(a, b), bounds=bounds)
    found = minimise(problem, np.full(2, 0.5), InteriorSettings(iterations=40))
    assert not found.converged
    assert found.violation > 0.1


def test_the_same_search_twice_is_identical_to_the_bit():
    matrix, wanted, a, b = random_problem(7)
    problem = least_squares(
        matrix, wanted, equal=(a[:2], b[:2]), bounds=(np.full(12, -0.5), np.full(12, 0.5)), tied=(a[2:], b[2:])
    )
    one, other = (minimise(problem, np.zeros(12)) for _ in range(2))
    assert np.array_equal(one.point, other.point)
    assert one.iterations == other.iterations


def test_progress_is_told_at_every_iteration():
    told = []
    matrix, wanted, a, b = random_problem(8)
    found = minimise(least_squares(matrix, wanted, equal=(a, b)), np.zeros(12), EXACT, told.append)
    assert [p.iteration for p in told] == list(range(found.iterations + 1))
    assert told[-1].cost == found.cost
    assert told[-1].violation == found.violation


def test_a_curved_valley_is_followed_to_its_end():
    """Rosenbrock's function on the circle through its minimum."""

    def at(x):
        cost = whole("cost", np.array([[-20 * x[0], 10.0], [-1.0, 0.0]]), np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]]))
        circle = whole("circle", 2 * x[None], np.array([x @ x - 2.0]))
        return LinearisedProblem([cost], [circle])

    found = minimise(Vectors(2, 1, at), np.array([0.5, 0.5]), EXACT)
    assert found.violation < 1e-10
    assert np.allclose(found.point, [1.0, 1.0], atol=1e-5)


def test_numbers_that_are_not_finite_stop_the_search():
    def at(x):
        return LinearisedProblem([whole("cost", np.eye(1), np.array([np.nan]))], [])

    with pytest.raises(PoiseError, match="not finite in 'cost'"):
        minimise(Vectors(1, 0, at), np.zeros(1))
