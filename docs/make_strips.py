"""Makes the strips of pictures of imported, edited and exported motions, with Poise itself: part of `make pictures`.

python docs/make_strips.py                               # those of the documentation, from examples/motions
python docs/make_strips.py --mocap ../shared/mocap OUT   # clips of a collection, to look at; nothing of it is kept here
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.edit.parse import parse_edit
from poise.edit.take import edited
from poise.export.formats import export
from poise.export.look import recording_to_draw_clip
from poise.export.pictures import Camera, write_strip
from poise.library.bodies import load_shipped_or_own_body
from poise.reference.body_clip import BodyClip
from poise.retarget.prepare import prepare

HERE = Path(__file__).parent
MOTIONS = HERE.parent / "examples" / "motions"
STATIC = HERE / "_static" / "strips"
PICTURES = 7


@dataclass(frozen=True)
class Strip:
    """A motion, what is done to it, and how it is shown."""

    name: str
    motion: str
    text: str  # what the reader sees
    body: str | None = None  # None for one built for the motion
    edits: tuple[str, ...] = ()
    terrain: str = "flat"
    span: tuple[float, float] = (0.0, 1.0)  # shares of the motion
    azimuth: float = -62.0
    again: bool = False  # written as BVH and read again before it is shown


STRIPS = (
    Strip("walk", "walk", "`walk.bvh` on a body built for its own skeleton", span=(0.25, 0.5)),
    Strip("walk_again", "walk", "The same walk, exported as BVH and imported again", span=(0.25, 0.5), again=True),
    Strip(
        "walk_human58",
        "walk",
        "`walk.bvh --body human58`: retargeted to the body `human58`",
        body="human58",
        span=(0.25, 0.5),
    ),
    Strip(
        "walk_baby",
        "walk",
        "`walk.bvh --body baby`: retargeted to a body with a tenth of the mass and different proportions",
        body="baby",
        span=(0.25, 0.5),
    ),
    Strip("squat", "squat", "`squat.bvh`: a file in metres, with z up and other joint names", span=(0.05, 0.85)),
    Strip(
        "jump",
        "jump",
        "`jump.bvh`: a file in inches, with a T-pose as its first frame and a wrong frame rate",
        span=(0.1, 0.85),
    ),
    Strip(
        "stride",
        "walk",
        "`walk.bvh --edit stride:+0.15`: steps 15 cm longer",
        edits=("stride:+0.15",),
        span=(0.25, 0.5),
    ),
    Strip(
        "turn",
        "walk",
        "`walk.bvh --edit turn:120@0.5-3.5`: a left turn of 120 degrees between 0.5 and 3.5 s",
        edits=("turn:120@0.5-3.5",),
        span=(0.1, 1.0),
        azimuth=-35,
    ),
    Strip(
        "slope",
        "walk",
        "`walk.bvh --edit slope:8 --terrain slope:8`: up a slope of 8 degrees",
        edits=("slope:8",),
        terrain="slope:8",
        span=(0.2, 0.9),
    ),
    Strip(
        "stairs",
        "walk",
        "`walk.bvh --edit warp:0.7 --edit stairs:0.15:0.4:6 --terrain stairs:0.15:0.4:6`: slower, up stairs",
        edits=("warp:0.7", "stairs:0.15:0.4:6"),
        terrain="stairs:0.15:0.4:6",
        span=(0.1, 0.8),
    ),
    Strip(
        "carry",
        "walk",
        "`walk.bvh --edit trunk:-0.12 --edit carry:front`: trunk 12 cm lower, arms carrying in front",
        edits=("trunk:-0.12", "carry:front"),
        span=(0.25, 0.5),
    ),
    Strip(
        "reach",
        "squat",
        "`squat.bvh --edit reach:left_hand=0.1:0.2:0.35@1-3`: left hand forward, left and up, 1 to 3 s",
        edits=("reach:left_hand=0.1:0.2:0.35@1-3",),
        span=(0.05, 0.85),
    ),
    Strip(
        "blend",
        "walk",
        "`walk.bvh --edit blend:squat.bvh@1.6,over=0.6`: a transition into `squat.bvh` at 1.6 s, within 0.6 s",
        edits=(f"blend:{MOTIONS / 'squat.bvh'}@1.6,over=0.6",),
        span=(0.15, 0.75),
    ),
)


def main() -> None:
    """Those of the documentation, or those of a collection."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mocap", nargs=2, type=Path, metavar=("COLLECTION", "OUT"))
    chosen = parser.parse_args()
    if chosen.mocap:
        collection(*chosen.mocap)
        return
    STATIC.mkdir(parents=True, exist_ok=True)
    for strip in STRIPS:
        draw(performed(strip), STATIC / f"{strip.name}.png", strip.span, strip.terrain, strip.azimuth)
    (HERE / "strips.md").write_text(page(STRIPS))


def performed(strip: Strip) -> BodyClip:
    """The clip of a strip."""
    body = None if strip.body is None else load_shipped_or_own_body(strip.body)
    clip = edited(prepare(MOTIONS / f"{strip.motion}.bvh", body).clip, *map(parse_edit, strip.edits))
    if not strip.again:
        return clip
    with tempfile.TemporaryDirectory() as folder:
        return prepare(export(clip, Path(folder) / "again.bvh")).clip


def draw(clip: BodyClip, path: Path, span: tuple[float, float], terrain: str = "flat", azimuth: float = -62.0) -> None:
    """A row of pictures over a part of a clip."""
    times = np.linspace(*span, PICTURES) * clip.seconds
    camera = Camera(azimuth=azimuth, elevation=9, distance=2.3)
    write_strip(recording_to_draw_clip(clip, terrain), path, PICTURES, (170, 220), times=times, camera=camera)
    print(f"wrote {path} ({path.stat().st_size // 1000} kB)")


def page(strips: Iterable[Strip]) -> str:
    """The page that shows them."""
    imports, edits = (
        [f"{s.text}\n\n![{s.name}](_static/strips/{s.name}.png)" for s in strips if bool(s.edits) == wanted]
        for wanted in (False, True)
    )
    about = """\
Each strip shows seven moments of a motion from `examples/motions`, after [import, retargeting](motion.md) and
[editing](editing.md). The caption gives the file and the options of `poise prepare`. `docs/make_strips.py` draws the
strips."""
    return "\n\n".join(["# Strips", about, "## Import and bodies", *imports, "## Edits", *edits]) + "\n"


def collection(folder: Path, out: Path) -> None:
    """Every clip of a collection with an index, each over its first marked segment, or all of it."""
    out.mkdir(parents=True, exist_ok=True)
    for entry in json.loads((folder / "index.json").read_text()):
        clip = prepare(folder / entry["file"]).clip
        marked = entry["segments"][0] if entry["segments"] else {"start": 0, "end": clip.frames}
        span = (marked["start"] / clip.frames, min(marked["end"] / clip.frames, 1.0))
        draw(clip, out / f"{entry['trial']}.png", span)


if __name__ == "__main__":
    main()
