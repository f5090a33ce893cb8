"""All that there is to choose, as the page lists it."""

from __future__ import annotations

from functools import cache
from typing import Any

from poise.animation import shipped_titles
from poise.body import Body, names
from poise.control import CONTROLLERS
from poise.reference.authoring import read_source
from poise.reference.behaviours import read_behaviour
from poise.reference.edit.forms import CARRY_POSES
from poise.reference.motions import motion_names
from poise.studio.fitting import BEHAVIOUR, kind_of
from poise.studio.terrains import TERRAINS

GROUPS = {"gait": "Walks and runs", "turn": "Turns", "change": "Changes of gait", "pace": "Starts and stops"}
FEATS, ROTATIONS, FALLS = "Feats", "Rolls and flips by momentum", "Falls"
MOVES = (
    ("walk", "walk", "pendulum"),
    ("run", "run", "nqr"),
    ("jump", "jump", "modal"),
    ("leap", "broad-jump", "modal"),
    ("roll", "roll-and-stand", "rotation"),
    ("dive", "dive-roll", "rotation"),
    ("flip", "back-flip", "rotation"),
    ("squat", "squat", "modal"),
    ("swing", "swing", "modal"),
)
"""One word each for what a visitor may want to see at once: a motion, and the controller that does it best."""
_GROUPS = {**GROUPS, BEHAVIOUR: ROTATIONS, "pose": FALLS}


@cache
def bodies() -> tuple[dict[str, Any], ...]:
    """Bodies that come with Poise."""
    told = []
    for name in names():
        body = Body.named(name)
        told.append({"name": name, "what": f"{body.nv - 6} angles, {body.mass:.0f} kg", "links": body.links})
    return tuple(told)


def motions() -> list[dict[str, str]]:
    """Motions that come with Poise, by group."""
    told = []
    for name in motion_names():
        kind = kind_of(name)
        told.append({"name": name, "what": _title(name, kind), "group": _GROUPS.get(kind, FEATS)})
    order = [*GROUPS.values(), FEATS, ROTATIONS, FALLS]
    return sorted(told, key=lambda each: (order.index(each["group"]), each["name"]))


def _title(name: str, kind: str) -> str:
    if kind == BEHAVIOUR:
        return read_behaviour(name).title
    return read_source(name).title if kind != "pose" else "a fall from a height"


def catalogue() -> dict[str, Any]:
    """All that there is to choose."""
    return {
        "bodies": list(bodies()),
        "motions": motions(),
        "controllers": [
            {"name": name, "what": entry.what, "speeds": entry.speeds} for name, entry in CONTROLLERS.items()
        ],
        "terrains": list(TERRAINS),
        "moves": [{"name": name, "motion": motion, "controller": who} for name, motion, who in MOVES],
        "carries": dict(CARRY_POSES),
        "scripts": shipped_titles(),
    }
