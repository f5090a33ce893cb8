"""Searching by samples: it finds, and goes on where it was left off."""

import numpy as np
import pytest

from poise.errors import PoiseError
from poise.study.rotation.tune import rotation_search

AWAY = np.array([0.5, -1.0, 2.0])


def go(search, generations):
    """Search for some generations; return the costs of each."""
    told = []
    for _ in range(generations):
        samples = search.ask()
        told.append([float(np.sum((sample - AWAY) ** 2)) for sample in samples])
        search.tell(samples, told[-1])
    return told


def test_it_finds_the_least():
    search = rotation_search(3, 12, 0.5)
    go(search, 60)
    np.testing.assert_allclose(search.mean, AWAY, atol=1e-3)
    assert search.sigma < 0.05


def test_a_journal_is_gone_on_with_to_the_last_bit():
    whole = rotation_search(3, 6, 0.5)
    told = go(whole, 10)
    rest = rotation_search(3, 6, 0.5, told[:4])
    assert go(rest, 6) == told[4:]
    np.testing.assert_array_equal(rest.mean, whole.mean)


def test_nonsense_is_refused():
    with pytest.raises(PoiseError, match="at least 2"):
        rotation_search(1, 12, 0.5)
    with pytest.raises(PoiseError, match="at least 4"):
        rotation_search(2, 3, 0.5)
    with pytest.raises(PoiseError, match="3 costs"):
        rotation_search(2, 4, 0.5, [[1.0, 2.0, 3.0]])
