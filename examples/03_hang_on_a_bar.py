"""Hanging on a bar.

A grip holds a point of one body at a point of another. Cues make and release grips during a performance. Here both
hands hold a bar and the body swings. One hand releases it after 1.5 s, the other after 3 s.
"""

from pathlib import Path

import numpy as np

import poise
from poise.export.formats import export
from poise.reference.reference import Still
from poise.world.props import Bar


def main(folder: Path) -> None:
    """Hang, swing and let go; print the load on the hands."""
    body = poise.Body.named("human37")
    bar = Bar(height=2.6, length=1.2)
    world = poise.World(poise.Scene.of(body, props=[bar]))

    # Raise the arms, and move the body so that the bar is in front of its palms, at the thickness of a hand.
    pose = body.qpos_from({"left_shoulder": (0.0, -2.75, 0.0), "right_shoulder": (0.0, -2.75, 0.0)})
    world.reset(pose, np.zeros(body.nv))
    palms = np.mean([world.point(hand.link, hand.point) for hand in body.hands], axis=0)
    pose[:3] += np.array([bar.x - 0.06, 0.0, bar.height]) - palms

    def grasp(here: poise.World) -> None:
        for hand in body.hands:
            side = here.point(hand.link, hand.point)[1]
            here.grip(hand.link, (bar.x, side, bar.height), bar.name)

    def let_go(here: poise.World) -> None:
        here.release(here.grips[0])

    performance = poise.perform(
        world,
        poise.named_controller("hold", {"stiffness": 0.3}),
        Still("hang", pose, np.zeros(body.nv)),
        seconds=4.0,
        cues=[
            poise.Cue(0.0, "grasp the bar", grasp),
            poise.Cue(1.5, "one hand lets go", let_go),
            poise.Cue(3.0, "the other lets go", let_go),
        ],
    )
    recording = performance.recording
    held, when = recording.contact_kind == 1, recording.time[recording.contact_step]
    for start, end in ((0.0, 1.5), (1.5, 3.0)):
        during = held & (when >= start) & (when < end)
        pull = np.zeros((recording.steps, 3))
        np.add.at(pull, recording.contact_step[during], recording.contact_force[during])
        hands = len(np.unique(recording.contact_body[during]))
        print(f"until {end:.1f} s: {hands} hand(s), at most {np.linalg.norm(pull, axis=1).max():.0f} N")
    failed = [check.name for check in poise.audit(recording).checks if not check.passed]
    print(f"not physical: {', '.join(failed)}" if failed else "physical")
    folder.mkdir(exist_ok=True)
    recording.save(folder / "recording.npz")
    print("watch", export(recording, folder / "page.html"))


if __name__ == "__main__":
    main(Path("poise-bar"))
