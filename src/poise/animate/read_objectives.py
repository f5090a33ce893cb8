"""Read the objective controllers and time spans of a script."""

from __future__ import annotations

from math import inf, radians
from typing import Any

from poise.animate.read_poses import script_joint_dofs
from poise.control.poses import objectives
from poise.control.poses.objectives import Objective, ObjectivePoint
from poise.control.poses.rig import TimeSpan
from poise.control.poses.sensors import Sensor
from poise.errors import unknown_name
from poise.toml_reader import TomlTable
from poise.world.scene import Scene

_COMMON = ("kind", "from", "until")
_PULL = ("stiffness", "damping", "kept", "joints")
_ENTRIES = {
    "level": ("link", "axis", *_PULL),
    "look": ("link", "axis", "at", *_PULL),
    "touch": ("link", "point", "at", *_PULL),
    "follow": ("joints", "factor", "offset"),
    "correct": ("sensor", "is", "joints", "most"),
}


def read_objectives(scene: Scene, entry: TomlTable) -> tuple[Objective, ...]:
    """Read all objective controllers of a script."""
    return tuple(_read_objective(scene, table) for table in entry.tables("objective"))


def read_script_span(entry: TomlTable) -> TimeSpan:
    """Read the time span from `from` (s) to `until` (s); all time by default."""
    start = entry.number("from", 0.0, 0)
    end = entry.number("until") if "until" in entry else inf
    if not end >= start:
        raise entry.fail(f"'until' ({end:g} s) must not be before 'from' ({start:g} s)", "until")
    return TimeSpan(start, end)


def _read_objective(scene: Scene, entry: TomlTable) -> Objective:
    kind = entry.text("kind")
    if kind not in _ENTRIES:
        raise entry.blame(unknown_name("kind of objective", kind, _ENTRIES), "kind")
    entry.check((*_COMMON, *_ENTRIES[kind]))
    with entry.blaming():
        made = _READERS[kind](scene, entry)
        made.reset(scene)
    return made


def _read_spring_pull(scene: Scene, entry: TomlTable, stiffness: float, damping: float) -> dict[str, Any]:
    """Read the arguments that all objectives with a pull have; `stiffness` and `damping` are default values."""
    return {
        "joints": _read_joint_weights(scene, entry, least=0.0),
        "stiffness": entry.number("stiffness", stiffness, 0),
        "damping": entry.number("damping", damping, 0),
        "kept": entry.number("kept", 0.3, 0, 1),
        "when": read_script_span(entry),
    }


def _read_level_objective(scene: Scene, entry: TomlTable) -> Objective:
    link, axis = _read_objective_link(scene, entry), _read_link_axis(entry, (0, 0, 1))
    return objectives.PointObjective(link, axis=axis, **_read_spring_pull(scene, entry, 400, 80))


def _read_look_objective(scene: Scene, entry: TomlTable) -> Objective:
    place, axis = _read_scene_point(scene, entry, "at"), _read_link_axis(entry, (1, 0, 0))
    link = _read_objective_link(scene, entry)
    return objectives.PointObjective(link, axis=axis, towards=place, **_read_spring_pull(scene, entry, 60, 8))


def _read_touch_objective(scene: Scene, entry: TomlTable) -> Objective:
    point = ObjectivePoint(_read_vector(entry, "point", (0, 0, 0)), _read_objective_link(scene, entry))
    return objectives.TouchObjective(
        point, _read_scene_point(scene, entry, "at"), **_read_spring_pull(scene, entry, 800, 120)
    )


def _read_follow_objective(scene: Scene, entry: TomlTable) -> Objective:
    joints = entry.inner("joints")
    leaders = {name: joints.text(name) for name in joints.keys}
    if not leaders:
        raise entry.fail("'joints' must be a table of angles, FOLLOWER = LEADER", "joints")
    for name, leader in leaders.items():
        for angle in (name, leader):
            if angle not in scene.body.dof_names[6:]:
                raise joints.blame(unknown_name("angle", angle, scene.body.dof_names[6:]), name)
        if leader == name:
            raise joints.fail(f"'{name}' cannot follow itself", name)
    offset = radians(entry.number("offset", 0.0))
    return objectives.FollowObjective(leaders, entry.number("factor", 1.0), offset, when=read_script_span(entry))


def _read_correct_objective(scene: Scene, entry: TomlTable) -> Objective:
    """Read an objective that corrects a sensor's error; weights in the file are in degrees per unit of the sensor."""
    sensor = Sensor(entry.text("sensor"))
    with entry.blaming("sensor"):
        sensor.reset(scene)
    target = entry.number("is", 0.0)
    weights = _read_joint_weights(scene, entry)
    if sensor.angular:
        target = radians(target)
    else:
        weights = {name: radians(weight) for name, weight in weights.items()}
    most = radians(entry.number("most", 30.0, 0))
    return objectives.CorrectObjective(sensor, target, weights, most, when=read_script_span(entry))


_READERS = {
    "level": _read_level_objective,
    "look": _read_look_objective,
    "touch": _read_touch_objective,
    "follow": _read_follow_objective,
    "correct": _read_correct_objective,
}


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


def _read_objective_link(scene: Scene, entry: TomlTable) -> str:
    link = entry.text("link")
    with entry.blaming("link"):
        scene.link_id(link)
    return link


def _read_scene_point(scene: Scene, entry: TomlTable, key: str) -> ObjectivePoint:
    """Read a point of the world (three numbers, m), or the origin of a link or prop (its name)."""
    value = entry.raw(key)
    if isinstance(value, str):
        with entry.blaming(key):
            scene.link_id(value)
        return ObjectivePoint(link=value)
    return ObjectivePoint(_read_vector(entry, key, None))


def _read_link_axis(entry: TomlTable, default: tuple[float, ...]) -> tuple[float, float, float]:
    axis = _read_vector(entry, "axis", default)
    if not any(axis):
        raise entry.fail("'axis' must not be zero", "axis")
    return axis


def _read_vector(entry: TomlTable, key: str, default: tuple[float, ...] | None) -> tuple[float, float, float]:
    x, y, z = entry.numbers(key, 3, default)
    return x, y, z
