"""The motions that come with Poise, by name."""

from __future__ import annotations

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


POSES = {"stand": stand, "fall": fall}
"""Motions that are a pose, for any body at all."""


def motion_names() -> tuple[str, ...]:
    """All that there are."""
    from poise.reference.authoring import shipped_names
    from poise.reference.behaviours import behaviour_names

    return tuple(sorted({*POSES, *shipped_names(), *behaviour_names()}))


def named_motion(name: str, body: Body) -> Reference:
    """A motion that comes with Poise, for a body.

    It obeys physics where a finished reference for the body comes with Poise; otherwise it is as its source has it.
    """
    from poise.reference.authoring import author
    from poise.reference.behaviours import Staged, behaviour_names, read_behaviour
    from poise.reference.played import Played
    from poise.reference.shipping import finished_for, follower

    if name not in motion_names():
        raise unknown("motion", name, motion_names())
    if name in behaviour_names():
        return Staged(read_behaviour(name), body)
    reference = finished_for(name, body)
    if reference is not None:
        after = None if reference.clip.cyclic else follower(name)
        return Played(reference.clip, reference, then=finished_for(after, body) if after else None)
    if name in POSES:
        return POSES[name](body)
    return Played(author(name, body).clip)
