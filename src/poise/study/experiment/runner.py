"""Run a study: measure its cases on this machine or on a Dask cluster, and write rows, summary and plot to files."""

import hashlib
import io
import json
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

import poise
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
    folder: Path | None = None,
) -> "Findings":
    """Measure all cases of a study with `workers` processes (by default one per core) or on the cluster at an address.

    The rows do not depend on the number of workers, except the times that timing studies measure. If a `folder` is
    given, each row is written to a file in it when it is measured; a study that was killed continues from these rows.
    """
    scope = scope or study.whole
    if study.alone and cluster is not None:
        raise PoiseError(f"study {study.name} measures time and needs an idle machine: run it without --cluster")
    for motion in scope.motions:
        cached_cast(motion, None, False)  # so that a motion that cannot be read is refused before the work begins
    cases = study.cases(scope)
    count = 1 if study.alone else workers if workers is not None else available_cores()
    _check_worker_count(count)
    kept = None if folder is None else KeptRows(folder, study, scope, cases)
    known = {} if kept is None else kept.read()
    left = [number for number in range(len(cases)) if number not in known]
    if cluster is not None:
        found = cluster_case_rows(study.run_case, [cases[number] for number in left], cluster)
        measured: Iterator[tuple[int, Row]] = zip(left, found, strict=True)
    else:
        todo = [(number, cases[number]) for number in left]
        measure = partial(_measure_case, study.run_case, None if kept is None else kept.path)
        measured = local_case_rows(measure, todo, count)

    def all_rows() -> Iterator[Row]:
        yield from known.values()
        for number, row in measured:
            if kept is not None and cluster is not None:
                append_row(kept.path, number, row)
            known[number] = row
            yield row

    for _ in show(all_rows(), len(cases)):
        pass
    return Findings(study, scope, tuple(known[number] for number in range(len(cases))))


class KeptRows:
    """The file of the rows of an unfinished study: a first line that identifies the study, then one line per row."""

    def __init__(self, folder: Path, study: Study[Any], scope: Scope, cases: Sequence[Any]) -> None:
        self.path = folder / f"{study.name}.rows"
        sources = sorted(Path(poise.__file__).parent.rglob("*.py"))
        code = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
        self._head = json.dumps([study.name, __version__, code, asdict(scope), [repr(case) for case in cases]])
        self._count = len(cases)

    def read(self) -> dict[int, Row]:
        """The rows by the number of their case. Rows of another study, scope or version of Poise are deleted."""
        text = self.path.read_text(encoding="utf-8", errors="replace") if self.path.exists() else ""
        head, *lines = text.split("\n")
        rows = dict(filter(None, map(self._parsed, lines))) if head == self._head else {}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_file(self.path, f"{self._head}\n".encode())
        for number, row in rows.items():
            append_row(self.path, number, row)
        return rows

    def _parsed(self, line: str) -> tuple[int, Row] | None:
        """Number and row of a line; None if the line was cut off."""
        try:
            number, row = json.loads(line)
            return (number, row) if number in range(self._count) and isinstance(row, dict) else None
        except (ValueError, TypeError):
            return None


def append_row(path: Path, number: int, row: Row) -> None:
    """Append the row of a case to a file in one write, so that the lines of several processes do not mix."""
    with open(path, "ab", buffering=0) as file:
        file.write(f"{json.dumps([number, row])}\n".encode())


def _measure_case(run_case: Callable[[Any], Row], path: Path | None, numbered: tuple[int, Any]) -> tuple[int, Row]:
    """Measure a numbered case; append its row to the file `path`, if one is given."""
    number, case = numbered
    row = run_case(case)
    if path is not None:
        append_row(path, number, row)
    return number, row


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
        """Write NAME.json, NAME.csv (rows) and NAME.png (plot) for the study's name, each whole or not at all.

        NAME.rows, from which an unfinished study continues, is deleted.
        """
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
        written = [write_file(folder / f"{name}.{suffix}", content) for suffix, content in contents.items()]
        (folder / f"{name}.rows").unlink(missing_ok=True)
        return written


def available_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def local_case_rows(run_case: Callable[[Case], Result], cases: Sequence[Case], workers: int) -> Iterator[Result]:
    """Yield the result of each case, in the order of the cases, measured by `workers` processes of this machine."""
    with case_worker_map(min(workers, max(1, len(cases)))) as mapped:
        yield from mapped(run_case, cases)


@contextmanager
def case_worker_map(workers: int) -> Iterator[Callable[[Callable[[Case], Result], Sequence[Case]], Iterator[Result]]]:
    """A function like `map` that spreads calls over `workers` processes; a single worker is this process itself.

    Each process uses one thread: for small matrices threads cost more than they gain, and results must not depend on
    the number of threads.
    """
    _check_worker_count(workers)
    if workers == 1:
        with threadpool_limits(1):
            yield map
        return
    # Processes are spawned, because forked ones could inherit a lock that a numba thread holds.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_begin_worker)
    try:
        yield pool.map
    except BrokenProcessPool:
        raise PoiseError("a worker process died, perhaps for lack of memory: use fewer with --workers") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _check_worker_count(workers: int) -> None:
    if workers < 1:
        raise PoiseError(f"{workers} workers: must be at least 1")


def _begin_worker() -> None:
    """Limit a worker process to one thread, and end it when its parent ends, even if the parent is killed."""
    threadpool_limits(1)
    parent = multiprocessing.parent_process()

    def end_with_parent() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


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
