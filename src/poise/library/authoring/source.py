"""Motion source files (TOML): shipped sources are read by name, the user's own by path; and sources of timed key poses.

A key pose names angles in degrees; a limb angle without a side applies to both sides. Angles that the pose of the first
key does not name are 0. In later poses, angles that are not named have no key; `like` copies those of an earlier pose.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar, get_args

import numpy as np

from poise.arrays import Frozen
from poise.errors import known_name, unknown_name
from poise.library.authoring.curves import CurveKeys
from poise.library.authoring.figure import ANGLES, LIMB_ANGLES, both_sides_of_source_angle
from poise.retarget.figure import SIDES
from poise.toml_reader import TomlTable

Parsed = TypeVar("Parsed")
_FOLDER = Path(__file__).parent.parent / "shipped"


@dataclass(frozen=True, eq=False)
class MotionSource:
    """A source file: its path, and checked access to its fields."""

    path: Path
    table: TomlTable

    @property
    def name(self) -> str:
        """Name of the motion."""
        return self.path.stem

    @property
    def kind(self) -> str:
        """Kind of motion, such as "gait": selects the function that builds it (see `poise.library.motions.KINDS`)."""
        return self.table.text("kind")

    @property
    def title(self) -> str:
        """One-line description of the motion."""
        return self.table.text("title", self.name)

    def interval(self, what: str, value: object) -> tuple[float, float]:
        """Return `value`, which must be a list [from, to] in order, as a tuple. `what` names the value in errors."""
        match value:
            case [int() | float() as start, int() | float() as stop] if start <= stop:
                return float(start), float(stop)
        raise self.table.fail(f"{what} must be [from, to], not {value!r}")

    def parsed(self, what: str, text: str, parse: Callable[[str], Parsed]) -> Parsed:
        """Return what `parse` makes of a text. Raise a PoiseError that begins with `what` for its ValueError."""
        try:
            return parse(text)
        except ValueError as error:
            raise self.table.fail(f"{what} {error}") from None

    def other(self, field: str) -> "MotionSource":
        """Read the source that a field names: a shipped source, or a .toml path relative to the folder of this file."""
        name = self.table.text(field)
        with self.table.blaming(field):
            return read_source(self.path.parent / name if name.endswith(".toml") else name)


def shipped_names(folder: Path = _FOLDER) -> tuple[str, ...]:
    """Names of the source files in a folder, sorted; by default of the motions that ship with Poise."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def read_source(name_or_path: str | Path, folder: Path = _FOLDER, what: str = "motion") -> MotionSource:
    """Read a source by name from a folder, or the user's own file if the name ends in .toml.

    `what` names the kind of file in the error for an unknown name.
    """
    path = Path(name_or_path)
    if path.suffix != ".toml":
        path = folder / f"{known_name(what, str(name_or_path), shipped_names(folder))}.toml"
    return MotionSource(path, TomlTable.read(path))


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
    table = source.table
    table.check(_FIELDS)
    times, poses = _keys_of_keyed_source(table)
    cyclic, bearing, rhythm = table.flag("cyclic"), table.raw("bearing", "balanced"), table.raw("rhythm", "seconds")
    known_name(f"bearing in {source.path.name}", str(bearing), get_args(Bearing))
    known_name(f"rhythm in {source.path.name}", str(rhythm), get_args(Rhythm))
    tables = Frozen(_angle_keys_of_source(times, poses, cyclic)), Frozen(_contact_intervals_of_source(source))
    travel, clearance = table.number("travel", 0.0), table.number("clearance", 0.0)
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


def _keys_of_keyed_source(table: TomlTable) -> tuple[tuple[float, ...], list[dict[str, float]]]:
    """Times (s) of the keys, and for each key the angles of its pose by full name."""
    written, keys = table.inner("poses"), table.raw("keys", ())
    pairs = isinstance(keys, list) and len(keys) >= 2 and all(isinstance(key, list) and len(key) == 2 for key in keys)
    if not pairs or not all(isinstance(time, int | float) and isinstance(pose, str) for time, pose in keys):
        raise table.fail("'keys' must be a list of at least two [time, pose]", "keys")
    times = tuple(float(time) for time, _ in keys)
    if times[0] != 0 or np.any(np.diff(times) <= 0):
        raise table.fail("the times of 'keys' must begin at 0 and increase", "keys")
    poses: dict[str, dict[str, float]] = {keys[0][1]: dict.fromkeys((*ANGLES, *PATH), 0.0)}
    for number, pose in enumerate(written.keys):
        angles = written.inner(pose)
        like = angles.text("like", pose)
        if like != pose and like not in written.keys[:number]:
            raise angles.blame(unknown_name("earlier pose", like, written.keys), "like")
        poses[pose] = poses.get(like, {}) | _full_source_angles(angles)
    with table.blaming("keys"):
        return times, [poses[known_name("pose", pose, written.keys)] for _, pose in keys]


def _full_source_angles(angles: TomlTable) -> dict[str, float]:
    """The angles of a pose by full name. An angle with a side overrides the angle without a side."""
    out: dict[str, float] = {}
    for name in sorted({*angles.keys} - {"like"}, key=lambda word: (word.startswith(SIDES), word)):
        with angles.blaming(name):
            known_name("angle", name, (*ANGLES, *LIMB_ANGLES, *PATH))
        out |= dict.fromkeys(both_sides_of_source_angle(name), angles.number(name))
    return out


def _angle_keys_of_source(
    times: tuple[float, ...], poses: list[dict[str, float]], cyclic: bool
) -> dict[str, CurveKeys]:
    """Keys by name of angle, without angles that are always 0."""
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
    written = source.table.inner("contacts")
    for part in sorted(written.keys, key=lambda word: word.startswith(SIDES)):
        full = [f"{side}_{part}" for side in SIDES] if part in PARTS else [part]
        if full[0].partition("_")[2] not in PARTS:
            raise written.blame(unknown_name("contact", part, PARTS), part)
        spans = written.raw(part) if isinstance(written.raw(part), list) else [written.raw(part)]
        for each in full:
            out[each] = tuple(source.interval(f"each interval of contact '{part}'", span) for span in spans)
    return out
