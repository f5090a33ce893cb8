"""Marks: saved states of a run, to which the run can return."""

from dataclasses import dataclass, fields
from functools import partial
from numbers import Number
from pathlib import PurePath
from types import FunctionType
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Frozen, brief_repr
from poise.control.controller import Controller
from poise.performance.cues import Cue
from poise.performance.forces import PushInRun, WeightHungInRun
from poise.reference.reference import Reference
from poise.world.result import Snapshot
from poise.world.world import World

CONSTANTS = (Number, str, bytes, PurePath, Frozen, type, FunctionType, np.generic)  # Types whose values never change


@dataclass(frozen=True, eq=False)
class Mark:
    """The state of a run: everything on which its next steps depend."""

    world: World
    snapshot: Snapshot
    controller: Controller
    reference: Reference
    waiting: tuple[Cue, ...]  # cues that have not fired yet
    pushes: tuple[PushInRun, ...]  # active and future pushes
    weights: tuple[WeightHungInRun, ...]
    events: tuple[dict[str, Any], ...]  # events so far, which are never changed
    steps: int  # number of steps so far
    fell_at: float | None  # s
    stabiliser: str | None  # what a stabiliser of the root had given
    token: object  # the run keeps this token while it can go back to the mark

    __repr__ = brief_repr


def world_parts_for_mark(old: World, new: World) -> dict[int, object]:
    """Memo for `deepcopy`: where an original refers to the world `old` or its parts, the copy refers to `new`."""
    return {
        id(old): new,
        id(old.terms.data): new.terms.data,
        id(old.scene): new.scene,
        id(old.scene.model): new.scene.model,
        id(old.scene.terrain): new.scene.terrain,
    }


def unchanging_parts_for_mark(parts: object, world: World) -> dict[int, object]:
    """Memo for `deepcopy`: copies share what never changes, namely the world, constant dataclasses, read-only arrays.

    A controller may hold thousands of precomputed policies, while only a few numbers change from step to step.
    """
    shared: dict[int, object] = {id(world): world, id(world.terms.data): world.terms.data}
    seen: set[int] = set()
    ahead: list[object] = [parts]
    while ahead:
        part = ahead.pop()
        if id(part) in seen or id(part) in shared:
            continue
        seen.add(id(part))
        if _never_changes_after_mark(part):
            shared[id(part)] = part
        elif isinstance(part, dict):
            ahead += part.values()
        elif isinstance(part, list | tuple | set):
            ahead += part
        elif isinstance(part, partial):
            ahead += (*part.args, *part.keywords.values())
        elif hasattr(part, "__dict__"):
            ahead += vars(part).values()
    return shared


def _never_changes_after_mark(part: object) -> bool:
    """Whether a part is constant: read-only arrays, Poise's frozen dataclasses, others with constant fields."""
    if isinstance(part, Cue):
        return False  # its action may be bound to a controller, which changes
    if isinstance(part, mujoco.MjModel | mujoco.MjData):
        return True  # models are constant, data is scratch space filled before each use; copies would take megabytes
    if isinstance(part, np.ndarray):
        return not part.flags.writeable
    params = getattr(type(part), "__dataclass_params__", None)
    if params is None or not params.frozen:
        return False
    own: Any = part
    return type(part).__module__.startswith("poise.") or all(
        _is_constant_between_marks(getattr(own, f.name)) for f in fields(own)
    )


def _is_constant_between_marks(value: object) -> bool:
    """Whether the value of a field never changes in place."""
    if isinstance(value, tuple | frozenset):
        return all(map(_is_constant_between_marks, value))
    return value is None or isinstance(value, CONSTANTS) or _never_changes_after_mark(value)
