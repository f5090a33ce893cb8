"""A rag doll on stairs.

A body without control loses its balance at the top of a flight of stairs. Contact alone decides what follows:
seventeen links strike edges and treads, slide and come to rest. The audit at the end confirms that only gravity and
the recorded contact forces changed the momentum.
"""

from pathlib import Path

import poise
from poise.export.formats import export


def main(folder: Path) -> None:
    """Perform the fall, audit it, and write the playback page."""
    body = poise.Body.named("human37")
    world = poise.World(poise.Scene.of(body, poise.parse_terrain("stairs:0.15:0.3:8")))
    performance = poise.perform(world, poise.named_controller("limp"), poise.named_motion("fall", body), seconds=4)
    recording = performance.recording
    for check in poise.audit(recording).checks:
        print(f"{check.name:18} {check.value:9.2e} {check.unit:16} at most {check.bound:g}")
    folder.mkdir(exist_ok=True)
    recording.save(folder / "recording.npz")
    print("watch", export(recording, folder / "page.html"))


if __name__ == "__main__":
    main(Path("poise-rag-doll"))
