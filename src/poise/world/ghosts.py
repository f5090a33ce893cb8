"""Surfaces that were stopped in the air.

A gap is closed along the normal it has at the start of the step. A limb that swings round the edge of a stair would
be stopped although it passes by; where the motion really takes it decides.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from poise.dynamics.workspace import CLOSED, CLOSING, CONTACTS, IGNORED, Workspace

Array = NDArray[np.float64]

GHOST = 2e-3
"""m: surfaces further apart than this at the end of a step have not touched in it."""
HIT = -1e-3
"""m: a ghost that sinks in by more once it is left out is real after all."""


class Ghosts:
    """Decides which contacts that close within a step are left out of it."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self._trial = mujoco.MjData(model)
        self._verdict: dict[int, bool] = {}  # contact: whether it is a ghost

    def begin(self) -> None:
        """Forget the last step."""
        self._verdict.clear()

    def judge(self, work: Workspace, qpos: Array, h: float, geoms: NDArray[np.int32]) -> bool:
        """Change the kinds of contacts that the solved velocities prove wrong; whether there were any.

        A ghost that is hit when it no longer resists is real, and stays so.
        """
        if not work.counts[CLOSED] and not self._verdict:
            return False
        count = int(work.counts[CONTACTS])
        kind, impulse = work.contact_kind[:count], work.contact_impulse[: 3 * count : 3]
        pressing = ((kind == CLOSING) & (impulse > 0)).nonzero()[0].tolist()
        suspects = [c for c in pressing if c not in self._verdict]
        left_out = [c for c, ghost in self._verdict.items() if ghost]
        if not suspects and not left_out:
            return False
        gaps = self._gaps_after(qpos, work.velocity, h)
        changed = False
        for c in left_out:
            if gaps.get(tuple(geoms[c].tolist()), np.inf) < HIT:
                self._verdict[c], kind[c], changed = False, CLOSING, True
        for c in suspects:
            if gaps.get(tuple(geoms[c].tolist()), np.inf) > GHOST:
                self._verdict[c], kind[c], changed = True, IGNORED, True
        return changed

    def _gaps_after(self, qpos: Array, velocity: Array, h: float) -> dict[tuple[int, ...], float]:
        """m: the least gap of each pair of geoms that is close when the velocity has acted for the step."""
        trial = self._trial
        trial.qpos[:] = qpos
        mujoco.mj_integratePos(self._model, trial.qpos, velocity, h)
        mujoco.mj_kinematics(self._model, trial)
        mujoco.mj_collision(self._model, trial)
        gaps: dict[tuple[int, ...], float] = {}
        for pair, gap in zip(map(tuple, trial.contact.geom.tolist()), trial.contact.dist.tolist(), strict=True):
            gaps[pair] = min(gap, gaps.get(pair, np.inf))
        return gaps
