"""Whether a body stands: on its feet, on something firm, and not leaning over too far to be called so."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.body.feet import foot_links
from poise.dynamics import State
from poise.frozen import Ints
from poise.kernel import kernel

Flags = NDArray[np.bool_]


class Standing:
    """Looks at the feet of the first body of a scene."""

    def __init__(self, body: Body, model: Any, lean: float) -> None:
        """``lean`` is how far it may lean over, rad, from a foot to the centre of mass."""
        self._own: Flags = model.body_rootid == 1
        self._fixed: Flags = model.body_weldid == 0
        self._is_foot: Flags = np.zeros(model.nbody, bool)
        self._is_foot[_feet(body)] = True
        self._least = float(np.cos(min(lean, np.pi)))

    def of(self, state: State) -> bool:
        """Whether it stands now."""
        contacts = state.contacts
        return bool(
            _stands(
                contacts.body,
                contacts.other,
                contacts.touching,
                contacts.point,
                self._own,
                self._fixed,
                self._is_foot,
                state.data.subtree_com[1],
                self._least,
            )
        )


@kernel
def _stands(
    body: Any, other: Any, touching: Any, point: Any, own: Any, fixed: Any, is_foot: Any, com: Any, least: float
) -> bool:
    """Whether a foot bears on what is firm: fixed, or on something else than this body; below the centre of mass."""
    for c in range(body.shape[0]):
        if not touching[c]:
            continue
        foot, thing = (body[c], other[c]) if own[body[c]] else (other[c], body[c])
        if is_foot[foot] and (fixed[thing] or _borne(thing, body, other, touching, own)):
            way = com - point[c]
            if way[2] >= least * np.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]):
                return True
    return False


@kernel
def _borne(thing: int, body: Any, other: Any, touching: Any, own: Any) -> bool:
    """Whether a thing lies on another than this body."""
    for c in range(body.shape[0]):
        if touching[c] and not own[body[c]] and not own[other[c]] and (body[c] == thing or other[c] == thing):
            return True
    return False


def _feet(body: Body) -> Ints:
    """Ids of the links that may bear: feet with their toes; a root that is a foot by itself; without feet all."""
    if not body.feet:
        return np.arange(1, body.model.nbody)
    if body.feet[0].link == body.links[0]:
        return np.array([1])
    return np.concatenate(foot_links(body))
