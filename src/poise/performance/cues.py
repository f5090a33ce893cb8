"""Cues: actions at given times of a run, such as gripping a prop, editing the motion or steering.

A cue holds the controller or motion that it acts on in a `partial`, so that marks copy this object too (see `marks`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import true_runs
from poise.control.commands import SteerCommand
from poise.control.controller import AdjustableSteps, Steerable
from poise.control.entry import ControllerEntry
from poise.edit.take import Edit, Live
from poise.errors import PoiseError
from poise.reference.dynamic import Dynamic
from poise.world.world import World


@dataclass(frozen=True)
class Cue:
    """An action to perform before the first step that begins at or after a time."""

    time: float  # s
    name: str  # for the recording's events
    do: Callable[[World], object]  # may return a mapping, which is recorded as the event

    def __post_init__(self) -> None:
        if not 0 <= self.time < math.inf:
            raise PoiseError(f"cue '{self.name}' at {self.time} s: the time must be finite and at least 0")


def fire_cue(cue: Cue, world: World) -> dict[str, Any]:
    """Perform the action of a cue and return the event to record."""
    event = cue.do(world)
    return dict(event) if isinstance(event, Mapping) else {"kind": "cue", "time": cue.time, "name": cue.name}


def held_pairs(world: World) -> list[list[str]]:
    """Names of the pairs of links that grips hold together, for the recording's events."""
    pairs = {(grip.body, grip.other) for grip in world.grips}
    return [[world.model.body(link).name for link in pair] for pair in sorted(pairs)]


def grip_cues(motion: Dynamic) -> list[Cue]:
    """Cues at which the hands grip and release the bar, at the times at which the hands of the motion do so."""
    cues: list[Cue] = []
    contacts = motion.contacts
    for c in np.flatnonzero(contacts.held):
        link, point = contacts.links[c], contacts.centre[c]
        for first, last in true_runs(contacts.down[:, c]):
            cues.append(grip_cue(first * motion.step, f"{link} takes hold", link, [point], "bar"))
            if last < len(contacts.down):
                cues.append(release_cue(last * motion.step, f"{link} lets go", link, "bar"))
    return cues


def grip_cue(time: float, name: str, link: str, points: Sequence[ArrayLike], prop: str) -> Cue:
    """A cue at which a link grips a prop, or the ``world``, at points (3,) m in the link's frame."""
    return Cue(time, name, partial(_grip_prop, link, points, prop))


def release_cue(time: float, name: str, link: str, prop: str) -> Cue:
    """A cue that releases all grips of a link on a prop, also those that come from another world's snapshot."""
    return Cue(time, name, partial(_release_prop, link, prop))


def _grip_prop(link: str, points: Sequence[ArrayLike], prop: str, world: World) -> None:
    for point in points:
        world.grip(link, world.point(link, point), prop)


def _release_prop(link: str, prop: str, world: World) -> None:
    ends = world.scene.link_id(link), world.scene.link_id(prop)
    for grip in world.grips:
        if (grip.body, grip.other) == ends:
            world.release(grip)


def edit_cue(live: Live, edit: Edit, time: float) -> Cue:
    """A cue that edits the performed motion `live` at a time (s)."""
    return Cue(time, str(edit), partial(_edit_by_cue, live, edit))


def _edit_by_cue(live: Live, edit: Edit, world: World) -> Mapping[str, Any]:
    return live.edit(edit, world.time)


def steer_cue(controller: Steerable, command: SteerCommand) -> Cue:
    """A cue that steers a controller at the time of the command."""
    _check_cue_adjusts(controller, command)
    return Cue(command.time, "steer", partial(steer_by_cue, controller, command))


def steer_by_cue(controller: Steerable, command: SteerCommand, _: World | None = None) -> dict[str, Any]:
    """Steer at once, ignoring the time of the command, and return the event to record."""
    _check_cue_adjusts(controller, command)
    controller.steer(command.heading, command.speed)
    if command.adjusts_steps and isinstance(controller, AdjustableSteps):
        controller.adjust(command.lift, command.step)
    return command.as_event()


def check_cue_speed(entry: ControllerEntry, speed: float | None) -> None:
    """Raise if a controller cannot be commanded to go at a speed (m/s)."""
    slowest, fastest = entry.speeds
    if speed is not None and not slowest <= speed <= fastest:
        raise PoiseError(f"{entry.name} goes at {slowest:g} to {fastest:g} m/s, not at {speed:g}")


def _check_cue_adjusts(controller: Steerable, command: SteerCommand) -> None:
    if command.adjusts_steps and not isinstance(controller, AdjustableSteps):
        raise PoiseError(f"{controller.name} cannot change its steps: steer it without lift and step")
