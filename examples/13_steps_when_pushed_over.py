"""A squat that recovers from a push by stepping.

The push is 250 N for a sixth of a second, and is noticed 0.2 s after it begins. By then the capture point is behind
the heels, and no force on the feet can bring the body to rest. `modal` alone keeps the feet in place and falls. With
`pendulum` as catching controller, `modal` hands over to it, and it steps until it stands. Then `modal` continues the
squat from where the feet are. On the command line, this is `--controller modal --catch pendulum`.
"""

from pathlib import Path

import poise
from poise.control.modal.modal import Modal
from poise.control.pendulum.pendulum import Pendulum
from poise.export.formats import export
from poise.performance.catch import CatchController

PUSHED, SECONDS = 1.5, 8.0
"""Time of the push, at the lowest point of the squat (s), and duration (s)."""
PUSH = poise.Push(250.0, PUSHED, 20 / 120, (-1.0, 0.0, 0.0))


def main(folder: Path) -> None:
    """Perform without and with catching, and save the last performance."""
    body = poise.Body.named("human42")
    for controller in (Modal(), CatchController(Modal(), Pendulum())):
        done = poise.perform(
            poise.World(poise.Scene.of(body)),
            controller,
            poise.named_motion("squat", body),
            seconds=SECONDS,
            pushes=[PUSH],
        )
        recording = done.recording
        fell = done.blow_up is not None or poise.metrics(recording)["fell_at"] is not None
        failed = [check.name for check in poise.audit(recording).checks if not check.passed]
        told = "falls" if fell else f"squats on; not physical: {failed}" if failed else "squats on, all physical"
        print(f"{controller.name}: {told}")
    folder.mkdir(exist_ok=True)
    recording.save(folder / "recording.npz")
    print("watch", export(recording, folder / "page.html"))


if __name__ == "__main__":
    main(Path("poise-caught"))
