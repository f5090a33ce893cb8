"""Marks: where a performance under way was, to go back to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import mujoco
import numpy as np

from poise.arrays import brief
from poise.control.controller import Controller
from poise.performance.cues import Cue
from poise.performance.forces import HungWeight, ScenePush
from poise.reference.reference import Reference
from poise.world.result import Snapshot
from poise.world.world import World


@dataclass(frozen=True, eq=False)
class Mark:
    """Where a run was: all that the steps after it depend on."""

    world: World
    snapshot: Snapshot
    controller: Controller
    reference: Reference
    waiting: tuple[Cue, ...]
    forces: tuple[ScenePush, ...]  # pushes that act or will
    weights: tuple[HungWeight, ...]  # that hang on it
    events: int
    steps: int
    fell_at: float | None

    __repr__ = brief


def replaced_parts(old: World, new: World) -> dict[int, object]:
    """For deepcopy: what a controller knows of a world, and what is there instead in another over other ground."""
    return {
        id(old): new,
        id(old.terms.data): new.terms.data,
        id(old.scene): new.scene,
        id(old.scene.model): new.scene.model,
        id(old.scene.terrain): new.scene.terrain,
    }


def fixed_parts(parts: object, world: World) -> dict[int, object]:
    """What of `parts` never changes, for deepcopy to share: the world, frozen values, and arrays that are read-only.

    A controller may look back on thousands of policies, and only a handful of numbers changes from step to step.
    """
    fixed: dict[int, object] = {id(world): world, id(world.terms.data): world.terms.data}
    seen: set[int] = set()
    ahead: list[object] = [parts]
    while ahead:
        part = ahead.pop()
        if id(part) in seen or id(part) in fixed:
            continue
        seen.add(id(part))
        if _is_fixed(part):
            fixed[id(part)] = part
        elif isinstance(part, dict):
            ahead += part.values()
        elif isinstance(part, list | tuple | set):
            ahead += part
        elif isinstance(part, partial):
            ahead += (*part.args, *part.keywords.values())
        elif hasattr(part, "__dict__"):
            ahead += vars(part).values()
    return fixed


def _is_fixed(part: object) -> bool:
    if isinstance(part, Cue):
        return False  # what it does may be bound to a controller that changes
    if isinstance(part, mujoco.MjModel | mujoco.MjData):
        return True  # nobody changes models, and data is paper to reckon on, filled anew: copies would take megabytes
    if isinstance(part, np.ndarray):
        return not part.flags.writeable
    told = getattr(type(part), "__dataclass_params__", None)
    return told is not None and bool(told.frozen)
