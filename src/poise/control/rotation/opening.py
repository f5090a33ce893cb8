"""When to leave the tuck, so that the root arrives at touch-down as it should.

The pitch of the root is predicted, not the excursion's: at the right excursion a trunk may be over-rotated by 0.7 rad.
"""

from __future__ import annotations

import numpy as np

from poise.control.rotation.poseline import PoseLine
from poise.frozen import Array


class Opening:
    """From a tuck to the pose of touch-down, in so many steps of a line, the last of which is held."""

    def __init__(self, line: PoseLine, step: float) -> None:
        """`line` begins with the tuck; a step of it takes `step` s."""
        self._step, self._line = step, line
        self._flow = np.concatenate([[0.0], np.cumsum(step / line.inertia[1:])])  # s/(kg m^2), passed since the tuck

    def arrival(self, pitch: float, momentum: float, left: float, at: int, wait: float = 0.0) -> float:
        """rad: the root's pitch after `left` s, from step `at` of the line on, if it waits so long before that."""
        line, last = self._line, len(self._line.qpos) - 1
        moving = min(last - at, int(max(left - wait, 0.0) / self._step))
        end = at + moving
        rest = max(left - wait - moving * self._step, 0.0)
        time = wait / line.inertia[at] + self._flow[end] - self._flow[at] + rest / line.inertia[end]
        return float(pitch + momentum * time - (line.swing[end] - line.swing[at]))

    def due(self, pitch: float, momentum: float, left: float, wanted: float) -> bool:
        """Whether the first pose should be left now: to wait would end beyond the wanted pitch, or no time is left.

        To wait turns the root further in a tuck that is left for a pose that is stretched out, and less far in an arch
        that is left for a squat.
        """
        inertia = self._line.inertia
        further = np.sign(momentum) * np.sign(inertia[-1] - inertia[0])
        beyond = further * (self.arrival(pitch, momentum, left, 0) - wanted)
        return bool(beyond >= 0 or left <= (len(self._line.qpos) - 1) * self._step)

    def pose(self, at: int) -> tuple[Array, Array]:
        """(nq,) of a step, and (n,) rad/s of joints there."""
        line, last = self._line, len(self._line.qpos) - 1
        return line.qpos[min(at, last)], line.moves[at] / self._step if at <= last else np.zeros(line.moves.shape[1])
