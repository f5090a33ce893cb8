"""The tipping response: a body that moves away from its support tips over."""

from types import SimpleNamespace

import numpy as np

from poise.control.modal.law import window_tipping

STEP, GRAVITY, MASS, N = 1 / 120, 9.81, 70.0, 36


def test_it_agrees_with_a_sum_over_the_frames():
    ahead = SimpleNamespace(force=np.zeros((N, 1, 3)), velocity=np.zeros((N + 1, 3)))
    tips = window_tipping.py_func(ahead, MASS, STEP, GRAVITY)
    for k in (0, 10, N - 1):
        velocity, spin, turn = np.array([0.3, -0.1, 0.0]), np.zeros(3), np.zeros(3)
        for j in range(k, N):
            place = (j - k) * STEP * velocity
            gained = -np.cross(place, [0.0, 0.0, MASS * GRAVITY]) * STEP
            spin += gained
            turn += gained * (N - j) * STEP
        np.testing.assert_allclose(np.cross(tips[k, 0], velocity), spin, atol=1e-9)
        np.testing.assert_allclose(np.cross(tips[k, 1], velocity), turn, atol=1e-9)
    assert np.cross(tips[0, 0], [1.0, 0.0, 0.0])[1] > 0  # forward
