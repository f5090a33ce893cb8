"""Motion source files (TOML): shipped sources are read by name, the user's own by path; and sources of timed key poses.

A key pose names angles in degrees; a limb angle without a side applies to both sides. Angles that the pose of the first
key does not name are 0. In later poses, angles that are not named have no key; `like` copies those of an earlier pose.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from poise.arrays import Frozen
from poise.errors import PoiseError, unknown_name
from poise.library.authoring.curves import CurveKeys
from poise.library.authoring.figure import ANGLES, LIMB_ANGLES, both_sides_of_source_angle
from poise.retarget.figure import SIDES
from poise.toml_reader import TomlTable, is_number

Parsed = TypeVar("Parsed")
_FOLDER = Path(__file__).parent.parent / "shipped"


@dataclass(frozen=True, eq=False)
class MotionSource:
    """The content of a source file, with checked access to its fields."""

    name: str
    path: Path
    kind: str  # "gait", "keyed", ...: selects the function that builds the motion (see `poise.library.motions.KINDS`)
    table: Mapping[str, Any]

    @property
    def title(self) -> str:
        """One-line description of the motion."""
        return str(self.table.get("title", self.name))

    def fail(self, message: str) -> PoiseError:
        """Return a PoiseError whose text begins with the file's name."""
        return PoiseError(f"{self.path.name}: {message}")

    def check(self, fields: Collection[str]) -> None:
        """Raise a PoiseError if the file has a field that is not one of `fields`."""
        for field in self.table:
            if field not in fields:
                raise unknown_name(f"field in {self.path.name}", field, fields)

    def positive(self, field: str, default: float | None = None) -> float:
        """Return the number in a field, which must be greater than 0. Without a default the field must be present."""
        value = self.number(field, default)
        if value <= 0:
            raise self.fail(f"'{field}' must be more than 0, not {value:g}")
        return value

    def count(self, field: str) -> float:
        """Return the number in a field, which must be present, whole and greater than 0."""
        value = self.positive(field)
        if value != round(value):
            raise self.fail(f"'{field}' must be a whole number, not {value:g}")
        return value

    def number(self, field: str, default: float | None = None) -> float:
        """Return the number in a field, which must be finite. Without a default the field must be present."""
        value = self.table.get(field, default)
        if not is_number(value):
            raise self.fail(f"'{field}' must be a number, not {value!r}")
        return float(value)

    def text(self, field: str) -> str:
        """Return the text in a field, which must be present."""
        value = self.table.get(field)
        if not isinstance(value, str):
            raise self.fail(f"'{field}' must be a text, not {value!r}")
        return value

    def interval(self, what: str, value: object) -> tuple[float, float]:
        """Return `value`, which must be a list [from, to] in order, as a tuple. `what` names the value in errors."""
        match value:
            case [int() | float() as start, int() | float() as stop] if start <= stop:
                return float(start), float(stop)
        raise self.fail(f"{what} must be [from, to], not {value!r}")

    def parsed(self, what: str, text: str, parse: Callable[[str], Parsed]) -> Parsed:
        """Return what `parse` makes of a text. Raise a PoiseError that begins with `what` for its ValueError."""
        try:
            return parse(text)
        except ValueError as error:
            raise self.fail(f"{what} {error}") from None

    def section(self, field: str) -> Mapping[str, Any]:
        """Return the sub-table [field]; empty if the file has none."""
        value = self.table.get(field, {})
        if not isinstance(value, Mapping):
            raise self.fail(f"[{field}] must be a table, not {value!r}")
        return value

    def other(self, field: str) -> MotionSource:
        """Read the source that a field names: a shipped source, or a .toml path relative to the folder of this file."""
        name = self.text(field)
        if not name.endswith(".toml") and name not in shipped_names():
            raise unknown_name(f"motion in '{field}' of {self.path.name}", name, shipped_names())
        return read_source(self.path.parent / name if name.endswith(".toml") else name)


def read_source_table(
    what: str, name_or_path: str | Path, folder: Path, names: tuple[str, ...]
) -> tuple[Path, dict[str, Any]]:
    """Read a TOML file, given by path or by one of the `names` in `folder`; return the file's path and content.

    `what` names the kind of file in the error for an unknown name.
    """
    path = Path(name_or_path)
    if path.suffix != ".toml":
        if str(name_or_path) not in names:
            raise unknown_name(what, str(name_or_path), names)
        path = folder / f"{name_or_path}.toml"
    table = TomlTable.read(path)
    return path, {key: table.raw(key) for key in table.keys}


def shipped_names() -> tuple[str, ...]:
    """Names of the motions whose sources ship with Poise, sorted."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def read_source(name_or_path: str | Path) -> MotionSource:
    """Read a shipped source by name, or the user's own file if the name ends in .toml."""
    path, table = read_source_table("motion", name_or_path, _FOLDER, shipped_names())
    kind = table.get("kind")
    if not isinstance(kind, str):
        raise PoiseError(f"{path.name}: 'kind' must name the kind of motion, such as \"gait\"")
    return MotionSource(path.stem, path, kind, Frozen(table))


RATE = 120.0  # frames per second

Bearing = Literal["balanced", "held", "rolling"]
Rhythm = Literal["seconds", "pendulum"]
Interval = tuple[float, float]  # s, both ends included

PATH = ("ahead", "aside")  # offset of the centre of mass from the supports, forward and left, per m of leg length
PARTS = ("heel", "ball", "hand", "bar")
_FIELDS = ("kind", "title", "cyclic", "bearing", "keys", "poses", "contacts", "travel", "clearance", "rhythm")


@dataclass(frozen=True, eq=False)
class KeyedSource:
    """A motion given by poses at key times."""

    name: str
    seconds: float
    cyclic: bool
    bearing: Bearing  # what places the pelvis: balance over the feet, holding hands, or rolling on the lowest parts
    rhythm: Rhythm  # times are in seconds, or are stretched so that the motion lasts one period of the hanging body
    times: tuple[float, ...]  # s, of the keys
    curves: Mapping[str, CurveKeys]  # by full name of an angle (degrees) or name in PATH
    contacts: Mapping[str, tuple[Interval, ...]]  # intervals in which left_heel, right_hand, ... are down
    travel: float  # m per m of leg length, distance from the footprints before a flight to the footprints after it
    clearance: float  # m per m of leg length, height of the toes in the first pose if hands hold a bar


def read_keyed_source(source: MotionSource) -> KeyedSource:
    """Read and check a source of kind "keyed"; a PoiseError names what is wrong."""
    source.check(_FIELDS)
    times, poses = _keys_of_keyed_source(source)
    cyclic = source.table.get("cyclic", False)
    if not isinstance(cyclic, bool):
        raise source.fail(f"'cyclic' must be true or false, not {cyclic!r}")
    bearing, rhythm = source.table.get("bearing", "balanced"), source.table.get("rhythm", "seconds")
    if bearing not in get_args(Bearing):
        raise unknown_name(f"bearing in {source.path.name}", str(bearing), get_args(Bearing))
    if rhythm not in get_args(Rhythm):
        raise unknown_name(f"rhythm in {source.path.name}", str(rhythm), get_args(Rhythm))
    curves, contacts = _angle_keys_of_source(times, poses, cyclic), _contact_intervals_of_source(source)
    travel, clearance = source.number("travel", 0.0), source.number("clearance", 0.0)
    tables = Frozen(curves), Frozen(contacts)
    return KeyedSource(source.name, times[-1], cyclic, bearing, rhythm, times, *tables, travel, clearance)


def stretched_keyed_source(motion: KeyedSource, factor: float) -> KeyedSource:
    """Multiply all times of a motion by a factor."""
    pairs = motion.contacts.items()
    contacts = {part: tuple((factor * start, factor * end) for start, end in spans) for part, spans in pairs}
    return replace(
        motion,
        seconds=factor * motion.seconds,
        times=tuple(factor * time for time in motion.times),
        curves=Frozen({name: replace(keys, times=factor * keys.times) for name, keys in motion.curves.items()}),
        contacts=Frozen(contacts),
    )


def _keys_of_keyed_source(source: MotionSource) -> tuple[tuple[float, ...], list[dict[str, float]]]:
    """Times (s) of the keys, and for each key the angles of its pose by full name."""
    written, keys = source.section("poses"), source.table.get("keys", ())
    pairs = isinstance(keys, list) and len(keys) >= 2 and all(isinstance(key, list) and len(key) == 2 for key in keys)
    if not pairs or not all(isinstance(time, int | float) and isinstance(pose, str) for time, pose in keys):
        raise source.fail("'keys' must be a list of at least two [time, pose]")
    times = tuple(float(time) for time, _ in keys)
    if times[0] != 0 or np.any(np.diff(times) <= 0):
        raise source.fail("the times of 'keys' must begin at 0 and increase")
    poses: dict[str, dict[str, float]] = {keys[0][1]: dict.fromkeys((*ANGLES, *PATH), 0.0)}
    for pose, angles in written.items():
        if not isinstance(angles, Mapping):
            raise source.fail(f"pose '{pose}' must be a table of angles")
        like = angles.get("like", pose)
        if like != pose and like not in list(written)[: list(written).index(pose)]:
            raise unknown_name(f"earlier pose in {source.path.name}", str(like), written)
        poses[pose] = poses.get(like, {}) | _full_source_angles(source, pose, angles)
    for _, pose in keys:
        if pose not in written:
            raise unknown_name(f"pose in {source.path.name}", pose, written)
    return times, [poses[pose] for _, pose in keys]


def _full_source_angles(source: MotionSource, pose: str, angles: Mapping[str, Any]) -> dict[str, float]:
    """The angles of a pose by full name. An angle with a side overrides the angle without a side."""
    out: dict[str, float] = {}
    for name in sorted(angles.keys() - {"like"}, key=lambda word: (word.startswith(SIDES), word)):
        if not isinstance(angles[name], int | float):
            raise source.fail(f"{name} of pose '{pose}' must be a number")
        for each in both_sides_of_source_angle(name):
            if each not in ANGLES and each not in PATH:
                what = f"angle of pose '{pose}' in {source.path.name}"
                raise unknown_name(what, name, (*ANGLES, *LIMB_ANGLES, *PATH))
            out[each] = float(angles[name])
    return out


def _angle_keys_of_source(
    times: tuple[float, ...], poses: list[dict[str, float]], cyclic: bool
) -> dict[str, CurveKeys]:
    """By angle, for each angle that is not always 0: its keys."""
    out = {}
    for name in poses[0]:
        keys = [(time, pose[name]) for time, pose in zip(times, poses, strict=True) if name in pose]
        at, values = np.array(keys).T
        if np.any(values):
            out[name] = CurveKeys(at, values, cyclic and at[-1] == times[-1])
    return out


def _contact_intervals_of_source(source: MotionSource) -> dict[str, tuple[Interval, ...]]:
    """By part with its side, such as left_heel: the intervals (s) in which the part is in contact."""
    out: dict[str, tuple[Interval, ...]] = {}
    written = source.section("contacts")
    for part in sorted(written, key=lambda word: word.startswith(SIDES)):
        full = [f"{side}_{part}" for side in SIDES] if part in PARTS else [part]
        if full[0].partition("_")[2] not in PARTS:
            raise unknown_name(f"contact in {source.path.name}", part, PARTS)
        for each in full:
            pairs = written[part] if isinstance(written[part], list) else [written[part]]
            out[each] = tuple(source.interval(f"each interval of contact '{part}'", pair) for pair in pairs)
    return out
