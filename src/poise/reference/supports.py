"""What bears a body's weight, when: points that stay, balls that roll, hands that hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.frozen import readonly
from poise.reference.bodyclip import BodyClip
from poise.spatial import Array


@dataclass(frozen=True, eq=False)
class Support:
    """A point of a link, or a ball around it, that bears on something while it is down."""

    name: str  # left_foot_heel_0, back, left_hand
    link: str
    centre: Array  # (3,) m in the link frame
    down: NDArray[np.bool_]  # (T,) frames in which it bears
    radius: float = 0.0  # m: of a ball that rolls on the ground; 0 for a point that stays where it stands
    place: Array | None = None  # (3,) m: held here, so it can pull as well; None for the ground
    ground: Array | None = None  # (T,) m: height of the ground below it; None for 0


@dataclass(frozen=True, eq=False)
class Sketch:
    """A motion as it is wished for: poses, and what bears them. Physics is not asked yet."""

    clip: BodyClip
    supports: tuple[Support, ...]


def supports_of(clip: BodyClip) -> tuple[Support, ...]:
    """The points of a clip's contact parts that are ever down, on level ground."""
    if clip.down is None:
        return ()
    return tuple(
        Support(f"{part.name}_{k}", part.link, readonly(point), readonly(clip.down[:, p], bool))
        for p, part in enumerate(clip.parts)
        if clip.down[:, p].any()
        for k, point in enumerate(part.points)
    )
