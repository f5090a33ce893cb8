"""A motion prepared as asked for in words: a file in, a reference and pictures of it out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from poise.errors import PoiseError
from poise.export import export
from poise.files import check_writable
from poise.motion.repair import ImportSettings
from poise.reference.archive import save_prepared
from poise.reference.bodyclip import BodyClip
from poise.reference.cast import OWN, load_body
from poise.reference.edit import edited, parse_edit
from poise.reference.feet import FootSettings
from poise.reference.preparing import Prepared, prepare

FILES = ("reference.npz", "motion.bvh", "page.html")
"""What a prepared motion is written to."""


@dataclass(frozen=True)
class PreparedFiles:
    """What came of a preparation."""

    prepared: Prepared
    clip: BodyClip  # with the edits
    summary: dict[str, Any]

    def text(self) -> str:
        """The summary for people."""
        clip, summary = self.clip, self.summary
        worst = max(summary["retarget_error"].items(), key=lambda item: item[1], default=("nothing", 0.0))
        bears = ", ".join(f"{name} {100 * share:.0f} %" for name, share in summary["contacts"].items())
        return "\n".join([
            f"{clip.name}: {clip.frames} frames at {clip.rate:g} fps, {clip.seconds:.2f} s, on {clip.body.name} "
            f"({clip.body.nv - 6} joint DOF, {clip.body.mass:.1f} kg)",
            f"retargeting error: at most {worst[1]:.3g} ({worst[0]})",
            f"on the ground: {bears}",
            *(f"wrote {path}" for path in summary["files"]),
        ])  # fmt: skip


@dataclass(frozen=True)
class Preparation:
    """Everything that decides how a motion is prepared."""

    motion: Path
    body: str = OWN
    mass: float | None = None  # kg, of a body that is built
    span: tuple[float, float] | None = None  # s
    clearance: float | None = None  # m, least height of swinging feet
    edits: tuple[str, ...] = ()
    imports: ImportSettings = field(default_factory=ImportSettings)

    def run(self, folder: Path) -> PreparedFiles:
        """Prepare and write the files into a folder."""
        check_writable(folder)
        edits = [parse_edit(text) for text in self.edits]
        own = self.body == OWN
        if self.mass is not None and not own:
            raise PoiseError(f"body '{self.body}' has its own mass: --mass is for bodies that are built")
        prepared = prepare(
            self.motion,
            None if own else load_body(self.body),
            imports=self.imports,
            feet=FootSettings(clearance=self.clearance),
            mass=self.mass,
            span=self.span,
        )
        clip = edited(prepared.clip, *edits)
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / name for name in FILES]
        save_prepared(clip, paths[0])
        for path in paths[1:]:
            export(clip, path)
        summary = {**prepared.as_dict(), "edits": list(self.edits), "files": [str(path) for path in paths]}
        return PreparedFiles(prepared, clip, summary)
