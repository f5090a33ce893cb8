"""The backward recursion against the same problem solved all at once."""

import numpy as np
import pytest
from scipy.linalg import block_diag, solve_discrete_are

from poise.control.nqr.lookahead import CostToGo, RiccatiStage, riccati_step, riccati_sweep

STEPS, STATES, CONTROLS = 6, 5, 3


def definite(random, n):
    root = random.standard_normal((n, n))
    return root @ root.T + 0.1 * np.eye(n)


def random_stage(random, controls=CONTROLS):
    return RiccatiStage(
        by_state=np.eye(STATES) + 0.3 * random.standard_normal((STATES, STATES)),
        by_control=random.standard_normal((STATES, controls)),
        defect=random.standard_normal(STATES),
        state_cost=definite(random, STATES),
        change_cost=random.uniform(0.1, 1.0, controls),
        size_cost=random.uniform(0.1, 1.0, controls),
        control=random.standard_normal(controls),
    )


def best_controls(stages, end, start):
    """All controls at once, from the normal equations of the whole problem: states are affine in them."""
    total = sum(stage.by_control.shape[1] for stage in stages)
    state, by_controls, first = start, np.zeros((STATES, total)), 0
    hessian, slope = np.zeros((total, total)), np.zeros(total)
    for stage in stages:
        hessian += by_controls.T @ stage.state_cost @ by_controls
        slope += by_controls.T @ stage.state_cost @ state
        m = stage.by_control.shape[1]
        state = stage.by_state @ state + stage.defect
        by_controls = stage.by_state @ by_controls
        by_controls[:, first : first + m] += stage.by_control
        first += m
    hessian += by_controls.T @ end.matrix @ by_controls
    slope += by_controls.T @ (end.matrix @ state + end.slope)
    hessian += block_diag(*(np.diag(stage.change_cost + stage.size_cost) for stage in stages))
    slope += np.concatenate([stage.size_cost * stage.control for stage in stages])
    return -np.linalg.solve(hessian, slope)


def cost(stages, end, start, controls):
    """Half the sum that is minimised."""
    state, paid = start, 0.0
    for stage, u in zip(stages, controls, strict=True):
        paid += state @ stage.state_cost @ state
        paid += stage.change_cost @ u**2 + stage.size_cost @ (u + stage.control) ** 2
        state = stage.by_state @ state + stage.by_control @ u + stage.defect
    return 0.5 * (paid + state @ end.matrix @ state + 2 * end.slope @ state)


def followed(stages, gains, start):
    """The controls that the gains choose on the way."""
    state, chosen = start, []
    for stage, gain in zip(stages, gains, strict=True):
        chosen.append(gain.offset + gain.matrix @ state)
        state = stage.by_state @ state + stage.by_control @ chosen[-1] + stage.defect
    return chosen


@pytest.mark.parametrize("seed", range(5))
def test_gains_choose_the_controls_that_are_best_for_the_whole(seed):
    random = np.random.default_rng(seed)
    stages = [random_stage(random, controls) for controls in random.integers(1, 4, STEPS)]  # contacts come and go
    end = CostToGo(definite(random, STATES), random.standard_normal(STATES))
    start = random.standard_normal(STATES)
    _, gains = riccati_sweep(stages, end)
    found = np.concatenate(followed(stages, gains, start))
    np.testing.assert_allclose(found, best_controls(stages, end, start), rtol=1e-8, atol=1e-9)


def test_futures_are_what_remains_to_be_paid():
    random = np.random.default_rng(7)
    stages = [random_stage(random) for _ in range(STEPS)]
    end = CostToGo(definite(random, STATES), random.standard_normal(STATES))
    futures, gains = riccati_sweep(stages, end)
    assert len(futures) == STEPS + 1
    for first in range(STEPS):
        here, there = random.standard_normal((2, STATES))
        rest, ways = stages[first:], gains[first:]
        paid = [cost(rest, end, state, followed(rest, ways, state)) for state in (here, there)]
        future = futures[first]
        told = [0.5 * state @ future.matrix @ state + future.slope @ state for state in (here, there)]
        assert paid[1] - paid[0] == pytest.approx(told[1] - told[0], rel=1e-9)


def test_without_end_it_is_the_algebraic_riccati_equation():
    random = np.random.default_rng(1)
    stage = random_stage(random)
    future = CostToGo(stage.state_cost, np.zeros(STATES))
    for _ in range(300):
        future, gain = riccati_step(stage, future)
    effort = np.diag(stage.change_cost + stage.size_cost)
    a, b = stage.by_state, stage.by_control
    expected = solve_discrete_are(a, b, stage.state_cost, effort)
    np.testing.assert_allclose(future.matrix, expected, rtol=1e-8)
    regulator = -np.linalg.solve(effort + b.T @ expected @ b, b.T @ expected @ a)
    np.testing.assert_allclose(gain.matrix, regulator, rtol=1e-8, atol=1e-10)


def test_a_motion_that_is_its_own_best_is_left_alone():
    random = np.random.default_rng(2)
    stage = random_stage(random)
    calm = RiccatiStage(stage.by_state, stage.by_control, np.zeros(STATES), stage.state_cost, stage.change_cost,
                 np.zeros(CONTROLS), stage.control)  # fmt: skip
    _, gains = riccati_sweep([calm] * STEPS, CostToGo(definite(random, STATES), np.zeros(STATES)))
    assert all((gain.offset == 0.0).all() for gain in gains)
