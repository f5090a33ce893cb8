"""A motion prepared as asked for in words: a file in, a reference and pictures of it out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.export import export
from poise.files import check_targets, check_writable
from poise.motion.repair import ImportSettings, report
from poise.reference.archive import save_prepared
from poise.reference.bodyclip import BodyClip
from poise.reference.cast import OWN, load_body
from poise.reference.edit import Edit, edited, parse_edit
from poise.reference.feet import FootSettings
from poise.reference.preparing import Prepared, Say, changes, in_silence, prepare
from poise.reference.retarget import Retargeted

FILES = ("reference.npz", "motion.bvh", "page.html")
"""What a prepared motion is written to."""
_EXACT = 5e-4, 0.05  # m and degrees: less is not worth a word


@dataclass(frozen=True)
class PreparedFiles:
    """What came of a preparation."""

    prepared: Prepared
    summary: dict[str, Any]

    def text(self, full: bool = False) -> str:
        """The summary for people; in full with all that importing found."""
        clip, body = self.prepared.clip, self.prepared.clip.body
        findings = [report(self.prepared.imported), ""] if full else changes(self.prepared.imported)
        return "\n".join([
            *findings,
            f"{clip.name}: {clip.frames} frames at {clip.rate:g} fps, {clip.seconds:.2f} s{', a cycle' * clip.cyclic}, "
            f"on {'a body built for' if body.rigging else 'body'} {body.name} "
            f"({body.nv - 6} joint DOF, {body.mass:.1f} kg)",
            fidelity(self.prepared.retargeted),
            *([] if clip.down is None else [footfalls(clip)]),
            *(f"wrote {path}" for path in self.summary["files"]),
        ])  # fmt: skip


def fidelity(retargeted: Retargeted) -> str:
    """A line on how far the body is from the file: root mean squares over the frames, of the worst parts."""
    said = [
        f"{_spoken(part)} {scale * error:.1f} {unit}"
        for errors, least, scale, unit in (
            (retargeted.error, _EXACT[0], 100.0, "cm"),
            (retargeted.turn_error, _EXACT[1], 1.0, "degrees"),
        )
        for part, error in _worst(errors)
        if error > least
    ]
    return f"farthest from the file: {', '.join(said)}" if said else "every joint is where the file has it"


def footfalls(clip: BodyClip) -> str:
    """A line on how much of the time feet, and hands if they ever do, bear on something."""
    assert clip.down is not None
    limbs = dict.fromkeys(part.limb for part in clip.parts)
    bears = {limb: clip.down[:, [part.limb == limb for part in clip.parts]].any(axis=1) for limb in limbs}
    said = [
        f"{_spoken(limb)} {100 * down.mean():.0f} %"
        for limb, down in bears.items()
        if down.any() or limb not in {hand.name for hand in clip.body.hands}
    ]
    nothing = 100 * (1 - clip.down.any(axis=1).mean())
    return f"on the ground: {', '.join(said)} of the time, nothing {nothing:.0f} %"


def _worst(errors: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(errors.items(), key=lambda item: item[1])[-1:]


def _spoken(name: str) -> str:
    return name.replace("_", " ")


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

    def run(self, folder: Path, say: Say = in_silence) -> PreparedFiles:
        """Prepare and write the files into a folder; `say` is told each stage."""
        check_writable(folder)
        paths = [folder / name for name in FILES]
        check_targets(paths, self.motion)
        prepared = self._prepared([parse_edit(text) for text in self.edits], say)
        say("writing")
        folder.mkdir(parents=True, exist_ok=True)
        save_prepared(prepared.clip, paths[0])
        for path in paths[1:]:
            export(prepared.clip, path)
        summary = {**prepared.as_dict(), "edits": list(self.edits), "files": [str(path) for path in paths]}
        return PreparedFiles(prepared, summary)

    def _prepared(self, edits: list[Edit], say: Say) -> Prepared:
        """The motion on its body, edited."""
        if self.clearance is not None and not 0 <= self.clearance < math.inf:
            raise PoiseError(f"clearance {self.clearance}: must be finite and at least 0 m")
        prepared = prepare(
            self.motion,
            None if self.body == OWN else load_body(self.body, self.mass),
            imports=self.imports,
            feet=FootSettings(clearance=self.clearance),
            mass=self.mass,
            span=self.span,
            say=say,
        )
        if edits:
            say(f"editing: {', '.join(map(str, edits))}")
        return replace(prepared, clip=edited(prepared.clip, *edits))
