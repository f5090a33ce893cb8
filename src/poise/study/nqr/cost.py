"""What a performance costs: [Muico2009] Eq. (18)."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from poise.control.nqr import Nqr
from poise.control.nqr.weights import Weights, weights_for
from poise.world.result import StepResult


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
        deviation, torque = controller.answer.deviation, result.torque[6:]
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
