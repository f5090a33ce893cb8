"""What hands hold in a motion, as cues: grips that are made when the motion takes hold, and released with it."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from poise.reference.dynamic import Dynamic
from poise.world.cues import Cue
from poise.world.grips import Grip
from poise.world.world import World


def grip_cues(motion: Dynamic, what: str = "bar") -> list[Cue]:
    """Cues that take hold of a prop, and let it go, as a motion does; one that never lets go has none for that."""
    cues: list[Cue] = []
    contacts = motion.contacts
    for c in np.flatnonzero(contacts.held):
        link, point = contacts.links[c], contacts.centre[c]
        for first, last in _runs(contacts.down[:, c]):
            made: list[Grip] = []
            cues.append(Cue(first * motion.step, f"{link} takes hold", partial(_take, made, link, point, what)))
            if last < len(contacts.down):
                cues.append(Cue(last * motion.step, f"{link} lets go", partial(_leave, made)))
    return cues


def _take(made: list[Grip], link: str, point: ArrayLike, what: str, world: World) -> None:
    made[:] = [world.grip(link, world.point(link, point), what)]


def _leave(made: list[Grip], world: World) -> None:
    for grip in made:
        world.release(grip)


def _runs(down: ArrayLike) -> list[tuple[int, int]]:
    """Frames from which, and before which, something holds."""
    edges = np.diff(np.concatenate([[0], np.asarray(down, int), [0]]))
    return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True))
