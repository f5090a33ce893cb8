"""How fast the principal components of a motion move [Jain2011] Fig. 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.frozen import Array

FEW = 3
"""Components of each kind: those that move most, and least."""
MOVES = 1e-4
"""rad, in the root-mean-square: a component that moves less is none."""


@dataclass(frozen=True)
class Spectrum:
    """Of some components, each counting the same."""

    share: Array  # (F,) of the power, at multiples of the lowest frequency
    centre: float  # Hz, the mean


def spectra(joints: Array, seconds: float) -> tuple[Spectrum, Spectrum]:
    """Of the first and of the last principal components of a cycle of joint angles (T, n), rad, that lasts so long."""
    left, size, _ = np.linalg.svd(joints - joints.mean(axis=0), full_matrices=False)
    moving = left[:, size > MOVES * np.sqrt(len(joints))]
    return _spectrum(moving[:, :FEW], seconds), _spectrum(moving[:, -FEW:], seconds)


def _spectrum(components: Array, seconds: float) -> Spectrum:
    power = np.abs(np.fft.rfft(components, axis=0)[1:]) ** 2
    share = np.mean(power / power.sum(axis=0), axis=1)
    return Spectrum(share, float(share @ np.arange(1, len(share) + 1)) / seconds)
