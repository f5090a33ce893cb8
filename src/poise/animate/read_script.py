"""Script files (TOML): read, by name if they come with Poise or else by path, and written back with solved goals."""

from collections.abc import Iterable
from dataclasses import fields, replace
from math import degrees, radians
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from poise.animate.read_goals import read_goals, read_script_link, read_script_objective, read_script_span
from poise.animate.read_poses import read_script_poses, script_joint_dofs
from poise.animate.script import Beginning, Goal, Script, ScriptHold, goal_start
from poise.body.body import Body
from poise.control.poses.poses import PosesSettings
from poise.control.poses.rig import GainChange, TimeSpan
from poise.errors import known_name
from poise.library.bodies import load_shipped_or_own_body
from poise.performance.run import LONGEST_RUN
from poise.toml_reader import TomlTable, is_number, toml_code_lines, toml_line_numbers
from poise.world.props import PROPS, Prop
from poise.world.pushes import Push, parse_push
from poise.world.scene import Scene
from poise.world.terrain import Place
from poise.world.terrain_kinds import parse_terrain

_FOLDER = Path(__file__).parent / "scripts"
_ENTRIES = (
    *("title", "body", "mass", "limits", "fists", "seconds", "step", "scene", "start", "settings"),
    *("pose", "cycle", "gains", "stabilise", "objective", "push", "hold", "goal"),
)
_WHERE = ("at", "x", "heading", "ahead")  # Entries of a prop that place it; all other numbers are sizes or masses
SMALLEST = 1e-4  # Smallest size (m) or mass (kg) of a prop


def shipped_scripts() -> tuple[str, ...]:
    """Names of the scripts that come with Poise."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def shipped_script_titles() -> dict[str, str]:
    """Titles of the scripts that come with Poise, by name."""
    return {name: TomlTable.read(find_script(name)).text("title") for name in shipped_scripts()}


def find_script(name: str) -> Path:
    """Path of a script that is given by name, or by a path that ends in .toml."""
    if name.endswith(".toml"):
        return Path(name)
    return _FOLDER / f"{known_name('script', name, shipped_scripts())}.toml"


def is_shipped_script(path: Path) -> bool:
    """Whether the script at a path comes with Poise."""
    return path.parent == _FOLDER


def read_script(name: str | Path, seconds: float = 0.0) -> Script:
    """Read a script by name or path; cycles repeat for the script's own duration or `seconds`, if that is longer."""
    path = find_script(str(name))
    entry = TomlTable.read(path)
    entry.check(_ENTRIES)
    body = _script_body(entry, path.parent)
    seconds = max(entry.number("seconds", least=0.01, most=LONGEST_RUN), seconds)
    poses = read_script_poses(body, entry, seconds)
    changes, names = _read_gain_changes(body, entry)
    with entry.blaming("scene"):
        scene = _script_scene(body, entry.inner("scene"), path.parent)
        scene.model  # noqa: B018 - compile the scene here, so that errors name the line
    script = Script(
        name=path.stem,
        title=entry.text("title", path.stem),
        path=path,
        scene=scene,
        seconds=seconds,
        step=entry.number("step", 1 / 120, least=1e-4, most=0.02),
        beginning=_read_beginning(entry.inner("start")),
        settings=_read_poses_settings(entry.inner("settings")),
        poses=poses,
        gain_changes=changes,
        stabilised=_read_stabilised_spans(entry.inner("stabilise")),
        objectives=tuple(read_script_objective(scene, table) for table in entry.tables("objective")),
        pushes=_read_script_pushes(scene, entry),
        holds=tuple(_read_script_hold(scene, hold) for hold in entry.tables("hold")),
        goals=read_goals(scene, entry, poses, names),
    )
    for goal in script.goals:
        with entry.tables("goal")[goal.origin[0]].blaming("want"):
            goal_start(script, goal)
    return script


def _script_body(entry: TomlTable, folder: Path) -> Body:
    """Load the script's body by name, or from a file relative to the script's folder; apply its mass and limits."""
    name = entry.text("body", "human37")
    with entry.blaming("body"):
        body = load_shipped_or_own_body(str(folder / name) if Path(name).suffix else name)
    if "mass" in entry:
        with entry.blaming("mass"):
            body = body.scaled(mass=entry.number("mass", least=1e-3))
    if "limits" in entry:
        with entry.blaming("limits"):
            body = body.with_torque_limits(entry.text("limits"))
    if entry.flag("fists"):
        with entry.blaming("fists"):
            body = body.with_fists()
    return body


def _script_scene(body: Body, entry: TomlTable, folder: Path) -> Scene:
    """Read the scene, with the body; the path of a terrain file is relative to the script's folder."""
    entry.check(("terrain", "friction", "gravity", "prop"))
    with entry.blaming("terrain"):
        terrain = parse_terrain(entry.text("terrain", "flat"), folder)
    taken = _mjcf_names([ElementTree.fromstring(body.mjcf), *terrain.geoms()]) | {("body", "world")}
    props = []
    for table in entry.tables("prop"):
        prop = _read_script_prop(table)
        own = _mjcf_names(prop.mjcf_elements())
        if own & taken or not prop.name:
            problem = "taken" if prop.name else "empty"
            raise table.fail(f"the name '{prop.name}' is {problem}: give the prop a name of its own", "name")
        taken |= own
        props.append(prop)
    return Scene((body,), terrain, tuple(props), entry.number("friction", 1.0, 0), entry.number("gravity", 9.81, 0))


def _mjcf_names(parts: Iterable[Element]) -> set[tuple[str, str]]:
    """(kind, name) of all named bodies, joints and geoms; names must be unique within a kind."""
    inner = (each for part in parts for each in part.iter())
    return {(each.tag.removeprefix("free"), each.attrib["name"]) for each in inner if "name" in each.attrib}


def _read_script_prop(entry: TomlTable) -> Prop:
    """Read a prop; its kind determines the valid entries."""
    make: Any = PROPS[entry.choice("kind", "kind of prop", PROPS)]
    valid = {field.name: field.default for field in fields(make)}
    entry.check(("kind", *valid))
    given: dict[str, Any] = {}
    for key in entry.keys:
        if key == "name":
            given[key] = entry.text(key)
        elif key != "kind":
            default = valid[key]  # one number, or as many as the default has
            given[key] = entry.numbers(key, len(default)) if isinstance(default, tuple) else entry.number(key)
            least = min(given[key]) if isinstance(default, tuple) else given[key]
            if key not in _WHERE and not least >= SMALLEST:
                raise entry.fail(f"'{key}' must be at least {SMALLEST:g}, not {least:g}", key)
    return make(**given)  # type: ignore[no-any-return]


def _read_beginning(entry: TomlTable) -> Beginning:
    entry.check(("place", "heading", "velocity", "lift"))
    x, y = entry.numbers("place", 2, (0.0, 0.0))
    ahead, left, up = entry.numbers("velocity", 3, (0.0, 0.0, 0.0))
    stand = Place(x, y, yaw=radians(entry.number("heading", 0.0)))
    return Beginning(stand, (ahead, left, up), entry.number("lift", 0.0, 0))


def _read_poses_settings(entry: TomlTable) -> PosesSettings:
    entry.check([field.name for field in fields(PosesSettings)])
    settings = PosesSettings()
    for key in entry.keys:
        with entry.blaming(key):
            settings = replace(settings, **{key: entry.number(key)})
    return settings


def _read_gain_changes(body: Body, entry: TomlTable) -> tuple[tuple[GainChange, ...], dict[str, int]]:
    """Read all changes of gains; return the changes, and the index of each change by name."""
    out: list[GainChange] = []
    names: dict[str, int] = {}
    for index, gains in enumerate(entry.tables("gains")):
        gains.check(("name", "from", "until", "joints", "stiffness", "damping"))
        with gains.blaming("joints"):
            dofs = [dof for name in gains.texts("joints") or ("all",) for dof in script_joint_dofs(body, name)]
        stiffness, damping = (gains.number(key, 1.0, 0) for key in ("stiffness", "damping"))
        out.append(GainChange(read_script_span(gains), tuple(dict.fromkeys(dofs)), stiffness, damping))
        name = gains.text("name", f"gains {index + 1}")
        if name in names:
            raise gains.fail(f"two gains are called '{name}'", "name")
        names[name] = index
    return tuple(out), names


def _read_stabilised_spans(entry: TomlTable) -> tuple[TimeSpan, ...]:
    """Read the time spans in which the root is stabilised; all time by default."""
    entry.check(("during",))
    if "during" not in entry:
        return (TimeSpan(),)
    during = entry.raw("during")
    if not isinstance(during, list) or not all(isinstance(span, list) and len(span) == 2 for span in during):
        raise entry.fail(f"'during' must be a list of [from, until], not {during!r}", "during")
    spans = []
    for start, end in during:
        if not (is_number(start) and is_number(end) and 0 <= start <= end):
            raise entry.fail(f"'during': [{start}, {end}] must be two times (s), the earlier one first", "during")
        spans.append(TimeSpan(float(start), float(end)))
    return tuple(spans)


def _read_script_pushes(scene: Scene, entry: TomlTable) -> tuple[Push, ...]:
    """Read the pushes, in the notation of the command line's --push."""
    out = []
    for text in entry.texts("push"):
        with entry.blaming("push"):
            push = parse_push(text)
            if push.body is not None:
                scene.link_id(push.body)
        out.append(push)
    return tuple(out)


def _read_script_hold(scene: Scene, entry: TomlTable) -> ScriptHold:
    entry.check(("link", "what", "points", "from", "until"))
    points = entry.raw("points", [[0.0, 0.0, 0.0]])
    good = isinstance(points, list) and points and all(isinstance(p, list) and len(p) == 3 for p in points)
    if not good or not all(is_number(v) for p in points for v in p):
        raise entry.fail(f"'points' must be a list of points of three numbers, not {points!r}", "points")
    link, what = (read_script_link(scene, entry, key) for key in ("link", "what"))
    if link == what:
        raise entry.fail(f"'{link}' cannot hold itself", "what")
    places = tuple((float(x), float(y), float(z)) for x, y, z in points)
    return ScriptHold(link, what, places, read_script_span(entry))


def solved_script_text(script: Script, text: str) -> str:
    """The text of a script with an entry `solved` in each goal: the change of each free parameter."""
    text = text.removesuffix("\n")
    lines, bare, where = text.split("\n"), toml_code_lines(text), toml_line_numbers(text)
    tables: dict[int, list[Goal]] = {}
    for goal in script.goals:
        tables.setdefault(goal.origin[0], []).append(goal)
    for table in sorted(tables, reverse=True):  # from the end, so that line numbers of earlier goals stay valid
        header = where["goal", table, ""]  # counted from 1, hence the index of the line after it
        old = where.get(("goal", table, "solved"))
        if old is not None:
            del lines[old - 1 : _end_of_toml_value(bare, old - 1)]
        lines[header:header] = _solved_entry_lines(tables[table])
    return "\n".join(lines) + "\n"


def _solved_entry_lines(goals: list[Goal]) -> list[str]:
    """Lines of the entry `solved`: a table, or a list of tables for a repeated goal."""
    tables = [_solved_table(goal) for goal in goals]
    if len(tables) == 1 and "#" not in goals[0].free[0].name:
        return [f"solved = {tables[0]}"]
    return ["solved = [", *(f"    {table}," for table in tables), "]"]


def _solved_table(goal: Goal) -> str:
    changes = zip(goal.free, goal.solved, strict=True)
    pairs = [f'"{free.name}" = {degrees(by) if free.kind == "angle" else by:.17g}' for free, by in changes]
    return "{ " + ", ".join(pairs) + " }"


def _end_of_toml_value(bare: list[str], start: int) -> int:
    """Index of the line after a value that starts on the line with index `start` and ends where its brackets close."""
    depth = 0
    for number in range(start, len(bare)):
        depth += sum(bare[number].count(c) for c in "[{") - sum(bare[number].count(c) for c in "]}")
        if depth <= 0:
            return number + 1
    return len(bare)
