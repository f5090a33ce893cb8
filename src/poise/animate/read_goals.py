"""Goals of a script: kinematic constraints, and what may be changed to meet them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import radians
from typing import Any, Literal

from poise.animate.angles import freedoms
from poise.animate.flight import LEADS_TO, TURNS_BY
from poise.animate.script import Free, Goal, Pose, ScriptMoment, Want
from poise.control.poses.sensors import AXES, Sensor
from poise.errors import PoiseError, unknown
from poise.toml_reader import TomlTable, is_number
from poise.world.scene import Scene

TURNED = ("root.rolled", "root.pitched", "root.yawed")
"""rad: how far the root has turned about an axis of its own since the goal began; somersaults count."""
PATIENCE = 3.0
ANGLE_UNIT, ANGLE_MOST = radians(14.0), 40.0  # rad; degrees
TIME_UNIT, TIME_MOST = 0.05, 0.15  # s
GAIN_UNIT, GAIN_MOST = 0.2, 0.6  # parts of the gain
EARLIEST = 1e-3  # s: no pose is moved to the beginning itself
_GAINS: Mapping[str, Literal["stiffness", "damping"]] = {"stiffness": "stiffness", "damping": "damping"}


def read_goals(scene: Scene, entry: TomlTable, poses: Sequence[Pose], gains: Mapping[str, int]) -> tuple[Goal, ...]:
    """All of a script. `each` repeats a goal for the repetitions of a cycle, whose poses are then called NAME#."""
    goals = []
    for told in entry.tables("goal"):
        if not told.has_line():
            raise entry.fail("must be written as [[goal]]", "goal")
        told.check(("name", "each", "first", "want", "free", "patience", "solved"))
        each = told.whole("each", 0, 0, 1000)
        first = told.whole("first", 1, 1)
        for lap, known in enumerate(_solved(told, max(each, 1))):
            number = str(first + lap) if each else ""
            goals.append(_goal(scene, told, poses, gains, number, lap, known))
    return tuple(goals)


def _solved(entry: TomlTable, count: int) -> list[Mapping[str, Any]]:
    """What was found before for each repetition of a goal: told for all of them, for some in a list, or not at all."""
    told = entry.raw("solved", {})
    if "solved" in entry and not entry.has_line("solved"):
        raise entry.fail("'solved' must be written as solved = { ... }")
    tables = [*told, *([{}] * count)] if isinstance(told, list) else [told] * count
    if not all(isinstance(table, Mapping) for table in tables):
        raise entry.fail(f"'solved' must be a table, or a list of tables, not {told!r}", "solved")
    return tables[:count]


def _goal(
    scene: Scene,
    entry: TomlTable,
    poses: Sequence[Pose],
    gains: Mapping[str, int],
    number: str,
    lap: int,
    solved: Mapping[str, Any],
) -> Goal:
    name = entry.text("name", f"goal {entry.index + 1}") + (f" {number}" if number else "")
    free = tuple(_free(scene, told, poses, gains, number) for told in _told(entry, "free"))
    wants = tuple(_want(scene, told, number, lap) for told in entry.inners("want"))
    if not wants:
        raise entry.fail(f"{name} wants nothing: write want = [{{ what = ..., at = ..., is = ... }}]")
    if len(free) < len(wants):
        raise entry.fail(f"{name} has {len(wants)} constraints and may change only {len(free)} parameters", "free")
    _check_flight(scene, entry, wants)
    names = [parameter.name for parameter in free]
    for told in solved:
        if told not in names:
            raise entry.blame(unknown("free parameter in 'solved'", told, names), "solved")
    changes = tuple(_known(entry, solved, parameter) for parameter in free)
    return Goal(name, wants, free, entry.number("patience", PATIENCE, 0.01), (entry.index, lap), changes)


def _check_flight(scene: Scene, entry: TomlTable, wants: Sequence[Want]) -> None:
    """Without gravity nobody comes down."""
    for told, want in zip(entry.inners("want"), wants, strict=True):
        if want.what in (*LEADS_TO, *TURNS_BY) and not scene.gravity > 0:
            raise told.fail(f"'{want.what}' needs gravity: without it flight never ends", "want")


def _known(entry: TomlTable, solved: Mapping[str, Any], parameter: Free) -> float:
    """The change of a parameter that was found before, in our units."""
    value = solved.get(parameter.name, 0.0)
    if not is_number(value):
        raise entry.fail(f"'solved': '{parameter.name}' must be a number, not {value!r}", "solved")
    return radians(value) if parameter.kind == "angle" else float(value)


def _told(entry: TomlTable, key: str) -> list[TomlTable]:
    """A list of names, or of tables with a name; both as tables."""
    value = entry.raw(key, [])
    if not isinstance(value, list):
        raise entry.fail(f"'{key}' must be a list, not {value!r}", key)
    tables = [{"what": item} if isinstance(item, str) else item for item in value]
    return entry.listed(key, tables)


def _free(scene: Scene, told: TomlTable, poses: Sequence[Pose], gains: Mapping[str, int], number: str) -> Free:
    told.check(("what", "most"))
    name = told.text("what").replace("#", f"#{number}") if number else told.text("what")
    owner, dot, what = name.rpartition(".")
    names = [pose.name for pose in poses]
    if not dot or (owner not in names and owner not in gains):
        raise told.blame(unknown("pose or gains in 'free'", owner or name, [*names, *gains]))
    if owner in gains:
        return _free_gain(told, name, gains[owner], what)
    place = names.index(owner)
    if poses[place].time == 0:
        raise told.fail(f"'{owner}' is how the body begins: it cannot be changed")
    if what == "time":
        most = min(told.number("most", TIME_MOST, 0), max(poses[place].time - EARLIEST, 0.0))
        return Free(name, "time", (place,), {}, TIME_UNIT, most)
    with told.blaming():
        shares = freedoms(scene.body, what)
    missing = [scene.body.dof_names[dof] for dof in shares if dof not in poses[place].angles]
    if missing:
        raise told.fail(f"'{name}' may be changed, but pose '{owner}' says nothing of {missing[0]}")
    return Free(name, "angle", (place,), shares, ANGLE_UNIT, radians(told.number("most", ANGLE_MOST, 0)))


def _free_gain(told: TomlTable, name: str, place: int, what: str) -> Free:
    if what not in _GAINS:
        raise told.blame(unknown("part of gains", what, _GAINS))
    return Free(name, _GAINS[what], (place,), {}, GAIN_UNIT, told.number("most", GAIN_MOST, 0, 0.99))


def _want(scene: Scene, entry: TomlTable, number: str, lap: int) -> Want:
    entry.check(("what", "at", "after", "is", "within", "range"))
    what = entry.text("what")
    angular = what in (*TURNED, *TURNS_BY)
    if what not in LEADS_TO and not angular:
        sensor = Sensor(what)
        try:
            sensor.reset(scene)
        except PoiseError as error:
            raise entry.blame(error) from None
        angular = sensor.angular
    told = _target(scene, entry, number, lap)
    within = entry.number("within", 1.0 if angular else 0.01, 1e-9)
    unit = radians(1.0) if angular else 1.0
    moves = entry.number("range", 0.0, 0)
    return Want(what, _moment(scene, entry, what), unit * told, unit * within, unit * moves)


def _target(scene: Scene, entry: TomlTable, number: str, lap: int) -> float:
    """A number, a list of one for each goal, or where a prop is: "NAME.x"; NAME# is the one with the goal's number."""
    told = entry.raw("is")
    if isinstance(told, list):
        if not lap < len(told):
            raise entry.fail(f"'is' has {len(told)} values, but there are more goals", "want")
        told = told[lap]
    if isinstance(told, str):
        prop, _, axis = told.replace("#", f"#{number}").rpartition(".")
        try:
            place = scene.model.body_pos[scene.link_id(prop)]
        except PoiseError as error:
            raise entry.blame(error) from None
        if axis not in AXES:
            raise entry.blame(unknown("coordinate of a prop", axis, AXES))
        return float(place[AXES.index(axis)])
    if not is_number(told):
        raise entry.fail("'is' " + ("is missing" if told is None else f"must be a number, not {told!r}"), "want")
    return float(told)


def _moment(scene: Scene, entry: TomlTable, what: str) -> ScriptMoment:
    """`at` a number of seconds, "flight", "apex", "down" or "LINK down", and `after` that."""
    at = entry.raw("at", "flight" if what in (*LEADS_TO, *TURNS_BY) else None)
    after = entry.number("after", 0.0, 0)
    if is_number(at):
        return ScriptMoment("time", float(at) + after)
    if at in ("flight", "apex", "down"):
        return ScriptMoment(at, after)
    if isinstance(at, str) and at.endswith(" down"):
        link = at.removesuffix(" down")
        try:
            scene.link_id(link)
        except PoiseError as error:
            raise entry.blame(error) from None
        return ScriptMoment("down", after, link)
    raise entry.fail(f'\'at\' must be a time, "flight", "apex", "down" or "LINK down", not {at!r}', "want")
