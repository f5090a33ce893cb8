"""Hands that hold on to something over the head: what bears a body that nothing else bears, and that does not fall."""

from __future__ import annotations

import numpy as np

from poise.frozen import Array
from poise.reference.bodyclip import BodyClip
from poise.reference.contacts_runs import Mask, runs, without_short

_LONG = 0.5  # s: who is off the ground for less may just as well jump
_BRIEF = 0.2  # s: feet come to rest for as long where a swing turns back, and bear nothing
_BORNE = 0.5  # of the time off the ground: less without falling is a jump, more hangs
_AROUND = 0.25  # m: a hand rolls about a bar, and bars give way, but it stays this near


def hanging(clip: BodyClip, down: Mask, centre: Array, com: Array, falling: Mask) -> Mask:
    """(T, P) parts at (T, P, 3) m that are down (T, P), and hands that hold on, while which nothing else bears.

    ``com`` is the centre of mass (T, 3) m and ``falling`` (T,) when it falls freely.
    """
    names = {hand.name for hand in clip.body.hands}
    hands = [k for k, part in enumerate(clip.parts) if part.name in names]
    others = [k for k in range(len(clip.parts)) if k not in hands]
    out = np.array(down)
    off = without_short(np.asarray(~down.any(axis=1)), round(_BRIEF * clip.rate), 1)
    for start, stop in runs(off):
        if stop - start < _LONG * clip.rate or np.mean(~falling[start:stop]) < _BORNE:
            continue
        for hand in hands:
            place = centre[start:stop, hand]
            near = np.linalg.norm(place - np.median(place, axis=0), axis=1) < _AROUND
            for first, last in runs(near & (place[:, 2] > com[start:stop, 2])):
                if last - first >= _LONG * clip.rate:
                    out[start + first : start + last, others] = False
                    out[start + first : start + last, hand] = True
    return out
