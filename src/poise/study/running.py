"""A study run: its rows, what they amount to, and the files they are written to."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from poise.errors import PoiseError
from poise.files import write_file
from poise.study.study import Row, Scope, Study
from poise.study.table import as_csv, as_text
from poise.study.trial import cast_once
from poise.study.workers import cores, here, there
from poise.version import __version__

Show = Callable[[Iterator[Row], int], Iterable[Row]]
"""Passes rows on, of which there will be so many, and shows how far it is."""
DOTS = 110
"""Per inch, of plots."""


def in_silence(rows: Iterator[Row], _count: int) -> Iterable[Row]:
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
    show: Show = in_silence,
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
