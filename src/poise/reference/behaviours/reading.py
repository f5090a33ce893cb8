"""Behaviour files: small TOML files, those that come with Poise by name and a user's own by path."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import unknown
from poise.frozen import Frozen
from poise.reference.authoring.figure import ANGLES, LIMB_ANGLES
from poise.reference.authoring.source import Source, read_table
from poise.reference.behaviours.behaviour import Behaviour, Freedom

_FOLDER = Path(__file__).parent / "shipped"
_FIELDS = ("kind", "title", "body", "limits", "rate", "at", "control", "poses", "start", "tune", "found")


def behaviour_names() -> tuple[str, ...]:
    """Names of the behaviours that come with Poise."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def read_behaviour(name_or_path: str | Path) -> Behaviour:
    """A behaviour that comes with Poise, or a user's own if the name ends in .toml."""
    path, table = read_table("behaviour", name_or_path, _FOLDER, behaviour_names())
    source = Source(path.stem, path, "", Frozen(table))
    source.check(_FIELDS)
    return _read(source, name_or_path)


def _read(source: Source, asked_for: str | Path) -> Behaviour:
    at = _numbers(source, "at", source.table.get("at"))
    if np.any(np.diff(at) <= 0):
        raise source.fail("the numbers of 'at' must increase")
    poses = {name: _numbers(source, name, values) for name, values in source.section("poses").items()}
    for name, values in poses.items():
        if name not in (*ANGLES, *LIMB_ANGLES):
            raise unknown(f"angle in {source.path.name}", name, (*ANGLES, *LIMB_ANGLES))
        if len(values) != len(at):
            raise source.fail(f"'{name}' has {len(values)} angles for {len(at)} poses")
    control, start = (_table(source, section) for section in ("control", "start"))
    free = {name: _freedom(source, name, told) for name, told in source.section("tune").items()}
    for name in free:
        if name not in {*poses, *control, *start}:
            raise unknown(f"number to tune in {source.path.name}", name, {*poses, *control, *start})
    return Behaviour(
        name=str(asked_for),
        title=source.text("title"),
        kind=source.text("kind"),
        body=source.text("body"),
        path=source.path,
        control=Frozen(control),
        at=at,
        poses=Frozen(poses),
        start=Frozen(start),
        free=Frozen(free),
        rate=_rate(source),
        limits=source.text("limits") if "limits" in source.table else None,
    )


def _rate(source: Source) -> float:
    rate = source.table.get("rate", 60.0)
    if not _is_number(rate) or rate <= 0:
        raise source.fail(f"'rate' must be a positive number, not {rate!r}")
    return float(rate)


def _numbers(source: Source, name: str, told: Any) -> tuple[float, ...]:
    if not isinstance(told, list) or not told or not all(_is_number(value) for value in told):
        raise source.fail(f"'{name}' must be a list of numbers, not {told!r}")
    return tuple(float(value) for value in told)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _table(source: Source, section: str) -> dict[str, float]:
    table: Mapping[str, Any] = source.section(section)
    for name, value in table.items():
        if not _is_number(value):
            raise source.fail(f"{name} of [{section}] must be a number, not {value!r}")
    return {name: float(value) for name, value in table.items()}


def _freedom(source: Source, name: str, told: Any) -> Freedom:
    """A spread: 5 for so many units, "10%" for a share."""
    text = str(told)
    relative = text.endswith("%")
    try:
        spread = float(text.removesuffix("%")) / (100.0 if relative else 1.0)
    except ValueError:
        spread = math.nan
    if not 0 < spread < math.inf:
        raise source.fail(f"{name} of [tune] must be a positive number or a percentage, not {told!r}")
    return Freedom(spread, relative)
