"""Cues to whoever performs: to edit its motion, and to steer it.

They are bound to a controller or its motion by `partial`, which a copy of a performance copies along (`poise.marking`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from poise.control.controller import Adjustable, Steerable
from poise.errors import PoiseError
from poise.reference.commands import Command
from poise.world.cues import Cue
from poise.world.world import World

if TYPE_CHECKING:
    from poise.reference.edit import Edit, Live


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
