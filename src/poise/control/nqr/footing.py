"""Where the ground is, told by the foot that landed last: the controller is blind, but it feels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.body import Body
from poise.dynamics import Contacts

PACE = 0.1
"""Share of a change of level that is followed in a step: a jump of the motion's height would be a blow."""


class Footing:
    """Follows the level of the ground from foot to foot."""

    def __init__(self, body: Body, level: float) -> None:
        """`level` (m) is that of the ground where the motion begins."""
        self.feet = tuple(_links_from(body, foot.link) for foot in body.feet)
        self._foot_of = np.full(body.model.nbody + 1, -1)  # of links; the last is for all other bodies of a scene
        for foot, links in enumerate(self.feet):
            self._foot_of[links] = foot
        self.stands = np.ones(len(self.feet), bool)
        self._level = level
        self._last: int | None = None  # the foot that landed last

    def rise(self, contacts: Contacts, level: float) -> float:
        """By how much (m) a motion that stands on `level` is to be raised in this step."""
        whose = np.where(contacts.touching & (contacts.other == 0), self._foot_of.take(contacts.body, mode="clip"), -1)
        for foot in range(len(self.feet)):
            own = whose == foot
            stands = bool(own.any())
            if stands and not self.stands[foot]:
                self._last = foot
            if stands and self._last == foot:
                self._level = float(contacts.point[own, 2].mean())
            self.stands[foot] = stands
        return PACE * (self._level - level)


def _links_from(body: Body, top: str) -> NDArray[np.int64]:
    """Ids of a link and all that hangs on it."""
    model, found = body.model, {body.link_id(top)}
    for link in range(1, model.nbody):
        if int(model.body_parentid[link]) in found:
            found.add(link)
    return np.array(sorted(found), np.int64)
