"""Going on with a motion from a pose: where that is, as it faces, and with its feet where they stand."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from poise.body.carrying import carried, heading
from poise.frozen import Array
from poise.reference.edit.footing import Footing
from poise.reference.edit.likeness import features
from poise.reference.edit.limbs import easy_reach, foot_parts, leg_lengths, sinking
from poise.reference.edit.span import smooth
from poise.reference.edit.take import BLOCK, Frame, Take
from poise.spatial import yaw_of

SEARCHED = 6.0
"""s of a motion that are looked at."""


def resumed(take: Take, pose: Array, start: float, over: float) -> Take | None:
    """A motion that keeps its feet where they are, from `start` (s) on: from a pose (nq,) at rest, within `over` s.

    It is entered where it is most like the pose. None if feet that stand as the pose's cannot bear its lowest moment.
    """
    resumption = _Resumption(take, pose, start, over)
    if not resumption.reaches_down():
        return None
    return replace(take.with_blocks(resumption.block, resumption.first), duration=None)


def keeps_its_feet(take: Take) -> bool:
    """Whether each foot stands all the time."""
    parts = foot_parts(take.body)
    return bool(parts) and all(
        frame.down is not None and all(frame.down[own].any() for own in parts) for frame in _searched(take)
    )


def tallest(take: Take) -> Array:
    """(nq,) the pose whose root is highest."""
    return max(_searched(take), key=_height).qpos


def _searched(take: Take) -> list[Frame]:
    """What is looked at of a motion."""
    return [take.frame(k) for k in range(round(min(take.duration or SEARCHED, SEARCHED) * take.rate))]


def _height(frame: Frame) -> float:
    """m, of the root."""
    return float(frame.qpos[2])


class _Resumption:
    """Frames of a motion that goes on."""

    def __init__(self, take: Take, pose: Array, start: float, over: float) -> None:
        self._take, self._pose = take, np.array(pose)
        self.first, self._over = round(start * take.rate), max(round(over * take.rate), 1)
        self._footing, self._lengths = Footing(take.body), leg_lengths(take.body)
        self._place, self._turn = self._footing.places(self._pose[None])
        self._entry = self._most_alike()
        entered = take.frame(self._entry).qpos
        self._turned = heading(float(yaw_of(self._pose[3:7]) - yaw_of(entered[3:7])))
        there, _ = self._footing.places(carried(entered, self._turned, np.zeros(3))[None])
        self._way = (self._place - there)[0].mean(axis=0)  # (3,) m

    def _most_alike(self) -> int:
        """The frame of the motion that is most like the pose, at rest."""
        frames = _searched(self._take)
        still = [Frame(self._pose, frames[0].down)] * 2
        theirs, mine = (features(self._take.body, each, self._take.rate) for each in (frames, still))
        return int(np.argmin(np.linalg.norm(theirs - mine[0], axis=1)))

    def block(self, first: int) -> list[Frame]:
        """The frames of a block."""
        return self._stood([self._mixed(first + k) for k in range(BLOCK)])

    def reaches_down(self) -> bool:
        """Whether all that bears when the motion is lowest can bear where the feet stand."""
        lowest = min(_searched(self._take), key=_height)
        (found,) = self._stood([Frame(self._there(lowest), lowest.down)])
        return found.down is not None and bool(np.all(found.down == lowest.down))

    def _stood(self, frames: list[Frame]) -> list[Frame]:
        """Frames with feet where they stand."""
        for frame, sink in zip(frames, self._sink(np.array([frame.qpos for frame in frames])), strict=True):
            frame.qpos[2] -= sink
        place, turn = (np.repeat(each, len(frames), axis=0) for each in (self._place, self._turn))
        return self._footing.settled(frames, place, turn)

    def _sink(self, qpos: Array) -> Array:
        """(T,) m: how far the pelvis of poses (T, nq) goes down, so that legs stretch no further than theirs."""
        hips, feet = self._footing.hips(qpos), self._footing.places(qpos)[0]
        used = np.linalg.norm(hips - feet, axis=-1)
        return sinking(hips, self._place, easy_reach(self._lengths, used))

    def _there(self, frame: Frame) -> Array:
        """(nq,) a pose of the motion, facing as the body does and above its feet."""
        return carried(frame.qpos, self._turned, self._way)

    def _mixed(self, number: int) -> Frame:
        """Between the pose and the motion, which has its feet where it likes."""
        since = max(number - self.first, 0)
        model, there = self._take.body.model, self._take.frame(self._entry + since)
        out, way = np.array(self._pose), np.zeros(model.nv)
        mujoco.mj_differentiatePos(model, way, 1.0, out, self._there(there))
        mujoco.mj_integratePos(model, out, way, float(smooth(since / self._over)))
        return Frame(out, there.down)
