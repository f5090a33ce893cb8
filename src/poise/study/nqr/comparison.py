"""What several studies share: how trials under things that vary went."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from poise.study.nqr.case import TOLD
from poise.study.study import Row
from poise.study.table import grouped


def summary_by(*columns: str) -> Callable[[Sequence[Row]], list[Row]]:
    """A summary with a row for each combination of some columns."""
    return lambda rows: grouped(rows, columns, TOLD)
