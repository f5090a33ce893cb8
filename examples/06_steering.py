"""A walk that follows commands.

The steps, turns to both sides, starts and stops that come with Poise form a motion graph. At the end of each step
`nqr` chooses the transition that reaches the commanded heading and speed soonest. It never chooses a transition that
fell when it was tried in simulation. Here a standing figure starts to walk, goes around a corner at another speed,
turns back and stops. The recording keeps the commands as events.
"""

from pathlib import Path

import poise
from poise.export.formats import export

SCRIPT = "0.3s:0@1.3 3s:90@1.7 8s:-90@1.3 13s:-90@0"


def main(folder: Path) -> None:
    """Steer, audit, and write the playback page."""
    body = poise.Body.named("biped29")
    controller = poise.named_controller("nqr")
    cues = [poise.steer_cue(controller, command) for command in poise.parse_steer(SCRIPT)]
    reference = poise.Roaming(poise.shipped_repertoire(body), "stand")
    done = poise.perform(poise.World(poise.Scene.of(body)), controller, reference, seconds=18, cues=cues)
    for event in done.recording.meta["events"]:
        print(f"{event['time']:4.1f} s: to {event['heading_deg']:.0f} degrees at {event['speed']:.1f} m/s")
    fell = poise.metrics(done.recording)["fell_at"]
    print("stayed up" if fell is None else f"fell at {fell:.2f} s")
    failed = [check.name for check in poise.audit(done.recording).checks if not check.passed]
    print(f"not physical: {', '.join(failed)}" if failed else "physical")
    folder.mkdir(exist_ok=True)
    done.recording.save(folder / "recording.npz")
    print("watch", export(done.recording, folder / "page.html"))


if __name__ == "__main__":
    main(Path("poise-steering"))
