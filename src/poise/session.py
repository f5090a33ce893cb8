"""A performance asked for in words: names and short forms in, files and a summary out.

The command line, the studio and the studies all come through here or call `poise.perform` themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from poise.control import named_controller
from poise.export import export
from poise.files import check_writable
from poise.measure import audit, metrics
from poise.measure.replay import Replay
from poise.performance import Performance, check, perform
from poise.reference.cast import cast
from poise.reference.edit import parse_edit, take_of
from poise.world.pushes import parse_push
from poise.world.result import BlowUp
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.terrain import parse_terrain
from poise.world.world import World

ENDLESS = 5.0
"""s: how much of a motion without an end is performed, unless told otherwise."""
FILES = ("recording.npz", "motion.bvh", "page.html")
"""What a performance is written to."""


@dataclass(frozen=True)
class Outcome:
    """What came of a performance."""

    performance: Performance
    summary: dict[str, Any]

    @property
    def blow_up(self) -> BlowUp | None:
        """Why it ended early, if it did."""
        return self.performance.blow_up

    def text(self) -> str:
        """The summary for people."""
        s = self.summary
        fell = (
            "stayed up" if s["fell_at"] is None else f"touched the ground with more than feet at {s['fell_at']:.2f} s"
        )
        lines = [
            f"{s['seconds']:.2f} s simulated, {s['real_time_factor']:.1f} times real time, set-up {s['setup_s']:.1f} s",
            f"{fell}; slip {s['foot_slip_mm_s']:.2f} mm/s, penetration {s['penetration_mm']:.2f} mm, "
            f"peak torque {100 * s['peak_torque_ratio']:.0f} % of the limit",
            *(f"wrote {path}" for path in s["files"]),
        ]
        failed = [name for name, check in s["audit"].items() if not check["passed"]]
        lines.insert(
            2, f"NOT physical: {', '.join(failed)} (see poise audit)" if failed else "physical, says the audit"
        )
        if self.blow_up:
            lines.insert(0, f"STOPPED: {self.blow_up}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Session:
    """Everything that decides a performance."""

    motion: str
    body: str | None = None
    controller: str = "hold"
    settings: Mapping[str, Any] = field(default_factory=dict)
    terrain: str = "flat"
    friction: float = 1.0
    limits: str | None = None
    pushes: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    seconds: float | None = None
    step: float = 1 / 120
    seed: int = 0
    noise: float = 0.0

    def perform(self, quiet: bool = True) -> Performance:
        """Simulate, with a progress bar unless quiet."""
        if self.seconds is not None:  # nonsense is refused before any work is done
            check(self.seconds, self.seed, self.noise)
        body, reference = cast(self.motion, self.body)
        if self.limits is not None:
            body = body.with_torque_limits(self.limits)
        for text in self.edits:
            reference = parse_edit(text).on(take_of(reference, body))
        controller = named_controller(self.controller, self.settings)
        pushes = [parse_push(text) for text in self.pushes]
        scene = Scene((body,), parse_terrain(self.terrain), friction=self.friction)
        world = World(scene, WorldSettings(step=self.step))
        if not quiet and sys.stderr.isatty():
            print("setting up (the first time on a machine, compiling takes half a minute)", file=sys.stderr)
        return perform(
            world,
            controller,
            reference,
            seconds=self.seconds or reference.duration or ENDLESS,
            pushes=pushes,
            seed=self.seed,
            noise=self.noise,
            progress=range if quiet else _progress_bar,
        )

    def run(self, folder: Path, quiet: bool = True) -> Outcome:
        """Simulate and write the files of a performance into a folder."""
        check_writable(folder)
        performance = self.perform(quiet)
        recording = performance.recording
        summary = summarise(performance)
        recording.meta.update(fell_at=summary["fell_at"], terrain=self.terrain)
        recording.meta["events"] += [{"kind": "edit", "text": text} for text in self.edits]
        folder.mkdir(parents=True, exist_ok=True)
        recording.save(folder / FILES[0])
        for name in FILES[1:]:
            export(recording, folder / name)
        return Outcome(performance, {**summary, "files": [str(folder / name) for name in FILES]})


def _progress_bar(steps: int) -> Iterable[int]:
    """A bar for people; nothing where nobody watches."""
    bar: Iterable[int] = tqdm(range(steps), unit="step", leave=False, dynamic_ncols=True, disable=None)
    return bar


def summarise(performance: Performance) -> dict[str, Any]:
    """The numbers of a performance, under the names of the command line's JSON."""
    step_ms = 1e3 * performance.step_s
    timing = {"median": 0.0, "p99": 0.0}
    if len(step_ms):
        timing = {"median": float(np.median(step_ms)), "p99": float(np.percentile(step_ms, 99))}
    stopped = performance.blow_up
    recording = performance.recording
    replay = Replay.of(recording)
    checks = audit(recording, replay).as_dict()["checks"] if recording.steps else {}
    return {
        **metrics(recording, replay),
        "real_time_factor": performance.real_time_factor,
        "setup_s": performance.setup_s,
        "step_ms": timing,
        "stopped": None if stopped is None else {"step": stopped.step, "culprit": stopped.culprit},
        "physical": all(check["passed"] for check in checks.values()),
        "audit": checks,
    }
