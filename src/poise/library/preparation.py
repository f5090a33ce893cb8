"""Preparation of a motion file: import, retarget, edit, optionally optimise, and write reference, BVH and page."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from poise.edit.parse import parse_edit
from poise.edit.take import Edit, edited
from poise.errors import PoiseError
from poise.export.formats import export
from poise.export.look import Shown, shown
from poise.export.page import write_page
from poise.files import check_targets, check_writable
from poise.library.bodies import OWN, load_body
from poise.motion.repair.finding import report
from poise.motion.repair.settings import ImportSettings
from poise.physics.consistent import Physics, parse_variation, with_physics
from poise.physics.interior import Progress, unwatched
from poise.physics.recorded import rehearsed
from poise.progress import Say, in_silence
from poise.reference.archive import FILE, save_prepared
from poise.reference.body_clip import BodyClip
from poise.retarget.error_report import cleaning_line, contact_line, error_table, retargeting_line
from poise.retarget.foot_cleanup import FootSettings
from poise.retarget.prepare import Prepared, changes, prepare
from poise.world.recording import Recording
from poise.world.terrain_kinds import parse_terrain

FILES = (FILE, "motion.bvh", "page.html")  # Output files of a preparation


@dataclass(frozen=True)
class PreparedFiles:
    """The result of a preparation."""

    prepared: Prepared
    summary: dict[str, Any]
    physics: Physics | None = None  # if it was optimised to obey physics

    def text(self, full: bool = False) -> str:
        """The summary as text; `full` adds all findings of the import and the retargeting error of every part."""
        clip, body = self.prepared.clip, self.prepared.clip.body
        imported, retargeted = self.prepared.imported, self.prepared.retargeted
        return "\n".join([
            *([report(imported), "", *error_table(retargeted)] if full else changes(imported)),
            f"{clip.name}: {clip.frames} frames at {clip.rate:g} fps, {clip.seconds:.2f} s{', a cycle' * clip.cyclic}, "
            f"on {'a body built for' if body.rigging else 'body'} {body.name} "
            f"({body.nv - 6} joint DOF, {body.mass:.1f} kg)",
            retargeting_line(retargeted),
            cleaning_line(self.prepared.cleaned),
            *([contact_line(clip)] if clip.parts else []),
            *([] if self.physics is None else self.physics.lines()),
            *(f"wrote {path}" for path in self.summary["files"]),
        ])  # fmt: skip


@dataclass(frozen=True)
class Preparation:
    """Everything that determines how a motion is prepared."""

    motion: Path
    body: str = OWN
    mass: float | None = None  # kg, only for a body that is built
    span: tuple[float, float] | None = None  # s, part of the file to use
    clearance: float | None = None  # m, minimum height of swing feet
    smoothing: float | None = None  # cut-off frequency (Hz), 0 for no smoothing; None for the default
    edits: tuple[str, ...] = ()
    terrain: str = "flat"  # shown on the page
    dynamic: bool = False  # whether to optimise it so that it obeys physics
    vary: tuple[str, ...] = ()  # variations for the optimiser
    imports: ImportSettings = field(default_factory=ImportSettings)

    def run(
        self, folder: Path, say: Say = in_silence, watch: Callable[[Progress], None] = unwatched
    ) -> PreparedFiles:  # fmt: skip
        """Prepare and write the files into a folder; `say` receives each stage, `watch` the optimiser's progress."""
        check_writable(folder)
        paths = [folder / name for name in FILES]
        check_targets(paths, self.motion)
        parse_terrain(self.terrain)  # raises before any work is done
        variation = parse_variation(self.vary)
        if not (variation.nothing or self.dynamic):
            raise PoiseError("--vary needs the optimiser: add --dynamic")
        prepared = self._prepared([parse_edit(text) for text in self.edits], say)
        physics = None
        if self.dynamic:
            say("optimising (the first time on a machine, compiling takes half a minute)")
            physics = with_physics(prepared.clip, variation, watch)
            prepared = replace(prepared, clip=physics.dynamic.clip)
        say("writing")
        folder.mkdir(parents=True, exist_ok=True)
        save_prepared(prepared.clip, paths[0], None if physics is None else physics.dynamic)
        export(prepared.clip if physics is None else physics.dynamic, paths[1])
        write_page(self._page_content(prepared.clip, physics), paths[2])
        summary = {**prepared.as_dict(), "edits": list(self.edits), "files": [str(path) for path in paths]}
        if physics is not None:
            summary["dynamic"] = physics.as_dict()
        return PreparedFiles(prepared, summary, physics)

    def _page_content(self, clip: BodyClip, physics: Physics | None) -> Recording | Shown:
        """What the page shows; with contact forces if the motion was optimised."""
        return shown(clip, self.terrain) if physics is None else rehearsed(physics.dynamic, self.terrain)

    def _prepared(self, edits: list[Edit], say: Say) -> Prepared:
        """The motion retargeted to its body and edited."""
        prepared = prepare(
            self.motion,
            None if self.body == OWN else load_body(self.body, self.mass),
            imports=self.imports,
            feet=self._feet(),
            mass=self.mass,
            span=self.span,
            say=say,
        )
        if edits:
            say(f"editing: {', '.join(map(str, edits))}")
        return replace(prepared, clip=edited(prepared.clip, *edits))

    def _feet(self) -> FootSettings:
        for name, value in (("clearance", self.clearance), ("smoothing", self.smoothing)):
            if value is not None and not 0 <= value < math.inf:
                raise PoiseError(f"{name} {value}: must be finite and at least 0")
        feet = FootSettings(clearance=self.clearance)
        return feet if self.smoothing is None else replace(feet, smoothing=self.smoothing or None)
