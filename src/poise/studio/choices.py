"""What a visitor chose: who performs what, how and where, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from poise.body.catalogue import names
from poise.control.catalogue import controller_entry, controller_names, walker
from poise.control.entry import ControllerEntry
from poise.errors import PoiseError
from poise.library.behaviours.files import read_behaviour
from poise.library.motions import motion_names
from poise.library.repertoire import GAITS
from poise.performance.cast import OWN
from poise.performance.request import Request
from poise.studio.catalogue import (
    BEHAVIOUR,
    FEATS,
    GROUPS,
    RUNS,
    TERRAINS,
    can_roam,
    kind_of,
    legless,
    motion_groups,
    usual_body,
)
from poise.studio.wire import Told

AFTERWARDS = "walk"  # Motion that is performed after a behaviour has come to stand
IN_PLACE = ("squat", "punch", "lift")
"""Motions that keep their feet where they are: a performer that is pushed over steps, and goes on from there."""


@dataclass(frozen=True)
class Choice:
    """What is to be performed, by whom, how and where."""

    motion: str  # a name, or the path of a file that was brought
    body: str | None = None
    controller: str = field(default_factory=walker)
    terrain: str = "flat"
    friction: float = 1.0
    loads: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()  # made before it begins
    steered: bool = True  # where it takes time to get ready to be steered

    @classmethod
    def of(cls, told: Told, brought: Mapping[str, Path]) -> Choice:
        """As a page tells it. Only names are taken, and files that were brought."""
        motion = told.text("motion", "walk")
        if motion not in brought and motion not in motion_names():
            raise PoiseError(f"there is no motion '{motion}' here")
        body = told.text("body") or None
        if body not in (None, OWN, *names()):
            raise PoiseError(f"there is no body '{body}' here")
        terrain = told.text("terrain", "flat")
        if terrain.partition(":")[0] not in {each["name"] for each in TERRAINS}:
            raise PoiseError(f"there is no terrain '{terrain}' here")
        lists = {key: _texts(told.raw(key) or [], key) for key in ("loads", "edits")}
        for edit in lists["edits"]:
            check_edit(edit)
        return cls(
            motion=str(brought.get(motion, motion)),
            body=body,
            controller=_controller(told.text("controller") or walker()),
            terrain=terrain,
            friction=told.number("friction", 0.0, 5.0, 1.0),
            steered=told.flag("steered"),
            **lists,
        )

    @property
    def is_file(self) -> bool:
        """Whether the motion is from a file."""
        return self.motion.lower().endswith(".bvh")

    @property
    def performer(self) -> str:
        """The body that performs: as chosen, or the one that suits."""
        return self.body or usual_body(self.motion, self.controller)

    @property
    def entry(self) -> ControllerEntry:
        """What the chosen controller is and can do."""
        return controller_entry(self.controller)

    @property
    def walks_away(self) -> bool:
        """Whether it comes to stand at last, and another controller walks it away from there."""
        if self.entry.performs != "behaviours" or kind_of(self.motion) != BEHAVIOUR or legless(self.performer):
            return False
        behaviour = read_behaviour(self.motion)
        return behaviour.kind in ("flip", "kip") or behaviour.control.get("turns", 0.0) > 0

    @property
    def guide(self) -> ControllerEntry:
        """The controller that is steered."""
        return controller_entry(walker()) if self.walks_away else self.entry

    @property
    def steers(self) -> bool:
        """Whether it can be steered."""
        if kind_of(self.motion) == BEHAVIOUR:
            rolls = self.entry.performs == "behaviours" and read_behaviour(self.motion).kind == "roll"
            return rolls or self.walks_away
        if self.entry.steered == "by steps":
            return self.steered and not self.edits and not self.loads and can_roam(self.motion, self.performer)
        return self.entry.steered == "freely"

    @property
    def edits_live(self) -> bool:
        """Whether its motion can be edited during the performance."""
        return kind_of(self.motion) != BEHAVIOUR and self.entry.edits_live

    @property
    def transitions(self) -> tuple[str, ...]:
        """Motions that it can go over to during the performance; a transition does not obey physics."""
        if not self.edits_live or self.entry.needs_physics:
            return ()
        if self.entry.walks:
            return tuple(m["name"] for m in motion_groups() if m["group"] == GROUPS["gait"] and m["name"] not in RUNS)
        return tuple(m["name"] for m in motion_groups() if m["group"] in (GROUPS["gait"], FEATS))

    @property
    def bends_ground(self) -> bool:
        """Whether the ground ahead may be made to rise or fall during the performance."""
        if self.terrain.partition(":")[0] not in ("flat", "slope") or self.motion in RUNS:
            return False
        allowed = self.entry.bends_ground
        return allowed == "all" or (allowed == "gaits" and self.motion in GAITS)

    def request(self) -> Request:
        """The choice as a request to perform."""
        return Request(
            motion=self.motion,
            body=self.performer,
            controller=self.controller,
            terrain=self.terrain,
            friction=self.friction,
            loads=self.loads,
            edits=self.edits,
            step=self.entry.frame_step,
            steer="0s:0" if self.steers and self.entry.steered == "by steps" else None,
            then=f"{AFTERWARDS}:{walker()}" if self.walks_away else None,
            catch=walker() if self.entry.resumes and self.motion in IN_PLACE else None,
        )


def _controller(name: str) -> str:
    """A controller's name, which must be known: a page must not have classes of its choice imported."""
    if name not in controller_names():
        raise PoiseError(f"there is no controller '{name}' here")
    return name


def check_edit(text: str) -> None:
    """Refuse edits that read files."""
    if text.strip().lower().startswith("blend"):
        raise PoiseError("to go over to another motion, choose it below")


def _texts(value: Any, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > 20 or not all(isinstance(v, str) and len(v) < 200 for v in value):
        raise PoiseError(f"{key} must be a few texts")
    return tuple(value)
