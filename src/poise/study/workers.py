"""Many cases at once: on the cores of this machine, or on a Dask cluster. Rows come in the order of their cases."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from threadpoolctl import threadpool_limits

from poise.errors import PoiseError
from poise.study.study import Case, Row

CONNECTING = 10.0
"""s, after which a cluster is given up."""


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def here(measure: Callable[[Case], Row], cases: Sequence[Case], workers: int) -> Iterator[Row]:
    """The rows of cases, measured by so many processes of this machine; by this one if it is one."""
    with crew(min(workers, len(cases))) as work:
        yield from work(measure, cases)


@contextmanager
def crew(workers: int) -> Iterator[Callable[[Callable[[Case], Row], Sequence[Case]], Iterator[Row]]]:
    """What measures cases again and again, by so many processes; by this one if it is one."""
    if workers < 1:
        raise PoiseError(f"{workers} workers: must be at least 1")
    if workers == 1:
        with threadpool_limits(1):
            yield map
        return
    with _pool(workers) as pool:
        try:
            yield pool.map
        except BrokenProcessPool:
            raise PoiseError("a worker process died: is there memory for as many? see --workers") from None


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that are started afresh, since forked ones may inherit a lock of a numba thread that is held."""
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_single_threaded)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _single_threaded() -> None:
    """Our matrices are small: threads cost more than they give, and results must not depend on them."""
    threadpool_limits(1)


def there(measure: Callable[[Case], Row], cases: Sequence[Case], address: str) -> Iterator[Row]:
    """The rows of cases, measured by a Dask cluster whose workers have Poise installed."""
    client = _client(address)
    try:
        futures = client.map(_measured, cases, measure=measure, pure=False)
        for future in futures:
            yield future.result()
    except (OSError, RuntimeError) as error:
        raise PoiseError(f"cluster {address}: {error}") from None
    finally:
        client.close()


def _measured(case: Case, measure: Callable[[Case], Row]) -> Row:
    """A case by itself: the cluster's workers serve others too, so the number of threads is theirs again after it."""
    with threadpool_limits(1):
        return measure(case)


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise PoiseError("a cluster needs Dask: pip install 'poise[study]'") from None
    try:
        return Client(address, timeout=CONNECTING)
    except (OSError, ValueError, TypeError) as error:
        raise PoiseError(f"cluster {address}: {error}") from None
