"""Makes the strips of pictures of the scripts that come with Poise, with Poise itself: part of `make pictures`.

Each has two rows: above what plain interpolation makes of the poses, below what physics does.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.image import imread

from poise.animate.animate import animate, keyframe_interpolation
from poise.animate.read_script import read_script
from poise.animate.solve import solve_script
from poise.export.look import recording_to_draw_clip
from poise.export.pictures import Camera, png_bytes, write_strip
from poise.files import write_file

STATIC = Path(__file__).parent / "_static" / "scripts"
PICTURES = 8
SPANS = {  # s
    "blow-roll": (0.4, 2.6),
    "crate": (0.3, 3.5),
    "lamp": (0.5, 2.9),
    "punch": (0.3, 1.8),
    "somersault": (0.5, 2.4),
    "strut": (3.0, 4.3),
    "waiter": (3.0, 6.0),
}


def draw(name: str) -> Path:
    """Both rows of a script, as one picture."""
    script = read_script(name)
    solved = solve_script(script).script if script.goals else script
    start, end = SPANS[name]
    times = np.linspace(start, end, PICTURES)
    camera = Camera(azimuth=-62, elevation=10, distance=2.3)
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for row, what in enumerate(
            (recording_to_draw_clip(keyframe_interpolation(solved)), animate(solved, end).recording)
        ):
            path = write_strip(what, Path(folder) / f"{row}.png", PICTURES, (200, 230), times=times, camera=camera)
            rows.append(np.rint(255 * imread(path)).astype(np.uint8))
    return write_file(STATIC / f"{name}.png", png_bytes(np.vstack(rows)))


if __name__ == "__main__":
    STATIC.mkdir(parents=True, exist_ok=True)
    for each in sys.argv[1:] or SPANS:
        print("wrote", draw(each))
