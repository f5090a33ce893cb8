"""Cues to whoever performs: to edit its motion, and to steer it.

They are bound to a controller or its motion by `partial`, which a copy of a performance copies along (`poise.performance.marks`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from poise.control.commands import Command
from poise.control.controller import Adjustable, Steerable
from poise.errors import PoiseError
from poise.reference.dynamic import Dynamic
from poise.world.grips import Grip
from poise.world.world import World

if TYPE_CHECKING:
    from poise.edit.live import Live
    from poise.edit.take import Edit
    from poise.world.world import World

# Cues: what happens to a world at given times of a performance, such as a grip made or released.


@dataclass(frozen=True)
class Cue:
    """Something to do to the world before the step that begins at or after a time."""

    time: float  # s
    name: str  # for the recording's events
    do: Callable[[World], object]  # an event that it returns, a mapping, goes into the recording instead of the name

    def __post_init__(self) -> None:
        if not 0 <= self.time < math.inf:
            raise PoiseError(f"cue '{self.name}' at {self.time} s: the time must be finite and at least 0")


# What hands hold in a motion, as cues: grips that are made when the motion takes hold, and released with it.


def grip_cues(motion: Dynamic, what: str = "bar") -> list[Cue]:
    """Cues that take hold of a prop, and let it go, as a motion does; one that never lets go has none for that."""
    cues: list[Cue] = []
    contacts = motion.contacts
    for c in np.flatnonzero(contacts.held):
        link, point = contacts.links[c], contacts.centre[c]
        for first, last in _runs(contacts.down[:, c]):
            made: list[Grip] = []
            cues.append(Cue(first * motion.step, f"{link} takes hold", partial(_take, made, link, point, what)))
            if last < len(contacts.down):
                cues.append(Cue(last * motion.step, f"{link} lets go", partial(_leave, made)))
    return cues


def _take(made: list[Grip], link: str, point: ArrayLike, what: str, world: World) -> None:
    made[:] = [world.grip(link, world.point(link, point), what)]


def _leave(made: list[Grip], world: World) -> None:
    for grip in made:
        world.release(grip)


def _runs(down: ArrayLike) -> list[tuple[int, int]]:
    """Frames from which, and before which, something holds."""
    edges = np.diff(np.concatenate([[0], np.asarray(down, int), [0]]))
    return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True))


def edit_cue(live: Live, edit: Edit, time: float) -> Cue:
    """The cue to edit the motion that is being performed, `live`, at a time (s)."""
    return Cue(time, str(edit), partial(_edit, live, edit))


def _edit(live: Live, edit: Edit, world: World) -> Mapping[str, Any]:
    return live.edit(edit, world.time)


def steer_cue(controller: Steerable, command: Command) -> Cue:
    """The cue to steer."""
    _check(controller, command)
    return Cue(command.time, "steer", partial(_steer, controller, command))


def _steer(controller: Steerable, command: Command, _: World) -> Mapping[str, Any]:
    return steered(controller, command)


def steered(controller: Steerable, command: Command) -> dict[str, Any]:
    """Steer now, whatever the time of the command; as an event."""
    _check(controller, command)
    controller.steer(command.heading, command.speed)
    if command.adjusts and isinstance(controller, Adjustable):
        controller.adjust(command.lift, command.step)
    return command.as_event()


def _check(controller: Steerable, command: Command) -> None:
    if command.adjusts and not isinstance(controller, Adjustable):
        raise PoiseError(f"{controller.name} takes steps as they come: steer it without lift and step")


def done(cue: Cue, world: World) -> dict[str, Any]:
    """What a cue does to the world, as an event."""
    told = cue.do(world)
    return dict(told) if isinstance(told, Mapping) else {"kind": "cue", "time": cue.time, "name": cue.name}
