"""Measure a run while it is simulated: tracking error, effort, and an audit of each second."""

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array
from poise.measure.audit import audit
from poise.measure.verdict import Verdict, Word
from poise.performance.run import Run
from poise.world.recorder import Recorder
from poise.world.result import StepResult

PIECE = 1.0  # Duration (s) of the pieces that are audited


class Judge:
    """Measures a run step by step."""

    def __init__(self, run: Run) -> None:
        span = run.world.scene.dofs(0)
        self._joints = slice(span.start + 6, span.stop)
        self._error = np.zeros(run.world.model.nv)
        self._verdicts: list[tuple[float, Verdict]] = []  # of the pieces that are not physical, with their ends (s)
        self.judged = 0.0  # s: end of the last audited piece
        self.track_deg = self.power = self.strain = 0.0  # degrees, W, largest ratio of torque to limit
        self._begin(run)

    def _begin(self, run: Run) -> None:
        self._piece = Recorder(run.world, with_reference=False)

    def watch(self, run: Run, result: StepResult) -> None:
        """Evaluate a step that has just been simulated."""
        world, joints = run.world, self._joints
        torque = result.torque[joints]
        self.power = float(np.abs(torque * world.qvel[joints]).sum())
        limit = world.torque_limit[joints]
        self.strain = float(np.max(np.abs(torque) / np.where(limit > 0, limit, np.inf), initial=0.0))
        self._piece.world = world  # the terrain may have changed
        self._piece.add(result)
        if len(self._piece.torque) * world.settings.step >= PIECE - 1e-9:
            self._audit(run)

    def update_tracking_error(self, run: Run, ghost: Array) -> None:
        """Update the tracking error (degrees) of the joints against the reference pose `ghost` (nq,)."""
        mujoco.mj_differentiatePos(run.world.model, self._error, 1.0, run.world.qpos, ghost)
        self.track_deg = float(np.degrees(np.sqrt(np.mean(self._error[self._joints] ** 2))))

    def _audit(self, run: Run) -> None:
        found = audit(self._piece.finish(run.meta)).verdict
        if not found.physical:
            self._verdicts.append((run.world.time, found))
        self.judged = run.world.time
        self._begin(run)

    def go_back(self, run: Run) -> None:
        """Drop all results later than the time of the run, which went back or was replaced."""
        now = run.world.time
        self._verdicts = [(time, verdict) for time, verdict in self._verdicts if time <= now]
        self.judged = min(self.judged, now)
        self._begin(run)

    def status(self) -> Mapping[str, Any]:
        """Numbers for the page."""
        own = {name: getattr(self, name) for name in ("judged", "track_deg", "power", "strain")}
        return {**self._summary(), **own}

    def _summary(self) -> dict[str, str]:
        """The verdict on all pieces so far, and its reason: that of the first failure, else of the strongest help."""
        failures = [found for _, found in self._verdicts if found.word is Word.NOT_PHYSICAL]
        helped = [found for _, found in self._verdicts if found.assistance is not None]
        strongest = max(helped, key=lambda found: found.assistance.peak_nm if found.assistance else 0.0, default=None)
        found = failures[0] if failures else strongest
        if found is None:
            return {"verdict": str(Word.PHYSICAL) if self.judged else "", "reason": ""}
        return {"verdict": str(found.word), "reason": found.reasons[0]}
