"""What an import found and changed, as values and as a report."""

import textwrap
from dataclasses import asdict, dataclass
from typing import Any

from poise.arrays import brief_repr
from poise.motion.clip import Clip

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
