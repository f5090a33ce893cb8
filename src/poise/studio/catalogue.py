"""The choices that the page lists: bodies, motions, controllers, terrains and scripts."""

from dataclasses import asdict
from functools import cache
from typing import Any

from poise.animate.read_script import shipped_script_titles
from poise.body.assemble import body_names
from poise.body.body import Body
from poise.control.catalogue import controller_entries, controller_entry, fallback_controller
from poise.control.entry import ControllerEntry
from poise.errors import PoiseError
from poise.forms import CARRY_POSES
from poise.library.authoring.source import read_source, shipped_names
from poise.library.behaviours.files import behaviour_names, read_behaviour
from poise.library.bodies import OWN
from poise.library.motions import motion_names, shipped_dynamic, shipped_dynamic_bodies
from poise.library.repertoire import STANDING
from poise.performance.cast import default_body
from poise.retarget.figure import figure_of_body


def _terrain_form(name: str, what: str, *numbers: tuple[str | float, ...]) -> dict[str, Any]:
    """The form of a terrain; each number is given as label, usual, least and largest value, step and unit."""
    keys = ("label", "usual", "least", "most", "step", "unit")
    return {"name": name, "what": what, "numbers": [dict(zip(keys, number, strict=True)) for number in numbers]}


TERRAINS = (
    _terrain_form("flat", "Flat ground"),
    _terrain_form("slope", "Slope", ("Rise", 5, -20, 20, 1, "°")),
    _terrain_form(
        "stairs",
        "Stairs",
        ("Rise", 0.06, -0.3, 0.3, 0.01, "m"),
        ("Tread", 0.7, 0.2, 2, 0.05, "m"),
        ("Steps", 8, 1, 30, 1, ""),
    ),
    _terrain_form("rough", "Rough ground", ("Bumps", 0.03, 0.005, 0.2, 0.005, "m"), ("Seed", 0, 0, 99, 1, "")),
    _terrain_form("drop", "Drops", ("Depth", 0.06, -0.3, 0.5, 0.01, "m"), ("Every", 5, 1, 20, 0.5, "m")),
    _terrain_form("hurdle", "Hurdles", ("Height", 0.06, 0.01, 0.3, 0.01, "m"), ("Every", 4, 1, 20, 0.5, "m")),
    _terrain_form(
        "spiral",
        "Spiral down",
        ("Drop", 0.04, 0.01, 0.2, 0.01, "m"),
        ("Turn", 45, 10, 60, 5, "°"),
        ("Radius", 2, 1, 5, 0.5, "m"),
        ("Steps", 6, 1, 6, 1, ""),
    ),
)
"""Forms of the terrains; the numbers are in the order of `poise.forms.TERRAIN_FORMS`."""

RUNS = ("run", "walk-to-run", "run-to-walk")  # Motions that controllers of walks cannot perform
BEHAVIOUR = "behaviour"  # Kind of the motions that are behaviours


def suggested_body(motion: str, controller: str) -> str:
    """The default body of `cast`, or one for which the motion ships with physics if the controller needs that.

    `cast` would optimise the motion for its default body, which takes too long for a page.
    """
    entry = controller_entry(controller)
    body = default_body(motion, entry.needs_physics, entry.body)
    able = shipped_dynamic_bodies(motion) if entry.needs_physics else ()
    return able[0] if able and body not in able else body


def controller_refusals(motion: str, body: str | None) -> dict[str, str | None]:
    """For each controller the reason why it cannot perform a motion on a body, or None if it can."""
    return {
        name: _controller_refusal(entry, motion, body or suggested_body(motion, name))
        for name, entry in controller_entries().items()
    }


def _controller_refusal(entry: ControllerEntry, motion: str, body: str) -> str | None:
    if entry.performs == "scripts":
        return "performs scripts of key poses: use Pose, above"
    kind = motion_kind(motion)
    if kind == BEHAVIOUR:
        if entry.performs != "behaviours":
            able = [name for name, each in controller_entries().items() if each.performs == "behaviours"]
            return f"{motion} is a behaviour: {' or '.join(able)} performs it"
        own = read_behaviour(motion).body
        return None if body == own else f"the poses of {motion} are made for {own}: {body} falls in it"
    if entry.performs == "behaviours":
        return f"performs behaviours only: {', '.join(behaviour_names())}"
    if entry.walks:
        if motion in RUNS or (kind not in (*GROUPS, "file") and motion != STANDING):
            return f"performs walks only, and {motion} is not a walk"
        return None if body == OWN else entry.refusal(Body.named(body))
    if entry.needs_physics:
        return _physics_refusal(entry, motion, body, kind)
    return None if kind == "pose" or motion == STANDING else _figure_refusal(body)


def _physics_refusal(entry: ControllerEntry, motion: str, body: str, kind: str) -> str | None:
    if kind == "file":
        return None
    if kind == "pose":
        return f"needs a motion that obeys physics, and {motion} is only a pose"
    able = shipped_dynamic_bodies(motion)
    if body not in able:
        return f"needs a version of {motion} that obeys physics: it ships for {' and '.join(able)}, not for {body}"
    falls = entry.falls_in or {}
    if motion in (*falls.get("", ()), *falls.get(body, ())):
        return f"falls in {motion} on {body}"
    if not entry.grips and _grips_prop(motion, able[0]):
        return f"cannot hold on to a bar, as {motion} does"
    return None


@cache
def _grips_prop(motion: str, body: str) -> bool:
    return bool(shipped_dynamic(motion, body).contacts.held.any())


@cache
def _figure_refusal(body: str) -> str | None:
    """The reason why motions of people cannot be put on a named body; None if they can or it is not built yet."""
    try:
        if body != OWN:
            figure_of_body(Body.named(body))
    except PoiseError as error:
        return str(error)
    return None


def walker_refusal(body: str) -> str | None:
    """The reason why the walking controller cannot drive a body; None if it can."""
    return None if body == OWN else controller_entry(fallback_controller()).refusal(Body.named(body))


def motion_kind(motion: str) -> str:
    """The kind of a motion: that of its source, or `file`, `behaviour` or `pose`."""
    if motion.lower().endswith(".bvh"):
        return "file"
    if motion in behaviour_names():
        return BEHAVIOUR
    return read_source(motion).kind if motion in shipped_names() else "pose"


GROUPS = {"gait": "Walks and runs", "turn": "Turns", "change": "Changes of gait", "pace": "Starts and stops"}
"""Titles of the groups of motions with steps, by kind of their source."""
FEATS, ROTATIONS, FALLS = "Feats", "Rolls and flips by momentum", "Falls"  # Titles of further groups
_GROUPS = {**GROUPS, BEHAVIOUR: ROTATIONS, "pose": FALLS}


@cache
def body_choices() -> tuple[dict[str, Any], ...]:
    """The shipped bodies."""
    shipped = ((name, Body.named(name)) for name in body_names())
    return tuple(
        {"name": name, "what": f"{body.nv - 6} angles, {body.mass:.0f} kg", "links": body.links}
        for name, body in shipped
    )


def motion_choices() -> list[dict[str, str]]:
    """The shipped motions, sorted by group and name."""
    motions = []
    for name in motion_names():
        kind = motion_kind(name)
        if kind == BEHAVIOUR:
            title = read_behaviour(name).title
        else:
            title = read_source(name).title if kind != "pose" else "a fall from a height"
        motions.append({"name": name, "what": title, "group": _GROUPS.get(kind, FEATS)})
    order = [*GROUPS.values(), FEATS, ROTATIONS, FALLS]
    return sorted(motions, key=lambda each: (order.index(each["group"]), each["name"]))


def page_catalogue() -> dict[str, Any]:
    """All choices, as JSON for the page."""
    return {
        "bodies": list(body_choices()),
        "motions": motion_choices(),
        "controllers": [
            {
                **asdict(entry.studio),
                "name": name,
                "title": entry.studio.title or name,
                "brief": entry.studio.brief or entry.what,
                "speeds": entry.studio.speeds or entry.speeds,
                "steered": entry.steered,
                "balances": entry.balances,
            }
            for name, entry in controller_entries().items()
        ],
        "walker": fallback_controller(),
        "terrains": list(TERRAINS),
        "moves": [
            {"name": label, "motion": motion, "controller": name}
            for name, entry in controller_entries().items()
            for label, motion in entry.moves
        ],
        "carries": dict(CARRY_POSES),
        "scripts": shipped_script_titles(),
    }
