"""A performance asked for in words: names and short forms in, files and a summary out.

The command line, the studio and the studies all come through here or call `poise.perform` themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.body.body import Body
from poise.body.load import parse_load
from poise.control.catalogue import CONTROLLERS, named_controller
from poise.control.commands import Command, parse_steer
from poise.control.controller import Controller, Steerable
from poise.edit.parse import parse_edit
from poise.edit.take import Edit, take_of
from poise.errors import PoiseError
from poise.export.formats import export
from poise.files import check_targets, check_writable
from poise.library.behaviours.behaviour import BehaviourReference
from poise.library.motions import named_motion, obeying
from poise.library.repertoire import Roaming, shipped_repertoire
from poise.measure.audit import audit
from poise.measure.metrics import metrics
from poise.measure.replay import Replay
from poise.motion.repair.finding import Imported
from poise.performance.cast import Cast, cast
from poise.performance.catch import Catching
from poise.performance.cues import Cue, grip_cues, steer_cue
from poise.performance.hand_over import Ending, Handover
from poise.performance.run import Performance, check, perform
from poise.physics.recorded import scene_of_motion
from poise.progress import Say, Steps, in_silence
from poise.reference.reference import Reference
from poise.reference.resampling import in_steps
from poise.retarget.prepare import changes
from poise.world.pushes import Push, parse_push
from poise.world.result import BlowUp
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.terrain_kinds import parse_terrain
from poise.world.world import World

ENDLESS = 5.0
"""s: how much of a motion without an end is performed, unless told otherwise."""
Casting = Callable[[str, str | None, Say, bool, str | None], Cast]
"""Who performs what, as `poise.performance.cast.cast` finds it."""
FILES = ("recording.npz", "motion.bvh", "page.html")
"""What a performance is written to."""


@dataclass(frozen=True)
class Outcome:
    """What came of a performance."""

    performance: Performance
    summary: dict[str, Any]
    imported: Imported | None = None  # of a motion that was read from a file
    taken_over: tuple[str, ...] = ()  # when somebody else was in control, for people

    @property
    def blow_up(self) -> BlowUp | None:
        """Why it ended early, if it did."""
        return self.performance.blow_up

    def text(self, *more: str) -> str:
        """The summary for people, with more lines before the files if there are any."""
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
            *self.taken_over,
            f"NOT physical: {', '.join(failed)} (see poise audit)" if failed else "physical, says the audit",
            *more,
            *(f"wrote {path}" for path in s["files"]),
        ]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Staged:
    """A performance that is about to begin."""

    world: World
    controller: Controller
    reference: Reference
    seconds: float
    pushes: tuple[Push, ...]
    cues: tuple[Cue, ...]
    imported: Imported | None  # of a motion that was read from a file


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
    loads: tuple[str, ...] = ()
    pushes: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    steer: str | None = None
    then: str | None = None
    catch: str | None = None
    seconds: float | None = None
    step: float | None = None
    seed: int = 0
    noise: float = 0.0

    def perform(self, say: Say = in_silence, progress: Steps = range) -> Performance:
        """Simulate; `say` is told each stage, `progress` is that of `poise.perform`."""
        return self._produce(say, progress)[0]

    def run(self, folder: Path, say: Say = in_silence, progress: Steps = range) -> Outcome:
        """Simulate and write the files of a performance into a folder."""
        check_writable(folder)
        paths = [folder / name for name in FILES]
        check_targets(paths, Path(self.motion))
        performance, staged = self._produce(say, progress)
        recording = performance.recording
        summary = summarise(performance)
        recording.meta.update(fell_at=summary["fell_at"], terrain=self.terrain)
        recording.meta["events"] += [{"kind": "edit", "text": text} for text in self.edits]
        recording.meta["events"] += [{"kind": "load", "text": text} for text in self.loads]
        say("writing")
        folder.mkdir(parents=True, exist_ok=True)
        recording.save(paths[0])
        for path in paths[1:]:
            export(recording, path)
        if staged.imported is not None:
            summary["findings"] = staged.imported.as_dict()
        summary["files"] = [str(path) for path in paths]
        return Outcome(performance, summary, staged.imported, tuple(_taken_over(staged.controller)))

    def _produce(self, say: Say, progress: Steps) -> tuple[Performance, Staged]:
        """The performance, and what it began with."""
        staged = self.staged(say)
        say("setting up (the first time on a machine, compiling takes half a minute)")
        performance = perform(
            staged.world,
            staged.controller,
            staged.reference,
            seconds=staged.seconds,
            pushes=staged.pushes,
            cues=staged.cues,
            seed=self.seed,
            noise=self.noise,
            progress=progress,
        )
        return performance, staged

    def staged(self, say: Say = in_silence, casting: Casting = cast) -> Staged:
        """All that a performance begins with; nonsense is refused before any work is done.

        `casting` finds the performer and its motion; whoever asks again and again may remember them.
        """
        if self.seconds is not None:
            check(self.seconds, self.seed, self.noise)
        edits = [parse_edit(text) for text in self.edits]
        pushes = [parse_push(text) for text in self.pushes]
        loads = [parse_load(text) for text in self.loads]
        controller = named_controller(self.controller, self.settings)
        usual = CONTROLLERS[self.controller]
        commands = self._commands(controller)
        terrain = parse_terrain(self.terrain)
        chosen = casting(self.motion, self.body, say, controller.needs_physics, usual.body)
        told = chosen.reference
        own = 1.0 / told.behaviour.rate if isinstance(told, BehaviourReference) else usual.step
        settings = WorldSettings(step=own if self.step is None else self.step)
        for link, mass in loads:
            chosen = chosen.laden(link, mass)
        if self.limits is not None:
            chosen = replace(chosen, body=chosen.body.with_torque_limits(self.limits))
        before, after = ((), edits) if usual.edits_online else (edits, ())
        physical = self._tracked(chosen, before, controller.needs_physics, say)
        if controller.needs_physics:
            physical = in_steps(physical, 1 / settings.step)
        held = next((m for m in physical.motions.values() if m.contacts.held.any()), None)
        reference = _edited(physical, after, chosen.body, say)
        props = () if held is None else scene_of_motion(held).props
        grips = [] if held is None else grip_cues(held)
        world = World(Scene((chosen.body,), terrain, props, friction=self.friction), settings)
        followed = self._followed(controller, chosen.body)
        cues = [steer_cue(followed, command) for command in commands if isinstance(followed, Steerable)]
        return Staged(
            world=world,
            controller=followed,
            reference=reference,
            seconds=self.seconds or max(reference.duration or ENDLESS, ENDLESS + cues[-1].time if cues else 0.0),
            pushes=tuple(pushes),
            cues=(*cues, *grips),
            imported=chosen.imported,
        )

    def _followed(self, first: Controller, body: Body) -> Controller:
        """The controller, and who takes over when it stands or topples, if that was asked for."""
        if self.catch is not None:
            first = self._caught(first)
        if self.then is None:
            return first
        motion, colon, name = self.then.partition(":")
        if not colon:
            raise PoiseError(f"then '{self.then}' is not of the form MOTION:CONTROLLER, such as walk:pendulum")
        if not isinstance(first, Ending):
            raise PoiseError(f"controller '{self.controller}' does not tell when it is over: rotation does")
        then = named_controller(name)
        if then.needs_physics:
            raise PoiseError(f"then '{self.then}': {name} cannot take over, pendulum can")
        if self.steer is not None and not isinstance(then, Steerable):
            raise PoiseError(f"then '{self.then}': {name} cannot be steered, pendulum can")
        return Handover(first, then, named_motion(motion, body))

    def _caught(self, first: Controller) -> Controller:
        """The controller, caught when it topples."""
        if not CONTROLLERS[self.controller].edits_online:
            raise PoiseError(f"controller '{self.controller}' cannot go on from where it was caught: modal can")
        rescuer = named_controller(str(self.catch))
        if not isinstance(rescuer, Ending) or not CONTROLLERS[rescuer.name].catches:
            raise PoiseError(f"catch '{self.catch}': {rescuer.name} cannot catch, pendulum can")
        return Catching(first, rescuer)

    def _tracked(self, chosen: Cast, edits: Sequence[Edit], physics: bool, say: Say) -> Reference:
        """The motion, edited; where `physics` matters made to obey it, or the repertoire of which steps are chosen."""
        reference = _edited(chosen.reference, edits, chosen.body, say)
        if not physics:
            return reference
        if self.steer is not None:
            return Roaming(shipped_repertoire(chosen.body), self.motion)
        return obeying(reference, chosen.body, chosen.ships, say)

    def _commands(self, controller: Controller) -> tuple[Command, ...]:
        """The commands to steer, which not all can take."""
        if self.steer is None:
            return ()
        commands = parse_steer(self.steer)
        if not isinstance(controller, Steerable):
            raise PoiseError(f"controller '{self.controller}' cannot be steered: --controller pendulum can, and nqr")
        if (self.edits or self.loads) and controller.needs_physics:
            raise PoiseError(f"what {self.controller} steers cannot be edited or loaded: leave out --edit and --load")
        walker = self.then.rpartition(":")[2] if self.then else self.controller
        slowest, fastest = CONTROLLERS[walker if walker in CONTROLLERS else self.controller].speeds
        for command in commands:
            if command.speed is not None and not slowest <= command.speed <= fastest:
                told = f"{walker} goes at {slowest:g} to {fastest:g} m/s"
                raise PoiseError(f"steer '{self.steer}': {told}, not at {command.speed:g}")
        return commands


def _edited(reference: Reference, edits: Sequence[Edit], body: Body, say: Say) -> Reference:
    for edit in edits:
        say(f"editing: {edit}")
        reference = edit.on(take_of(reference, body))
    return reference


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


def _taken_over(controller: Controller) -> Iterator[str]:
    """When somebody else took over, for people."""
    if isinstance(controller, Handover):
        when = controller.handed_over
        yield "nobody took over: it never came to stand" if when is None else f"handed over at {when:.2f} s"
        controller = controller.first
    if isinstance(controller, Catching):
        for k, caught in enumerate(controller.caught):
            on = f"went on at {controller.resumed[k]:.2f} s" if k < len(controller.resumed) else "did not go on"
            yield f"caught at {caught:.2f} s, {on}"
