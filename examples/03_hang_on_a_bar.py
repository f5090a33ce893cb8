"""Hanging on a bar.

Grips hold a point of one body at a point of another; they are made and released while the world runs. Here both hands
hold a bar, the body swings, one hand lets go after 1.5 s and the other after 3 s. `poise.perform` starts a
world without grips, so this example writes out its loop: ask the controller, step the world, record.
"""

from pathlib import Path

import numpy as np

import poise
from poise.export import export
from poise.performance import describe
from poise.reference import Still
from poise.world.props import Bar
from poise.world.recorder import Recorder


def main(folder: Path) -> None:
    """Hang, swing, let go; prints what the hands carry."""
    body = poise.Body.named("human37")
    bar = Bar(height=2.6, length=1.2)
    world = poise.World(poise.Scene.of(body, props=[bar]))

    pose = body.qpos_from({"left_shoulder": (0.0, -2.75, 0.0), "right_shoulder": (0.0, -2.75, 0.0)})
    world.reset(pose, np.zeros(body.nv))
    hands = [body.link_id(hand.link) for hand in body.hands]  # a scene's first body keeps its ids
    palms = [world.state.data.xpos[i] + world.state.data.xmat[i].reshape(3, 3) @ hand.point
             for i, hand in zip(hands, body.hands, strict=True)]  # fmt: skip
    pose[:3] += np.array([bar.x, 0.0, bar.height]) - np.mean(palms, axis=0)
    swing = np.zeros(body.nv)
    world.reset(pose, swing)

    grips = [world.grip(hand.link, (bar.x, palm[1], bar.height), bar.name)
             for hand, palm in zip(body.hands, palms, strict=True)]  # fmt: skip
    controller = poise.named_controller("hold", {"stiffness": 0.3})
    reference = Still("hang", pose, swing)
    controller.reset(world, reference)
    recorder = Recorder(world, with_reference=False)
    for grip, until in ((grips[0], 1.5), (grips[1], 3.0), (None, 4.0)):
        pull = 0.0
        while world.time < until:
            result = world.step(controller.act(world.state))
            recorder.add(result)
            total = result.grip_impulse.sum(axis=0) / world.settings.step  # N
            pull = max(pull, float(np.linalg.norm(total)))
        print(f"until {until:.1f} s: {len(world.grips)} grips, at most {pull:.0f} N")
        if grip is not None:
            world.release(grip)
    recording = recorder.finish(describe(world, controller, reference, (), 0, 0.0, None))
    failed = [check.name for check in poise.audit(recording).checks if not check.passed]
    print(f"not physical: {', '.join(failed)}" if failed else "physical")
    folder.mkdir(exist_ok=True)
    recording.save(folder / "recording.npz")
    print("watch", export(recording, folder / "page.html"))


if __name__ == "__main__":
    main(Path("poise-bar"))
