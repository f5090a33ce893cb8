"""One controller, one set of weights: walking, squatting, jumping, swinging, a chin-up, and edits of the walk.

`modal` makes a plan at every step for the next tenth of a second or more. So it needs no tuning for a motion, and a
motion may be edited at will: here the walk goes up 3 and down 5 degrees, with strides 10 cm longer and 15 cm shorter,
and 10 % faster with strides 15 cm longer. Each is performed from a noisy start; then it is told how near the joints
kept to the motion, and whether all of it is physical.
"""

from pathlib import Path

import poise
from poise.control.modal.modal import Modal
from poise.edit.parse import parse_edit
from poise.edit.take import take_of
from poise.export.formats import export
from poise.performance.cues import grip_cues
from poise.physics.recorded import scene_of_motion

SECONDS, NOISE = 3.0, 0.02
"""s of each, and rad/s of its joints at the beginning."""
PERFORMANCES: list[tuple[str, list[str], str]] = [
    ("walk", [], "flat"),
    ("squat", [], "flat"),
    ("jump", [], "flat"),
    ("swing", [], "flat"),
    ("chin-up", [], "flat"),
    ("walk", ["slope:3"], "slope:3"),
    ("walk", ["slope:-5"], "slope:-5"),
    ("walk", ["stride:+0.10"], "flat"),
    ("walk", ["stride:-0.15"], "flat"),
    ("walk", ["warp:1.1", "stride:+0.15"], "flat"),
]
"""A motion, its edits, and the ground."""


def main(folder: Path) -> None:
    """Perform them all; the last one can be watched."""
    body = poise.Body.named("human42")
    for name, edits, ground in PERFORMANCES:
        reference = poise.named_motion(name, body)
        motion = reference.motions[name]
        bar = scene_of_motion(motion).props  # where hands hold on, if they do
        for edit in edits:
            reference = parse_edit(edit).on(take_of(reference, body))
        world = poise.World(poise.Scene.of(body, ground, props=bar))
        recording = poise.perform(
            world, Modal(), reference, seconds=SECONDS, noise=NOISE, cues=grip_cues(motion) if bar else ()
        ).recording
        found = poise.metrics(recording)
        failed = [check.name for check in poise.audit(recording).checks if not check.passed]
        print(
            f"{' '.join([name, *edits]):28} {'stayed up' if found['fell_at'] is None else 'fell'},",
            f"joints {found['tracking']['joint_rms_deg']:.1f} degrees off,",
            f"not physical: {', '.join(failed)}" if failed else "physical",
        )
    folder.mkdir(exist_ok=True)
    recording.save(folder / "recording.npz")
    print("watch", export(recording, folder / "page.html"))


if __name__ == "__main__":
    main(Path("poise-plans"))
