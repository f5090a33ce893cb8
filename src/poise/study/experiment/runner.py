"""Run a study: measure its cases on this machine or on a Dask cluster, and write rows, summary and plot to files."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from poise.errors import PoiseError
from poise.files import write_file
from poise.study.experiment.study import Case, Row, Scope, Study
from poise.study.experiment.table import table_csv, table_text
from poise.study.experiment.trial import cached_cast
from poise.version import __version__

CONNECT_TIMEOUT = 10.0  # Time (s) to wait for a connection to a cluster
DPI = 110  # Resolution of plots, dots per inch
Result = TypeVar("Result")
Show = Callable[[Iterator[Row], int], Iterable[Row]]  # Passes on the rows, whose number is given, and shows progress


def run_study(
    study: Study[Any],
    scope: Scope | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    show: Show = lambda rows, _: rows,
) -> Findings:
    """Measure all cases of a study with `workers` processes (by default one per core) or on the cluster at an address.

    The rows do not depend on the number of workers, except the times that timing studies measure.
    """
    scope = scope or study.whole
    if study.alone and cluster is not None:
        raise PoiseError(f"study {study.name} measures time and needs an idle machine: run it without --cluster")
    for motion in scope.motions:
        cached_cast(motion, None, False)  # so that a motion that cannot be read is refused before the work begins
    cases = study.cases(scope)
    if cluster is not None:
        rows = cluster_case_rows(study.run_case, cases, cluster)
    else:
        rows = local_case_rows(
            study.run_case, cases, 1 if study.alone else workers if workers is not None else available_cores()
        )
    return Findings(study, scope, tuple(show(rows, len(cases))))


@dataclass(frozen=True)
class Findings:
    """The rows of a study, with their summary and plot."""

    study: Study[Any]
    scope: Scope
    rows: tuple[Row, ...]

    @property
    def summary(self) -> list[Row]:
        """The rows of the study's summary."""
        return list(self.study.summary(self.rows))

    def as_dict(self) -> dict[str, Any]:
        """Names, version, scope and summary of the study for JSON, without the rows."""
        study = self.study
        names = {"study": study.name, "title": study.title, "reproduces": study.reproduces}
        return {**names, "version": __version__, "scope": asdict(self.scope), "summary": self.summary}

    def text(self) -> str:
        """The title of the study and, below, the summary as a text table."""
        return f"{self.study.title} ({self.study.reproduces})\n{table_text(self.summary)}"

    def write(self, folder: Path) -> list[Path]:
        """Write NAME.json, NAME.csv (rows) and NAME.png (plot) for the study's name, each whole or not at all."""
        from matplotlib import rc_context

        name, picture = self.study.name, io.BytesIO()
        with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
            self.study.plot(self.rows).savefig(picture, format="png", dpi=DPI, metadata={"Software": None})
        contents = {
            "json": json.dumps({**self.as_dict(), "rows": self.rows}, indent=1).encode(),
            "csv": table_csv(self.rows).encode(),
            "png": picture.getvalue(),
        }
        folder.mkdir(parents=True, exist_ok=True)
        return [write_file(folder / f"{name}.{suffix}", content) for suffix, content in contents.items()]


def available_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def local_case_rows(run_case: Callable[[Case], Row], cases: Sequence[Case], workers: int) -> Iterator[Row]:
    """Yield the row of each case, in the order of the cases, measured by `workers` processes of this machine."""
    with case_worker_map(min(workers, len(cases))) as mapped:
        yield from mapped(run_case, cases)


@contextmanager
def case_worker_map(workers: int) -> Iterator[Callable[[Callable[[Case], Result], Sequence[Case]], Iterator[Result]]]:
    """A function like `map` that spreads calls over `workers` processes; a single worker is this process itself.

    Each process uses one thread: for small matrices threads cost more than they gain, and results must not depend on
    the number of threads.
    """
    if workers < 1:
        raise PoiseError(f"{workers} workers: must be at least 1")
    if workers == 1:
        with threadpool_limits(1):
            yield map
        return
    # Processes are spawned, because forked ones could inherit a lock that a numba thread holds.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=threadpool_limits, initargs=(1,))
    try:
        yield pool.map
    except BrokenProcessPool:
        raise PoiseError("a worker process died, perhaps for lack of memory: use fewer with --workers") from None
    finally:
        pool.shutdown(cancel_futures=True)


def cluster_case_rows(run_case: Callable[[Case], Row], cases: Sequence[Case], address: str) -> Iterator[Row]:
    """Yield the row of each case, in order, measured by a Dask cluster whose workers have Poise installed."""
    client = _cluster_client(address)
    try:
        futures = client.map(_run_in_one_thread, cases, run_case=run_case, pure=False)
        for future in futures:
            yield future.result()
    except (OSError, RuntimeError) as error:
        raise PoiseError(f"cluster {address} failed: {error}") from None
    finally:
        client.close()


def _run_in_one_thread(case: Case, run_case: Callable[[Case], Row]) -> Row:
    """Measure a case with one thread, then restore the thread limit, because cluster workers also serve other jobs."""
    with threadpool_limits(1):
        return run_case(case)


def _cluster_client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise PoiseError("a cluster needs Dask: pip install 'poise[study]'") from None
    try:
        return Client(address, timeout=CONNECT_TIMEOUT)
    except (OSError, ValueError, TypeError) as error:
        raise PoiseError(f"cannot connect to cluster {address}: {error}") from None
