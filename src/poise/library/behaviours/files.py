"""Behaviour files (TOML): read by name or path, with what they inherit by `like`, and written back after tuning."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from poise.arrays import Frozen
from poise.body.body import Body
from poise.errors import known_name
from poise.library.authoring.figure import ANGLES, LIMB_ANGLES
from poise.library.authoring.source import MotionSource, read_source, shipped_names
from poise.library.behaviours.behaviour import Behaviour, Freedom
from poise.library.behaviours.clip_poses import BehaviourClipMoments, BehaviourPoses, Poses, behaviour_poses_from_clip
from poise.retarget.figure import SIDES
from poise.toml_reader import TomlTable, is_number

_FOLDER = Path(__file__).parent / "shipped"
# fields that a file has itself or inherits from the file that it names in `like`
_INHERITED = ("kind", "into", "title", "body", "limits", "rate", "at", "tune")
_FIELDS = (*_INHERITED, "like", "clip", "control", "poses", "start", "found")


def behaviour_names() -> tuple[str, ...]:
    """Names of the shipped behaviours, sorted."""
    return shipped_names(_FOLDER)


def read_behaviour(name_or_path: str | Path) -> Behaviour:
    """Read a shipped behaviour by name, or the user's own file if the name ends in .toml."""
    chain = _behaviour_chain(name_or_path, ())
    path = chain[-1].path
    fields = {field: source.table.raw(field) for source in chain for field in _INHERITED if field in source.table}
    whole = TomlTable(path.name, {}, "", 0, fields)
    at = _number_list(whole, "at")
    if np.any(np.diff(at) <= 0):
        raise whole.fail("the numbers of 'at' must increase")
    control, start = (_merged_behaviour_numbers(chain, section) for section in ("control", "start"))
    tilt = start.get("pelvis_tilt", 0.0) - 360.0 * start.get("at", 0.0)
    lies = start.get("pelvis_list", 0.0) != 0.0
    poses = _behaviour_poses(chain, whole, BehaviourPoses(whole.text("kind"), at, tilt, lies))
    owner, known = next((s.table for s in reversed(chain) if "tune" in s.table), whole), {*poses, *control, *start}
    tuned = owner.inner("tune")
    if "tune" in chain[-1].table:  # unknown names in an inherited table are ignored
        tuned.check(known)
    freedoms = {name: _read_behaviour_freedom(tuned, name) for name in tuned.keys if name in known}
    poses, free = _behaviour_poses_by_side(poses, freedoms)
    return Behaviour(
        name=str(name_or_path),
        title=whole.text("title"),
        kind=whole.text("kind"),
        body=whole.text("body"),
        path=path,
        control=Frozen(control),
        at=at,
        poses=Frozen(poses),
        start=Frozen(start),
        free=Frozen(free),
        rate=whole.positive("rate", 60.0),
        into=whole.text("into") if "into" in fields else None,
        limits=whole.text("limits") if "limits" in fields else None,
    )


def _behaviour_chain(name_or_path: str | Path, asking: tuple[Path, ...]) -> list[MotionSource]:
    """Read a file and all files that it inherits from by `like`, base first. `asking`: files whose `like` led here."""
    source = read_source(name_or_path, _FOLDER, "behaviour")
    table, path = source.table, source.path
    table.check(_FIELDS)
    if path.resolve() in asking:
        raise table.fail("'like' leads back to the file itself", "like")
    if "like" not in table:
        return [source]
    other = table.text("like")
    found = path.parent / other if other.endswith(".toml") else other
    return [*_behaviour_chain(found, (*asking, path.resolve())), source]


def _behaviour_poses(chain: Sequence[MotionSource], whole: TomlTable, keys: BehaviourPoses) -> Poses:
    """Poses of a chain of files. Each file replaces the poses before it, first by its clip's, then by its own."""
    poses: Poses = {}
    for source in chain:
        if "clip" in source.table:
            body = Body.named(whole.text("body"))
            poses = behaviour_poses_from_clip(BehaviourClipMoments.read(source, len(keys.at)), body, keys, poses)
        written = source.table.inner("poses")
        own = {name: _behaviour_pose_angles(written, name, len(keys.at)) for name in written.keys}
        sided = {f"{side}_{name}" for name in own for side in SIDES}  # one-sided angles that `own` replaces
        poses = {name: values for name, values in poses.items() if name not in sided} | own
    return poses


def _behaviour_poses_by_side(poses: Poses, free: dict[str, Freedom]) -> tuple[Poses, dict[str, Freedom]]:
    """If a limb angle has a left and a right entry, drop its entry without a side and give its freedom to both."""
    sides = {name: [f"{side}_{name}" for side in SIDES] for name in poses}
    both = {name: own for name, own in sides.items() if poses.keys() >= set(own)}
    freed = {side: free[name] for name, own in both.items() if name in free for side in own}
    kept = {name: values for name, values in poses.items() if name not in both}
    return kept, freed | {name: freedom for name, freedom in free.items() if name not in both}


def _behaviour_pose_angles(table: TomlTable, name: str, count: int) -> tuple[float, ...]:
    with table.blaming(name):
        known_name("angle", name, (*ANGLES, *LIMB_ANGLES))
    values = _number_list(table, name)
    if len(values) != count:
        raise table.fail(f"'{name}' has {len(values)} angles for {count} poses", name)
    return values


def _merged_behaviour_numbers(chain: Sequence[MotionSource], section: str) -> dict[str, float]:
    """Numbers by name in a table, merged over the chain of files. Later files override earlier files."""
    out: dict[str, float] = {}
    for source in chain:
        table = source.table.inner(section)
        out |= {name: table.number(name) for name in table.keys}
    return out


def _number_list(table: TomlTable, name: str) -> tuple[float, ...]:
    value = table.raw(name)
    if not isinstance(value, list) or not value or not all(map(is_number, value)):
        raise table.fail(f"'{name}' must be a list of numbers, not {value!r}", name)
    return tuple(float(each) for each in value)


def _read_behaviour_freedom(table: TomlTable, name: str) -> Freedom:
    """Read a spread of [tune]: 5 is in the unit of the number `name`, "10%" is a share of this number."""
    text = str(table.raw(name))
    relative = text.endswith("%")
    try:
        spread = float(text.removesuffix("%")) / (100.0 if relative else 1.0)
    except ValueError:
        spread = math.nan
    if not 0 < spread < math.inf:
        raise table.fail(f"'{name}' must be a positive number or a percentage, not {table.raw(name)!r}", name)
    return Freedom(spread, relative)


# Writing tuned files

_SECTION = re.compile(r"^\s*\[(\w+)\]\s*(#.*)?$")
_ENTRY = re.compile(r"^(\s*(\w+)\s*=\s*)(\[[^\]]*\]|[^#\s]+)(.*)$")
_FOUND = "found"


def behaviour_text(behaviour: Behaviour, text: str, found: Mapping[str, float | int | str]) -> str:
    """A file's `text` with the behaviour's present free numbers, and the results `found` as a last table [found]."""
    missing = behaviour.free_numbers
    lines, section = [], ""
    for line in text.splitlines():
        heading = _SECTION.match(line)
        section = heading.group(1) if heading else section
        entry = _ENTRY.match(line)
        if section == _FOUND:
            continue
        if entry and (section, entry.group(2)) in missing:
            value = missing.pop((section, entry.group(2)))
            line = f"{entry.group(1)}{_behaviour_numbers_as_toml(value)}{entry.group(4)}"
        lines.append(line)
    # Of a limb angle without a side, its one-sided entries are written too: else reading the file drops them.
    names = (f"{side}_{name}" for section, name in missing if section == "poses" for side in SIDES)
    sided = {("poses", name): behaviour.poses[name] for name in names if name in behaviour.poses}
    _insert_inherited_behaviour_numbers(lines, missing | sided)
    while lines and not lines[-1].strip():
        lines.pop()
    quoted = {name: f'"{value}"' if isinstance(value, str) else repr(value) for name, value in found.items()}
    entries = [f"{name} = {value}" for name, value in quoted.items()]
    return "\n".join([*lines, "", f"[{_FOUND}]", *entries]) + "\n"


def _insert_inherited_behaviour_numbers(
    lines: list[str], missing: Mapping[tuple[str, str], float | tuple[float, ...]]
) -> None:
    """Insert the `missing` numbers, which the file inherits, at the heads of their tables. Changes `lines` in place."""
    for (section, name), value in missing.items():
        heads = [k for k, line in enumerate(lines) if (head := _SECTION.match(line)) and head.group(1) == section]
        if not heads:
            lines += ["", f"[{section}]"]
            heads = [len(lines) - 1]
        lines.insert(heads[0] + 1, f"{name} = {_behaviour_numbers_as_toml(value)}")


def _behaviour_numbers_as_toml(value: float | tuple[float, ...]) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_behaviour_numbers_as_toml(each) for each in value) + "]"
    return repr(float(f"{value:.4g}"))
