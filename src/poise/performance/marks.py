"""Marks: saved states of a run, to which it can return."""

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
    """The state of a run: everything on which its next steps depend."""

    world: World
    snapshot: Snapshot
    controller: Controller
    reference: Reference
    waiting: tuple[Cue, ...]
    forces: tuple[ScenePush, ...]  # active and future pushes
    weights: tuple[HungWeight, ...]
    events: int  # number of events so far
    steps: int  # number of steps so far
    fell_at: float | None  # s
    token: object  # known to its run while the mark can be gone back to

    __repr__ = brief


def replaced_parts(old: World, new: World) -> dict[int, object]:
    """Memo for `deepcopy` that replaces the parts of a world that controllers refer to by those of another world."""
    return {
        id(old): new,
        id(old.terms.data): new.terms.data,
        id(old.scene): new.scene,
        id(old.scene.model): new.scene.model,
        id(old.scene.terrain): new.scene.terrain,
    }


def fixed_parts(parts: object, world: World) -> dict[int, object]:
    """Memo for `deepcopy` that shares what never changes: the world, frozen dataclasses and read-only arrays.

    A controller may hold thousands of precomputed policies, while only a few numbers change from step to step.
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
        return False  # its action may be bound to a controller, which changes
    if isinstance(part, mujoco.MjModel | mujoco.MjData):
        return True  # models are constant, data is scratch space filled before each use; copies would take megabytes
    if isinstance(part, np.ndarray):
        return not part.flags.writeable
    params = getattr(type(part), "__dataclass_params__", None)
    return params is not None and bool(params.frozen)
