"""When feet land: earlier or later than the motion has it [Muico2009] section 5.4.

A foot that ends a flight before its time takes the motion to where it lands; one that is late makes it wait. A foot
that only touches while another stands means little: captured feet often brush the ground shortly before they land.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.reference.dynamic import Dynamic

NOTICED, EARLY, LATE = 0.02, 0.1, 0.1
"""s: how early a landing is noticed, how much of a motion is passed over for one, how long it waits for a late one."""
NEVER = 1 << 30


@dataclass(frozen=True, eq=False)
class Landings:
    """Feet of a motion of K steps."""

    down: NDArray[np.bool_]  # (F, K)
    until: NDArray[np.int64]  # (F, K) steps until a foot in the air lands; NEVER if it does not, or stands
    just: NDArray[np.bool_]  # (F, K) whether a foot lands in the step before


def landings_of(motion: Dynamic, feet: tuple[NDArray[np.int64], ...]) -> Landings:
    """Of feet given by the ids of their links."""
    body, contacts = motion.clip.body, motion.contacts
    links = np.array([body.link_id(link) for link in contacts.links], np.int64)
    down = np.array([contacts.down[:, np.isin(links, ids)].any(axis=1) for ids in feet]).reshape(len(feet), -1)
    until = np.full(down.shape, NEVER, np.int64)
    for step in range(down.shape[1] - 2, -1, -1):
        lands = np.where(down[:, step + 1], 1, np.minimum(until[:, step + 1], NEVER - 1) + 1)
        until[:, step] = np.where(down[:, step], NEVER, lands)
    just = np.zeros_like(down)
    just[:, 1:] = down[:, 1:] & ~down[:, :-1]
    return Landings(down[:, :-1], until[:, :-1], just[:, :-1])


def steps_early(landings: Landings, frame: int, stands: NDArray[np.bool_], step: float) -> int:
    """How many steps of a flight are to be passed over, since a foot has landed; 0 for none."""
    if landings.down[:, frame].any():
        return 0
    until = step * landings.until[stands, frame]  # s
    early = until[(until >= NOTICED) & (until <= EARLY)]
    return round(float(early.max(initial=0.0)) / step)


def is_late(landings: Landings, frame: int, stands: NDArray[np.bool_]) -> bool:
    """Whether a foot should have landed by now and has not."""
    return bool((landings.just[:, frame] & ~stands).any())
