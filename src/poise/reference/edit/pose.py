"""Edits of the pose itself: joints turned, the trunk lowered."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import mujoco
import numpy as np

from poise.errors import PoiseError
from poise.frozen import readonly
from poise.reference.edit.footing import Footing
from poise.reference.edit.limbs import easy_reach, leg_lengths, require_legs, sinking
from poise.reference.edit.span import Span
from poise.reference.edit.take import BLOCK, REMEMBERED, Frame, Take
from poise.reference.edit.walk import gradual, gradual_reach
from poise.reference.edit.words import number, numbers, written
from poise.spatial import Array


@dataclass(frozen=True)
class Offset:
    """A joint turned by `degrees` on top of the motion: one per degree of freedom, or one for a single of them."""

    joint: str  # of a joint or of a degree of freedom
    degrees: tuple[float, ...]
    span: Span = field(default_factory=Span)

    def __str__(self) -> str:
        """As on the command line."""
        return written("offset", f"{self.joint}={numbers(self.degrees)}", self.span)

    def on(self, take: Take) -> Take:
        """The motion with the joint turned; nothing else changes, so feet below the joint move along."""
        dofs = list(take.body.index(self.joint))
        if len(dofs) != len(self.degrees):
            raise PoiseError(f"'{self.joint}' takes {len(dofs)} number(s) of degrees, not {len(self.degrees)}")
        turn = np.zeros(take.body.nv)
        turn[dofs] = np.radians(self.degrees)

        def frame(number: int) -> Frame:
            was = take.frame(number)
            qpos = np.array(was.qpos)
            mujoco.mj_integratePos(take.body.model, qpos, turn, float(self.span.weight(number / take.rate)))
            return Frame(readonly(qpos), was.down)

        return take.with_frames(frame)


@dataclass(frozen=True)
class Trunk:
    """The trunk raised by `metres` (lowered if negative) while the feet stay; legs by IK."""

    metres: float
    span: Span = field(default_factory=Span)

    def __post_init__(self) -> None:
        if not math.isfinite(self.metres):
            raise PoiseError("the trunk is raised by a finite number of metres")

    def __str__(self) -> str:
        """As on the command line."""
        return written("trunk", number(self.metres), self.span)

    def on(self, take: Take) -> Take:
        """The motion with the trunk at another height, not so high that a leg is too short."""
        require_legs(take.body, "the edit 'trunk'")
        footing, height = Footing(take.body), _Heights(take, self)

        def block(first: int) -> list[Frame]:
            frames = [take.frame(k) for k in range(first, first + BLOCK)]
            weight = self.span.weight((first + np.arange(BLOCK)) / take.rate)
            if not weight.any():
                return frames
            qpos = np.array([frame.qpos for frame in frames])
            place, turn = footing.places(qpos)
            qpos[:, 2] += height.of(first)
            moved = [Frame(q, frame.down) for q, frame in zip(qpos, frames, strict=True)]
            solved = footing.settled(moved, place, turn)
            return [new if held else old for new, old, held in zip(solved, frames, weight > 0, strict=True)]

        return take.with_blocks(block)


class _Heights:
    """How far the trunk is raised."""

    def __init__(self, take: Take, trunk: Trunk) -> None:
        self._take, self._trunk = take, trunk
        self._footing, self._lengths = Footing(take.body), leg_lengths(take.body)
        self._missing = lru_cache(maxsize=REMEMBERED)(self._sunk)

    def of(self, first: int) -> Array:
        """(BLOCK,) m, from frame `first` on."""
        take, trunk = self._take, self._trunk
        wanted = trunk.metres * trunk.span.weight((first + np.arange(BLOCK)) / take.rate)
        if trunk.metres <= 0:
            return wanted
        around = gradual_reach(take.rate)
        missing = [self._missing(max(k, 0)) for k in range(first - around, first + BLOCK + around)]
        return np.asarray(wanted - gradual(np.array(missing), take.rate)[around : around + BLOCK])

    def _sunk(self, number: int) -> float:
        """m by which the raised trunk is too high for the legs."""
        qpos = self._take.frame(number).qpos[None]
        hip, foot = self._footing.hips(qpos), self._footing.places(qpos)[0]
        raised = self._trunk.metres * float(self._trunk.span.weight(number / self._take.rate))
        reach = easy_reach(self._lengths, np.linalg.norm(hip - foot, axis=-1))
        return float(sinking(hip + [0.0, 0.0, raised], foot, reach)[0]) if raised else 0.0
