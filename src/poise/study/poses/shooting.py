"""Iterations, simulations and seconds until the constraints of scripts are met: [Fattal2006] section 6."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.animate.animate import animate
from poise.animate.read_script import read_script
from poise.animate.solve import solve_script
from poise.measure.audit import audit
from poise.measure.metrics import metrics
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, NamedCase, Row, Scope, Study, named_cases
from poise.study.experiment.table import column_means, column_values, group_rows

PAPER = {"somersault": (4, 34.0), "lamp": (6, 2.5), "footprints": (3, 1.6)}
"""For each script: the paper's iterations and seconds of a solve, on a computer of 2004 (Pentium 4, 2.4 GHz)."""
COLOUR = "tab:purple"


def run_shooting_case(case: NamedCase) -> Row:
    """Row of a script that is solved and performed: iterations, simulations, seconds, and result."""
    solution = solve_script(read_script(case.name))
    recording = animate(solution.script).recording
    hits = [answer.hit for answer in solution.answers]
    return {
        "script": case.name,
        "seed": case.seed,
        "solved": solution.converged,
        "goals": len(hits),
        "iterations": max(hit.iterations for hit in hits),
        "simulations": sum(hit.simulations for hit in hits) / len(hits),
        "seconds": max(answer.seconds for answer in solution.answers),
        "stood": metrics(recording)["fell_at"] is None,
        "physical": audit(recording).passed,
    }


def shooting_summary(rows: Sequence[Row]) -> list[Row]:
    """For each script: iterations and seconds of the slowest goal, simulations per goal, and the paper's numbers."""
    columns = column_means("solved", "stood", "physical", "iterations", "simulations", "seconds")
    found = group_rows(rows, ("script",), columns)
    for row in found:
        row["paper_iterations"], row["paper_seconds"] = PAPER[str(row["script"])]
    return found


def plot_shooting(rows: Sequence[Row]) -> Figure:
    """Seconds and iterations of each script, beside those of the paper."""
    found = shooting_summary(rows)
    names = [str(row["script"]) for row in found]
    figure, ((left, right),) = figure_panels(1, 2, size=(7.0, 2.8))
    at = np.arange(len(names))
    for axis, column, title in ((left, "seconds", "s"), (right, "iterations", "iterations")):
        axis.bar(at - 0.2, column_values(found, column), 0.4, color=COLOUR, label="Poise")
        axis.bar(at + 0.2, column_values(found, f"paper_{column}"), 0.4, color="lightgrey", label="paper")
        axis.set_xticks(at, names)
        axis.set_ylabel(title)
    left.set_yscale("log")
    left.legend(frameon=False)
    return figure


STUDY: Study[NamedCase] = Study(
    name="poses-shooting",
    title="iterations, simulations and seconds until constraints are met",
    reproduces="Fattal & Lischinski 2006, section 6",
    whole=Scope(seeds=3, seconds=1.0),
    quick=Scope(seeds=1, seconds=1.0, coarse=True),
    cases=lambda scope: named_cases(("lamp",) if scope.coarse else PAPER, scope),
    run_case=run_shooting_case,
    summary=shooting_summary,
    plot=plot_shooting,
    alone=True,
)
