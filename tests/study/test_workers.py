"""Measuring cases in worker processes and on a cluster."""

import pytest
from toys import Toy, cases, measure

from poise import PoiseError
from poise.study.experiment.runner import available_cores, cluster_case_rows, local_case_rows
from poise.study.experiment.study import Scope

TOYS = cases(Scope(seeds=3, seconds=1.0))


@pytest.mark.parametrize("workers", [1, 2])
def test_rows_come_in_the_order_of_their_cases(workers):
    rows = list(local_case_rows(measure, TOYS, workers))
    assert [row["number"] for row in rows] == list(range(12))
    assert rows == [measure(toy) for toy in TOYS]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_a_case_is_passed_on(workers):
    with pytest.raises(PoiseError, match=r"^toy 7 is broken$"):
        list(local_case_rows(measure, [Toy(1), Toy(7, "mistake"), Toy(2)], workers))


def test_less_than_one_worker_is_refused():
    with pytest.raises(PoiseError, match="at least 1"):
        list(local_case_rows(measure, TOYS, 0))


def test_there_is_a_core_to_work_on():
    assert available_cores() >= 1


def test_a_cluster_gives_the_same_rows():
    distributed = pytest.importorskip("distributed")
    made = distributed.LocalCluster(
        n_workers=1, processes=False, dashboard_address="127.0.0.1:0", host="tcp://127.0.0.1"
    )
    with made:
        assert list(cluster_case_rows(measure, TOYS, made.scheduler_address)) == [measure(toy) for toy in TOYS]
        with pytest.raises(PoiseError, match=r"^toy 7 is broken$"):
            list(cluster_case_rows(measure, [Toy(7, "mistake")], made.scheduler_address))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1:notaport"])
def test_a_cluster_that_cannot_be_reached_is_named(address, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("poise.study.experiment.runner.CONNECT_TIMEOUT", 0.5)
    with pytest.raises(PoiseError, match=address):
        list(cluster_case_rows(measure, TOYS, address))
