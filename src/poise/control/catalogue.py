"""Controllers by name: shipped ones, installed ones, and classes given as 'module:Class'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from poise.control.controller import Controller
from poise.control.entry import ControllerEntry, entry_from_object, load_object
from poise.errors import PoiseError, unknown_name

BUILT_IN = {
    "pendulum": "poise.control.pendulum:ENTRY",
    "nqr": "poise.control.nqr:ENTRY",
    "modal": "poise.control.modal:ENTRY",
    "rotation": "poise.control.rotation:ENTRY",
    "hold": "poise.control.plain:HOLD",
    "limp": "poise.control.plain:LIMP",
    "poses": "poise.control.poses:ENTRY",
}
"""Module and name of the entry of each shipped controller, in the order in which the studio offers them."""
GROUP = "poise.controllers"  # Entry-point group of controllers in installed packages: name = module:Class


@cache
def _controller_homes() -> dict[str, str]:
    """'module:Class' or 'module:ENTRY' of each controller, by name; cached."""
    installed = {point.name: point.value.partition("[")[0].strip() for point in entry_points(group=GROUP)}  # no extras
    return {**installed, **BUILT_IN}


def controller_names() -> tuple[str, ...]:
    """Names of controllers: shipped ones first, then installed ones."""
    return (*BUILT_IN, *(name for name in _controller_homes() if name not in BUILT_IN))


def controller_entry(name: str) -> ControllerEntry:
    """The entry of a controller by name or 'module:Class'."""
    if ":" in name:
        return entry_from_object(load_object(name), name)
    if name not in _controller_homes():
        raise unknown_name("controller", name, controller_names())
    return replace(entry_from_object(load_object(_controller_homes()[name]), name), name=name)


def controller_entries() -> dict[str, ControllerEntry]:
    """All entries by name; an installed controller that cannot be loaded is left out."""
    found = {}
    for name in controller_names():
        try:
            found[name] = controller_entry(name)
        except PoiseError:
            if name in BUILT_IN:
                raise
    return found


def fallback_controller() -> str:
    """Name of the shipped controller to use where another cannot catch, be steered or take over."""
    return next(entry.name for entry in map(controller_entry, BUILT_IN) if entry.catches and entry.steered == "freely")


def named_controller(name: str, settings: Mapping[str, Any] | None = None) -> Controller:
    """Create a controller by name or 'module:Class', with some settings changed."""
    made: Controller = controller_entry(name).make(settings)
    return made


def entry_of_controller(controller: Controller) -> ControllerEntry:
    """The entry of a controller object."""
    own = getattr(controller, "entry", None)
    return own if isinstance(own, ControllerEntry) else entry_from_object(type(controller), controller.name)
