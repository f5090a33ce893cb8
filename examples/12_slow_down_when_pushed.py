"""Slowing down after a strong push backward.

A push of 400 N for a twelfth of a second takes away a third of the walking speed. If the walk continues at its pace,
the character falls. If the motion is edited as the push begins, to be a quarter slower for one second, the character
continues to walk. In both cases footholds stay as in the motion (`capture=0`), and the push is noticed at once
(`latency=0`).
"""

from pathlib import Path

import poise
from poise.control.modal.modal import Modal, ModalSettings
from poise.export.formats import export

PUSHED, SECONDS = 1.0667, 6.0
"""Time of the push, after one cycle (s), and duration (s)."""
PUSH = poise.Push(400.0, PUSHED, 10 / 120, (-1.0, 0.0, 0.0))
SLOWER = f"warp:0.75@{PUSHED:g}-{PUSHED + 1.0:g},ease=0.1"


def main(folder: Path) -> None:
    """Perform without and with the edit, and save the last performance."""
    body = poise.Body.named("human42")
    for edits in ([], [SLOWER]):
        live = poise.Live(poise.named_motion("walk", body), body)
        done = poise.perform(
            poise.World(poise.Scene.of(body)),
            Modal(ModalSettings(capture=0.0, latency=0.0)),
            live,
            seconds=SECONDS,
            pushes=[PUSH],
            cues=[poise.edit_cue(live, poise.parse_edit(edit), PUSHED) for edit in edits],
        )
        recording = done.recording
        fell = done.blow_up is not None or poise.metrics(recording)["fell_at"] is not None
        failed = [check.name for check in poise.audit(recording).checks if not check.passed]
        print(
            "slows down:" if edits else "as before: ",
            "falls" if fell else f"walks on; not physical: {failed}" if failed else "walks on, all physical",
        )
    folder.mkdir(exist_ok=True)
    recording.save(folder / "recording.npz")
    print("watch", export(recording, folder / "page.html"))


if __name__ == "__main__":
    main(Path("poise-slower"))
