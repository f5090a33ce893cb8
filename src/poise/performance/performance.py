"""What a run gives: a recorded performance with its computation times, and the bones of one moment."""

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.world.recording import Recording
from poise.world.result import BlowUp


@dataclass(frozen=True)
class Performance:
    """A recording and its computation times."""

    recording: Recording
    setup_s: float  # wall-clock seconds of the set-up
    step_s: Array  # (T,) wall-clock seconds of each step, including control
    blow_up: BlowUp | None = None  # what ended the performance early, if anything did

    def __repr__(self) -> str:
        ended = f", stopped: {self.blow_up}" if self.blow_up else ""
        return f"Performance({self.recording!r}, {self.real_time_factor:.1f} times real time{ended})"

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds per wall-clock second, set-up excluded."""
        spent = float(self.step_s.sum())
        return self.recording.steps * self.recording.step / spent if spent else 0.0


@dataclass(frozen=True, eq=False)
class Bones:
    """Poses of the performer's links in the world at one time."""

    names: tuple[str, ...]
    positions: Array  # (n, 3) m
    quaternions: Array  # (n, 4) w x y z

    def __repr__(self) -> str:
        return f"Bones({len(self.names)} links, {self.names[0]} at {np.round(self.positions[0], 3).tolist()} m)"
