"""Motion source files (TOML): shipped sources are read by name, the user's own by path."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poise.arrays import Frozen
from poise.errors import PoiseError, unknown_name
from poise.toml_reader import TomlTable, is_number

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


def read_table(
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
    path, table = read_table("motion", name_or_path, _FOLDER, shipped_names())
    kind = table.get("kind")
    if not isinstance(kind, str):
        raise PoiseError(f"{path.name}: 'kind' must name the kind of motion, such as \"gait\"")
    return MotionSource(path.stem, path, kind, Frozen(table))
