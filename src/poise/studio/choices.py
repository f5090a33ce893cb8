"""What a visitor can choose, and which controllers fit what was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from poise.animation import shipped_titles
from poise.body import Body, names
from poise.control import CONTROLLERS, named_controller
from poise.control.controller import Steerable
from poise.control.pendulum.legs import legs_of
from poise.errors import PoiseError
from poise.reference.authoring import read_source, shipped_names
from poise.reference.behaviours import behaviour_names, read_behaviour
from poise.reference.cast import DEFAULT_BODY, OWN
from poise.reference.edit.forms import CARRY_POSES
from poise.reference.motions import motion_names
from poise.reference.retarget_figure import figure_of_body
from poise.reference.shipping import finished, finished_bodies
from poise.reference.steps import GAITS, STANDING
from poise.session import Session
from poise.studio.terrains import TERRAINS
from poise.studio.wire import Told

STEPPING = ("gait", "turn", "change", "pace")
"""Kinds of sources that walk or run."""
RUNS = ("run", "walk-to-run", "run-to-walk")
UNSTEADY = ("walk-fast", "backflip", "start", "stop", "walk-to-fast", "fast-to-walk", "walk-to-slow", "slow-to-walk")
"""What the modal controller falls in, besides turns and runs."""
UNSTEADY_ON = {"biped29": ("walk", "roll", "log-roll")}
"""And in what besides on a body."""
GROUPS = {"gait": "Walks and runs", "turn": "Turns", "change": "Changes of gait", "pace": "Starts and stops"}
FEATS, ROTATIONS, FALLS = "Feats", "Rolls and flips by momentum", "Falls"
BEHAVIOUR = "behaviour"
FASTEST_WALK = 2.3
"""m/s: told to go faster, the look-ahead controller runs (its walks reach 1.7, and its run has 3)."""
STEPS = {"pendulum": 1 / 60}
"""s: where pictures want other steps than the controller's usual ones; it holds in them as well (docs/studio.md)."""
_GROUPS = {**GROUPS, BEHAVIOUR: ROTATIONS, "pose": FALLS}


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
    def steers(self) -> bool:
        """Whether it can be steered."""
        if _kind(self.motion) == BEHAVIOUR:
            return self.controller == "rotation" and read_behaviour(self.motion).kind == "roll"
        if self.controller == "nqr":
            return self.steered and not self.edits and not self.loads and can_roam(self.motion, self.performer)
        return self.controller in CONTROLLERS and isinstance(named_controller(self.controller), Steerable)

    @property
    def edits_live(self) -> bool:
        """Whether its motion can be edited while it is performed."""
        if _kind(self.motion) == BEHAVIOUR or self.controller not in CONTROLLERS:
            return False
        return CONTROLLERS[self.controller].edits_online or not named_controller(self.controller).needs_physics

    @property
    def goes_over(self) -> tuple[str, ...]:
        """Motions that it can go over to while it performs; a transition does not obey physics."""
        if not self.edits_live or named_controller(self.controller).needs_physics:
            return ()
        if self.controller == "pendulum":
            return tuple(m["name"] for m in motions() if m["group"] == GROUPS["gait"] and m["name"] not in RUNS)
        return tuple(m["name"] for m in motions() if m["group"] in (GROUPS["gait"], FEATS))

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
        )


def check_edit(text: str) -> None:
    """Refuse edits that read files."""
    if text.strip().lower().startswith("blend"):
        raise PoiseError("to go over to another motion, choose it below")


def _texts(value: Any, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > 20 or not all(isinstance(v, str) and len(v) < 200 for v in value):
        raise PoiseError(f"{key} must be a few texts")
    return tuple(value)


def can_roam(motion: str, body: str) -> bool:
    """Whether a motion is one of those that steps are chosen among."""
    return body in finished_bodies("turn-45") and motion in (*GAITS, STANDING) and body in finished_bodies(motion)


def usual_body(motion: str, controller: str) -> str:
    """Who performs unless told otherwise."""
    if motion.lower().endswith(".bvh"):
        return OWN
    if _kind(motion) == BEHAVIOUR:
        return read_behaviour(motion).body
    entry = CONTROLLERS.get(controller)
    usual = entry.body if entry else None
    if entry and named_controller(controller).needs_physics:
        able = finished_bodies(motion)
        return usual if usual in able or not able else able[0]  # type: ignore[return-value]
    return usual or DEFAULT_BODY


def fits(motion: str, body: str | None) -> dict[str, str | None]:
    """For each controller why it cannot perform a motion on a body, or None if it can."""
    return {name: _unfit(name, motion, body or usual_body(motion, name)) for name in CONTROLLERS}


def _unfit(controller: str, motion: str, body: str) -> str | None:
    if controller == "poses":
        return "performs scripts of key poses: see Pose, above"
    kind = _kind(motion)
    if (kind == BEHAVIOUR) != (controller == "rotation"):
        own = f"performs only what it makes up itself: {', '.join(behaviour_names())}"
        return own if controller == "rotation" else f"{motion} is a behaviour of the momentum controller"
    if controller == "pendulum":
        if motion in RUNS or (kind not in (*STEPPING, "file") and motion != STANDING):
            return f"takes over the manner of a walk, and {motion} is no walk"
        return _legless(body)
    if controller in ("nqr", "modal"):
        return _needs_physics(controller, motion, body, kind)
    return None if kind == "pose" or motion == STANDING else _no_figure(body)


def _needs_physics(controller: str, motion: str, body: str, kind: str) -> str | None:
    if kind == "file":
        return None
    if kind == "pose":
        return f"needs a motion that obeys physics, and {motion} is only a pose"
    able = finished_bodies(motion)
    if body not in able:
        return f"needs {motion} made to obey physics, which is there for {' and '.join(able)}, not for {body}"
    if controller == "modal" and (kind == "turn" or motion in (*RUNS, *UNSTEADY, *UNSTEADY_ON.get(body, ()))):
        return f"walks, squats, jumps and swings, but falls in {motion} on {body}"
    if controller == "nqr" and _held(motion, able[0]):
        return f"only stands on feet, and {motion} holds on to a bar"
    return None


@cache
def _held(motion: str, body: str) -> bool:
    return bool(finished(motion, body).contacts.held.any())


@cache
def _no_figure(body: str) -> str | None:
    """Why motions of people cannot be put on a body; of one that is yet to be built nobody knows."""
    if body == OWN:
        return None
    try:
        figure_of_body(Body.named(body))
    except PoiseError as error:
        return str(error)
    return None


@cache
def _legless(body: str) -> str | None:
    """Why the pendulum cannot walk on a body; of one that is yet to be built nobody knows."""
    if body == OWN:
        return None
    try:
        legs_of(Body.named(body))
    except PoiseError as error:
        return str(error)
    return None


def _kind(motion: str) -> str:
    if motion.lower().endswith(".bvh"):
        return "file"
    if motion in behaviour_names():
        return BEHAVIOUR
    return read_source(motion).kind if motion in shipped_names() else "pose"


@cache
def bodies() -> tuple[dict[str, Any], ...]:
    """Bodies that come with Poise."""
    told = []
    for name in names():
        body = Body.named(name)
        told.append({"name": name, "what": f"{body.nv - 6} angles, {body.mass:.0f} kg", "links": body.links})
    return tuple(told)


def motions() -> list[dict[str, str]]:
    """Motions that come with Poise, by group."""
    told = []
    for name in motion_names():
        kind = _kind(name)
        told.append({"name": name, "what": _title(name, kind), "group": _GROUPS.get(kind, FEATS)})
    order = [*GROUPS.values(), FEATS, ROTATIONS, FALLS]
    return sorted(told, key=lambda each: (order.index(each["group"]), each["name"]))


def _title(name: str, kind: str) -> str:
    if kind == BEHAVIOUR:
        return read_behaviour(name).title
    return read_source(name).title if kind != "pose" else "a fall from a height"


def catalogue() -> dict[str, Any]:
    """All that there is to choose."""
    return {
        "bodies": list(bodies()),
        "motions": motions(),
        "controllers": [
            {"name": name, "what": entry.what, "speeds": entry.speeds} for name, entry in CONTROLLERS.items()
        ],
        "terrains": list(TERRAINS),
        "carries": dict(CARRY_POSES),
        "scripts": shipped_titles(),
    }
