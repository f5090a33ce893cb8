"""How soon are constraints met? Iterations, simulations and seconds against [Fattal2006] section 6."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poise.animate.animate import animate
from poise.animate.read_script import read_script
from poise.animate.solve import solve_script
from poise.measure.audit import audit
from poise.measure.metrics import metrics
from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import column_values, grouped, mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = {"somersault": (4, 34.0), "lamp": (6, 2.5), "footprints": (3, 1.6)}
"""Iterations and seconds of a solve, on a computer of 2004 (Pentium 4, 2.4 GHz)."""
COLOUR = "tab:purple"


@dataclass(frozen=True)
class ShootingCase:
    """A script, solved for the how-manieth time: seconds vary."""

    script: str
    seed: int


def cases(scope: Scope) -> list[ShootingCase]:
    """Each script that the paper tells of."""
    scripts = list(PAPER) if not scope.coarse else ["lamp"]
    return [ShootingCase(script, seed) for script in scripts for seed in range(scope.seeds)]


def measure(case: ShootingCase) -> Row:
    """Solve, then perform what was found."""
    solution = solve_script(read_script(case.script))
    recording = animate(solution.script).recording
    hits = [answer.hit for answer in solution.answers]
    return {
        "script": case.script,
        "seed": case.seed,
        "solved": solution.converged,
        "goals": len(hits),
        "iterations": max(hit.iterations for hit in hits),
        "simulations": sum(hit.simulations for hit in hits) / len(hits),
        "seconds": max(answer.seconds for answer in solution.answers),
        "stood": metrics(recording)["fell_at"] is None,
        "physical": audit(recording).passed,
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """By script: iterations and seconds of the slowest goal, simulations of a goal, beside the paper's."""
    shares = {name: mean(name) for name in ("solved", "stood", "physical", "iterations", "simulations", "seconds")}
    found = grouped(rows, ("script",), shares)
    for row in found:
        row["paper_iterations"], row["paper_seconds"] = PAPER[str(row["script"])]
    return found


def plot(rows: Sequence[Row]) -> Figure:
    """Seconds of each script, beside the paper's."""
    found = summary(rows)
    names = [str(row["script"]) for row in found]
    figure, ((left, right),) = panels(1, 2, size=(7.0, 2.8))
    at = np.arange(len(names))
    for axis, column, title in ((left, "seconds", "s"), (right, "iterations", "iterations")):
        axis.bar(at - 0.2, column_values(found, column), 0.4, color=COLOUR, label="Poise")
        axis.bar(at + 0.2, column_values(found, f"paper_{column}"), 0.4, color="lightgrey", label="paper")
        axis.set_xticks(at, names)
        axis.set_ylabel(title)
    left.set_yscale("log")
    left.legend(frameon=False)
    return figure


STUDY: Study[ShootingCase] = Study(
    name="poses-shooting",
    title="iterations, simulations and seconds until constraints are met",
    reproduces="Fattal & Lischinski 2006, section 6",
    whole=Scope(seeds=3, seconds=1.0),
    quick=Scope(seeds=1, seconds=1.0, coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
    alone=True,
)
