"""Contact forces of a performance, taken down as the steps are made."""

from __future__ import annotations

from math import hypot
from typing import Any, NamedTuple

import numpy as np

from poise.frozen import Array, Ints
from poise.kernel import kernel
from poise.world.result import StepResult

ROOM = 1024
"""Forces for which there is room at first."""
LOOSE, GRIPPED = range(2)
"""Kinds: of contacts, and of grips."""


_NO_LINKS = np.zeros(0, np.int64)
_NO_CONTACTS = (_NO_LINKS, _NO_LINKS, np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros(0), np.zeros((0, 3)))
"""Body, other, point, frame, friction and impulse of none."""


class Entries(NamedTuple):
    """Forces in the order of their steps."""

    step: Ints  # (n,)
    body: Ints  # (n,)
    other: Ints  # (n,)
    kind: Ints  # (n,)
    point: Array  # (n, 3) m
    normal: Array  # (n, 3)
    force: Array  # (n, 3) N
    friction: Array  # (n,)


class Ledger:
    """Grows as contacts and grips carry force. It keeps numbers, not the results that they come with."""

    def __init__(self, step: float) -> None:
        """``step`` is how long each lasts, s."""
        self._h = step
        self._whose = np.empty((ROOM, 4), np.int64)  # step, body, other, kind
        self._what = np.empty((ROOM, 10))  # point, normal, force, friction
        self._count = 0
        _take_down(*_NO_CONTACTS, 0, step, 0, *self._tables)  # so that the first step does not wait for the kernel

    def add(self, step: int, result: StepResult) -> None:
        """What carried force in a step."""
        while self._count + len(result.body) + len(result.grips) > len(self._whose):
            self._whose, self._what = (np.concatenate([table, np.empty_like(table)]) for table in self._tables)
        self._count = _take_down(
            result.body, result.other, result.point, result.frame, result.friction, result.impulse,
            step, self._h, self._count, *self._tables,
        )  # fmt: skip
        pulls = zip(result.grips, result.grip_point.tolist(), result.grip_impulse.tolist(), strict=True)
        for grip, point, impulse in pulls:
            size = hypot(*impulse)
            way = [part / size for part in impulse] if size > 0 else [0.0, 0.0, 1.0]
            self._whose[self._count] = step, grip.body, grip.other, GRIPPED
            self._what[self._count] = *point, *way, *(part / self._h for part in impulse), 0.0
            self._count += 1

    def cut(self, steps: int) -> None:
        """Forget all but the first so many steps."""
        self._count = int(np.searchsorted(self._whose[: self._count, 0], steps))

    @property
    def _tables(self) -> tuple[Ints, Array]:
        return self._whose, self._what

    def entries(self) -> Entries:
        """All so far."""
        step, body, other, kind = self._whose[: self._count].T.copy()
        point, normal, force, friction = np.split(self._what[: self._count], [3, 6, 9], axis=1)
        return Entries(step, body, other, kind, point.copy(), normal.copy(), force.copy(), friction.ravel())


@kernel
def _take_down(
    body: Any, other: Any, point: Any, frame: Any, friction: Any, impulse: Any, step: int, h: float, count: int,
    whose: Any, what: Any,
) -> int:  # fmt: skip
    """Write down the contacts that carry force, from line ``count`` on; returns how many lines there are now."""
    for c in range(body.shape[0]):
        if impulse[c, 0] == 0.0 and impulse[c, 1] == 0.0 and impulse[c, 2] == 0.0:
            continue
        whose[count, 0], whose[count, 1], whose[count, 2], whose[count, 3] = step, body[c], other[c], LOOSE
        for i in range(3):
            what[count, i] = point[c, i]
            what[count, 3 + i] = frame[c, 0, i]
            along = frame[c, 0, i] * impulse[c, 0] + frame[c, 1, i] * impulse[c, 1] + frame[c, 2, i] * impulse[c, 2]
            what[count, 6 + i] = along / h
        what[count, 9] = friction[c]
        count += 1
    return count
