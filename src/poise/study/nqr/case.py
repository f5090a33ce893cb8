"""A trial of nqr, and the row that becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from poise.control.nqr import Nqr, NqrSettings
from poise.study.nqr.cost import Cost
from poise.study.study import Row
from poise.study.table import Gather, count, mean, most, total
from poise.study.trial import Trial, attempt

OURS = NqrSettings()
"""As Poise comes."""
PAPER = NqrSettings(effort="size", planted=0.0, force=1.0, relocate=0.0, phase="clock", ground="felt")
"""With the costs that the paper has, which forgives no distance from the place of the motion and keeps to its time."""
VARIANTS = {"ours": OURS, "paper": PAPER}
LAWS = {"nqr": "nonlinear", "lqr": "linear"}
"""As the paper calls them."""
COLOURS = {"nqr": "#1f5fa8", "lqr": "#c23b22"}
"""As in its Fig. 3."""
MOTIONS = ("walk", "run", "turn-45", "turn-90", "turn-180")
"""What is tried unless told otherwise."""

TOLD: Mapping[str, Gather] = {
    "trials": count,
    "survived": total("survived"),
    "seconds": mean("seconds"),
    "cost": mean("cost"),
    "physical": total("physical"),
    "approximate": total("approximate"),
    "jitter_ratio": most("jitter_ratio"),
}
"""What is told of many trials."""


@dataclass(frozen=True)
class Case:
    """A trial, with what tells it from the others."""

    labels: Row
    trial: Trial
    settings: NqrSettings = OURS


def measure(case: Case) -> Row:
    """Perform it: its labels, whether it survived, and the cost until it fell if it did."""
    controller, trial = Nqr(case.settings), case.trial
    cost = Cost(controller)
    verdict = asdict(attempt(trial, controller, cost.add))
    failed = verdict.pop("failed")
    return {
        **case.labels,
        "seed": trial.seed,
        "survived": verdict["fell_at"] is None,
        **verdict,
        "cost": cost.average(round(verdict["seconds"] * trial.rate)),
        "physical": not failed,
        "failed_checks": " ".join(failed),
    }
