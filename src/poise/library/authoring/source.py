"""Source files of motions: small TOML files, those that come with Poise by name and a user's own by path."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poise.arrays import Frozen
from poise.errors import PoiseError, unknown

_FOLDER = Path(__file__).parent.parent / "shipped"


@dataclass(frozen=True, eq=False)
class MotionSource:
    """What a source file says."""

    name: str
    path: Path
    kind: str  # what sort of motion it is, and so who reads the rest
    table: Mapping[str, Any]

    @property
    def title(self) -> str:
        """One line that tells what the motion is."""
        return str(self.table.get("title", self.name))

    def fail(self, message: str) -> PoiseError:
        """The error for something wrong in the file."""
        return PoiseError(f"{self.path.name}: {message}")

    def check(self, fields: Collection[str]) -> None:
        """Raise a PoiseError for whatever the file says that nobody reads."""
        for field in self.table:
            if field not in fields:
                raise unknown(f"field in {self.path.name}", field, fields)

    def positive(self, field: str) -> float:
        """A number of the file that is more than 0."""
        value = self.number(field)
        if value <= 0:
            raise self.fail(f"'{field}' must be more than 0, not {value:g}")
        return value

    def number(self, field: str, default: float | None = None) -> float:
        """A number of the file, finite; what is not told must have a default."""
        value = self.table.get(field, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
            raise self.fail(f"'{field}' must be a number, not {value!r}")
        return float(value)

    def text(self, field: str) -> str:
        """A line of text of the file."""
        value = self.table.get(field)
        if not isinstance(value, str):
            raise self.fail(f"'{field}' must be a text, not {value!r}")
        return value

    def interval(self, what: str, told: object) -> tuple[float, float]:
        """From where to where something is, as [from, to] tells."""
        match told:
            case [int() | float() as start, int() | float() as stop] if start <= stop:
                return float(start), float(stop)
        raise self.fail(f"{what} must be [from, to], not {told!r}")

    def section(self, field: str) -> Mapping[str, Any]:
        """A table of the file; empty if there is none."""
        value = self.table.get(field, {})
        if not isinstance(value, Mapping):
            raise self.fail(f"[{field}] must be a table, not {value!r}")
        return value

    def other(self, field: str) -> MotionSource:
        """The source that a field names: one that comes with Poise, or a file (.toml) seen from this file's folder."""
        name = self.text(field)
        if not name.endswith(".toml") and name not in shipped_names():
            raise unknown(f"motion in '{field}' of {self.path.name}", name, shipped_names())
        return read_source(self.path.parent / name if name.endswith(".toml") else name)


def read_table(
    what: str, name_or_path: str | Path, folder: Path, names: tuple[str, ...]
) -> tuple[Path, dict[str, Any]]:
    """A TOML file, and what it says: by one of the `names` from a folder, or a user's own by its path."""
    path = Path(name_or_path)
    if path.suffix != ".toml":
        if str(name_or_path) not in names:
            raise unknown(what, str(name_or_path), names)
        path = folder / f"{name_or_path}.toml"
    try:
        return path, tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PoiseError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PoiseError(f"{path.name} is no TOML file: {error}") from None


def shipped_names() -> tuple[str, ...]:
    """Names of the motions whose sources come with Poise."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def read_source(name_or_path: str | Path) -> MotionSource:
    """A source that comes with Poise, or a user's own if the name ends in .toml."""
    path, table = read_table("motion", name_or_path, _FOLDER, shipped_names())
    kind = table.get("kind")
    if not isinstance(kind, str):
        raise PoiseError(f"{path.name}: 'kind' must say what sort of motion it is, such as \"gait\"")
    return MotionSource(path.stem, path, kind, Frozen(table))
