"""A walk in any direction, with a box in one hand.

`pendulum` takes only the style from a walk; here the right arm is held at the side. An inverted pendulum decides at
each step where and when the feet land. The controller can therefore walk at any speed in any direction, recover from
pushes, and carry loads that are not in its clip. Here a person with 15 kg in the right hand starts to walk, is pushed
from the right, takes a corner, slows down and walks backward. The recording keeps the commands as events.
"""

from pathlib import Path

import poise
from poise.export.formats import export

SCRIPT = "0s:0@1.1 4.5s:90@1.1 8.5s:90@0.5 11s:90@-0.4"
PUSH = "250@2.6,dir=90,duration=0.3"


def main(folder: Path) -> None:
    """Steer, push, audit, and write the playback page."""
    body = poise.Body.named("human58").loaded({"right_hand": 15.0})
    walk = poise.named_motion("walk", body)
    carrying = poise.Played(poise.edited(walk.clip, poise.parse_edit("carry:side_right")))
    controller = poise.named_controller("pendulum")
    done = poise.perform(
        poise.World(poise.Scene.of(body), poise.WorldSettings(step=0.02)),
        controller,
        carrying,
        seconds=14,
        pushes=[poise.parse_push(PUSH)],
        cues=[poise.steer_cue(controller, command) for command in poise.parse_steer(SCRIPT)],
    )
    for event in done.recording.meta["events"]:
        if event["kind"] == "steer":
            print(f"{event['time']:4.1f} s: to {event['heading_deg']:.0f} degrees at {event['speed']:.1f} m/s")
    fell = poise.metrics(done.recording)["fell_at"]
    print("stayed up" if fell is None else f"fell at {fell:.2f} s")
    failed = [check.name for check in poise.audit(done.recording).checks if not check.passed]
    print(f"not physical: {', '.join(failed)}" if failed else "physical")
    folder.mkdir(exist_ok=True)
    done.recording.save(folder / "recording.npz")
    print("watch", export(done.recording, folder / "page.html"))


if __name__ == "__main__":
    main(Path("poise-anywhere"))
