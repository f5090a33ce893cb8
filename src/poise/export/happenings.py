"""What was done to a performer, as the page draws it: pushes, and weights that hung on it.

Recordings may come from anywhere: an event that does not tell enough is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from poise.export.look import Floats

Event = Mapping[str, Any]


def events_of(meta: Mapping[str, Any]) -> list[Event]:
    """Whatever of a recording's events is one."""
    events = meta.get("events")
    listed = events if isinstance(events, list | tuple) else ()
    return [event for event in listed if isinstance(event, Mapping)]


def pushes_among(events: Sequence[Event], bodies: Sequence[str], centres: Floats) -> list[dict[str, Any]]:
    """The pushes on bodies, whose centres (N, 3) are in m in their own frames."""
    pushes = []
    for event in events:
        force, time = _force(event), event.get("time")
        body = _index(event, bodies, 0 if "body" not in event and bodies else -1)
        if np.any(force) and isinstance(time, int | float) and body >= 0:
            push = {"body": body, "time": time, "duration": event.get("duration", 0.1)}
            pushes.append(push | {"force": force.tolist(), "point": centres[body].tolist()})
    return pushes


def weights_among(events: Sequence[Event], bodies: Sequence[str]) -> list[dict[str, Any]]:
    """The weights that hung on bodies: how heavy, where, from when, and until when unless they stayed."""
    weights: list[dict[str, Any]] = []
    for event in events:
        kind, time, mass, point = (event.get(key) for key in ("kind", "time", "mass", "point"))
        body = _index(event, bodies, -1)
        if not isinstance(time, int | float):
            continue
        if kind == "weights off":
            for weight in weights:
                weight.setdefault("until", time)
        elif kind == "weight" and body >= 0 and _is_vector(point) and isinstance(mass, int | float):
            weights.append({"body": body, "time": time, "mass": mass, "point": point})
    return weights


def _index(event: Event, bodies: Sequence[str], otherwise: int) -> int:
    name = event.get("body")
    return bodies.index(name) if isinstance(name, str) and name in bodies else otherwise


def _force(event: Event) -> Floats:
    """An event's force in the world, from a vector or from newtons and a direction; zero if it has none."""
    force, direction = event.get("world_force", event.get("force")), event.get("direction")
    if isinstance(force, int | float) and isinstance(direction, list | tuple):
        force = [force * axis for axis in direction]
    return np.array(force if _is_vector(force) else (0, 0, 0), np.float64)


def _is_vector(told: object) -> bool:
    return isinstance(told, list | tuple) and len(told) == 3
