"""Studies by name."""

from __future__ import annotations

from typing import Any

from poise.errors import unknown
from poise.study.nqr import endurance, ground, horizon, push, rate, steering, survival, timing, transitions
from poise.study.study import Study

STUDIES: dict[str, Study[Any]] = {
    module.STUDY.name: module.STUDY
    for module in (endurance, survival, timing, rate, horizon, ground, push, transitions, steering)
}
"""All there are."""


def named_study(name: str) -> Study[Any]:
    """A study by name."""
    if name not in STUDIES:
        raise unknown("study", name, STUDIES)
    return STUDIES[name]
