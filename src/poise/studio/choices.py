"""What a visitor chose: who performs what, how and where, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poise.body.catalogue import names
from poise.control.catalogue import CONTROLLERS, named_controller
from poise.control.controller import Steerable
from poise.errors import PoiseError
from poise.library.behaviours.files import read_behaviour
from poise.library.motions import motion_names
from poise.library.repertoire import GAITS
from poise.performance.cast import OWN
from poise.performance.request import Session
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

FASTEST_WALK = 2.3
"""m/s: told to go faster, the look-ahead controller runs (its walks reach 1.7, and its run has 3)."""
WALKER, AFTERWARDS = "pendulum", "walk"
"""Who takes over from whoever has come to stand, and what it does then."""
CAUGHT = ("squat", "punch", "lift")
"""Motions of the modal controller that keep their feet where they are: pushed over, it is caught by steps."""
STEPS = {"pendulum": 1 / 60}
"""s: where pictures want other steps than the controller's usual ones; it holds in them as well (docs/studio.md)."""


@dataclass(frozen=True)
class Choice:
    """What is to be performed, by whom, how and where."""

    motion: str  # a name, or the path of a file that was brought
    body: str | None = None
    controller: str = "pendulum"
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
            controller=told.text("controller", "pendulum"),
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
    def walks_away(self) -> bool:
        """Whether it comes to stand at last, and another controller walks it away from there."""
        if self.controller != "rotation" or kind_of(self.motion) != BEHAVIOUR or legless(self.performer):
            return False
        told = read_behaviour(self.motion)
        return told.kind in ("flip", "kip") or told.control.get("turns", 0.0) > 0

    @property
    def guide(self) -> str:
        """The controller that is steered."""
        return WALKER if self.walks_away else self.controller

    @property
    def steers(self) -> bool:
        """Whether it can be steered."""
        if kind_of(self.motion) == BEHAVIOUR:
            rolls = self.controller == "rotation" and read_behaviour(self.motion).kind == "roll"
            return rolls or self.walks_away
        if self.controller == "nqr":
            return self.steered and not self.edits and not self.loads and can_roam(self.motion, self.performer)
        return self.controller in CONTROLLERS and isinstance(named_controller(self.controller), Steerable)

    @property
    def edits_live(self) -> bool:
        """Whether its motion can be edited while it is performed."""
        if kind_of(self.motion) == BEHAVIOUR or self.controller not in CONTROLLERS:
            return False
        return CONTROLLERS[self.controller].edits_online or not named_controller(self.controller).needs_physics

    @property
    def goes_over(self) -> tuple[str, ...]:
        """Motions that it can go over to while it performs; a transition does not obey physics."""
        if not self.edits_live or named_controller(self.controller).needs_physics:
            return ()
        if self.controller == "pendulum":
            return tuple(m["name"] for m in motion_groups() if m["group"] == GROUPS["gait"] and m["name"] not in RUNS)
        return tuple(m["name"] for m in motion_groups() if m["group"] in (GROUPS["gait"], FEATS))

    @property
    def bends_ground(self) -> bool:
        """Whether the ground ahead may be made to rise or fall while it walks."""
        if self.terrain.partition(":")[0] not in ("flat", "slope") or self.motion in RUNS:
            return False
        return self.controller == "pendulum" or (self.controller == "nqr" and self.motion in GAITS)

    def session(self) -> Session:
        """All of it, for the stage."""
        return Session(
            motion=self.motion,
            body=self.performer,
            controller=self.controller,
            terrain=self.terrain,
            friction=self.friction,
            loads=self.loads,
            edits=self.edits,
            step=STEPS.get(self.controller),
            steer="0s:0" if self.steers and self.controller == "nqr" else None,
            then=f"{AFTERWARDS}:{WALKER}" if self.walks_away else None,
            catch=WALKER if self.controller == "modal" and self.motion in CAUGHT else None,
        )


def check_edit(text: str) -> None:
    """Refuse edits that read files."""
    if text.strip().lower().startswith("blend"):
        raise PoiseError("to go over to another motion, choose it below")


def _texts(value: Any, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > 20 or not all(isinstance(v, str) and len(v) < 200 for v in value):
        raise PoiseError(f"{key} must be a few texts")
    return tuple(value)
