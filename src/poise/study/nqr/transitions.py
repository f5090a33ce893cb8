"""Which step may follow which? Pairs of steps that could be taken one after the other, each tried in simulation.

The JSON file of this study, put where `poise.library.repertoire` looks for it, is what steering knows of risks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from poise.arrays import readonly
from poise.body.body import Body
from poise.control.nqr.nqr import Nqr
from poise.library.repertoire import BoundaryStance, MotionStep, Repertoire, Roaming, canonical, shipped_repertoire
from poise.measure.metrics import fell_at
from poise.performance.run import perform
from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import count, grouped, most, total
from poise.study.experiment.trial import NOISE
from poise.world.recording import Recording
from poise.world.scene import Scene
from poise.world.world import World

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BODY = "biped29"
COARSE = 8
"""Of so many pairs one is tried when it has to be quick."""
AFTERWARDS = 1.0
"""s after the second step during which deviations count as well."""


@dataclass(frozen=True)
class Pair:
    """Two steps, one after the other, from a noisy start."""

    step: str
    then: str
    seconds: float  # that it goes on after them
    seed: int


@lru_cache(maxsize=1)
def _repertoire() -> Repertoire:
    """Read once by a process that tries many pairs."""
    return shipped_repertoire(Body.named(BODY))


def cases(scope: Scope) -> list[Pair]:
    """Pairs that meet in a stance, or in that of the same foot in another gait; of mirror images only one."""
    steps = _repertoire().steps
    names = [(a.name, b.name) for a in steps for b in steps if a.joins(b) or a.switches(b)]
    kept = [pair for pair in names if canonical(*pair) == pair]
    tried = kept[::COARSE] if scope.coarse else kept
    return [Pair(one, other, scope.seconds, seed) for one, other in tried for seed in range(scope.seeds)]


def measure(pair: Pair) -> Row:
    """Try it: whether it survived, and how far joints were off the motion in and after the second step, rad."""
    repertoire = _repertoire()
    by_name = {step.name: step for step in repertoire.steps}
    one, other = by_name[pair.step], by_name[pair.then]
    before = steady_steps(repertoire.steps, one.begins)
    tried = chained(repertoire, (*before, one, other, *2 * steady_steps(repertoire.steps, other.ends)))
    begin = sum(step.seconds for step in (*before, one))
    seconds = begin + other.seconds + pair.seconds
    world = World(Scene.of(Body.named(BODY)))
    motion = before[0].motion
    reference = Roaming(tried, motion, before[0].first * repertoire[motion].step)
    performance = perform(world, Nqr(), reference, seconds=seconds, seed=pair.seed, noise=NOISE)
    survived = performance.blow_up is None and fell_at(performance.recording) is None
    off = _off(performance.recording, begin, begin + other.seconds + AFTERWARDS) if survived else None
    return {"step": pair.step, "next": pair.then, "seed": pair.seed, "survived": survived, "off": off}


def _off(recording: Recording, begin: float, end: float) -> float:
    """rad, root mean square over joints and a stretch of time."""
    assert recording.reference_qpos is not None
    within = (recording.time >= begin) & (recording.time <= end)
    return float(np.sqrt(np.mean((recording.qpos - recording.reference_qpos)[within, 7:] ** 2)))


def steady_steps(steps: Sequence[MotionStep], stance: BoundaryStance) -> tuple[MotionStep, ...]:
    """Steps of a gait, or of standing, from a stance back to itself."""
    taken: list[MotionStep] = []
    while not taken or taken[-1].ends != stance:
        here = taken[-1].ends if taken else stance
        taken.append(next(step for step in steps if step.begins == here and step.steady))
    return tuple(taken)


def chained(repertoire: Repertoire, steps: Sequence[MotionStep]) -> Repertoire:
    """Steps that can only be taken one after the other, the last two again and again."""
    ends = {step.ends for step in steps}
    led_to = [step for step in repertoire.steps if step.begins in ends and step.steady]
    risk = np.full((len(steps) + len(led_to),) * 2, np.inf)
    last = len(steps) - 1
    risk[np.arange(last), np.arange(1, last + 1)] = 0.0
    risk[last, last - 1] = 0.0
    risk[last + 1 :, last] = 0.0  # never come to
    return Repertoire(repertoire.motions, (*steps, *led_to), readonly(risk))


def summary(rows: Sequence[Row]) -> list[Row]:
    """How each pair went."""
    return grouped(rows, ("step", "next"), {"trials": count, "survived": total("survived"), "off": most("off")})


def plot(rows: Sequence[Row]) -> Figure:
    """How far off, for each pair, or that it falls; empty where the steps do not meet."""
    told = summary(rows)
    ones, others = (list(dict.fromkeys(str(row[name]) for row in told)) for name in ("step", "next"))
    off = np.full((len(ones), len(others)), np.nan)
    for row in told:
        value = float(row["off"] or 0.0) if row["survived"] == row["trials"] else np.inf
        off[ones.index(str(row["step"])), others.index(str(row["next"]))] = value
    figure, axes = panels(1, 1, size=(0.45 * len(others) + 2.0, 0.3 * len(ones) + 1.5))
    shown = np.degrees(off)
    axes[0, 0].imshow(np.where(np.isinf(shown), np.nan, shown), cmap="YlOrRd", vmin=0.0, aspect="auto")
    for (i, j), value in np.ndenumerate(shown):
        if not np.isnan(value):
            axes[0, 0].text(j, i, "falls" if np.isinf(value) else f"{value:.1f}", ha="center", va="center", fontsize=7)
    axes[0, 0].set_yticks(range(len(ones)), ones)
    axes[0, 0].set_xticks(range(len(others)), others, rotation=90)
    axes[0, 0].set_title("degrees by which joints are off, after a step (rows) the next (columns)")
    return figure


STUDY: Study[Pair] = Study(
    name="nqr-transitions",
    title="which step may follow which when a walk is steered",
    reproduces="Muico et al. 2009, section 5.5",
    whole=Scope(seeds=3, seconds=4.0),
    quick=Scope(seeds=1, seconds=2.0, coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
