"""How well a grip holds."""

import numpy as np


def apart(world, grip):
    """m between the two points that it should hold together."""
    ends = ((grip.body, grip.point), (grip.other, grip.other_point))
    mine, its = (world.point(world.model.body(body).name, point) for body, point in ends)
    return np.linalg.norm(mine - its)
