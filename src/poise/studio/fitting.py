"""Which controllers fit a motion on a body, and if not, why."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from poise.body import Body
from poise.control import CONTROLLERS, named_controller
from poise.control.pendulum.legs import legs_of
from poise.errors import PoiseError
from poise.reference.authoring import read_source, shipped_names
from poise.reference.behaviours import behaviour_names, read_behaviour
from poise.reference.cast import DEFAULT_BODY, OWN
from poise.reference.retarget_figure import figure_of_body
from poise.reference.shipping import finished, finished_bodies
from poise.reference.steps import GAITS, STANDING

STEPPING = ("gait", "turn", "change", "pace")
"""Kinds of sources that walk or run."""
RUNS = ("run", "walk-to-run", "run-to-walk")
UNSTEADY = ("backflip", "start", "stop", "walk-to-fast", "fast-to-walk", "walk-to-slow", "slow-to-walk")
"""What the modal controller falls in, besides runs."""
UNSTEADY_ON = {"biped29": ("sneak", "roll", "log-roll")}
"""And in what besides on a body."""
BEHAVIOUR = "behaviour"


def can_roam(motion: str, body: str) -> bool:
    """Whether a motion is one of those that steps are chosen among."""
    return body in finished_bodies("turn-45") and motion in (*GAITS, STANDING) and body in finished_bodies(motion)


def usual_body(motion: str, controller: str) -> str:
    """Who performs unless told otherwise."""
    if motion.lower().endswith(".bvh"):
        return OWN
    if kind_of(motion) == BEHAVIOUR:
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
    kind = kind_of(motion)
    if (kind == BEHAVIOUR) != (controller == "rotation"):
        own = f"performs only what it makes up itself: {', '.join(behaviour_names())}"
        return own if controller == "rotation" else f"{motion} is a behaviour of the momentum controller"
    if controller == "rotation":
        own = read_behaviour(motion).body
        return None if body == own else f"has the poses of {own} for {motion}: {body} falls in them"
    if controller == "pendulum":
        if motion in RUNS or (kind not in (*STEPPING, "file") and motion != STANDING):
            return f"takes over the manner of a walk, and {motion} is no walk"
        return legless(body)
    if controller in ("nqr", "modal"):
        return _needs_physics(controller, motion, body, kind)
    return None if kind == "pose" or motion == STANDING else _refusal(figure_of_body, body)


def _needs_physics(controller: str, motion: str, body: str, kind: str) -> str | None:
    if kind == "file":
        return None
    if kind == "pose":
        return f"needs a motion that obeys physics, and {motion} is only a pose"
    able = finished_bodies(motion)
    if body not in able:
        return f"needs {motion} made to obey physics, which is there for {' and '.join(able)}, not for {body}"
    if controller == "modal" and motion in (*RUNS, *UNSTEADY, *UNSTEADY_ON.get(body, ())):
        return f"walks, squats, jumps and swings, but falls in {motion} on {body}"
    if controller == "nqr" and _held(motion, able[0]):
        return f"only stands on feet, and {motion} holds on to a bar"
    return None


@cache
def _held(motion: str, body: str) -> bool:
    return bool(finished(motion, body).contacts.held.any())


@cache
def _refusal(ask: Callable[[Body], object], body: str) -> str | None:
    """Why a body has not what is asked of it; of one that is yet to be built nobody knows."""
    if body == OWN:
        return None
    try:
        ask(Body.named(body))
    except PoiseError as error:
        return str(error)
    return None


def legless(body: str) -> str | None:
    """Why the pendulum cannot walk on a body."""
    return _refusal(legs_of, body)


def kind_of(motion: str) -> str:
    """The kind of a motion: of its source, or `file`, `behaviour` or `pose`."""
    if motion.lower().endswith(".bvh"):
        return "file"
    if motion in behaviour_names():
        return BEHAVIOUR
    return read_source(motion).kind if motion in shipped_names() else "pose"
