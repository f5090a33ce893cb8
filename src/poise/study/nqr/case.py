"""A trial of nqr, and the row that becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from poise.control.nqr.nqr import Nqr, NqrSettings
from poise.control.nqr.weights import Weights, weights_for
from poise.study.experiment.study import Row
from poise.study.experiment.table import Gather, count, grouped, mean, most, total
from poise.study.experiment.trial import Trial, attempt
from poise.world.result import StepResult

# What a performance costs: [Muico2009] Eq. (18).


class Cost:
    """Of a controller's steps: deviations, changes and sizes of torques, by the weights of the paper's Table 2.

    They are the paper's whatever the controller's own, so that controllers can be compared.
    """

    def __init__(self, controller: Nqr) -> None:
        self._controller = controller
        self._steps: list[float] = []

    def add(self, result: StepResult) -> None:
        """A step that the controller has just driven."""
        controller, weights = self._controller, self._weights
        motion = controller.segment.motion
        deviation, torque = controller.output.deviation, result.torque[6:]
        change = torque - motion.torque[controller.frame - 1, 6:]
        self._steps.append(
            0.5 * float(weights.state @ deviation**2 + weights.change @ change**2 + weights.size @ torque**2)
        )

    @cached_property
    def _weights(self) -> Weights:
        return weights_for(self._controller.segment.motion.clip.body, effort="size")

    def average(self, steps: int) -> float | None:
        """Over the first so many steps; none if there are none."""
        return float(np.mean(self._steps[:steps])) if self._steps[:steps] else None


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
class NqrCase:
    """A trial, with what tells it from the others."""

    labels: Row
    trial: Trial
    settings: NqrSettings = OURS


def measure(case: NqrCase) -> Row:
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


# What several studies share: how trials under things that vary went.


def summary_by(*columns: str) -> Callable[[Sequence[Row]], list[Row]]:
    """A summary with a row for each combination of some columns."""
    return lambda rows: grouped(rows, columns, TOLD)
