"""Find controllers by name: shipped with Poise, installed with other packages, or classes given as 'module:Class'."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from poise.control.controller import Controller
from poise.control.entry import ControllerEntry, entry_from_object, load_object
from poise.errors import PoiseError, known_name

BUILT_IN = {
    "pendulum": "poise.control.pendulum:ENTRY",
    "nqr": "poise.control.nqr:ENTRY",
    "modal": "poise.control.modal:ENTRY",
    "rotation": "poise.control.rotation:ENTRY",
    "hold": "poise.control.plain:HOLD",
    "limp": "poise.control.plain:LIMP",
    "poses": "poise.control.poses:ENTRY",
}
"""'module:NAME' of the entry of each shipped controller. The studio offers the controllers in this order."""
GROUP = "poise.controllers"  # Entry-point group in which installed packages declare controllers: name = module:Class


@cache
def _controller_homes() -> dict[str, str]:
    """By controller name: 'module:Class' of its class or 'module:ENTRY' of its entry; cached."""
    installed = {point.name: point.value.partition("[")[0].strip() for point in entry_points(group=GROUP)}  # no extras
    return {**installed, **BUILT_IN}


def controller_names() -> tuple[str, ...]:
    """Names of all controllers: shipped controllers first, then installed controllers."""
    return (*BUILT_IN, *(name for name in _controller_homes() if name not in BUILT_IN))


def controller_entry(name: str) -> ControllerEntry:
    """The entry of the controller that has a name or is given as 'module:Class'; raise for an unknown name."""
    if ":" in name:
        return entry_from_object(load_object(name), name)
    home = _controller_homes()[known_name("controller", name, controller_names())]
    return replace(entry_from_object(load_object(home), name), name=name)


def controller_entries() -> dict[str, ControllerEntry]:
    """Entries of all controllers by name, except installed controllers that cannot be loaded."""
    found = {}
    for name in controller_names():
        try:
            found[name] = controller_entry(name)
        except PoiseError:
            if name in BUILT_IN:
                raise
    return found


def fallback_controller() -> str:
    """Name of the shipped controller to use in place of a controller that cannot catch, be steered or take over."""
    return next(entry.name for entry in map(controller_entry, BUILT_IN) if entry.catches and entry.steered == "freely")


def behaviour_controller() -> str:
    """Name of the shipped controller that performs behaviours."""
    return next(entry.name for entry in map(controller_entry, BUILT_IN) if entry.performs == "behaviours")


def named_controller(name: str, settings: Mapping[str, Any] | None = None) -> Controller:
    """Create the controller that has a name or is given as 'module:Class'; `settings` replace default values."""
    made: Controller = controller_entry(name).make(settings)
    return made


def entry_of_controller(controller: Controller) -> ControllerEntry:
    """The entry of a controller object: its attribute `entry`, or else an entry derived from its class."""
    own = getattr(controller, "entry", None)
    return own if isinstance(own, ControllerEntry) else entry_from_object(type(controller), controller.name)
