"""User settings of an import; what is not set is determined from the file."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from poise.errors import PoiseError, unknown_name

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "foot": 0.3048, "cmu": 0.0254 / 0.45}
"""Metres per unit; "cmu" is that of the CMU motion-capture database, 1/0.45 inch."""

AXES = ("+x", "-x", "+y", "-y", "+z", "-z")


def _import_field(help: str, **more: Any) -> Any:
    """A field with default None; the command line options are made from `help` and `choices`."""
    return field(default=None, metadata={"help": help, **more})


@dataclass(frozen=True)
class ImportSettings:
    """One override for each decision of an import; None decides from the file."""

    unit: float | str | None = _import_field("unit of length: metres, or one of " + ", ".join(UNITS))
    up: str | None = _import_field("axis of the file that points up", choices=AXES)
    facing: str | None = _import_field("axis of the file that the upright figure faces", choices=AXES)
    tpose: Literal["drop", "keep"] | None = _import_field("drop or keep a leading T-pose", choices=("drop", "keep"))
    leading: int | None = _import_field("frames to cut at the start, in addition to a T-pose; 0 cuts none")
    rate: float | None = _import_field("frames per second")
    offsets: Literal["file", "motion"] | None = _import_field(
        "source of bone lengths if the file also gives every joint a position", choices=("file", "motion")
    )
    thorax: bool | None = _import_field("restore the missing bone between chest and shoulders")
    floor: float | None = _import_field("height of the floor in the file, m; 0 leaves the figure where it is")
    overlap: Literal["apart", "keep"] | None = _import_field(
        "move links of the body apart where they pass through each other, or keep them", choices=("apart", "keep")
    )

    def __post_init__(self) -> None:
        """Raise if a setting is invalid."""
        if isinstance(self.unit, str) and self.unit not in UNITS:
            raise unknown_name("unit", self.unit, UNITS)
        for name in ("up", "facing"):
            value = getattr(self, name)
            if value is not None and value not in AXES:
                raise unknown_name(f"axis for {name}", value, AXES)
        if self.up and self.facing and self.up[1] == self.facing[1]:
            raise PoiseError(f"up {self.up} and facing {self.facing} cannot lie along one axis")
        words = {"tpose": "value of tpose", "offsets": "source of offsets", "overlap": "value of overlap"}
        for option in fields(self):
            valid = option.metadata.get("choices", ())
            if option.name in words and getattr(self, option.name) not in (None, *valid):
                raise unknown_name(words[option.name], str(getattr(self, option.name)), valid)
        for name in ("unit", "rate"):
            value = getattr(self, name)
            if isinstance(value, int | float) and not 0 < value < float("inf"):
                raise PoiseError(f"{name} must be positive, not {value}")
        if self.floor is not None and not abs(self.floor) < float("inf"):
            raise PoiseError(f"floor must be a finite height, not {self.floor}")
        if self.leading is not None and self.leading < 0:
            raise PoiseError(f"leading must not be negative, not {self.leading}")

    @property
    def metres(self) -> float | None:
        """Metres per unit, if the unit is given."""
        return UNITS[self.unit] if isinstance(self.unit, str) else self.unit

    def over(self, others: ImportSettings) -> ImportSettings:
        """These settings, completed by `others` where these are None."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(others, **{name: value for name, value in given.items() if value is not None})


FIND_OUT = ImportSettings()  # No overrides: everything is determined from the file
