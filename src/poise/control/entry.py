"""The entry of a controller: its defaults and capabilities.

Reading an entry is cheap: the module of the controller is imported only when a controller is created.
"""

import typing
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from importlib import import_module
from operator import attrgetter
from types import UnionType
from typing import Any, Literal

from poise.errors import PoiseError, known_name

Steered = Literal["no", "freely", "by steps"]
CONTROLLER_METHODS = ("reset", "act", "target")  # Methods that a controller must have


@dataclass(frozen=True)
class StudioWords:
    """How the studio presents a controller, and which speeds and edits the studio offers for the controller."""

    title: str = ""
    """Title in the list of controllers; by default the controller's name."""
    brief: str = ""
    """Line below the title; by default `ControllerEntry.what`."""
    drive: str = "Joint torques alone move and balance this body."
    """Sentence that says what moves the body."""
    speeds: tuple[float, float] | None = None
    """Lowest and highest speed (m/s) of the speed slider; by default `ControllerEntry.speeds`."""
    paces: tuple[tuple[str, float], ...] = ()
    """(label, speed in m/s) of each button beside the speed slider."""
    not_live: tuple[str, ...] = ()
    """Edits that the studio does not offer during a run: the body would fall, or the controller is steered instead."""
    live_note: str = ""
    """Sentence that says when an edit made during a run takes effect."""


@dataclass(frozen=True)
class ControllerEntry:
    """Defaults and capabilities of a controller. Code that depends on a capability reads the entry, not the name."""

    name: str
    home: str | type
    """The controller's class, or 'module:Class', which is imported when needed."""
    what: str = ""
    """Description of the controller in one line, for listings."""
    settings: str | type | None = None
    """Dataclass of the settings, or 'module:Class'; by default the annotation of the constructor's `settings`."""
    body: str | None = None
    """Name of the body that performs shipped motions by default; None leaves the choice to `poise.performance.cast`."""
    step: float = 1 / 120
    """Default simulation step (s)."""
    frame_step: float | None = None
    """Simulation step (s) for a live display at 60 Hz; None to use `step`."""
    performs: Literal["motions", "behaviours", "scripts"] = "motions"
    needs_physics: bool = False
    """Whether references must carry torques and contact forces, as motions that obey physics do."""
    tracks_edits: bool = False
    """Whether the controller tracks motions that are edited after they were optimised to obey physics."""
    steered: Steered = "no"
    """How the controller is steered: not at all, freely, or by choosing among the steps of a repertoire."""
    speeds: tuple[float, float] = (0.0, 20.0)
    """Lowest and highest speed (m/s) that can be commanded; negative is backward."""
    fastest_uphill: float | None = None
    """Highest speed (m/s) that can be commanded on ground that is not level; None for no bound."""
    walks: bool = False
    """Whether the controller performs only gaits and standing, on bodies with two legs."""
    check_body: str | None = None
    """'module:function' that raises a PoiseError for a body that the controller cannot drive."""
    grips: bool = True
    """Whether the controller performs motions whose hands hold a prop."""
    catches: bool = False
    """Whether the controller can bring a toppling body to a stand by stepping."""
    resumes: bool = False
    """Whether the controller can resume its motion after another controller caught the body."""
    bends_ground: Literal["none", "gaits", "all"] = "none"
    """Motions during which a user may change the slope of the ground ahead."""
    falls_in: Mapping[str, tuple[str, ...]] | None = None
    """By name of a body: shipped motions in which the body is known to fall. The key '' stands for every body."""
    moves: tuple[tuple[str, str], ...] = ()
    """(label, name of a motion) of each motion that the studio offers first."""
    balances: bool = True
    """Whether the controller keeps the body up; if not, a fall is no failure."""
    studio: StudioWords = StudioWords()
    """How the studio presents the controller."""

    @property
    def edits_live(self) -> bool:
        """Whether the performed motion can be edited during a run."""
        return self.performs == "motions" and (self.tracks_edits or not self.needs_physics)

    @property
    def takes_over(self) -> bool:
        """Whether the controller can start from the state in which another controller ends."""
        return self.performs == "motions" and not self.needs_physics

    def refusal(self, body: Any) -> str | None:
        """The reason why the controller cannot drive a `Body`; None if it can."""
        try:
            if self.check_body is not None:
                load_object(self.check_body)(body)
        except PoiseError as error:
            return str(error)
        return None

    def controller_type(self) -> type:
        """The controller's class, imported if `home` is a text."""
        return load_object(self.home) if isinstance(self.home, str) else self.home

    def settings_type(self) -> type | None:
        """The dataclass of the controller's settings; None if the controller has no settings."""
        if self.settings is not None:
            return load_object(self.settings) if isinstance(self.settings, str) else self.settings
        return _settings_annotation(self.controller_type())

    def make(self, settings: Mapping[str, Any] | None = None) -> Any:
        """Create a controller. `settings` replace default values; they may be text, as on the command line."""
        kind = self.settings_type()
        if kind is None:
            if settings:
                raise PoiseError(f"{self.name} has no settings: leave out {', '.join(settings)}")
            return self.controller_type()()
        known = {field.name: field for field in fields(kind)}
        values = {}
        for key, value in (settings or {}).items():
            field = known[known_name(f"setting of {self.name}", key, known)]
            values[key] = self._converted_setting(field, value)
        return self.controller_type()(kind(**values))

    def _converted_setting(self, field: Any, value: Any) -> Any:
        """The value of a setting, converted to the type of the default of `field`, the setting's dataclass field."""
        if field.default is MISSING:
            return value
        kind = type(field.default)
        if kind is bool and isinstance(value, str):
            if value.lower() not in ("true", "false"):
                raise PoiseError(f"setting {field.name} of {self.name}: '{value}' is neither true nor false")
            return value.lower() == "true"
        if kind not in (bool, int, float, str):
            return value
        try:
            return kind(value)
        except (TypeError, ValueError, OverflowError):
            wanted = "a whole number" if kind is int else "a number"
            raise PoiseError(f"setting {field.name} of {self.name}: '{value}' is not {wanted}") from None


def load_object(home: str) -> Any:
    """Import and return the object 'module:name'; raise a PoiseError that says which part is wrong."""
    module, colon, name = home.partition(":")
    if not colon or not module or not name:
        raise PoiseError(f"controller '{home}' is not of the form module:Class")
    try:
        found = import_module(module)
    except Exception as error:  # somebody else's module may raise anything
        what = f"{type(error).__name__}: {error}"
        raise PoiseError(f"controller '{home}': module {module} cannot be imported: {what}") from None
    try:
        return attrgetter(name)(found)  # the name may be dotted
    except AttributeError:
        raise PoiseError(f"controller '{home}': module {module} has no {name}") from None


def entry_from_object(found: Any, home: str) -> ControllerEntry:
    """The entry in an object: the object itself, the attribute `entry` of a class, or an entry derived from a class."""
    if isinstance(found, ControllerEntry):
        return found
    if not isinstance(found, type) or not all(callable(getattr(found, method, None)) for method in CONTROLLER_METHODS):
        raise PoiseError(f"controller '{home}' is not a class with the methods {', '.join(CONTROLLER_METHODS)}")
    own = getattr(found, "entry", None)
    if isinstance(own, ControllerEntry):
        return replace(own, home=found)  # a subclass has the entry of its parent
    steered: Steered = "freely" if callable(getattr(found, "steer", None)) else "no"
    what = (found.__doc__ or "").strip().partition("\n")[0]
    return ControllerEntry(str(getattr(found, "name", home)), found, what, steered=steered)


def _settings_annotation(kind: type) -> type | None:
    """The dataclass in the annotation of the constructor's argument `settings`; None if there is no such dataclass."""
    try:
        constructor: Any = kind
        hint = typing.get_type_hints(constructor.__init__).get("settings")
    except Exception:  # annotations of a user's class may not resolve
        return None
    is_union = isinstance(hint, UnionType) or typing.get_origin(hint) is typing.Union
    options = typing.get_args(hint) if is_union else (hint,)
    return next((option for option in options if isinstance(option, type) and is_dataclass(option)), None)
