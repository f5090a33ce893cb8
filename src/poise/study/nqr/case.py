"""A trial of the nqr controller and its row: survival, the verdict, and the cost of [Muico2009] Eq. (18)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.body.body import Body
from poise.control.nqr.nqr import Nqr, NqrSettings
from poise.control.nqr.weights import NqrWeights, nqr_weights
from poise.study.experiment.study import Row
from poise.study.experiment.table import Gather, column_max, column_means, column_total, column_totals, row_count
from poise.study.experiment.trial import Trial, attempt_trial, trial_row
from poise.world.result import StepResult

OURS = NqrSettings()  # The default settings of Poise
PAPER = NqrSettings(effort="size", planted=0.0, force=1.0, relocate=0.0, phase="clock", ground="felt")
"""The paper's settings: the paper's cost, a reference that is never relocated, and no view of the ground ahead."""
VARIANTS = {"ours": OURS, "paper": PAPER}
LAWS = {"nqr": "nonlinear", "lqr": "linear"}  # Control laws by the names that the paper gives them
MOTIONS = ("walk", "run", "turn-45", "turn-90", "turn-180")

SUMMARY: Mapping[str, Gather] = {
    "trials": row_count,
    "survived": column_total("survived"),
    **column_means("seconds", "cost"),
    **column_totals("physical", "approximate"),
    "jitter_ratio": column_max("jitter_ratio"),
}
"""Summary columns of a group of trials."""


@dataclass(frozen=True)
class NqrCase:
    """A trial of the nqr controller, with the labels of its row."""

    labels: Row
    trial: Trial
    settings: NqrSettings = OURS


def run_nqr_trial(case: NqrCase) -> Row:
    """Run a trial and return its row; the cost is averaged over the time until a fall or the end."""
    controller, trial, costs = Nqr(case.settings), case.trial, list[float]()
    verdict = attempt_trial(trial, controller, lambda result: costs.append(nqr_step_cost(controller, result)))
    until_fall = costs[: round(verdict.seconds * trial.rate)]
    measured: Row = {"cost": float(np.mean(until_fall)) if until_fall else None}
    return trial_row(case.labels, trial.seed, verdict.fell_at is None, verdict, measured, audit_falls=True)


def nqr_step_cost(controller: Nqr, result: StepResult) -> float:
    """The cost of the step that a controller has just driven [Muico2009] Eq. (18), with the paper's weights."""
    motion = controller.segment.motion
    weights = _paper_weights(motion.clip.body)
    deviation, torque = controller.output.deviation, result.torque[6:]
    change = torque - motion.torque[controller.frame - 1, 6:]
    return 0.5 * float(weights.state @ deviation**2 + weights.change @ change**2 + weights.size @ torque**2)


@lru_cache(maxsize=1)
def _paper_weights(body: Body) -> NqrWeights:
    return nqr_weights(body, effort="size")
