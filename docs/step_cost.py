"""Costs of a step with contacts between links of one body, relative to one without.

Steps of both kinds are taken in turn in one process, so that whatever else the machine does slows both alike.

    python docs/step_cost.py
"""

import sys
from statistics import median
from time import perf_counter

from poise.performance.request import Request

CASES = (("stand", "nqr"), ("walk", "nqr"), ("walk", "pendulum"), ("squat", "modal"))
STEPS = 400  # of each kind, after the first WARM
WARM = 20


def step_cost_ratios(motion: str, controller: str) -> tuple[float, float]:
    """Median of the ratios of steps taken in turn, and ratio of the medians."""
    kinds = (True, False)
    runs = [Request(motion, controller=controller, self_contact=own, seconds=60.0).stage().run for own in kinds]
    times: list[list[float]] = [[], []]
    for step in range(WARM + STEPS):
        for run, took in zip(runs, times, strict=True):
            began = perf_counter()
            run.step()
            if step >= WARM:
                took.append(perf_counter() - began)
    return median(a / b for a, b in zip(*times, strict=True)), median(times[0]) / median(times[1])


if __name__ == "__main__":
    for case in CASES:
        ratios = step_cost_ratios(*case)
        sys.stdout.write(f"{' '.join(case):16} {ratios[0]:.2f} {ratios[1]:.2f}\n")
