"""Controllers by name: those that come with Poise, installed ones, and classes of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from poise.control.controller import Controller
from poise.control.entry import ControllerEntry, entry_from, load
from poise.errors import unknown

BUILT_IN = {
    "limp": "poise.control.plain:LIMP",
    "hold": "poise.control.plain:HOLD",
    "nqr": "poise.control.nqr:ENTRY",
    "modal": "poise.control.modal:ENTRY",
    "pendulum": "poise.control.pendulum:ENTRY",
    "poses": "poise.control.poses:ENTRY",
    "rotation": "poise.control.rotation:ENTRY",
}
"""Where the entries of the controllers are that come with Poise."""
GROUP = "poise.controllers"  # Entry-point group under which installed packages offer controllers: name = module:Class


@cache
def _homes() -> dict[str, str]:
    """Name: 'module:Class' or 'module:ENTRY' of all controllers that are known by name."""
    installed = {point.name: point.value for point in entry_points(group=GROUP)}
    return {**installed, **BUILT_IN}


def controller_names() -> tuple[str, ...]:
    """Names of controllers: those that come with Poise first, then installed ones."""
    return (*BUILT_IN, *(name for name in _homes() if name not in BUILT_IN))


def controller_entry(name: str) -> ControllerEntry:
    """The entry of a controller by name, or of a class of one's own as 'module:Class'."""
    if ":" in name:
        return entry_from(load(name), name)
    if name not in _homes():
        raise unknown("controller", name, controller_names())
    return entry_from(load(_homes()[name]), name)


def entries() -> dict[str, ControllerEntry]:
    """All entries by name."""
    return {name: controller_entry(name) for name in controller_names()}


def walker() -> str:
    """The name of the controller that takes over from others: it walks, is steered freely, and catches."""
    return next(name for name, entry in entries().items() if entry.catches and entry.steered == "freely")


def named_controller(name: str, settings: Mapping[str, Any] | None = None) -> Controller:
    """A controller by name or 'module:Class', with some of its settings changed."""
    made: Controller = controller_entry(name).make(settings)
    return made


def entry_of(controller: Controller) -> ControllerEntry:
    """The entry of a controller that exists already."""
    own = getattr(controller, "entry", None)
    return own if isinstance(own, ControllerEntry) else entry_from(type(controller), controller.name)
