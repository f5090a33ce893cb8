"""What feet do in a recording: when they stand, how far they creep, whether they scuff."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poise.body.feet import links_from
from poise.frozen import Array
from poise.measure.replay import Replay

WEIGHED = 0.1
"""s: a touch that gives no more impulse than the weight does in this time is no stance."""
FLICKER = 0.04
"""s: a foot that is up for no longer has not left the ground."""
SCUFFED = (0.2, 0.8)
"""Of a swing: a touch between is one that should not be."""

Stance = tuple[int, int]
"""The step in which a foot comes down, and the first in which it is up again."""


@dataclass(frozen=True)
class Tread:
    """What a foot does in each of T steps."""

    force: Array  # (T,) N that bears it
    crept: Array  # (T,) m by which contact points slip, the mean by their force; one that just meets the ground by 0


def tread(replay: Replay, foot: str) -> Tread:
    """Of a foot, by the name of its link, with its toes."""
    recording = replay.recording
    links = links_from(recording.model, recording.model.body(foot).id)
    own = np.isin(recording.contact_body, links) & (recording.contact_kind == 0)
    at, steps = recording.contact_step[own], recording.steps
    bears = np.einsum("ni,ni->n", recording.contact_force[own], recording.contact_normal[own])
    force = np.bincount(at, bears, steps).astype(float)
    slipped = np.bincount(at, bears * replay.touched[own] * replay.slip[own] * recording.step, steps)
    return Tread(force, np.divide(slipped, force, out=np.zeros(steps), where=force > 0))


def stances(force: Array, weight: float, step: float) -> list[Stance]:
    """When a foot stands, from the force (T,) N that bears it in steps of so many seconds."""
    touches = _runs(_closed(force > 0.0, round(FLICKER / step)))
    return [(a, b) for a, b in touches if force[a:b].sum() > WEIGHED * weight / step]


def creeps(crept: Array, found: list[Stance]) -> Array:
    """(n,) m: how far contact points slip in each stance but the first and last, which may not be whole."""
    return np.array([crept[a:b].sum() for a, b in found[1:-1]])


def scuffs(force: Array, found: list[Stance]) -> int:
    """In how many of the swings between stances the foot touches when it should be on its way."""
    early, late = SCUFFED
    swings = [(end, begin - end) for (_, end), (begin, _) in pairwise(found)]
    return sum(bool(np.any(force[a + round(early * n) : a + round(late * n)] > 0.0)) for a, n in swings)


def _runs(truth: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Begin and end of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], truth, [False]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _closed(truth: NDArray[np.bool_], gap: int) -> NDArray[np.bool_]:
    """With runs of at most so many false values between true ones filled."""
    out = np.array(truth)
    for (_, end), (begin, _) in pairwise(_runs(truth)):
        if begin - end <= gap:
            out[end:begin] = True
    return out
