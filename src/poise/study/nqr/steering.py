"""Steered walks: transitions between steps, each tried in simulation, and walks under random commands."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.control.commands import SteerCommand
from poise.control.nqr.nqr import Nqr
from poise.library.repertoire import (
    BoundaryStance,
    Repertoire,
    RepertoireStep,
    Roaming,
    canonical_repertoire_transition,
    shipped_repertoire,
)
from poise.measure.metrics import fell_at
from poise.performance.stage import set_up_run
from poise.rotations import yaw_of
from poise.study.experiment import table
from poise.study.experiment.plots import dots, picture, share_map
from poise.study.experiment.study import NamedCase, Row, Scope, Study, named_cases
from poise.study.experiment.trial import NOISE, judge_run
from poise.world.recording import Recording
from poise.world.scene import Scene

BODY = "biped29"
EVERY_PAIR = 8  # Stride through the list of pairs in the coarse scope
AFTERWARDS = 1.0  # Time (s) after the second step over which deviations still count


@dataclass(frozen=True)
class TransitionCase:
    """Two successive steps from a noisy start."""

    step: str
    then: str
    seconds: float  # duration after the two steps
    seed: int


@lru_cache(maxsize=1)
def repertoire_for_cases() -> Repertoire:
    """The shipped repertoire of BODY, read once per process."""
    return shipped_repertoire(Body.named(BODY))


def transition_cases(scope: Scope) -> list[TransitionCase]:
    """Cases of two steps that meet in a stance or switch gait on the same foot; of two mirror images only one."""
    steps = repertoire_for_cases().steps
    names = [(a.name, b.name) for a in steps for b in steps if a.joins(b) or a.switches(b)]
    kept = [pair for pair in names if canonical_repertoire_transition(*pair) == pair]
    tried = kept[::EVERY_PAIR] if scope.coarse else kept
    return [TransitionCase(one, other, scope.seconds, seed) for one, other in tried for seed in range(scope.seeds)]


def run_transition_case(pair: TransitionCase) -> Row:
    """Row of a pair of steps: survival, and the joint deviation (rad, rms) during and after the second step."""
    repertoire = repertoire_for_cases()
    by_name = {step.name: step for step in repertoire.steps}
    one, other = by_name[pair.step], by_name[pair.then]
    before = steady_gait_steps_for_cases(repertoire.steps, one.begins)
    after = steady_gait_steps_for_cases(repertoire.steps, other.ends)
    tried = repertoire_of_steering_case(repertoire, (*before, one, other, *2 * after))
    begin = sum(step.seconds for step in (*before, one))
    seconds = begin + other.seconds + pair.seconds
    motion = before[0].motion
    reference = Roaming(tried, motion, before[0].first * repertoire[motion].step)
    scene = Scene.of(Body.named(BODY))
    performance = set_up_run(scene, reference, Nqr(), 1 / 120, seed=pair.seed, noise=NOISE).perform(seconds)
    survived = performance.blow_up is None and fell_at(performance.recording) is None
    end = begin + other.seconds + AFTERWARDS
    off = _joint_deviation_for_row(performance.recording, begin, end) if survived else None
    return {"step": pair.step, "next": pair.then, "seed": pair.seed, "survived": survived, "off": off}


def _joint_deviation_for_row(recording: Recording, begin: float, end: float) -> float:
    """The deviation from the reference (rad), root mean square over the joints and a time span (s)."""
    assert recording.reference_qpos is not None
    within = (recording.time >= begin) & (recording.time <= end)
    return float(np.sqrt(np.mean((recording.qpos - recording.reference_qpos)[within, 7:] ** 2)))


def steady_gait_steps_for_cases(steps: Sequence[RepertoireStep], stance: BoundaryStance) -> tuple[RepertoireStep, ...]:
    """The steps of a gait, or of standing, that lead from a stance back to the same stance."""
    taken: list[RepertoireStep] = []
    while not taken or taken[-1].ends != stance:
        here = taken[-1].ends if taken else stance
        taken.append(next(step for step in steps if step.begins == here and step.steady))
    return tuple(taken)


def repertoire_of_steering_case(repertoire: Repertoire, steps: Sequence[RepertoireStep]) -> Repertoire:
    """A repertoire that allows only the given sequence of steps; the last two steps repeat for ever."""
    ends = {step.ends for step in steps}
    led_to = [step for step in repertoire.steps if step.begins in ends and step.steady]
    risk = np.full((len(steps) + len(led_to),) * 2, np.inf)
    last = len(steps) - 1
    risk[np.arange(last), np.arange(1, last + 1)] = 0.0
    risk[last, last - 1] = 0.0
    risk[last + 1 :, last] = 0.0  # these steps are never reached
    return Repertoire(repertoire.motions, (*steps, *led_to), readonly(risk))


TRANSITIONS: Study[TransitionCase] = Study(
    name="nqr-transitions",
    title="which step may follow which when a walk is steered",
    reproduces="Muico et al. 2009, section 5.5",
    whole=Scope(seeds=3, seconds=4.0),
    quick=Scope(seeds=1, seconds=2.0, coarse=True),
    cases=transition_cases,
    run_case=run_transition_case,
    summary=table.summary_by(
        ("step", "next"), trials=table.row_count, survived=table.column_total("survived"), off=table.column_max("off")
    ),
    plot=picture(share_map("next", "step", written=table.column_max("off"), title="largest joint deviation, rad")),
)


SPEEDS = {"turns": (1.3,), "turns and speeds": (0.0, 0.9, 1.3, 1.7, 3.0)}  # Commanded speeds (m/s) by kind of case
BETWEEN = (1.0, 7.0)  # Shortest and longest time (s) from one command to the next
NEAR = np.radians(10.0)  # Error of heading (rad) below which a command counts as followed
STRIDE = 1.05  # Duration (s) of a stride of the walk, over which the swing of the pelvis averages out


def random_steering_commands(case: NamedCase) -> list[SteerCommand]:
    """Commands with random times, headings and speeds, drawn from the seed of the case."""
    rng = np.random.default_rng(case.seed)
    commands, time = [], 0.0
    while time < case.seconds:
        speed = float(rng.choice(SPEEDS[case.name]))
        commands.append(SteerCommand(time, float(rng.uniform(-np.pi, np.pi)), speed))
        time += float(rng.uniform(*BETWEEN))
    return commands


def run_steering_case(case: NamedCase) -> Row:
    """Row of a steered walk: whether it survives, and times (s) from commands until their headings are reached."""
    reference, commands = Roaming(repertoire_for_cases()), random_steering_commands(case)
    run = set_up_run(
        Scene.of(Body.named(BODY)), reference, Nqr(), 1 / 120, commands=commands, seed=case.seed, noise=NOISE
    )
    yaw: list[float] = []
    verdict = asdict(judge_run(run, case.seconds, lambda _: yaw.append(float(yaw_of(run.world.state.qpos[3:7])))))
    failed, delays = verdict.pop("failed"), command_latencies(np.array(yaw), commands, 1.0 / run.step_s)
    return {
        "commands": case.name,
        "seed": case.seed,
        "survived": verdict["fell_at"] is None,
        **verdict,
        "physical": not failed,
        "reached": len(delays),
        "latency": float(np.mean(delays)) if len(delays) else None,
        "latency_90": float(np.percentile(delays, 90)) if len(delays) else None,
    }


def command_latencies(yaw: Array, commands: Sequence[SteerCommand], rate: float) -> Array:
    """(n,) times (s) from a command until its heading is reached, for n headings reached before the next command.

    `yaw` (T,) is the yaw (rad) of the pelvis relative to the first heading, at `rate` (Hz). The moving average of the
    yaw over a stride is the course. Commands to stand, and commands whose heading is already near, do not count.
    """
    width = round(STRIDE * rate)
    if len(yaw) < width:
        return np.zeros(0)
    course = np.convolve(np.unwrap(yaw), np.ones(width) / width, mode="valid")  # starts half a stride late
    times = (np.arange(len(course)) + (width - 1) / 2) / rate
    ends = [command.time for command in commands[1:]] + [times[-1]]
    found = []
    for command, end in zip(commands, ends, strict=True):
        within = (times >= command.time) & (times < end)
        off = np.abs(np.angle(np.exp(1j * (course[within] - command.heading))))
        if command.speed != 0.0 and (off < NEAR).any() and off[0] > NEAR:
            found.append(times[within][np.argmax(off < NEAR)] - command.time)
    return np.array(found)


STEERING: Study[NamedCase] = Study(
    name="nqr-steering",
    title="a walk under random commands of heading and speed",
    reproduces="Muico et al. 2009, section 5.5",
    whole=Scope(seeds=10, seconds=300.0),
    quick=Scope(seeds=1, seconds=20.0),
    cases=lambda scope: named_cases(SPEEDS, scope),
    run_case=run_steering_case,
    summary=table.summary_by(
        ("commands",),
        trials=table.row_count,
        **table.column_totals("survived", "physical"),
        seconds=table.column_mean("seconds"),
        **table.column_totals("approximate"),
        latency=table.column_mean("latency"),
        latency_90=table.column_max("latency_90"),
        slip=table.column_mean("slip"),
    ),
    plot=picture(dots("seconds", ("commands",)), dots("latency", ("commands",), xlabel="s from command to heading")),
)
