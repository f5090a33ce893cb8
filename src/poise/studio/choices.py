"""The choice of a visitor: motion, body, controller and terrain, and what it allows during the performance."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from poise.body.assemble import body_names
from poise.control.catalogue import controller_entry, controller_names, fallback_controller
from poise.control.entry import ControllerEntry
from poise.errors import PoiseError
from poise.library.behaviours.files import read_behaviour
from poise.library.bodies import OWN
from poise.library.motions import motion_names, shipped_dynamic_bodies
from poise.library.repertoire import GAITS, STANDING
from poise.performance.request import Request
from poise.studio import catalogue
from poise.studio.wire import Arguments

AFTERWARDS = "walk"  # Motion after a behaviour that ends standing
USUAL_SPEEDS = {"stand": 0.0, "walk-slow": 0.9, "walk": 1.3, "walk-fast": 1.7, "run": 3.0}  # m/s, before any command
IN_PLACE = ("squat", "punch", "lift")  # Motions with planted feet, in which a toppling performer is caught


@dataclass(frozen=True)
class Choice:
    """What is performed, by which body and controller, and on which terrain."""

    motion: str  # a name, or the path of an uploaded file
    body: str | None = None
    controller: str = field(default_factory=fallback_controller)
    terrain: str = "flat"
    friction: float = 1.0
    loads: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()  # applied before the start
    steered: bool = True  # whether to prepare for steering, where that takes time

    @classmethod
    def of(cls, args: Arguments, uploads: Mapping[str, Path]) -> Self:
        """The choice that a page sends; only known names and uploaded files are accepted."""
        motion = args.text("motion", "walk")
        if motion not in uploads and motion not in motion_names():
            raise PoiseError(f"unknown motion '{motion}'")
        body = args.text("body") or None
        if body not in (None, OWN, *body_names()):
            raise PoiseError(f"unknown body '{body}'")
        terrain = args.text("terrain", "flat")
        if terrain.partition(":")[0] not in {each["name"] for each in catalogue.TERRAINS}:
            raise PoiseError(f"unknown terrain '{terrain}'")
        controller = args.text("controller") or fallback_controller()
        if controller not in controller_names():  # a page must not make the server import arbitrary classes
            raise PoiseError(f"unknown controller '{controller}'")
        lists = {key: _short_texts(args.raw(key) or [], key) for key in ("loads", "edits")}
        for edit in lists["edits"]:
            refuse_file_edits(edit)
        friction, steered = args.number("friction", 0.0, 5.0, 1.0), args.flag("steered")
        return cls(str(uploads.get(motion, motion)), body, controller, terrain, friction, steered=steered, **lists)

    @property
    def is_file(self) -> bool:
        """Whether the motion is a file."""
        return self.motion.lower().endswith(".bvh")

    @property
    def body_name(self) -> str:
        """Name of the chosen body, or of the default for the motion and the controller."""
        return self.body or catalogue.suggested_body(self.motion, self.controller)

    @property
    def entry(self) -> ControllerEntry:
        """The entry of the chosen controller."""
        return controller_entry(self.controller)

    @property
    def hands_over_to_walker(self) -> bool:
        """Whether the behaviour ends standing, and another controller walks on from there."""
        if self.entry.performs != "behaviours" or catalogue.motion_kind(self.motion) != catalogue.BEHAVIOUR:
            return False
        behaviour = read_behaviour(self.motion)
        stands = behaviour.kind in ("flip", "kip", "rise") or behaviour.control.get("turns", 0.0) > 0
        return stands and catalogue.walker_refusal(self.body_name) is None

    @property
    def guide(self) -> ControllerEntry:
        """The entry of the controller that is steered."""
        return controller_entry(fallback_controller()) if self.hands_over_to_walker else self.entry

    @property
    def steers(self) -> bool:
        """Whether it can be steered."""
        if catalogue.motion_kind(self.motion) == catalogue.BEHAVIOUR:
            rolls = self.entry.performs == "behaviours" and read_behaviour(self.motion).kind == "roll"
            return rolls or self.hands_over_to_walker
        if self.entry.steered == "by steps":
            return self.steered and not self.edits and not self.loads and self.can_prepare_steering
        return self.entry.steered == "freely"

    @property
    def can_prepare_steering(self) -> bool:
        """Whether it could be steered by choosing among prepared steps."""
        if self.entry.steered != "by steps" or self.motion not in (*GAITS, STANDING):
            return False
        return all(self.body_name in shipped_dynamic_bodies(motion) for motion in (self.motion, "turn-45"))

    @property
    def falls_expected(self) -> bool:
        """Whether touching the ground is part of the performance, or the controller does not balance."""
        return not self.entry.balances or catalogue.motion_kind(self.motion) not in (*catalogue.GROUPS, "file")

    @property
    def edits_live(self) -> bool:
        """Whether the motion can be edited during the performance."""
        return catalogue.motion_kind(self.motion) != catalogue.BEHAVIOUR and self.entry.edits_live

    @property
    def transitions(self) -> tuple[str, ...]:
        """Motions into which it can blend during the performance; a blend does not obey physics."""
        if not self.edits_live or self.entry.needs_physics:
            return ()
        walks = self.entry.walks
        groups = (catalogue.GROUPS["gait"],) if walks else (catalogue.GROUPS["gait"], catalogue.FEATS)
        names = (motion["name"] for motion in catalogue.motion_choices() if motion["group"] in groups)
        return tuple(name for name in names if not (walks and name in catalogue.RUNS))

    @property
    def bends_ground(self) -> bool:
        """Whether the slope of the ground ahead can be changed during the performance."""
        if self.terrain.partition(":")[0] not in ("flat", "slope") or self.motion in catalogue.RUNS:
            return False
        allowed = self.entry.bends_ground
        return allowed == "all" or (allowed == "gaits" and self.motion in GAITS)

    def request(self) -> Request:
        """The choice as a request."""
        return Request(
            motion=self.motion,
            body=self.body_name,
            controller=self.controller,
            terrain=self.terrain,
            friction=self.friction,
            loads=self.loads,
            edits=self.edits,
            step=self.entry.frame_step,
            steer="0s:0" if self.steers and self.entry.steered == "by steps" else None,
            then=f"{AFTERWARDS}:{fallback_controller()}" if self.hands_over_to_walker else None,
            catch=fallback_controller() if self.entry.resumes and self.motion in IN_PLACE else None,
        )


def refuse_file_edits(text: str) -> None:
    """Raise for edits that read files."""
    if text.strip().lower().startswith("blend"):
        raise PoiseError("blend edits are not available here: to blend into another motion, choose it below")


def _short_texts(value: Any, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > 20 or not all(isinstance(v, str) and len(v) < 200 for v in value):
        raise PoiseError(f"{key} must be a list of at most 20 texts of less than 200 characters")
    return tuple(value)
