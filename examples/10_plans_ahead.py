"""One controller with one set of weights: walking, squatting, jumping, swinging, a chin-up, and edits of the walk.

At every step `modal` makes a plan for the next tenth of a second or more. It needs no tuning for a motion, and the
motion may be edited freely. Here the walk goes 3 degrees up and 5 degrees down, with strides 10 cm longer and 15 cm
shorter, and 10 % faster with strides 15 cm longer. Each performance has a noisy start. The script prints how closely
the joints followed the motion, and whether the performance is physical.
"""

from pathlib import Path

import poise
from poise.control.modal.modal import Modal
from poise.edit.parse import parse_edit
from poise.edit.take import take_of
from poise.export.formats import export
from poise.performance.cues import grip_cues
from poise.physics.dynamic_motion import scene_of_dynamic

SECONDS, NOISE = 3.0, 0.02
"""Duration of each performance (s), and noise of the initial joint velocities (rad/s)."""
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
"""Motion, edits and terrain of each performance."""


def main(folder: Path) -> None:
    """Perform all of them, and save the last one."""
    body = poise.Body.named("human42")
    for name, edits, ground in PERFORMANCES:
        reference = poise.named_motion(name, body)
        motion = reference.motions[name]
        bar = scene_of_dynamic(motion).props  # the bar that the hands hold, if any
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
