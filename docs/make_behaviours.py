"""Makes the strips of pictures of the behaviours that come with Poise, with Poise itself: part of `make pictures`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from poise.export.pictures import Camera, write_strip
from poise.performance.request import Request

STATIC = Path(__file__).parent / "_static" / "behaviours"
COLUMNS = 8
SPANS = {
    "forward-roll": (0.0, 3.0),
    "roll-and-stand": (1.2, 3.6),
    "shoulder-roll": (0.0, 1.8),
    "sideways-roll": (0.0, 6.0),
    "baby-roll": (0.0, 1.8),
    "baby-too-weak": (0.0, 8.0),
    "back-flip": (0.8, 3.4),
    "kip-up": (0.2, 3.5),
    "back-handspring": (1.1, 2.9),
    "double-back-handspring": (1.1, 4.6),
    "dive-roll": (0.9, 3.4),
    "dive-down": (1.0, 3.6),
    "get-up": (0.2, 10.4),
}  # s
DISTANCES = {
    "forward-roll": 4.4,
    "roll-and-stand": 5.2,
    "shoulder-roll": 3.4,
    "sideways-roll": 1.9,
    "baby-roll": 1.7,
    "baby-too-weak": 1.7,
    "back-flip": 2.6,
    "kip-up": 2.4,
    "back-handspring": 2.8,
    "double-back-handspring": 3.2,
    "dive-roll": 2.8,
    "dive-down": 3.2,
    "get-up": 2.4,
}
"""In body sizes at the start: rolls begin crouched."""
LYING = ("sideways-roll", "baby-roll", "baby-too-weak")
FROM_ABOVE = Camera(azimuth=-90, elevation=35)
"""Where those who lie are seen from."""
GROUNDS = {"dive-down": "drop:0.5"}
SEEDS = {"get-up": 1}
"""Of throws; other behaviours start at rest."""


def draw(name: str) -> Path:
    """Two rows of pictures."""
    start, end = SPANS[name]
    ground, seed = GROUNDS.get(name, "flat"), SEEDS.get(name, 0)
    done = Request(name, controller="rotation", terrain=ground, seconds=end + 0.1, seed=seed).perform()
    times = np.linspace(start, end, 2 * COLUMNS)
    place = FROM_ABOVE if name in LYING else Camera(azimuth=-62, elevation=10)
    camera = replace(place, distance=DISTANCES[name])
    return write_strip(done.recording, STATIC / f"{name}.png", COLUMNS, (180, 200), times=times, camera=camera)


if __name__ == "__main__":
    STATIC.mkdir(parents=True, exist_ok=True)
    for each in sys.argv[1:] or SPANS:
        print("wrote", draw(each))
