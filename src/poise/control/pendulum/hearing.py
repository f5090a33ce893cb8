"""Hearing a reference: its poses, which feet bear in them, and when feet come down."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.control.pendulum.legs import feet_of
from poise.frozen import Array
from poise.reference import Reference
from poise.reference.parts import contact_parts

RATE = 120.0
"""1/s: how densely a reference is heard."""
AGAIN = 0.3
"""s: strikes of a foot that are nearer to each other are one."""


class Heard(NamedTuple):
    """Some seconds of a reference."""

    poses: Array  # (T, nq)
    down: NDArray[np.bool_]  # (T, 2) which feet bear, left first; none where that is not known


def hear(reference: Reference, body: Body, seconds: float, since: float = 0.0) -> Heard:
    """A reference from a time (s) on, for some seconds if it lasts so long."""
    times = np.arange(since, since + min(reference.duration or seconds, seconds), 1 / RATE)
    return hear_at(reference, body, times)


def hear_at(reference: Reference, body: Body, times: Array) -> Heard:
    """A reference at some times (T,) s."""
    targets = [reference.at(t) for t in times]
    parts = contact_parts(body)
    own = [[i for i, part in enumerate(parts) if part.limb == foot.name] for foot in feet_of(body)]
    down = np.zeros((len(targets), 2), bool)
    for k, target in enumerate(targets):
        if target.down is not None:
            down[k] = [bool(np.any(target.down[each])) for each in own]
    return Heard(np.array([target.qpos for target in targets]), down)


def strikes(down: NDArray[np.bool_], rate: float) -> list[int]:
    """Frames at which a foot that is `down` (T,) or not comes down, without those too soon after another."""
    found: list[int] = []
    for frame in np.flatnonzero(down[1:] & ~down[:-1]) + 1:
        if not found or frame - found[-1] > AGAIN * rate:
            found.append(int(frame))
    return found
