"""Shapes of a human figure that several bodies share: round trunk segments and hands. They bear no mass."""

from __future__ import annotations

from poise.body import shapes
from poise.body.anthropometry import Proportions
from poise.body.plan import Geom


def hand(length: float, thick: float) -> tuple[Geom, ...]:
    """A mitten: palm and fingers, with the thumb in front."""
    palm = shapes.capsule(
        "left_hand_palm", (0.0, 0.0, -0.25 * length), (0.0, 0.0, -0.78 * length), 0.62 * thick, shapes.SKIN
    )
    thumb = shapes.capsule(
        "left_hand_thumb",
        (0.4 * thick, 0.0, -0.22 * length),
        (1.0 * thick, 0.0, -0.5 * length),
        0.26 * thick,
        shapes.SKIN,
        solid=False,
    )
    return palm, thumb


def abdomen(p: Proportions, link: str, base: float, length: float) -> tuple[Geom, ...]:
    """Round belly of a trunk segment whose shape begins at `base` (m)."""
    wide, thick = p.metres(0.036) * p.girth, p.metres(0.052) * p.girth
    return (
        shapes.lateral(f"{link}_belt", base, wide, 0.99 * thick, shapes.SHIRT, solid=False),
        shapes.lateral(f"{link}_belly", base + 0.25 * length, wide, thick, shapes.SHIRT),
        shapes.lateral(f"{link}_side", base + 0.5 * length, 1.05 * wide, 1.02 * thick, shapes.SHIRT, solid=False),
        shapes.lateral(f"{link}_waist", base + 0.75 * length, 1.1 * wide, 1.05 * thick, shapes.SHIRT),
    )


def thorax(p: Proportions, link: str, base: float, length: float) -> tuple[Geom, ...]:
    """Ribs and chest of a trunk segment whose shape begins at `base` (m)."""
    wide, thick = p.metres(0.042) * p.girth, p.metres(0.056) * p.girth
    return (
        shapes.lateral(f"{link}_flank", base, 0.97 * wide, 0.98 * thick, shapes.SHIRT, solid=False),
        shapes.lateral(f"{link}_ribs", base + 0.22 * length, wide, thick, shapes.SHIRT),
        shapes.lateral(f"{link}_breast", base + 0.42 * length, 1.08 * wide, thick, shapes.SHIRT, solid=False),
        shapes.lateral(f"{link}_chest", base + 0.62 * length, 1.15 * wide, 0.94 * thick, shapes.SHIRT),
        shapes.lateral(f"{link}_collar", base + 0.78 * length, 1.2 * wide, 0.7 * thick, shapes.SHIRT, solid=False),
    )
