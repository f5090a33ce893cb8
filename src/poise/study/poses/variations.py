"""Do scripts work when a user changes them? Variations of masses, pose times and targets, solved and performed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poise.animation import animate, read_script, shipped_scripts, solve
from poise.animation.varying import varied
from poise.measure import audit
from poise.study.plots import panels
from poise.study.poses.feats import FEATS
from poise.study.study import Row, Scope, Study
from poise.study.table import count, grouped, numbers, total

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENOUGH = 0.9
"""Share of variations that is to succeed."""


@dataclass(frozen=True)
class Case:
    """A variation of a script."""

    script: str
    seed: int


def cases(scope: Scope) -> list[Case]:
    """So many variations of every script that comes with Poise."""
    return [Case(script, seed) for script in shipped_scripts() for seed in range(scope.seeds)]


def measure(case: Case) -> Row:
    """Solved if it has constraints, performed, and judged."""
    script = varied(read_script(case.script), case.seed)
    solution = solve(script) if script.goals else None
    performance = animate(script if solution is None else solution.script)
    solved = solution is None or solution.converged
    performed = performance.blow_up is None and FEATS[case.script](performance.recording)
    return {
        "script": case.script,
        "seed": case.seed,
        "solved": solved,
        "done": solved and performed,
        "physical": audit(performance.recording).passed,
        "iterations": None if solution is None else sum(answer.hit.iterations for answer in solution.answers),
        "simulations": None if solution is None else sum(answer.hit.simulations for answer in solution.answers),
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """By script: how many of how many."""
    columns = {name: total(name) for name in ("solved", "done", "physical")}
    return grouped(rows, ("script",), {"variations": count, **columns})


def plot(rows: Sequence[Row]) -> Figure:
    """The share of each script that does what it is for."""
    found = summary(rows)
    shares = np.array(numbers(found, "done")) / np.array(numbers(found, "variations"))
    figure, ((axis,),) = panels(1, 1, size=(5.0, 0.8 + 0.3 * len(found)))
    axis.barh([str(row["script"]) for row in found], shares, color="C0")
    axis.axvline(ENOUGH, color="grey", lw=0.8)
    axis.set_xlim(0.0, 1.0)
    axis.set_xlabel("share of variations that succeed")
    axis.invert_yaxis()
    return figure


STUDY: Study[Case] = Study(
    name="poses-variations",
    title="scripts with other masses, times and targets",
    reproduces="how far a user may go",
    whole=Scope(seeds=20, seconds=60.0),
    quick=Scope(seeds=2, seconds=60.0),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
