"""Trajectories whose optimum is known: by Gramians, by closed forms, or by its first-order conditions."""

from dataclasses import replace

import numpy as np
import pytest
from problems import EXACT, Chain
from scipy.optimize import fsolve, minimize

from poise.physics.interior import minimise
from poise.physics.newton import dense_jacobian

G = 9.81  # m/s^2
H = 0.02  # s


def reaching(goal):
    """Rows of a last state that must be the goal."""
    return lambda x: (x - goal, np.eye(len(goal)))


def linear(a, b):
    """x+ = a x + b u."""

    def advance(x, u):
        shape = (len(u), *a.shape)
        return x @ a.T + u[:, None] * b, np.broadcast_to(a, shape), np.broadcast_to(b, shape[:2])

    return advance


def least_effort(a, b, steps, way):
    """Controls (N,) of least norm that move a linear system by `way` beyond its free motion, by the Gramian."""
    reach = np.stack([np.linalg.matrix_power(a, steps - 1 - k) @ b for k in range(steps)], axis=1)
    return reach.T @ np.linalg.solve(reach @ reach.T, way)


@pytest.mark.parametrize("stiffness", [0.0, -G, G], ids=["double integrator", "hanging", "upright"])
def test_linear_pendulum_swings_with_least_effort(stiffness):
    steps, start, goal = 60, np.array([0.3, 0.0]), np.array([-0.2, 0.5])
    a = np.array([[1.0 + H * H * stiffness, H], [H * stiffness, 1.0]])
    b = np.array([H * H, H])
    problem = Chain(steps, 2, start, linear(a, b), reaching(goal))
    found = minimise(problem, np.zeros(problem.size), EXACT)
    expected = least_effort(a, b, steps, goal - np.linalg.matrix_power(a, steps) @ start)
    assert found.converged
    assert np.allclose(problem.controls(found.point), expected, atol=1e-6 * np.abs(expected).max())


def pendulum(x, u):
    """Of 1 kg at 1 m on a motor, angle 0 hanging; first the speed, then the angle."""
    speed = x[:, 1] + H * (u - G * np.sin(x[:, 0]))
    after = np.stack([x[:, 0] + H * speed, speed], axis=1)
    by_x = np.empty((len(u), 2, 2))
    by_x[:, 1, 0], by_x[:, 1, 1] = -H * G * np.cos(x[:, 0]), 1.0
    by_x[:, 0] = H * by_x[:, 1] + [1.0, 0.0]
    return after, by_x, np.broadcast_to(np.array([H * H, H]), (len(u), 2))


def swing_up(steps=75):
    problem = Chain(steps, 2, np.zeros(2), pendulum, reaching(np.array([np.pi, 0.0])))
    guess = np.zeros((steps + 1, 3))
    guess[:, 0] = np.linspace(0.0, np.pi, steps + 1)
    return problem, minimise(problem, guess.ravel()[:-1], replace(EXACT, steady=1e-14))


def test_pendulum_swing_up_satisfies_its_first_order_conditions():
    problem, found = swing_up()
    here = found.linearised
    gradient = sum(rows.pulled(rows.value, problem.size) for rows in here.cost)
    constraints = dense_jacobian(here.equal, problem.size)
    multipliers = np.linalg.lstsq(constraints.T, -gradient, rcond=None)[0]
    assert found.converged
    assert np.abs(gradient + constraints.T @ multipliers).max() < 1e-5 * np.abs(gradient).max()


def test_pendulum_swing_up_is_where_scipy_ends_from_nearby():
    problem, found = swing_up()
    ours = problem.controls(found.point)

    def last(u):
        x = np.zeros((1, 2))
        for force in u:
            x = pendulum(x, np.array([force]))[0]
        return x[0] - [np.pi, 0.0]

    def slope(u):
        x, out = np.zeros((1, 2)), []
        for force in u:
            x, by_x, by_u = pendulum(x, np.array([force]))
            out = [by_x[0] @ column for column in out] + [by_u[0]]
        return np.stack(out, axis=1)

    nearby = ours + 0.05 * np.abs(ours).max() * np.random.default_rng(0).normal(size=len(ours))
    theirs = minimize(
        lambda u: (0.5 * u @ u, u), nearby, jac=True, method="SLSQP", options={"ftol": 1e-12, "maxiter": 300},
        constraints={"type": "eq", "fun": last, "jac": slope},
    )  # fmt: skip
    assert theirs.success
    assert found.cost == pytest.approx(theirs.fun, rel=1e-6)
    assert np.allclose(ours, theirs.x, atol=1e-3 * np.abs(ours).max())


# A point mass of 1 kg that pushes itself off the ground: x = height and speed, u = force, gravity pulls.

FALL = np.array([H * H, H])
A = np.array([[1.0, H], [0.0, 1.0]])
AHEAD = H * np.arange(25, 0, -1)  # s from the end of each step's push to the end of all, and H


def thrown(x, u):
    return linear(A, FALL)(x, u - G)


def pushed(forces):
    """Height and speed after pushing from rest at 0."""
    return np.array([H * AHEAD @ (forces - G), H * np.sum(forces - G)])


def test_least_effort_to_reach_an_apex_is_a_force_that_falls_linearly():
    """f = c (time left + v/g): what a push adds to the apex by height now, and by speed at the end."""
    apex = 1.2

    def end(x):
        return np.array([x[0] + x[1] ** 2 / (2 * G) - apex]), np.array([[1.0, x[1] / G]])

    def conditions(unknown):
        size, speed = unknown
        height, reached = pushed(size * (AHEAD + speed / G))
        return [reached - speed, height + speed**2 / (2 * G) - apex]

    size, speed = fsolve(conditions, [30.0, 3.0], xtol=1e-13)
    expected = size * (AHEAD + speed / G)
    assert expected.min() > 1.0  # the ground never has to pull
    problem = Chain(25, 2, np.zeros(2), thrown, end, least=0.0)
    guess = np.append(np.tile([0.0, 2.0, 2 * G], (25, 1)).ravel(), [0.5, 3.0])
    found = minimise(problem, guess, EXACT)
    assert found.converged
    assert np.allclose(problem.controls(found.point), expected, atol=1e-4)
    assert found.cost == pytest.approx(0.5 * expected @ expected, rel=1e-8)


def cut_line(silent, goal):
    """Forces on a line after some silent steps that reach a goal; None unless the line is negative just there."""
    after = np.arange(25) >= silent
    basis = np.stack([after, after * AHEAD], axis=1)
    free = pushed(np.zeros(25))
    slope, offset = np.array([H * AHEAD, np.full(25, H)]) @ basis, goal - free
    line = np.linalg.solve(slope, offset)
    forces = line[0] + line[1] * AHEAD
    return basis @ line if ((forces >= 0) == after).all() else None


def test_a_ground_that_cannot_pull_lets_the_mass_fall_before_it_pushes():
    """Deep down and fast up at the end: the force is a line, cut off where it would be negative."""
    goal = np.array([-0.45, 2.0])
    expected = next(forces for forces in (cut_line(m, goal) for m in range(23)) if forces is not None)
    assert np.allclose(pushed(expected), goal, atol=1e-9)
    assert np.count_nonzero(expected == 0.0) >= 5
    problem = Chain(25, 2, np.zeros(2), thrown, reaching(goal), least=0.0)
    found = minimise(problem, np.zeros(problem.size), EXACT)
    assert found.converged
    forces = problem.controls(found.point)
    assert forces.min() > -1e-10
    assert np.allclose(forces, expected, atol=1e-4)
    free = minimise(replace(problem, least=-np.inf), np.zeros(problem.size), EXACT)
    assert problem.controls(free.point).min() < -1.0  # the bound matters
