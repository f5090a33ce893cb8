import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from poise.contact.problem import ContactProblem, LcpStatus, friction_polygon
from poise.contact.solver import solve_contacts, solve_contacts_by_lemke, solve_contacts_by_sweeps


def random_problem(seed: int, bilateral: int, unilateral: int, contacts: int, sides: int) -> ContactProblem:
    """Rows of a few rigid bodies: rank-deficient, as contacts of real feet are."""
    random = np.random.default_rng(seed)
    rows = bilateral + unilateral + 3 * contacts
    jacobian = random.normal(size=(rows, 12)) @ random.normal(size=(12, 29))
    matrix = jacobian @ jacobian.T
    matrix[np.diag_indices(rows)] *= 1 + 1e-7
    bias = jacobian @ random.normal(size=29)
    friction = random.uniform(0.2, 1.5, size=contacts)
    return ContactProblem(matrix, bias, bilateral, unilateral, friction, friction_polygon(sides))


sizes = st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 8), st.sampled_from([4, 6, 8]))


@given(st.integers(0, 2**32 - 1), sizes)
@settings(max_examples=150, deadline=None)
def test_solutions_of_random_problems_are_certified(seed, size):
    problem = random_problem(seed, *size)
    for solution in (solve_contacts(problem), solve_contacts_by_lemke(problem)):
        assert solution.ok
        assert solution.status != LcpStatus.APPROXIMATE
        assert problem.residual(solution.impulse) == solution.residual


def sliding_block(speed: float, mu: float = 0.5, sides: int = 4) -> ContactProblem:
    """A 2 kg point on level ground that moves along t1; gravity gave it 0.1 m/s downward."""
    return ContactProblem(np.eye(3) / 2, np.array([-0.1, speed, 0.0]), 0, 0, np.array([mu]), friction_polygon(sides))


@pytest.mark.parametrize("sides", [4, 6, 8])
def test_sliding_friction_opposes_the_slip_with_mu_times_the_normal_force(sides):
    impulse = solve_contacts(sliding_block(1.0, sides=sides)).impulse
    assert impulse == pytest.approx([0.2, -0.1, 0.0], abs=1e-12)


def test_friction_stops_a_slow_point_without_reversing_it():
    impulse = solve_contacts(sliding_block(0.03)).impulse
    assert impulse == pytest.approx([0.2, -0.06, 0.0], abs=1e-12)


def test_the_certificate_rejects_what_is_not_a_solution():
    problem = sliding_block(1.0)
    right = solve_contacts(problem).impulse
    assert problem.residual(right) < 1e-14
    for wrong in ([0.0, 0.0, 0.0], [0.3, -0.15, 0.0], [0.2, 0.1, 0.0], [0.2, -0.05, 0.0], [0.2, -0.2, 0.0]):
        assert problem.residual(np.array(wrong)) > 1e-3


def test_an_open_contact_carries_nothing():
    problem = ContactProblem(np.eye(3), np.array([0.2, 1.0, 0.0]), 0, 0, np.array([1.0]), friction_polygon(4))
    assert np.all(solve_contacts(problem).impulse == 0)


def test_bilateral_rows_are_brought_to_rest():
    problem = random_problem(3, 3, 0, 2, 4)
    solution = solve_contacts_by_lemke(problem)
    assert np.abs((problem.matrix @ solution.impulse + problem.bias)[:3]).max() < 1e-8


def test_sweeps_agree_where_forces_are_unique():
    random = np.random.default_rng(5)
    for _ in range(40):
        jacobian = random.normal(size=(7, 20))  # two contacts and a limit: fewer rows than DOFs
        problem = ContactProblem(
            jacobian @ jacobian.T, random.normal(size=7), 0, 1, np.array([0.8, 0.8]), friction_polygon(6)
        )
        swept = solve_contacts_by_sweeps(problem, sweeps=20_000, tolerance=1e-13)
        assert swept.residual < 1e-8
        assert swept.impulse == pytest.approx(solve_contacts(problem).impulse, abs=1e-7)
