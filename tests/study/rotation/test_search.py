"""Searching by samples: it finds, and goes on where it was left off."""

import numpy as np
import pytest

from poise.errors import PoiseError
from poise.study.rotation.tune import BehaviourTrialSearch

AWAY = np.array([0.5, -1.0, 2.0])


def cost(sample):
    return float(np.sum((sample - AWAY) ** 2))


def go(search, generations):
    while search.generation < generations:
        search.tell([cost(sample) for sample in search.ask()])
    return search


def test_it_finds_the_least():
    search = go(BehaviourTrialSearch(3, population=12), 60)
    np.testing.assert_allclose(search.mean, AWAY, atol=1e-3)
    assert search.sample_width < 0.05


def test_a_journal_is_gone_on_with_to_the_last_bit():
    whole = go(BehaviourTrialSearch(3, population=6), 10)
    half = go(BehaviourTrialSearch(3, population=6), 4)
    rest = go(BehaviourTrialSearch(3, population=6, costs=half.costs), 10)
    np.testing.assert_array_equal(rest.mean, whole.mean)
    assert rest.costs == whole.costs


def test_nonsense_is_refused():
    with pytest.raises(PoiseError, match="at least 2"):
        BehaviourTrialSearch(1)
    search = BehaviourTrialSearch(2, population=4)
    search.ask()
    with pytest.raises(PoiseError, match="3 costs"):
        search.tell([1.0, 2.0, 3.0])
