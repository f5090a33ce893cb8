"""Read what a script aims at: goals, which are constraints and the free parameters that may change; and objectives."""

from collections.abc import Mapping, Sequence
from math import inf, radians
from typing import Any, Literal

from poise.animate.read_poses import script_angle_dofs, script_joint_dofs
from poise.animate.script import FLIGHT_POSITIONS, FLIGHT_TURNS, ROOT_TURNS, ControlPose, Free, Goal, ScriptMoment, Want
from poise.control.poses import objectives
from poise.control.poses.objectives import PoseControlObjective, PoseControlPoint
from poise.control.poses.rig import TimeSpan
from poise.control.poses.sensors import AXES, PoseControlSensor
from poise.errors import known_name, unknown_name
from poise.toml_reader import TomlTable, is_number
from poise.world.scene import Scene

PATIENCE = 3.0  # s: default time after which an event that has not happened counts as missed
ANGLE_UNIT, ANGLE_MOST = radians(14.0), 40.0  # rad: usual change of an angle; degrees: default largest change
TIME_UNIT, TIME_MOST = 0.05, 0.15  # s: usual and default largest change of a pose's time
GAIN_UNIT, GAIN_MOST = 0.2, 0.6  # usual and default largest change of a gain, as a share of the gain
EARLIEST = 1e-3  # s: earliest time to which a pose may be moved; a pose at 0 would be the initial state
_GAINS: Mapping[str, Literal["stiffness", "damping"]] = {"stiffness": "stiffness", "damping": "damping"}


def read_goals(
    scene: Scene, entry: TomlTable, poses: Sequence[ControlPose], gains: Mapping[str, int]
) -> tuple[Goal, ...]:
    """Read all goals of a script; `gains` are the indices of the script's gain changes by name.

    With `each`, a goal applies to each repetition of a cycle; NAME# stands for the pose NAME#n of repetition n.
    """
    goals = []
    for goal in entry.tables("goal"):
        if not goal.has_line():
            raise entry.fail("must be written as [[goal]]", "goal")
        goal.check(("name", "each", "first", "want", "free", "patience", "solved"))
        each = goal.whole("each", 0, 0, 1000)
        first = goal.whole("first", 1, 1)
        for lap, known in enumerate(_earlier_solutions(goal, max(each, 1))):
            number = str(first + lap) if each else ""
            goals.append(_read_goal(scene, goal, poses, gains, number, lap, known))
    return tuple(goals)


def _earlier_solutions(entry: TomlTable, count: int) -> list[Mapping[str, Any]]:
    """Earlier solution of each repetition of a goal; the file has a table for all, a list for the first, or nothing."""
    solved = entry.raw("solved", {})
    if "solved" in entry and not entry.has_line("solved"):
        raise entry.fail("'solved' must be written as solved = { ... }")
    tables = [*solved, *([{}] * count)] if isinstance(solved, list) else [solved] * count
    if not all(isinstance(table, Mapping) for table in tables):
        raise entry.fail(f"'solved' must be a table, or a list of tables, not {solved!r}", "solved")
    return tables[:count]


def _read_goal(
    scene: Scene, entry: TomlTable, poses: Sequence[ControlPose], gains: Mapping[str, int], number: str, lap: int,
    solved: Mapping[str, Any],
) -> Goal:  # fmt: skip
    name = entry.text("name", f"goal {entry.index + 1}") + (f" {number}" if number else "")
    listed = entry.raw("free", [])
    if not isinstance(listed, list):
        raise entry.fail(f"'free' must be a list, not {listed!r}", "free")
    named = entry.listed("free", [{"what": item} if isinstance(item, str) else item for item in listed])
    free = tuple(_read_free(scene, each, poses, gains, number) for each in named)
    wants = tuple(_read_want(scene, want, number, lap) for want in entry.inners("want"))
    if not wants:
        raise entry.fail(f"{name} has no constraint: write want = [{{ what = ..., at = ..., is = ... }}]")
    if len(free) < len(wants):
        raise entry.fail(f"{name} has {len(wants)} constraints but only {len(free)} free parameters", "free")
    names = [parameter.name for parameter in free]
    for known in solved:
        if known not in names:
            raise entry.blame(unknown_name("free parameter in 'solved'", known, names), "solved")
    changes = tuple(_earlier_change(entry, solved, parameter) for parameter in free)
    return Goal(name, wants, free, entry.number("patience", PATIENCE, 0.01), (entry.index, lap), changes)


def _earlier_change(entry: TomlTable, solved: Mapping[str, Any], parameter: Free) -> float:
    """Earlier solution of a parameter, in rad, s or as a share; 0 if there is none."""
    value = solved.get(parameter.name, 0.0)
    if not is_number(value):
        raise entry.fail(f"'solved': '{parameter.name}' must be a number, not {value!r}", "solved")
    return radians(value) if parameter.kind == "angle" else float(value)


def _read_free(
    scene: Scene, entry: TomlTable, poses: Sequence[ControlPose], gains: Mapping[str, int], number: str
) -> Free:
    """Read a free parameter: POSE.ANGLE, POSE.time, GAINS.stiffness or GAINS.damping."""
    entry.check(("what", "most"))
    name = entry.text("what").replace("#", f"#{number}") if number else entry.text("what")
    owner, dot, what = name.rpartition(".")
    names = [pose.name for pose in poses]
    if not dot or (owner not in names and owner not in gains):
        raise entry.blame(unknown_name("pose or gains in 'free'", owner or name, [*names, *gains]))
    if owner in gains:
        if what not in _GAINS:
            raise entry.blame(unknown_name("part of gains", what, _GAINS))
        most = entry.number("most", GAIN_MOST, 0, 0.99)
        return Free(name, _GAINS[what], (gains[owner],), {}, GAIN_UNIT, most)
    place = names.index(owner)
    if poses[place].time == 0:
        raise entry.fail(f"'{owner}' is the initial pose: it cannot be changed")
    if what == "time":
        most = min(entry.number("most", TIME_MOST, 0), max(poses[place].time - EARLIEST, 0.0))
        return Free(name, "time", (place,), {}, TIME_UNIT, most)
    with entry.blaming():
        shares = script_angle_dofs(scene.body, what)
    missing = [scene.body.dof_names[dof] for dof in shares if dof not in poses[place].angles]
    if missing:
        raise entry.fail(f"'{name}' cannot be changed: pose '{owner}' does not set {missing[0]}")
    return Free(name, "angle", (place,), shares, ANGLE_UNIT, radians(entry.number("most", ANGLE_MOST, 0)))


def _read_want(scene: Scene, entry: TomlTable, number: str, lap: int) -> Want:
    entry.check(("what", "at", "after", "is", "within", "range"))
    what = entry.text("what")
    if what in (*FLIGHT_POSITIONS, *FLIGHT_TURNS) and not scene.gravity > 0:
        raise entry.fail(f"'{what}' needs gravity: without it a flight never ends", "want")
    angular = what in (*ROOT_TURNS, *FLIGHT_TURNS)
    if what not in FLIGHT_POSITIONS and not angular:
        sensor = PoseControlSensor(what)
        with entry.blaming():
            sensor.reset(scene)
        angular = sensor.angular
    target = _want_target(scene, entry, number, lap)
    within = entry.number("within", 1.0 if angular else 0.01, 1e-9)
    unit = radians(1.0) if angular else 1.0
    moves = entry.number("range", 0.0, 0)
    return Want(what, _moment_of_script_want(scene, entry, what), unit * target, unit * within, unit * moves)


def _want_target(scene: Scene, entry: TomlTable, number: str, lap: int) -> float:
    """Read a target value: a number, a list with one number per repetition, or the coordinate of a prop, "NAME.x".

    NAME# stands for the prop NAME#n in repetition n.
    """
    value = entry.raw("is")
    if isinstance(value, list):
        if not lap < len(value):
            raise entry.fail(f"'is' has {len(value)} values, but the goal has more repetitions", "want")
        value = value[lap]
    if isinstance(value, str):
        prop, _, axis = value.replace("#", f"#{number}").rpartition(".")
        with entry.blaming():
            place = scene.model.body_pos[scene.link_id(prop)]
            return float(place[AXES.index(known_name("coordinate of a prop", axis, AXES))])
    if not is_number(value):
        raise entry.fail("'is' " + ("is missing" if value is None else f"must be a number, not {value!r}"), "want")
    return float(value)


def _moment_of_script_want(scene: Scene, entry: TomlTable, what: str) -> ScriptMoment:
    """Moment of a constraint: `at` is a time (s) or "flight", "apex", "down" or "LINK down"; `after` (s) is added."""
    at = entry.raw("at", "flight" if what in (*FLIGHT_POSITIONS, *FLIGHT_TURNS) else None)
    after = entry.number("after", 0.0, 0)
    if is_number(at):
        return ScriptMoment("time", float(at) + after)
    if at in ("flight", "apex", "down"):
        return ScriptMoment(at, after)
    if isinstance(at, str) and at.endswith(" down"):
        link = at.removesuffix(" down")
        with entry.blaming():
            scene.link_id(link)
        return ScriptMoment("down", after, link)
    raise entry.fail(f'\'at\' must be a time, "flight", "apex", "down" or "LINK down", not {at!r}', "want")


_COMMON = ("kind", "from", "until")
_PULL = ("stiffness", "damping", "kept", "joints")


def read_script_span(entry: TomlTable) -> TimeSpan:
    """Read the time span from `from` (s) to `until` (s); all time by default."""
    start = entry.number("from", 0.0, 0)
    end = entry.number("until") if "until" in entry else inf
    if not end >= start:
        raise entry.fail(f"'until' ({end:g} s) must not be before 'from' ({start:g} s)", "until")
    return TimeSpan(start, end)


def read_script_objective(scene: Scene, entry: TomlTable) -> PoseControlObjective:
    """Read an objective controller of a script."""
    read, entries = _OBJECTIVES[entry.choice("kind", "kind of objective", _OBJECTIVES)]
    entry.check((*_COMMON, *entries))
    with entry.blaming():
        made = read(scene, entry)
        made.reset(scene)
    return made


def _read_objective_spring(scene: Scene, entry: TomlTable, stiffness: float, damping: float) -> dict[str, Any]:
    """Read the arguments that all objectives with a pull have; `stiffness` and `damping` are default values."""
    return {
        "joints": _read_joint_weights(scene, entry, least=0.0),
        "stiffness": entry.number("stiffness", stiffness, 0),
        "damping": entry.number("damping", damping, 0),
        "kept": entry.number("kept", 0.3, 0, 1),
        "when": read_script_span(entry),
    }


def _read_level_objective(scene: Scene, entry: TomlTable) -> PoseControlObjective:
    link, axis = read_script_link(scene, entry), _read_link_axis(entry, (0, 0, 1))
    return objectives.PoseControlAim(link, axis=axis, **_read_objective_spring(scene, entry, 400, 80))


def _read_look_objective(scene: Scene, entry: TomlTable) -> PoseControlObjective:
    place, axis = _read_target_point(scene, entry), _read_link_axis(entry, (1, 0, 0))
    link = read_script_link(scene, entry)
    return objectives.PoseControlAim(link, axis=axis, towards=place, **_read_objective_spring(scene, entry, 60, 8))


def _read_touch_objective(scene: Scene, entry: TomlTable) -> PoseControlObjective:
    point = PoseControlPoint(_read_vector(entry, "point", (0, 0, 0)), read_script_link(scene, entry))
    target = _read_target_point(scene, entry)
    return objectives.PoseControlTouch(point, target, **_read_objective_spring(scene, entry, 800, 120))


def _read_follow_objective(scene: Scene, entry: TomlTable) -> PoseControlObjective:
    joints = entry.inner("joints")
    leaders = {name: joints.text(name) for name in joints.keys}
    if not leaders:
        raise entry.fail("'joints' must be a table of angles, FOLLOWER = LEADER", "joints")
    for name, leader in leaders.items():
        for angle in (name, leader):
            with joints.blaming(name):
                known_name("angle", angle, scene.body.dof_names[6:])
        if leader == name:
            raise joints.fail(f"'{name}' cannot follow itself", name)
    offset = radians(entry.number("offset", 0.0))
    return objectives.PoseControlFollower(leaders, entry.number("factor", 1.0), offset, when=read_script_span(entry))


def _read_correct_objective(scene: Scene, entry: TomlTable) -> PoseControlObjective:
    """Read an objective that corrects a sensor's error; weights in the file are in degrees per unit of the sensor."""
    sensor = PoseControlSensor(entry.text("sensor"))
    with entry.blaming("sensor"):
        sensor.reset(scene)
    target = entry.number("is", 0.0)
    weights = _read_joint_weights(scene, entry)
    if sensor.angular:
        target = radians(target)
    else:
        weights = {name: radians(weight) for name, weight in weights.items()}
    most = radians(entry.number("most", 30.0, 0))
    return objectives.PoseControlCorrection(sensor, target, weights, most, when=read_script_span(entry))


_OBJECTIVES = {
    "level": (_read_level_objective, ("link", "axis", *_PULL)),
    "look": (_read_look_objective, ("link", "axis", "at", *_PULL)),
    "touch": (_read_touch_objective, ("link", "point", "at", *_PULL)),
    "follow": (_read_follow_objective, ("joints", "factor", "offset")),
    "correct": (_read_correct_objective, ("sensor", "is", "joints", "most")),
}
"""By kind of objective: the function that reads it, and its entries besides those in _COMMON."""


def _read_joint_weights(scene: Scene, entry: TomlTable, least: float = -inf) -> dict[str, float]:
    """Read the weights of DOFs by DOF name, from a list of joints (weight 1) or a table of weights by joint."""
    value = entry.raw("joints")
    names = dict.fromkeys(entry.texts("joints"), 1.0) if isinstance(value, list | str) else {}
    if isinstance(value, dict):
        table = entry.inner("joints")
        names = {name: table.number(name, least=least) for name in table.keys}
    if not names:
        raise entry.fail("'joints' must name the joints that the objective uses", "joints")
    dofs = scene.body.dof_names
    root = {"roll": "root_rx", "pitch": "root_ry", "yaw": "root_rz"}
    out: dict[str, float] = {}
    for name, weight in names.items():
        if name in root:
            out[root[name]] = weight
        else:
            with entry.blaming("joints"):
                out |= {dofs[dof]: weight for dof in script_joint_dofs(scene.body, name)}
    return out


def read_script_link(scene: Scene, entry: TomlTable, key: str = "link") -> str:
    """Read the name of a link or prop of the scene."""
    link = entry.text(key)
    with entry.blaming(key):
        scene.link_id(link)
    return link


def _read_target_point(scene: Scene, entry: TomlTable) -> PoseControlPoint:
    """Read the point `at` of the world (three numbers, m), or the origin of a link or prop (its name)."""
    if isinstance(entry.raw("at"), str):
        return PoseControlPoint(link=read_script_link(scene, entry, "at"))
    return PoseControlPoint(_read_vector(entry, "at", None))


def _read_link_axis(entry: TomlTable, default: tuple[float, ...]) -> tuple[float, float, float]:
    axis = _read_vector(entry, "axis", default)
    if not any(axis):
        raise entry.fail("'axis' must not be zero", "axis")
    return axis


def _read_vector(entry: TomlTable, key: str, default: tuple[float, ...] | None) -> tuple[float, float, float]:
    x, y, z = entry.numbers(key, 3, default)
    return x, y, z
