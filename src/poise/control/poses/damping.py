"""Damping that gives way far from the target, so that a limb gathers momentum [Fattal2006] Eq. (3)."""

from __future__ import annotations

import numpy as np

from poise.kernel import kernel


@kernel
def damping_kept(error: float, way: float, reach: float, rate: float) -> float:
    """The share f of the damping that is left, as the mean over a step.

    A joint that is off by ``error`` rad is led by ``way`` rad nearer to its target in the step. Fast limbs cross the
    narrow zone of full damping (``reach``, a degree) within a step, so f is averaged along the way:
    (F(e1) - F(e0)) / (e1 - e0), with F' = f. ``rate`` is how much damping is left just beyond that zone.
    """
    after = error - way
    if abs(way) < 1e-9:
        return 1.0 if abs(error) < reach else rate * reach / abs(error)
    return (_total(after, reach, rate) - _total(error, reach, rate)) / (after - error)


@kernel
def _total(error: float, reach: float, rate: float) -> float:
    """The integral of f from 0 to an error."""
    size = abs(error)
    if size < reach:
        return float(error)
    return float(np.sign(error)) * reach * (1.0 + rate * float(np.log(size / reach)))
