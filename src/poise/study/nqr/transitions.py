"""Transitions between steps of a steered walk, each tried in simulation.

`poise.library.repertoire` reads the JSON file of this study as the risk of each transition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.arrays import readonly
from poise.body.body import Body
from poise.control.nqr.nqr import Nqr
from poise.library.repertoire import (
    BoundaryStance,
    MotionStep,
    Repertoire,
    Roaming,
    canonical_transition,
    shipped_repertoire,
)
from poise.measure.metrics import fell_at
from poise.performance.stage import set_up_run
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import column_max, column_total, distinct_names, row_count, summary_by
from poise.study.experiment.trial import NOISE
from poise.world.recording import Recording
from poise.world.scene import Scene

BODY = "biped29"
COARSE = 8  # Stride through the list of pairs in the coarse scope
AFTERWARDS = 1.0  # Time (s) after the second step over which deviations still count


@dataclass(frozen=True)
class TransitionCase:
    """Two successive steps from a noisy start."""

    step: str
    then: str
    seconds: float  # duration after the two steps
    seed: int


@lru_cache(maxsize=1)
def cached_repertoire() -> Repertoire:
    """The shipped repertoire of BODY, read once per process."""
    return shipped_repertoire(Body.named(BODY))


def transition_cases(scope: Scope) -> list[TransitionCase]:
    """Cases of two steps that meet in a stance or switch gait on the same foot; of two mirror images only one."""
    steps = cached_repertoire().steps
    names = [(a.name, b.name) for a in steps for b in steps if a.joins(b) or a.switches(b)]
    kept = [pair for pair in names if canonical_transition(*pair) == pair]
    tried = kept[::COARSE] if scope.coarse else kept
    return [TransitionCase(one, other, scope.seconds, seed) for one, other in tried for seed in range(scope.seeds)]


def run_transition_case(pair: TransitionCase) -> Row:
    """Row of a pair of steps: survival, and the joint deviation (rad, rms) during and after the second step."""
    repertoire = cached_repertoire()
    by_name = {step.name: step for step in repertoire.steps}
    one, other = by_name[pair.step], by_name[pair.then]
    before = steady_gait_steps(repertoire.steps, one.begins)
    tried = chained_repertoire(repertoire, (*before, one, other, *2 * steady_gait_steps(repertoire.steps, other.ends)))
    begin = sum(step.seconds for step in (*before, one))
    seconds = begin + other.seconds + pair.seconds
    motion = before[0].motion
    reference = Roaming(tried, motion, before[0].first * repertoire[motion].step)
    scene = Scene.of(Body.named(BODY))
    performance = set_up_run(scene, reference, Nqr(), 1 / 120, seed=pair.seed, noise=NOISE).perform(seconds)
    survived = performance.blow_up is None and fell_at(performance.recording) is None
    off = _rms_joint_deviation(performance.recording, begin, begin + other.seconds + AFTERWARDS) if survived else None
    return {"step": pair.step, "next": pair.then, "seed": pair.seed, "survived": survived, "off": off}


def _rms_joint_deviation(recording: Recording, begin: float, end: float) -> float:
    """The deviation from the reference (rad), root mean square over the joints and a time span (s)."""
    assert recording.reference_qpos is not None
    within = (recording.time >= begin) & (recording.time <= end)
    return float(np.sqrt(np.mean((recording.qpos - recording.reference_qpos)[within, 7:] ** 2)))


def steady_gait_steps(steps: Sequence[MotionStep], stance: BoundaryStance) -> tuple[MotionStep, ...]:
    """The steps of a gait, or of standing, that lead from a stance back to the same stance."""
    taken: list[MotionStep] = []
    while not taken or taken[-1].ends != stance:
        here = taken[-1].ends if taken else stance
        taken.append(next(step for step in steps if step.begins == here and step.steady))
    return tuple(taken)


def chained_repertoire(repertoire: Repertoire, steps: Sequence[MotionStep]) -> Repertoire:
    """A repertoire that allows only the given sequence of steps; the last two steps repeat for ever."""
    ends = {step.ends for step in steps}
    led_to = [step for step in repertoire.steps if step.begins in ends and step.steady]
    risk = np.full((len(steps) + len(led_to),) * 2, np.inf)
    last = len(steps) - 1
    risk[np.arange(last), np.arange(1, last + 1)] = 0.0
    risk[last, last - 1] = 0.0
    risk[last + 1 :, last] = 0.0  # these steps are never reached
    return Repertoire(repertoire.motions, (*steps, *led_to), readonly(risk))


transition_summary = summary_by(
    ("step", "next"), {"trials": row_count, "survived": column_total("survived"), "off": column_max("off")}
)


def plot_transitions(rows: Sequence[Row]) -> Figure:
    """A table with the largest deviation of each pair, or "falls"; empty where two steps do not meet."""
    found = transition_summary(rows)
    ones, others = (distinct_names(found, name) for name in ("step", "next"))
    off = np.full((len(ones), len(others)), np.nan)
    for row in found:
        value = float(row["off"] or 0.0) if row["survived"] == row["trials"] else np.inf
        off[ones.index(str(row["step"])), others.index(str(row["next"]))] = value
    figure, axes = figure_panels(1, 1, size=(0.45 * len(others) + 2.0, 0.3 * len(ones) + 1.5))
    shown = np.degrees(off)
    axes[0, 0].imshow(np.where(np.isinf(shown), np.nan, shown), cmap="YlOrRd", vmin=0.0, aspect="auto")
    for (i, j), value in np.ndenumerate(shown):
        if not np.isnan(value):
            axes[0, 0].text(j, i, "falls" if np.isinf(value) else f"{value:.1f}", ha="center", va="center", fontsize=7)
    axes[0, 0].set_yticks(range(len(ones)), ones)
    axes[0, 0].set_xticks(range(len(others)), others, rotation=90)
    axes[0, 0].set_title("joint deviation in degrees, from a step (rows) to the next (columns)")
    return figure


STUDY: Study[TransitionCase] = Study(
    name="nqr-transitions",
    title="which step may follow which when a walk is steered",
    reproduces="Muico et al. 2009, section 5.5",
    whole=Scope(seeds=3, seconds=4.0),
    quick=Scope(seeds=1, seconds=2.0, coarse=True),
    cases=transition_cases,
    run_case=run_transition_case,
    summary=transition_summary,
    plot=plot_transitions,
)
