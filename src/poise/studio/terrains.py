"""Terrains as a form to fill in: what their numbers mean and between which they make sense to walk on."""

from __future__ import annotations

from typing import Any


def _number(label: str, usual: float, least: float, most: float, step: float, unit: str = "") -> dict[str, Any]:
    return {"label": label, "usual": usual, "least": least, "most": most, "step": step, "unit": unit}


TERRAINS: tuple[dict[str, Any], ...] = (
    {"name": "flat", "what": "Flat ground", "numbers": []},
    {"name": "slope", "what": "Slope", "numbers": [_number("Rise", 5, -20, 20, 1, "°")]},
    {
        "name": "stairs",
        "what": "Stairs",
        "numbers": [
            _number("Rise", 0.06, -0.3, 0.3, 0.01, "m"),
            _number("Tread", 0.7, 0.2, 2, 0.05, "m"),
            _number("Steps", 8, 1, 30, 1),
        ],
    },
    {
        "name": "rough",
        "what": "Rough ground",
        "numbers": [_number("Bumps", 0.03, 0.005, 0.2, 0.005, "m"), _number("Seed", 0, 0, 99, 1)],
    },
    {
        "name": "drop",
        "what": "Drops",
        "numbers": [_number("Depth", 0.06, -0.3, 0.5, 0.01, "m"), _number("Every", 5, 1, 20, 0.5, "m")],
    },
    {
        "name": "hurdle",
        "what": "Hurdles",
        "numbers": [_number("Height", 0.06, 0.01, 0.3, 0.01, "m"), _number("Every", 4, 1, 20, 0.5, "m")],
    },
    {
        "name": "spiral",
        "what": "Spiral down",
        "numbers": [
            _number("Drop", 0.04, 0.01, 0.2, 0.01, "m"),
            _number("Turn", 45, 10, 60, 5, "°"),
            _number("Radius", 2, 1, 5, 0.5, "m"),
            _number("Steps", 6, 1, 6, 1),
        ],
    },
)
"""In the order of the numbers of `poise.world.forms.TERRAIN_FORMS`."""
