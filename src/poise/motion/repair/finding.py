"""The user's settings of an import, and what the import found and changed, as values and as a report."""

import textwrap
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from poise.arrays import brief_repr
from poise.errors import PoiseError, known_name
from poise.motion.clip import Clip

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
        if isinstance(self.unit, str):
            known_name("unit", self.unit, UNITS)
        for option in fields(self):
            value, valid = getattr(self, option.name), option.metadata.get("choices")
            if valid and value is not None:
                known_name(f"value of {option.name}", str(value), valid)
        if self.up and self.facing and self.up[1] == self.facing[1]:
            raise PoiseError(f"up {self.up} and facing {self.facing} cannot lie along one axis")
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

    def over(self, others: "ImportSettings") -> "ImportSettings":
        """These settings, completed by `others` where these are None."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(others, **{name: value for name, value in given.items() if value is not None})


FIND_OUT = ImportSettings()  # No overrides: everything is determined from the file


WIDTH = 72  # columns of text in reports


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    name: str
    found: str  # what the file shows
    done: str  # what was changed because of `found`
    override: str  # the setting that overrides the decision; "" if nothing is ever changed
    value: Any  # the result as a plain value for JSON
    confidence: float | None = None  # 0 to 1; None if not graded


@dataclass(frozen=True, eq=False)
class Imported:
    """A clip in Poise's conventions and the findings of its import."""

    clip: Clip
    findings: tuple[Finding, ...]

    def finding(self, name: str) -> Finding:
        """The finding of this name."""
        return next(finding for finding in self.findings if finding.name == name)

    def as_dict(self) -> dict[str, Any]:
        """All findings as plain values for JSON, by name."""
        return {finding.name: {k: v for k, v in asdict(finding).items() if k != "name"} for finding in self.findings}

    __repr__ = brief_repr


def import_report(imported: Imported) -> str:
    """A text table with, for each finding, what was found, what was done and which setting overrides the decision."""
    clip = imported.clip
    timing = f"{clip.frames} frames at {clip.rate:g} fps, {clip.seconds:.2f} s"
    lines = [f"{clip.name}: {timing}, {clip.skeleton.count} joints", ""]
    wide = max(len(finding.name) for finding in imported.findings)
    for finding in imported.findings:
        sure = "" if finding.confidence is None else f" ({min(finding.confidence, 0.99):.0%} sure)"
        texts = [finding.found + sure, f"-> {finding.done}"]
        if finding.override:
            texts.append(f"override: --{finding.override}")
        rows = [row for text in texts for row in textwrap.wrap(text, WIDTH, subsequent_indent="   ")]
        lines += [f"{finding.name if k == 0 else '':{wide}}  {row}" for k, row in enumerate(rows)]
    return "\n".join(lines)
