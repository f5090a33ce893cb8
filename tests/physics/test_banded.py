"""Banded matrices of rows, against the same written out."""

import numpy as np
import pytest

from poise.physics.newton import FactoredBand, dense_jacobian, normal_band
from poise.physics.rows import TaskRows

SIZE, WIDTH = 30, 7


def random_rows(seed, rows=3, columns=None):
    """Blocks on neighbouring variables, some columns without one."""
    random = np.random.default_rng(seed)
    if columns is None:
        first = random.integers(0, SIZE - WIDTH, size=(12, 1))
        columns = first + random.permuted(np.tile(np.arange(WIDTH + 1), (12, 1)), axis=1)[:, :5]
        columns[random.random(columns.shape) < 0.2] = -1
    jacobian, value = random.normal(size=(len(columns), rows, 5)), random.normal(size=(len(columns), rows))
    return TaskRows(f"rows {seed}", columns, jacobian, value)


def full(band):
    out = np.zeros((SIZE, SIZE))
    for j, d in np.ndindex(band.shape):
        if j + d < SIZE:
            out[j + d, j] = out[j, j + d] = band[j, d]
    return out


def test_band_is_that_of_the_written_out_jacobian():
    one, other = random_rows(1), random_rows(2, rows=2)
    same = random_rows(3, columns=one.columns)
    weights = np.random.default_rng(4).random(other.value.shape)
    band = normal_band([(one, None), (other, weights), (same, None)], SIZE, WIDTH, 0.1)
    a, b, c = (dense_jacobian([rows], SIZE) for rows in (one, other, same))
    expected = 0.1 * np.eye(SIZE) + a.T @ a + b.T @ (weights.reshape(-1, 1) * b) + c.T @ c
    assert np.allclose(full(band), expected, atol=1e-12)


def test_rows_act_like_their_written_out_jacobian():
    rows, step = random_rows(5), np.random.default_rng(6).normal(size=SIZE)
    matrix = dense_jacobian([rows], SIZE)
    assert np.allclose(rows.along(step).ravel(), matrix @ step)
    assert np.allclose(rows.pulled(rows.value, SIZE), matrix.T @ rows.value.ravel())


@pytest.mark.parametrize("count", [0, 1, 4])
def test_solutions_with_ties_are_those_of_the_full_matrix(count):
    random = np.random.default_rng(count)
    band = normal_band([(random_rows(7), None)], SIZE, WIDTH, 0.5)
    matrix, ties = full(band), random.normal(size=(count, SIZE))
    right, tie_right = random.normal(size=SIZE), random.normal(size=count)
    whole = np.block([[matrix, ties.T], [ties, -1e-3 * np.eye(count)]])
    expected = np.linalg.solve(whole, np.concatenate([right, tie_right]))
    x, y = FactoredBand(band, ties, 1e-3).solve(right, tie_right)
    assert np.allclose(np.concatenate([x, y]), expected, atol=1e-9)
