"""Low-frequency modes: the least actuation that leads to the reference."""

import numpy as np
import pytest

from poise.control.modal.law import low_frequency_modal_forces, mode_response

STEP, WINDOW = 1 / 120, 12


@pytest.mark.parametrize("seed", range(3))
def test_the_force_is_the_first_of_the_least_squares_impulses(seed):
    random = np.random.default_rng(seed)
    frequency = np.sort(random.uniform(4, 100, 3))
    off, rate, pushed = random.standard_normal(3), random.standard_normal(3), random.standard_normal((WINDOW, 3))
    place, speed, effort = 0.5, 2.0, 5e-3
    found = low_frequency_modal_forces(frequency, 3, off, rate, pushed, (place, speed, effort), STEP)
    for m, square in enumerate(frequency):
        table = np.array([mode_response(square, (WINDOW - k) * STEP) for k in range(WINDOW)]).T  # (2, window)
        a, v = mode_response(square, WINDOW * STEP)
        end = np.array([v * off[m] + a * rate[m], -square * a * off[m] + v * rate[m]]) + table @ pushed[:, m]
        rows = np.vstack([np.sqrt([[place], [speed]]) * table, np.sqrt(effort) * np.eye(WINDOW)])
        impulses = np.linalg.lstsq(rows, np.append(-np.sqrt([place, speed]) * end, np.zeros(WINDOW)), rcond=None)[0]
        np.testing.assert_allclose(found[m], impulses[0] / STEP - square * off[m], rtol=1e-8)


def test_without_errors_there_is_no_force():
    none = np.zeros(2)
    np.testing.assert_array_equal(
        low_frequency_modal_forces(np.array([9.0, 50.0]), 2, none, none, np.zeros((5, 2)), (1.0, 1.0, 1.0), STEP), 0
    )
