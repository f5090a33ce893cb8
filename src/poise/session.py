"""A performance asked for in words: names and short forms in, files and a summary out.

The command line, the studio and the studies all come through here or call `poise.perform` themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from poise.control import Controller, named_controller
from poise.control.controller import Steerable
from poise.errors import PoiseError
from poise.export import export
from poise.files import check_targets, check_writable
from poise.measure import audit, metrics
from poise.measure.replay import Replay
from poise.motion.repair import Imported
from poise.performance import Performance, check, perform, steer_cue
from poise.reference.cast import cast
from poise.reference.commands import parse_steer
from poise.reference.edit import parse_edit, take_of
from poise.reference.obeying import obeying
from poise.reference.preparing import Say, changes, in_silence
from poise.reference.repertoire import Roaming, shipped_repertoire
from poise.reference.resampling import in_steps
from poise.world.cues import Cue
from poise.world.pushes import parse_push
from poise.world.result import BlowUp
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.terrain import parse_terrain
from poise.world.world import World

ENDLESS = 5.0
"""s: how much of a motion without an end is performed, unless told otherwise."""
Progress = Callable[[int], Iterable[int]]
"""Turns a number of steps into something to loop over that shows how far it is."""
FILES = ("recording.npz", "motion.bvh", "page.html")
"""What a performance is written to."""


@dataclass(frozen=True)
class Outcome:
    """What came of a performance."""

    performance: Performance
    summary: dict[str, Any]
    imported: Imported | None = None  # of a motion that was read from a file

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
        failed = [name for name, check in s["audit"].items() if not check["passed"]]
        lines = [
            *([f"STOPPED: {self.blow_up}"] if self.blow_up else []),
            *(changes(self.imported) if self.imported else []),
            f"{s['seconds']:.2f} s simulated, {s['real_time_factor']:.1f} times real time, set-up {s['setup_s']:.1f} s",
            f"{fell}; slip {s['foot_slip_mm_s']:.2f} mm/s, penetration {s['penetration_mm']:.2f} mm, "
            f"peak torque {100 * s['peak_torque_ratio']:.0f} % of the limit",
            f"NOT physical: {', '.join(failed)} (see poise audit)" if failed else "physical, says the audit",
            *(f"wrote {path}" for path in s["files"]),
        ]
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
    steer: str = ""
    seconds: float | None = None
    step: float = 1 / 120
    seed: int = 0
    noise: float = 0.0

    def perform(self, say: Say = in_silence, progress: Progress = range) -> Performance:
        """Simulate; `say` is told each stage, `progress` is that of `poise.perform`."""
        return self._produce(say, progress)[0]

    def run(self, folder: Path, say: Say = in_silence, progress: Progress = range) -> Outcome:
        """Simulate and write the files of a performance into a folder."""
        check_writable(folder)
        paths = [folder / name for name in FILES]
        check_targets(paths, Path(self.motion))
        performance, imported = self._produce(say, progress)
        recording = performance.recording
        summary = summarise(performance)
        recording.meta.update(fell_at=summary["fell_at"], terrain=self.terrain)
        recording.meta["events"] += [{"kind": "edit", "text": text} for text in self.edits]
        say("writing")
        folder.mkdir(parents=True, exist_ok=True)
        recording.save(paths[0])
        for path in paths[1:]:
            export(recording, path)
        if imported is not None:
            summary["findings"] = imported.as_dict()
        return Outcome(performance, {**summary, "files": [str(path) for path in paths]}, imported)

    def _produce(self, say: Say, progress: Progress) -> tuple[Performance, Imported | None]:
        """The performance, and what importing its motion found; nonsense is refused before any work is done."""
        if self.seconds is not None:
            check(self.seconds, self.seed, self.noise)
        edits = [parse_edit(text) for text in self.edits]
        pushes = [parse_push(text) for text in self.pushes]
        controller = named_controller(self.controller, self.settings)
        cues = self._steer_cues(controller)
        terrain, settings = parse_terrain(self.terrain), WorldSettings(step=self.step)
        chosen = cast(self.motion, self.body, say, controller.needs_physics)
        body = chosen.body if self.limits is None else chosen.body.with_torque_limits(self.limits)
        reference = chosen.reference
        for edit in edits:
            say(f"editing: {edit}")
            reference = edit.on(take_of(reference, body))
        if cues:
            reference = Roaming(shipped_repertoire(body), self.motion)
        elif controller.needs_physics:
            reference = obeying(reference, body, chosen.ships, say)
        if controller.needs_physics:
            reference = in_steps(reference, 1 / self.step)
        world = World(Scene((body,), terrain, friction=self.friction), settings)
        say("setting up (the first time on a machine, compiling takes half a minute)")
        performance = perform(
            world,
            controller,
            reference,
            seconds=self.seconds or reference.duration or ENDLESS + (cues[-1].time if cues else 0.0),
            pushes=pushes,
            cues=cues,
            seed=self.seed,
            noise=self.noise,
            progress=progress,
        )
        return performance, chosen.imported

    def _steer_cues(self, controller: Controller) -> list[Cue]:
        """The commands to steer, which not all can take."""
        commands = parse_steer(self.steer)
        if not commands:
            return []
        if not isinstance(controller, Steerable):
            raise PoiseError(f"controller '{self.controller}' cannot be steered: --controller nqr can")
        if self.edits:
            raise PoiseError("what is steered cannot be edited: leave out --edit or --steer")
        return [steer_cue(controller, command) for command in commands]


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
