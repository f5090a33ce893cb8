"""One performance that is judged and not kept: the grain of which studies are made."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np

from poise.body.body import Body
from poise.control.catalogue import entry_of
from poise.control.commands import Command
from poise.control.controller import Controller
from poise.edit.parse import parse_edit
from poise.edit.take import take_of
from poise.errors import PoiseError
from poise.library.motions import named_motion, obeying
from poise.measure.audit import audit
from poise.measure.metrics import fell_at, foot_slip, jitter
from poise.measure.replay import Replay
from poise.measure.speed import StepTimes, timed_steps
from poise.performance.cast import cast
from poise.performance.run import Performance, Run, check
from poise.performance.stage import grips_of, scene_for, set_up
from poise.performance.start import PlacedReference, start
from poise.physics.recorded import rehearsed
from poise.reference.dynamic import Dynamic
from poise.reference.played import begun, in_steps
from poise.reference.reference import Reference
from poise.study.experiment.study import NamedCase, Row
from poise.world.pushes import Push
from poise.world.recording import Recording
from poise.world.result import StepResult
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.terrain import Place
from poise.world.terrain_kinds import parse_terrain
from poise.world.world import World

# Bodies that studies try besides those that come with Poise: of other proportions and strength, or under a load.


@dataclass(frozen=True)
class Build:
    """How a body differs from the one that it is named after; `poise.body.plans.scale` tells what else changes."""

    legs: float = 1.0  # times as long
    mass: float = 1.0  # times as heavy, and no stronger
    load: float = 0.0  # kg in the right hand
    limits: str | None = None  # a named set of torque limits

    @property
    def of_other_proportions(self) -> bool:
        """Whether a motion must be made for it."""
        return self.legs != 1.0 or self.mass != 1.0

    def of(self, body: Body) -> Body:
        """The body, built so."""
        if self.legs != 1.0:
            body = body.scaled(legs=self.legs)
        if self.limits is not None:
            body = body.with_torque_limits(self.limits)
        if self.mass != 1.0:
            body = body.scaled(mass=self.mass * body.mass).with_torque_limits(body.torque_limit)
        return body.loaded({body.hands[-1].link: self.load}) if self.load else body


AS_NAMED = Build()  # Not at all


PIECE = 30.0  # s: how much is performed before it is judged and forgotten, so that ten minutes need no gigabytes
SUNK = 0.5  # Of how low the root is meant to come: one that is lower above the ground will not come up again
NOISE = 0.02  # rad/s, of the initial joint velocities
_PHASE = 1  # tells the draw of the phase from that of the noise, which have the same seed


@dataclass(frozen=True)
class Trial:
    """What is performed, where, and what happens to it."""

    motion: str  # by name, or a prepared file
    body: str | None = None
    build: Build = AS_NAMED
    edits: tuple[str, ...] = ()  # of the motion
    seconds: float = 30.0
    seed: int = 0
    noise: float = NOISE
    phase: float | None = None  # share of the cycle at which it begins; drawn from the seed if not given
    pushes: tuple[Push, ...] = ()
    meanwhile: tuple[tuple[float, str], ...] = ()  # edits that are made at times, s, while it performs
    commands: tuple[Command, ...] = ()  # to steer
    terrain: str = "flat"
    approach: float = 0.0  # m behind the origin at which it begins
    rate: float = 120.0  # Hz, of the world

    def __post_init__(self) -> None:
        check(self.seconds, self.seed, self.noise)
        parse_terrain(self.terrain)

    def first_step(self, cycle: Dynamic) -> int:
        """The step of a cycle with which it begins."""
        steps = len(cycle.torque)
        if self.phase is not None:
            return round(self.phase * steps) % steps
        return int(np.random.default_rng([self.seed, _PHASE]).integers(steps))


@dataclass(frozen=True)
class Verdict:
    """How a trial went."""

    seconds: float  # until it fell, or its time was up
    fell_at: float | None  # s; or when it blew up
    failed: tuple[str, ...]  # checks of the audit
    approximate: int  # contact solves that are not exact
    weakened: int  # contact solves for which the controller's feedback had to be weakened
    jitter: float  # 1/s
    jitter_ratio: float | None  # to the reference's, where it is known and moves
    slip: float  # mm/s, of the feet
    penetration: float  # mm


@dataclass(frozen=True)
class _Piece:
    """What is kept of a piece of a performance."""

    steps: int
    fell_at: float | None
    failed: frozenset[str]
    approximate: int
    weakened: int
    jitter: float
    slip: float
    depth: float  # m


def attempt(trial: Trial, controller: Controller, watch: Callable[[StepResult], None] = lambda _: None) -> Verdict:
    """Perform a trial until it falls or its time is up; `watch` receives every step."""
    run, world, reference = staged(trial, controller)
    return judge(run, world, reference, trial.seconds, watch)


def staged(trial: Trial, controller: Controller, kind: type[World] = World) -> tuple[Run, World, Reference]:
    """A trial at its beginning, in a world of a `kind`: the run, its world and its reference."""
    body, reference = _reference(trial, entry_of(controller).needs_physics)
    run = set_up(
        scene_for(body, reference, trial.terrain),
        PlacedReference(reference, Place(x=-trial.approach)) if trial.approach else reference,
        controller,
        1.0 / trial.rate,
        pushes=trial.pushes,
        commands=trial.commands,
        cues=grips_of(reference),
        edits=[(time, parse_edit(edit)) for time, edit in trial.meanwhile],
        seed=trial.seed,
        noise=trial.noise,
        world=kind,
    )
    return run, run.world, run.reference


def judge(
    run: Run,
    world: World,
    reference: Reference,
    seconds: float,
    watch: Callable[[StepResult], None] = lambda _: None,
) -> Verdict:
    """Go on with a performance until it falls or its time is up; `watch` is told every step."""
    rate = 1.0 / world.settings.step
    steps, most = (max(1, round(each * rate)) for each in (seconds, PIECE))
    pieces: list[_Piece] = []
    while world.steps < steps and not (pieces and pieces[-1].fell_at is not None):
        taken = performed(run, world, min(most, steps - world.steps), watch)
        lost = taken.blow_up is not None or _sunk(world, _lowest(run))
        pieces.append(_judged(taken.recording, world.time if lost else None))
    return _verdict(pieces, world.steps / rate, reference)


def performed(run: Run, world: World, steps: int, watch: Callable[[StepResult], None] = lambda _: None) -> Performance:
    """So many steps more, cut short by a fall."""
    lowest = _lowest(run)

    def sunk(result: StepResult) -> bool:
        watch(result)
        return _sunk(world, lowest)

    return run.perform(steps * world.settings.step, until=sunk)


def _lowest(run: Run) -> float:
    """m: how low the root is meant to come."""
    heights = [float(motion.clip.qpos[:, 2].min()) for motion in run.reference.motions.values()]
    return min(heights, default=float(run.world.scene.body.standing[2]))


def _sunk(world: World, lowest: float) -> bool:
    x, y, z = world.qpos[:3]
    return bool(z - world.scene.terrain.height(x, y) < SUNK * lowest)


def _judged(recording: Recording, lost: float | None) -> _Piece:
    """What is kept of a recording, in which all was `lost` at a time, s, if not before."""
    fell = fell_at(recording)
    fell = lost if fell is None else fell
    if not recording.steps:
        return _Piece(0, fell, frozenset(), 0, 0, 0.0, 0.0, 0.0)
    replay, solver = Replay.of(recording), recording.meta["solver"]
    return _Piece(
        recording.steps,
        fell,
        frozenset(each.name for each in audit(recording, replay).checks if not each.passed),
        solver["approximate"],
        solver["feedback_weakened"],
        jitter(recording),
        foot_slip(replay),
        float(replay.depth.max()),
    )


def _verdict(pieces: list[_Piece], now: float, reference: Reference) -> Verdict:
    fell = pieces[-1].fell_at
    lengths = [max(1, piece.steps) for piece in pieces]
    buzz = float(np.average([piece.jitter for piece in pieces], weights=lengths))
    motion = next(iter(reference.motions.values()), None)
    natural = 0.0 if motion is None else jitter(rehearsed(motion))
    return Verdict(
        seconds=now if fell is None else fell,
        fell_at=fell,
        failed=tuple(sorted(frozenset().union(*(piece.failed for piece in pieces)))),
        approximate=sum(piece.approximate for piece in pieces),
        weakened=sum(piece.weakened for piece in pieces),
        jitter=buzz,
        jitter_ratio=buzz / natural if natural else None,
        slip=float(np.average([piece.slip for piece in pieces], weights=lengths)),
        penetration=1e3 * max(piece.depth for piece in pieces),
    )


def _reference(trial: Trial, physics: bool) -> tuple[Body, Reference]:
    """Who performs, and what: a cycle from the phase at which the trial begins, anything else from its start."""
    body, reference = built_once(trial.motion, trial.body, trial.build, trial.edits, physics)
    reference = in_steps(reference, trial.rate)
    first = next(iter(reference.motions.values()), None)
    if first is None or not first.clip.cyclic:
        return body, reference
    return body, begun(first, trial.first_step(first))


@lru_cache(maxsize=8)
def cast_once(motion: str, body: str | None, physics: bool) -> tuple[Body, Reference]:
    """Who performs, and what, obeying physics if that matters; read once by a process that makes many trials of it."""
    chosen = cast(motion, body, physics=physics)
    return chosen.body, obeying(chosen.reference, chosen.body, chosen.ships) if physics else chosen.reference


@lru_cache(maxsize=8)
def built_once(
    motion: str, body: str | None, build: Build, edits: tuple[str, ...], physics: bool
) -> tuple[Body, Reference]:
    """The same by a body that is built otherwise, and edited; other proportions take motions that come with Poise."""
    performer, reference = cast_once(motion, body, physics)
    other = build.of(performer)
    if build.of_other_proportions:
        reference = named_motion(motion, other)
    for edit in edits:
        reference = parse_edit(edit).on(take_of(reference, other))
    return other, reference


def trial_row(labels: Row, seed: int, survived: bool, verdict: Verdict, measured: Row, audit_falls: bool) -> Row:
    """The row of a trial: its labels and seed, the verdict, further measurements, and the result of the audit.

    A fall is audited only if `audit_falls`; otherwise `physical` is None for a trial that fell.
    """
    columns = asdict(verdict)
    failed = columns.pop("failed")
    return {
        **labels,
        "seed": seed,
        "survived": survived,
        **columns,
        **measured,
        "physical": not failed if audit_falls or verdict.fell_at is None else None,
        "failed_checks": " ".join(failed),
    }


def audit_columns(recording: Recording) -> Row:
    """Whether a recording passes the audit, and the names of the checks that it fails."""
    checked = audit(recording)
    failed = " ".join(check.name for check in checked.checks if not check.passed)
    return {"physical": checked.passed, "failed_checks": failed}


EIGHT = tuple(range(0, 360, 45))  # Directions of pushes (degrees, counter-clockwise from forward)


def horizontal_push(degrees: int, force: float, time: float, duration: float) -> Push:
    """A push of a force (N) at a time (s) for a duration (s); 0 degrees is forward, 90 is to the left."""
    angle = math.radians(degrees)
    return Push(force, time, duration, (math.cos(angle), math.sin(angle), 0.0))


def starting_phase(motion: str, body: str | None, phase: float, time: float) -> float:
    """The phase (0 to 1) at which a cycle must start to be at `phase` after `time` (s)."""
    _, reference = cast_once(motion, body, True)
    cycle = next(iter(reference.motions.values())).clip
    if not cycle.cyclic:
        raise PoiseError(f"'{motion}' is no cycle: it has no phases at which to push; choose a cyclic motion")
    return (phase - time / cycle.seconds) % 1.0


def timed_motion(case: NamedCase, controller: Controller, body: str | None, rate: float) -> StepTimes:
    """Times of control, of simulation at a rate (Hz), and of MuJoCo's own steps from states on the way."""
    performer, reference = cast_once(case.name, body, entry_of(controller).needs_physics)
    world = World(Scene.of(performer), WorldSettings(step=1.0 / rate))
    controller.reset(world, PlacedReference(reference, start(world, reference, case.seed, NOISE)))
    return timed_steps(world, controller, max(1, round(case.seconds * rate)))
