"""The motions that come with Poise, by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.body import Body
from poise.errors import unknown
from poise.reference.reference import Reference, Still


def stand(body: Body) -> Still:
    """The standing pose, at rest."""
    return Still("stand", np.array(body.standing), np.zeros(body.nv))


def fall(body: Body) -> Still:
    """Standing at a high place and losing balance forward: toppling about the feet, turning a little."""
    height = body.standing[2]
    velocity = np.zeros(body.nv)
    topple = 1.6  # rad/s about the soles
    velocity[0] = topple * height
    velocity[3:6] = (0.3, topple, 0.4)
    return Still("fall", np.array(body.standing), velocity, start="summit")


MOTIONS: dict[str, Callable[[Body], Reference]] = {"stand": stand, "fall": fall}


def named_motion(name: str, body: Body) -> Reference:
    """A motion that comes with Poise, for a body."""
    if name not in MOTIONS:
        raise unknown("motion", name, MOTIONS)
    return MOTIONS[name](body)
