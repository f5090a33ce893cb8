"""What an import found and did, for people and for programs."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from typing import Any

from poise.motion.clip import Clip

WIDTH = 72  # of the text in reports


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    name: str
    found: str  # what the file shows, in plain words
    done: str  # what was changed because of it
    override: str  # the setting that decides otherwise; "" where nothing is ever changed
    value: Any  # the result, for programs: plain values that JSON knows
    confidence: float | None = None  # 0 to 1, where it is more than a yes or no


@dataclass(frozen=True, eq=False)
class Imported:
    """A clip in our conventions and the story of how it got there."""

    clip: Clip
    findings: tuple[Finding, ...]

    def finding(self, name: str) -> Finding:
        """The finding of a name."""
        return next(finding for finding in self.findings if finding.name == name)

    def as_dict(self) -> dict[str, Any]:
        """All findings as plain values for JSON, by name."""
        return {finding.name: {k: v for k, v in asdict(finding).items() if k != "name"} for finding in self.findings}


def report(imported: Imported) -> str:
    """A readable table of what was found, what was done and what overrides it."""
    clip = imported.clip
    title = (
        f"{clip.name}: {clip.frames} frames at {clip.rate:g} fps, {clip.seconds:.2f} s, {clip.skeleton.count} joints"
    )
    wide = max(len(finding.name) for finding in imported.findings)
    lines = [title, ""]
    for finding in imported.findings:
        sure = "" if finding.confidence is None else f" ({min(finding.confidence, 0.99):.0%} sure)"
        texts = [finding.found + sure, f"-> {finding.done}"]
        if finding.override:
            texts.append(f"override: --{finding.override}")
        rows = [row for text in texts for row in textwrap.wrap(text, WIDTH, subsequent_indent="   ")]
        lines += [f"{finding.name if k == 0 else '':{wide}}  {row}" for k, row in enumerate(rows)]
    return "\n".join(lines)
