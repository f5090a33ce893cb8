"""The report of a performance: its numbers, its text and its files."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.control.controller import ControlChange
from poise.export.clips import rigging_for_export
from poise.export.formats import export
from poise.files import check_folder_writable, check_write_targets
from poise.measure.audit import audit
from poise.measure.metrics import fell_at, metrics
from poise.measure.replay import LONGEST, Replay
from poise.motion.clip import Clip
from poise.motion.likeness import Likeness, likeness
from poise.motion.repair.finding import Imported
from poise.performance.performance import Performance
from poise.retarget.prepare import import_changes
from poise.world.recording import FILE, Recording

SHOWN = 3  # Most reasons of a verdict that the text names
FILES = (FILE, "motion.bvh", "page.html")  # Names of the files that a performance is written to
RATE = 120.0  # Hz: poses of a recording that are compared with the file


@dataclass(frozen=True)
class Outcome:
    """A performance with its summary."""

    performance: Performance
    summary: dict[str, Any]
    imported: Imported | None = None  # findings, if the motion was read from a file
    likeness: Likeness | None = None  # to the file, if there is one

    def text(self, *more: str) -> str:
        """The summary as text, with the lines `more` before the list of files."""
        s, stopped, down = self.summary, self.performance.blow_up, self.summary["fell_at"]
        end = "on its feet at the end" if s["on_feet_at_end"] else "not on its feet at the end"
        fell = (
            "stayed up" if down is None else f"touched the ground with more than feet and hands at {down:.2f} s, {end}"
        )
        lines = [
            *([f"STOPPED: {stopped}"] if stopped else []),
            *(import_changes(self.imported) if self.imported else []),
            *(f"{e['text']}: {e['note']}" for e in self.performance.recording.meta["events"] if "note" in e),
            f"{s['seconds']:.2f} s simulated, {s['real_time_factor']:.1f} times real time, set-up {s['setup_s']:.1f} s",
            f"{fell}; slip {s['foot_slip_mm_s']:.2f} mm/s, penetration {s['penetration_mm']:.2f} mm, "
            f"peak torque {100 * s['peak_torque_ratio']:.0f} % of the limit",
            *(self.likeness.lines() if self.likeness else []),
            *(f"{each['controller']} takes over at {each['time']:.2f} s: {each['why']}" for each in s["control"][1:]),
            "; ".join([f"{s['verdict']}: passes the audit" if s["physical"] else s["verdict"], *s["reasons"][:SHOWN]]),
            *more,
            *(f"wrote {path}" for path in s["files"]),
        ]
        return "\n".join(lines)


def check_performance_folder(folder: Path, source: Path | None, more: tuple[str, ...] = ()) -> None:
    """Raise if the files of a performance, and `more` names, cannot be written or would overwrite the file `source`."""
    check_folder_writable(folder)
    if source is not None:
        check_write_targets([folder / name for name in (*FILES, *more)], source)


def write_performance(
    performance: Performance, folder: Path, imported: Imported | None = None, keeps_time: bool = False
) -> Outcome:
    """Summarise a performance, and write its recording, BVH file and page into a folder, which is created.

    `keeps_time`: whether time t of the performance is time t of the motion.
    """
    summary = summarise_performance(performance)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in FILES]
    performance.recording.save(paths[0])
    like = None if imported is None else recording_likeness(imported.clip, performance.recording, keeps_time)
    told = {"verdict": summary["verdict"], "likeness": "" if like is None else "; ".join(like.lines())}
    for path in paths[1:]:
        export(replace(performance.recording, meta={**performance.recording.meta, **told}), path)
    if imported is not None:
        summary["findings"] = imported.as_dict()
    summary["likeness"] = None if like is None else like.as_dict()
    summary["files"] = [str(path) for path in paths]
    return Outcome(performance, summary, imported, like)


def recording_likeness(file: Clip, recording: Recording, keeps_time: bool) -> Likeness | None:
    """The likeness to the file of a recording up to its fall; None if it falls at once."""
    fell = fell_at(recording)
    states = len(recording.qpos) if fell is None else int(fell / recording.step)
    every = max(1, round(1.0 / (RATE * recording.step)))
    qpos = recording.qpos[:states:every]
    if len(qpos) < 2:
        return None
    here = rigging_for_export(recording).clip(recording.model, qpos, 1.0 / (every * recording.step), file.name)
    return likeness(file, here, keeps_time)


def summarise_performance(performance: Performance) -> dict[str, Any]:
    """The numbers of a performance, with the keys of the JSON output."""
    step_ms = 1e3 * performance.step_s
    timing = {"median": 0.0, "p99": 0.0}
    if len(step_ms):
        timing = {"median": float(np.median(step_ms)), "p99": float(np.percentile(step_ms, 99))}
    stopped = performance.blow_up
    recording = performance.recording
    replay = Replay.of(recording) if recording.steps <= LONGEST else None
    judged = audit(recording, replay)
    changes = [event for event in recording.meta["events"] if event.get("kind") == "control"]
    changes = changes or [ControlChange(0.0, recording.meta["controller"]).event]
    return {
        **metrics(recording, replay),
        "control": [{key: each[key] for key in ("controller", "time", "why")} for each in changes],
        "real_time_factor": performance.real_time_factor,
        "setup_s": performance.setup_s,
        "step_ms": timing,
        "stopped": None if stopped is None else {"step": stopped.step, "culprit": stopped.culprit},
        **judged.verdict.as_dict(),
        "audit": judged.as_dict()["checks"],
    }
