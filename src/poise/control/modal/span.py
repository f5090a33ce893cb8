"""How long a window should be: as long as the body hardly changes its shape, since it is planned for as if it did not.

[Jain2011] leaves the choice to people (section 9): 12 frames for walking, 16 for squatting, 24 for swinging.
"""

from __future__ import annotations

import numpy as np

from poise.control.modal.modes import ROOT
from poise.reference import Reference

TURN = 0.1
"""rad, in the root-mean-square: how far joints may turn within a window."""
SHORTEST, LONGEST = 6, 24
"""Frames."""
SEEN, EVERY = 4.0, 1 / 30
"""s of the reference that are looked at, and how densely."""


def fitting_window(reference: Reference, step: float) -> int:
    """Frames in which the joints of a reference turn a little, on average."""
    speeds = np.array([reference.at(time).qvel[ROOT:] for time in np.arange(0.0, SEEN, EVERY)])
    speed = float(np.sqrt(np.mean(speeds**2)))  # rad/s
    return int(np.clip(round(TURN / (max(speed, 1e-9) * step)), SHORTEST, LONGEST))
