"""A motion of your own, edited and exported.

`walk.bvh` uses the joint names, the centimetres and the axes of another program, and its feet slide a little. The
import detects this and reports it. Poise builds a body for the file's own skeleton, finds the contacts and holds the
feet still. Two edits follow: each step becomes 10 cm longer, and the path turns to the left. The result is written as
BVH with the file's own names, offsets, units and frame rate, and as a skinned GLB.
"""

from pathlib import Path

from poise.edit.parse import parse_edit
from poise.edit.take import edited
from poise.export.formats import export
from poise.motion.repair.finding import import_report
from poise.reference.archive import save_prepared
from poise.retarget.prepare import prepare

WALK = Path(__file__).parent / "motions" / "walk.bvh"


def main(folder: Path) -> None:
    """Import, edit and write the motion."""
    prepared = prepare(WALK)
    print(import_report(prepared.imported))
    clip = edited(prepared.clip, parse_edit("stride:+0.10"), parse_edit("turn:60@1-3"))
    folder.mkdir(exist_ok=True)
    save_prepared(clip, folder / "reference.npz")
    for name in ("walk.bvh", "walk.glb", "page.html"):
        print("wrote", export(clip, folder / name))


if __name__ == "__main__":
    main(Path("poise-own-motion"))
