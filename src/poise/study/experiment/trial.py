"""A trial: one performance that a study measures and does not keep."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np

from poise.body.body import Body
from poise.control.catalogue import entry_of_controller
from poise.control.commands import SteerCommand
from poise.control.controller import Controller
from poise.edit.parse import parse_edit
from poise.edit.take import take_of
from poise.errors import PoiseError
from poise.library.motions import dynamic_reference, named_motion
from poise.measure.audit import audit
from poise.measure.metrics import fell_at, foot_slip, jitter
from poise.measure.replay import Replay
from poise.measure.speed import StepTimes, timed_steps
from poise.performance.cast import cast
from poise.performance.performance import Performance
from poise.performance.run import Run, check_run_arguments
from poise.performance.stage import grip_cues_of, scene_with_held_prop, set_up_run
from poise.performance.start import PlacedReference
from poise.physics.dynamic_motion import recording_of_motion
from poise.reference.dynamic import Dynamic
from poise.reference.played import cycle_from_step, reference_at_rate
from poise.reference.reference import Reference
from poise.study.experiment.study import NamedCase, Row
from poise.world.pushes import Push
from poise.world.recording import Recording
from poise.world.result import StepResult
from poise.world.terrain import Place
from poise.world.terrain_kinds import parse_terrain
from poise.world.world import World

PIECE = 30.0  # Duration (s) of the pieces that are recorded and measured one at a time, to bound the memory
SUNK = 0.5  # Share of the reference's lowest root height below which the character counts as fallen
NOISE = 0.02  # Standard deviation (rad/s) of the noise of the initial joint velocities
PUSH_DIRECTIONS = tuple(range(0, 360, 45))  # Eight directions of pushes (degrees, counter-clockwise from forward)
_PHASE = 1  # second word of the random seed for the phase, so that phase and noise have different seeds


@dataclass(frozen=True)
class BodyVariant:
    """Changes to a named body. `poise.body.plans.plan` says how proportions scale."""

    legs: float = 1.0  # scale of the leg length
    mass: float = 1.0  # scale of the mass; torque limits stay
    load: float = 0.0  # kg, in the right hand
    limits: str | None = None  # name of a set of torque limits

    def applied_to(self, body: Body) -> Body:
        """A body with the changes of this variant; the same object if there are no changes."""
        if self.legs != 1.0:
            body = body.scaled(legs=self.legs)
        if self.limits is not None:
            body = body.with_torque_limits(self.limits)
        if self.mass != 1.0:
            body = body.scaled(mass=self.mass * body.mass).with_torque_limits(body.torque_limit)
        return body.loaded({body.hands[-1].link: self.load}) if self.load else body


AS_NAMED = BodyVariant()  # No changes


@dataclass(frozen=True)
class Trial:
    """A motion, a body, a terrain, and the disturbances, edits and commands during the performance."""

    motion: str  # name or prepared file
    body: str | None = None
    build: BodyVariant = AS_NAMED
    edits: tuple[str, ...] = ()  # edits of the motion before the start
    seconds: float = 30.0
    seed: int = 0
    noise: float = NOISE  # rad/s
    phase: float | None = None  # initial phase of a cycle, 0 to 1; drawn from the seed if None
    pushes: tuple[Push, ...] = ()
    meanwhile: tuple[tuple[float, str], ...] = ()  # (time in s, edit) during the performance
    commands: tuple[SteerCommand, ...] = ()  # steering
    terrain: str = "flat"
    approach: float = 0.0  # distance (m) of the start behind the origin
    rate: float = 120.0  # simulation rate, Hz

    def __post_init__(self) -> None:
        check_run_arguments(self.seconds, self.seed, self.noise)
        parse_terrain(self.terrain)

    def first_step(self, cycle: Dynamic) -> int:
        """The step of a cycle at which the trial starts."""
        steps = len(cycle.torque)
        if self.phase is not None:
            return round(self.phase * steps) % steps
        return int(np.random.default_rng([self.seed, _PHASE]).integers(steps))


@dataclass(frozen=True)
class Verdict:
    """The result of a trial, or of a piece of it."""

    seconds: float  # time until a fall or the end
    fell_at: float | None  # time of a fall or blow-up, s
    failed: tuple[str, ...]  # failed checks of the audit
    approximate: int  # number of contact solves that are not exact
    weakened: int  # number of contact solves with weakened controller feedback
    jitter: float  # 1/s
    jitter_ratio: float | None  # relative to the jitter of the reference; None if the latter is unknown or zero
    slip: float  # mm/s, of the feet
    penetration: float  # largest, mm


def attempt_trial(
    trial: Trial, controller: Controller, watch: Callable[[StepResult], None] = lambda _: None
) -> Verdict:
    """Perform a trial until a fall or its end, and judge it; `watch` receives the result of every step."""
    return judge_run(stage_trial(trial, controller), trial.seconds, watch)


def stage_trial(trial: Trial, controller: Controller, kind: type[World] = World) -> Run:
    """Set up the run of a trial in a world of class `kind`; a cycle starts at the initial phase of the trial."""
    physics = entry_of_controller(controller).needs_physics
    body, reference = cached_build(trial.motion, trial.body, trial.build, trial.edits, physics)
    reference = reference_at_rate(reference, trial.rate)
    first = next(iter(reference.motions.values()), None)
    if first is not None and first.clip.cyclic:
        reference = cycle_from_step(first, trial.first_step(first))
    return set_up_run(
        scene_with_held_prop(body, reference, trial.terrain),
        PlacedReference(reference, Place(x=-trial.approach)) if trial.approach else reference,
        controller,
        1.0 / trial.rate,
        pushes=trial.pushes,
        commands=trial.commands,
        cues=grip_cues_of(reference),
        edits=[(time, parse_edit(edit)) for time, edit in trial.meanwhile],
        seed=trial.seed,
        noise=trial.noise,
        world=kind,
    )


def judge_run(run: Run, seconds: float, watch: Callable[[StepResult], None] = lambda _: None) -> Verdict:
    """Continue a run until a fall or the time `seconds` (s), and judge it; `watch` receives every step's result."""
    world, rate = run.world, 1.0 / run.world.settings.step
    steps, most = (max(1, round(each * rate)) for each in (seconds, PIECE))
    pieces: list[Verdict] = []
    lengths: list[int] = []  # steps of each piece, at least 1
    while world.steps < steps and not (pieces and pieces[-1].fell_at is not None):
        taken = perform_until_sunk(run, min(most, steps - world.steps), watch)
        lost = taken.blow_up is not None or _root_has_sunk(world, _lowest_root_height(run))
        pieces.append(_verdict_on_piece(taken.recording, world.time if lost else None))
        lengths.append(max(1, taken.recording.steps))
    return _verdict_of_pieces(pieces, lengths, world.steps / rate, run.reference)


def perform_until_sunk(run: Run, steps: int, watch: Callable[[StepResult], None] = lambda _: None) -> Performance:
    """Perform a number of further steps, ending early when the root sinks too low."""
    lowest = _lowest_root_height(run)

    def watch_for_sinking(result: StepResult) -> bool:
        watch(result)
        return _root_has_sunk(run.world, lowest)

    return run.perform(steps * run.world.settings.step, until=watch_for_sinking)


def _lowest_root_height(run: Run) -> float:
    """Lowest root height (m) of the reference."""
    heights = [float(motion.clip.qpos[:, 2].min()) for motion in run.reference.motions.values()]
    return min(heights, default=float(run.world.scene.body.standing[2]))


def _root_has_sunk(world: World, lowest: float) -> bool:
    """Whether the root is lower above the ground than SUNK times `lowest` (m)."""
    x, y, z = world.qpos[:3]
    return bool(z - world.scene.terrain.height(x, y) < SUNK * lowest)


def _verdict_on_piece(recording: Recording, lost: float | None) -> Verdict:
    """Measure a recording; `lost` is the time (s) of a blow-up or a sunken root, if any."""
    fell, seconds = fell_at(recording), recording.steps * recording.step
    fell = lost if fell is None else fell
    if not recording.steps:
        return Verdict(seconds, fell, (), 0, 0, 0.0, None, 0.0, 0.0)
    replay, solver = Replay.of(recording), recording.meta["solver"]
    failed = tuple(each.name for each in audit(recording, replay).checks if not each.passed)
    solves, depth = (solver["approximate"], solver["feedback_weakened"]), 1e3 * float(replay.depth.max())
    return Verdict(seconds, fell, failed, *solves, jitter(recording), None, foot_slip(replay), depth)


def _verdict_of_pieces(pieces: list[Verdict], lengths: list[int], now: float, reference: Reference) -> Verdict:
    fell = pieces[-1].fell_at
    shaking = float(np.average([piece.jitter for piece in pieces], weights=lengths))
    motion = next(iter(reference.motions.values()), None)
    natural = 0.0 if motion is None else jitter(recording_of_motion(motion))
    return Verdict(
        seconds=now if fell is None else fell,
        fell_at=fell,
        failed=tuple(sorted({name for piece in pieces for name in piece.failed})),
        approximate=sum(piece.approximate for piece in pieces),
        weakened=sum(piece.weakened for piece in pieces),
        jitter=shaking,
        jitter_ratio=shaking / natural if natural else None,
        slip=float(np.average([piece.slip for piece in pieces], weights=lengths)),
        penetration=max(piece.penetration for piece in pieces),
    )


@lru_cache(maxsize=8)
def cached_cast(motion: str, body: str | None, physics: bool) -> tuple[Body, Reference]:
    """The body and the reference of a motion; with `physics`, a dynamic reference. Cached for trials of a process."""
    chosen = cast(motion, body, physics=physics)
    return chosen.body, dynamic_reference(chosen.reference, chosen.body, chosen.ships) if physics else chosen.reference


@lru_cache(maxsize=8)
def cached_build(
    motion: str, body: str | None, build: BodyVariant, edits: tuple[str, ...], physics: bool
) -> tuple[Body, Reference]:
    """The body changed by `build`, and its edited reference; bodies of other proportions need shipped motions."""
    performer, reference = cached_cast(motion, body, physics)
    other = build.applied_to(performer)
    if build.legs != 1.0 or build.mass != 1.0:  # of other proportions: the motion is authored anew
        reference = named_motion(motion, other)
    for edit in edits:
        reference = parse_edit(edit).on(take_of(reference, other))
    return other, reference


def trial_row(labels: Row, seed: int, survived: bool, verdict: Verdict, measured: Row, audit_falls: bool) -> Row:
    """The row of a trial; `physical` is None for a trial that fell, unless `audit_falls`."""
    columns = asdict(verdict)
    failed = columns.pop("failed")
    physical = not failed if audit_falls or verdict.fell_at is None else None
    audited = {"physical": physical, "failed_checks": " ".join(failed)}
    return {**labels, "seed": seed, "survived": survived, **columns, **measured, **audited}


def audit_columns(recording: Recording) -> Row:
    """Columns of a row: whether a recording passes the audit, and the names of the failed checks."""
    checked = audit(recording)
    failed = " ".join(check.name for check in checked.checks if not check.passed)
    return {"physical": checked.verdict.physical, "failed_checks": failed}


def horizontal_push(degrees: int, force: float, time: float, duration: float) -> Push:
    """A push of a force (N) at a time (s) for a duration (s); 0 degrees is forward, 90 is to the left."""
    angle = math.radians(degrees)
    return Push(force, time, duration, (math.cos(angle), math.sin(angle), 0.0))


def pushed_trial(motion: str, body: str | None, push: Push, phase: float, seconds: float, seed: int) -> Trial:
    """A trial of a cyclic motion that is at phase `phase` (0 to 1) when the push begins."""
    _, reference = cached_cast(motion, body, True)
    cycle = next(iter(reference.motions.values())).clip
    if not cycle.cyclic:
        raise PoiseError(f"'{motion}' is not cyclic and has no phases at which to push: choose a cyclic motion")
    first = (phase - push.time / cycle.seconds) % 1.0
    return Trial(motion, body, seconds=seconds, seed=seed, phase=first, pushes=(push,))


def time_motion(case: NamedCase, controller: Controller, body: str | None, rate: float) -> StepTimes:
    """Times of control, of simulation at a rate (Hz), and of MuJoCo's own steps from the same states."""
    performer, reference = cached_cast(case.name, body, entry_of_controller(controller).needs_physics)
    scene = scene_with_held_prop(performer, reference)
    run = set_up_run(scene, reference, controller, 1.0 / rate, seed=case.seed, noise=NOISE, record=False)
    return timed_steps(run.world, controller, max(1, round(case.seconds * rate)))
