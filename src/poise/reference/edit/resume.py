"""Going on with a motion from a pose: where that is, as it faces, and with its feet where they stand."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from poise.body.carrying import carried, heading
from poise.frozen import readonly
from poise.reference.edit.footing import Footing
from poise.reference.edit.likeness import features
from poise.reference.edit.limbs import foot_parts
from poise.reference.edit.span import smooth
from poise.reference.edit.take import BLOCK, Frame, Take
from poise.spatial import Array, yaw_of

SEARCHED = 6.0
"""s of the motion in which the moment that is most like the pose is looked for."""


def resumed(take: Take, pose: Array, start: float, over: float) -> Take:
    """A motion that keeps its feet where they are, from `start` (s) on: from a pose (nq,) at rest, within `over` s.

    It is entered where it is most like the pose.
    """
    block = _Resumption(take, pose, start, over).block
    return replace(take.with_blocks(block, round(start * take.rate)), duration=None)


def keeps_its_feet(take: Take) -> bool:
    """Whether each foot stands all the time in which the motion is searched."""
    parts = foot_parts(take.body)
    frames = [take.frame(k) for k in range(_searched(take))]
    return bool(parts) and all(
        frame.down is not None and all(frame.down[own].any() for own in parts) for frame in frames
    )


def _searched(take: Take) -> int:
    """Frames."""
    return round(min(take.duration or SEARCHED, SEARCHED) * take.rate)


class _Resumption:
    """Frames of a motion that goes on."""

    def __init__(self, take: Take, pose: Array, start: float, over: float) -> None:
        self._take, self._pose = take, np.array(pose)
        self._first, self._over = round(start * take.rate), max(round(over * take.rate), 1)
        self._footing = Footing(take.body)
        self._place, self._turn = self._footing.places(self._pose[None])
        self._entry = self._most_alike()
        entered = take.frame(self._entry).qpos
        self._turned = heading(float(yaw_of(self._pose[3:7]) - yaw_of(entered[3:7])))
        there, _ = self._footing.places(carried(entered, self._turned, np.zeros(3))[None])
        self._way = (self._place - there)[0].mean(axis=0)  # (3,) m

    def _most_alike(self) -> int:
        """The frame of the motion that is most like the pose, at rest."""
        frames = [self._take.frame(k) for k in range(_searched(self._take))]
        still = [Frame(self._pose, frames[0].down)] * 2
        theirs, mine = (features(self._take.body, each, self._take.rate) for each in (frames, still))
        return int(np.argmin(np.linalg.norm(theirs - mine[0], axis=1)))

    def block(self, first: int) -> list[Frame]:
        """The frames of a block."""
        frames = [self._mixed(first + k) for k in range(BLOCK)]
        return self._footing.settled(frames, *(np.repeat(each, BLOCK, axis=0) for each in (self._place, self._turn)))

    def _mixed(self, number: int) -> Frame:
        since = max(number - self._first, 0)
        there = self._take.frame(self._entry + since)
        goal, out, way = (
            carried(there.qpos, self._turned, self._way),
            np.array(self._pose),
            np.zeros(self._take.body.nv),
        )
        mujoco.mj_differentiatePos(self._take.body.model, way, 1.0, out, goal)
        mujoco.mj_integratePos(self._take.body.model, out, way, float(smooth(since / self._over)))
        return Frame(readonly(out), there.down)
