"""Preparation of a motion file: import, retarget, edit, optionally optimise, then write reference, BVH and page."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Frozen, readonly
from poise.edit.parse import parse_edit
from poise.edit.take import Edit, edited_with_notes
from poise.errors import PoiseError
from poise.export.formats import export
from poise.export.look import recording_to_draw_clip
from poise.export.page import write_page
from poise.files import check_folder_writable, check_write_targets
from poise.library.bodies import OWN, load_shipped_or_own_body
from poise.motion.likeness import Likeness, likeness, likeness_table
from poise.motion.repair.finding import ImportSettings, import_report
from poise.physics.dynamic_motion import Physics, parse_physics_variation, recording_of_motion, with_physics
from poise.physics.interior import OptimiserProgress, ignore_progress
from poise.physics.optimise import DynamicSettings
from poise.progress import Say, no_progress
from poise.reference.archive import FILE, save_prepared
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played
from poise.retarget.foot_cleanup import FootSettings
from poise.retarget.prepare import Prepared, import_changes, prepare
from poise.retarget.retarget import Retargeted, same_skeleton
from poise.world.terrain_kinds import parse_terrain

FILES = (FILE, "motion.bvh", "page.html")  # Output files of a preparation
CYCLES = 3  # of a cyclic motion that are compared with the file: a gait is measured over at least two strides


@dataclass(frozen=True)
class PreparedFiles:
    """The result of a preparation: the prepared motion, and a summary that names the written files."""

    prepared: Prepared
    summary: dict[str, Any]
    likeness: Mapping[str, Likeness]  # to the file, after each stage: "retargeted", "prepared", "physics"
    physics: Physics | None = None  # None unless the motion was optimised to obey physics

    def text(self, full: bool = False) -> str:
        """The summary as text; `full` adds all findings of the import and the retargeting error of every part."""
        clip, body = self.prepared.clip, self.prepared.clip.body
        retargeted, (cleaned, far) = self.prepared.retargeted, _worst(self.prepared.cleaned)
        report = import_changes(self.prepared.imported)
        if full:
            errors, table = preparation_error_table(retargeted), likeness_table(self.likeness)
            report = [import_report(self.prepared.imported), "", *errors, *table, ""]
        return "\n".join([
            *report,
            *self.prepared.notes,
            f"{clip.name}: {clip.frames} frames at {clip.rate:g} fps, {clip.seconds:.2f} s{', a cycle' * clip.cyclic}, "
            f"on {'a body built for' if body.rigging else 'body'} {body.name} "
            f"({body.nv - 6} joint DOF, {body.mass:.1f} kg)",
            preparation_retargeting_line(retargeted),
            f"cleaning: {_words(cleaned)} moved most, {100 * far:.1f} cm root mean square",
            *([preparation_contact_line(clip)] if clip.parts else []),
            *([] if self.physics is None else self.physics.lines()),
            *[*self.likeness.values()][-1].lines(),
            *departure_lines(self.prepared, self.likeness),
            *(f"wrote {path}" for path in self.summary["files"]),
        ])  # fmt: skip


@dataclass(frozen=True)
class Preparation:
    """The options of `poise prepare`: everything that determines how a motion is prepared."""

    motion: Path
    body: str = OWN
    mass: float | None = None  # kg, only for a body that is built
    symmetric: bool = False  # whether a body that is built has legs of equal length
    span: tuple[float, float] | None = None  # s, part of the file to use
    clearance: float | None = None  # m, least height of swing feet at mid-swing; None to leave their heights unchanged
    smoothing: float | None = None  # cut-off frequency (Hz), 0 for no smoothing; None for the default
    edits: tuple[str, ...] = ()
    terrain: str = "flat"  # shown on the page
    dynamic: bool = False  # whether to optimise the motion so that it obeys physics
    vary: tuple[str, ...] = ()  # variations for the optimiser
    imports: ImportSettings = field(default_factory=ImportSettings)

    def run(
        self, folder: Path, say: Say = no_progress, watch: Callable[[OptimiserProgress], None] = ignore_progress
    ) -> PreparedFiles:  # fmt: skip
        """Prepare the motion and write FILES into a folder. `say` is told each stage, `watch` the optimiser's steps."""
        check_folder_writable(folder)
        paths = [folder / name for name in FILES]
        check_write_targets(paths, self.motion)
        parse_terrain(self.terrain)  # raises before any work is done
        variation = parse_physics_variation(self.vary)
        if not (variation.nothing or self.dynamic):
            raise PoiseError("--vary needs the optimiser: add --dynamic")
        prepared = self._prepare([parse_edit(text) for text in self.edits], say)
        stages = {"retargeted": prepared.retargeted.clip, "prepared": prepared.clip}
        physics = None
        if self.dynamic:
            say("optimising (the first time on a machine, compiling takes half a minute)")
            settings = DynamicSettings(apart=None) if self.imports.overlap == "keep" else None
            physics = with_physics(prepared.clip, variation, watch, settings)
            prepared = replace(prepared, clip=physics.dynamic.clip)
            stages["physics"] = prepared.clip
        say("writing")
        folder.mkdir(parents=True, exist_ok=True)
        save_prepared(prepared.clip, paths[0], None if physics is None else physics.dynamic)
        export(prepared.clip if physics is None else physics.dynamic, paths[1])
        if physics is None:
            write_page(recording_to_draw_clip(prepared.clip, self.terrain), paths[2])
        else:
            write_page(recording_of_motion(physics.dynamic, self.terrain), paths[2])  # shows contact forces as well
        summary = {**prepared.as_dict(), "edits": list(self.edits), "files": [str(path) for path in paths]}
        timed = {"retargeted": True, "prepared": not self.edits, "physics": not self.edits and variation.nothing}
        like = {
            stage: likeness(prepared.source, _with_several_cycles(clip).rigged_clip(), timed[stage])
            for stage, clip in stages.items()
        }
        summary["likeness"] = like["prepared"].as_dict()
        if physics is not None:
            summary["dynamic"] = {**physics.as_dict(), "likeness": like["physics"].as_dict()}
        return PreparedFiles(prepared, summary, Frozen(like), physics)

    def _prepare(self, edits: list[Edit], say: Say) -> Prepared:
        """Import the motion, retarget it to the body and apply the edits."""
        prepared = prepare(
            self.motion,
            None if self.body == OWN else load_shipped_or_own_body(self.body, self.mass),
            imports=self.imports,
            feet=self._feet(),
            mass=self.mass,
            symmetric=self.symmetric,
            span=self.span,
            say=say,
        )
        if edits:
            say(f"editing: {', '.join(map(str, edits))}")
        clip, notes = edited_with_notes(prepared.clip, *edits)
        return replace(prepared, clip=clip, notes=notes)

    def _feet(self) -> FootSettings:
        for name, value in (("clearance", self.clearance), ("smoothing", self.smoothing)):
            if value is not None and not 0 <= value < math.inf:
                raise PoiseError(f"{name} {value}: must be finite and at least 0")
        feet = FootSettings(clearance=self.clearance)
        return feet if self.smoothing is None else replace(feet, smoothing=self.smoothing or None)


_EXACT = 1e-3  # Retargeting error (m, rad) below which the result is reported as exact


def preparation_retargeting_line(retargeted: Retargeted) -> str:
    """A line of text with the retargeting error of the worst part, root mean square over the frames."""
    if _exact(retargeted):
        return "retargeting: every joint where the file has it"
    (place, far), (turn, off) = _worst(retargeted.error), _worst(retargeted.turn_error)
    turned = f", {_words(turn)} {off:.1f} degrees off" if retargeted.turn_error else ""
    return f"retargeting: {_words(place)} {100 * far:.1f} cm off{turned}, all else less"


def preparation_error_table(retargeted: Retargeted) -> list[str]:
    """Lines of text with the root-mean-square retargeting error of every part, then an empty line."""
    if _exact(retargeted):
        return []
    places = {part: f"{100 * error:.2f} cm" for part, error in retargeted.error.items()}
    turns = {part: f"{error:.2f} degrees" for part, error in retargeted.turn_error.items()}
    parts = dict.fromkeys([*places, *turns])
    width = max(map(len, parts), default=0)
    rows = [f"  {_words(p):{width}} {places.get(p, ''):>9} {turns.get(p, ''):>15}".rstrip() for p in parts]
    return ["retargeting error of each part, root mean square over the frames", *rows, ""]


def departure_lines(prepared: Prepared, stages: Mapping[str, Likeness]) -> list[str]:
    """A line of text if the motion departs from the file, with the stages that make it depart, and why."""
    *_, last = stages.values()
    if last.moments is None or not last.departs():
        return []
    rigging = prepared.retargeted.clip.body.rigging
    own = rigging is not None and same_skeleton(rigging.skeleton, prepared.source.skeleton)
    limits = "joints of the body bend about fewer axes, or less far, than the file's"
    causes = {
        "retargeted": limits if own else "the body's limbs have other proportions, or its joints other limits",
        "prepared": "feet that bear are held on the ground, overlapping limbs are moved apart, and the motion is "
        "smoothed",
        "physics": "forces and torques within their limits cannot give the prepared motion",
    }
    before = [None, *stages.values()]
    blamed = [causes[name] for (name, like), less in zip(stages.items(), before, strict=False) if like.departs(less)]
    knee = "" if last.moments.knee_deg is None else f", a knee {last.moments.knee_deg:.1f} degrees"
    why = "; ".join(blamed) or "several small changes"
    return [f"WARNING: away from the file: pelvis up to {abs(last.moments.pelvis_worst_cm):.1f} cm{knee}: {why}"]


def _with_several_cycles(clip: BodyClip) -> BodyClip:
    """A cyclic clip repeated, so that its gait can be measured even if it holds one stride; other clips as they are."""
    if not clip.cyclic:
        return clip
    played = Played(clip)
    qpos = [played.at(k / clip.rate).qpos for k in range(CYCLES * (clip.frames - 1) + 1)]
    return replace(clip, qpos=readonly(np.array(qpos)), down=None, cyclic=False)


def preparation_contact_line(clip: BodyClip) -> str:
    """A line of text: the share of frames in which each foot is in contact, and each hand that ever is."""
    known = np.zeros((clip.frames, len(clip.parts)), bool) if clip.down is None else clip.down
    limbs = dict.fromkeys(part.limb for part in clip.parts)
    contact = {limb: known[:, [part.limb == limb for part in clip.parts]].any(axis=1) for limb in limbs}
    hands = {hand.link for hand in clip.body.hands}
    shares = [f"{_words(k)} {100 * down.mean():.0f} %" for k, down in contact.items() if down.any() or k not in hands]
    nothing = 100 * (1 - known.any(axis=1).mean())
    return f"on the ground: {', '.join(shares)} of the time, nothing {nothing:.0f} %"


def _exact(retargeted: Retargeted) -> bool:
    return max(_worst(retargeted.error)[1], math.radians(_worst(retargeted.turn_error)[1])) < _EXACT


def _worst(errors: Mapping[str, float]) -> tuple[str, float]:
    return max(errors.items(), key=lambda item: item[1], default=("nothing", 0.0))


def _words(name: str) -> str:
    return name.replace("_", " ")
