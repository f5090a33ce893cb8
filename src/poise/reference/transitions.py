"""How transitions between steps went when they were tried: the findings of `poise study nqr-transitions`.

What is true of two steps is true of their mirrored counterparts: only one of the two pairs is kept.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

Transitions = Mapping[tuple[str, str], float]
"""(step, next step): rad by which joints were off, infinite if it fell."""


def canonical(one: str, other: str) -> tuple[str, str]:
    """The pair of steps or its mirror image, whichever is kept."""
    return min((one, other), (_swapped(one), _swapped(other)))


def _swapped(name: str) -> str:
    stem, _, side = name.rpartition(" ")
    return {"left": f"{stem} right", "right": f"{stem} left"}.get(side, name)


def transitions_path(body: str) -> Path:
    """Where those of a body that come with Poise are kept."""
    return Path(__file__).parent / "shipped" / body / "nqr-transitions.json"


def load_transitions(path: Path) -> Transitions:
    """What the study found; a fall in any trial is one."""
    told = json.loads(path.read_text())["summary"]
    return {(row["step"], row["next"]): row["off"] if row["survived"] == row["trials"] else math.inf for row in told}
