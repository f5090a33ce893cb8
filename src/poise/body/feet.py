"""Which links make up a foot."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.body.body import Body
from poise.frozen import Ints


def foot_links(body: Body) -> tuple[Ints, ...]:
    """For each foot the ids of its links: the one that it is named after, and all that hangs on it."""
    return tuple(links_from(body.model, body.link_id(foot.link)) for foot in body.feet)


def links_from(model: mujoco.MjModel, top: int) -> Ints:
    """Ids of a link and of all that hangs on it, in order."""
    found = {top}
    for link in range(1, model.nbody):  # parents come before their children
        if int(model.body_parentid[link]) in found:
            found.add(link)
    return np.array(sorted(found), np.int64)
