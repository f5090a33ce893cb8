"""Damping that gives way far from the target, so that a limb gathers momentum [Fattal2006] Eq. (3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.kernel import kernel


@kernel
def damping_kept(error: Any, way: Any, reach: float, rate: float, out: Any) -> None:
    """out (n,): the share f of the damping that is left, as the mean over a step.

    A joint that is off by ``error`` (n,) rad is led by ``way`` (n,) rad nearer to its target in the step. Fast limbs
    cross the narrow zone of full damping (``reach``, a degree) within a step, so f is averaged along the way:
    (F(e1) - F(e0)) / (e1 - e0), with F' = f. ``rate`` is how much damping is left just beyond that zone.
    """
    for i in range(error.shape[0]):
        before, after = error[i], error[i] - way[i]
        if abs(way[i]) < 1e-9:
            out[i] = 1.0 if abs(before) < reach else rate * reach / abs(before)
        else:
            out[i] = (_total(after, reach, rate) - _total(before, reach, rate)) / (after - before)


@kernel
def _total(error: float, reach: float, rate: float) -> float:
    """The integral of f from 0 to an error."""
    size = abs(error)
    if size < reach:
        return float(error)
    return float(np.sign(error)) * reach * (1.0 + rate * float(np.log(size / reach)))
