"""The balls that a foot stands on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from poise.body.feet import Ints
from poise.spatial import Array


class Sole(NamedTuple):
    """The B balls of a foot, on its links."""

    links: Ints  # (B,) ids
    centre: Array  # (B, 3) m in the link's frame

    def places(self, data: Any) -> Array:
        """(B, 3) m in the world, of MuJoCo's data of a scene whose first links are the body's."""
        turned = data.xmat[self.links].reshape(-1, 3, 3) @ self.centre[:, :, None]
        return np.asarray(data.xpos[self.links] + turned[..., 0])
