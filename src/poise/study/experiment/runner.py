"""A study run: its rows, what they amount to, and the files they are written to."""

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
from typing import Any

from threadpoolctl import threadpool_limits

from poise.errors import PoiseError
from poise.files import write_file
from poise.study.experiment.study import Case, Row, Scope, Study
from poise.study.experiment.table import as_csv, as_text
from poise.study.experiment.trial import cast_once
from poise.version import __version__

# Many cases at once: on the cores of this machine, or on a Dask cluster. Rows come in the order of their cases.

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


Show = Callable[[Iterator[Row], int], Iterable[Row]]
"""Passes rows on, of which there will be so many, and shows how far it is."""
DOTS = 110
"""Per inch, of plots."""


def plain_rows(rows: Iterator[Row], _count: int) -> Iterable[Row]:
    """Rows as they are."""
    return rows


@dataclass(frozen=True)
class Findings:
    """What came of a study."""

    study: Study[Any]
    scope: Scope
    rows: tuple[Row, ...]

    @property
    def summary(self) -> list[Row]:
        """What the rows amount to."""
        return list(self.study.summary(self.rows))

    def as_dict(self) -> dict[str, Any]:
        """For JSON, without the rows."""
        study = self.study
        told = {"study": study.name, "title": study.title, "reproduces": study.reproduces}
        return {**told, "version": __version__, "scope": asdict(self.scope), "summary": self.summary}

    def text(self) -> str:
        """For people."""
        return f"{self.study.title} ({self.study.reproduces})\n{as_text(self.summary)}"

    def write(self, folder: Path) -> list[Path]:
        """Write what was found as JSON, its rows as CSV, and the plot; each file whole or not at all."""
        from matplotlib import rc_context

        name, picture = self.study.name, io.BytesIO()
        with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
            self.study.plot(self.rows).savefig(picture, format="png", dpi=DOTS, metadata={"Software": None})
        contents = {
            "json": json.dumps({**self.as_dict(), "rows": self.rows}, indent=1).encode(),
            "csv": as_csv(self.rows).encode(),
            "png": picture.getvalue(),
        }
        folder.mkdir(parents=True, exist_ok=True)
        return [write_file(folder / f"{name}.{suffix}", content) for suffix, content in contents.items()]


def run(
    study: Study[Any],
    scope: Scope | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    show: Show = plain_rows,
) -> Findings:
    """Measure all cases of a study: by all cores unless told otherwise, or on a cluster.

    The rows are the same however many work on them, but for those of a study that takes the time.
    """
    scope = scope or study.whole
    if study.alone and cluster is not None:
        raise PoiseError(f"{study.name} takes the time, on a machine that does nothing else: not on a cluster")
    for motion in scope.motions:
        cast_once(motion, None, False)  # refuses what cannot be read before hours of work are done
    cases = study.cases(scope)
    if cluster is not None:
        rows = there(study.measure, cases, cluster)
    else:
        rows = here(study.measure, cases, 1 if study.alone else workers if workers is not None else cores())
    return Findings(study, scope, tuple(show(rows, len(cases))))
