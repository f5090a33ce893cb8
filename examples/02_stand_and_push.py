"""Standing, and a push.

The `hold` controller is a spring and damper in every joint, integrated implicitly and kept within the torque limits.
It knows nothing of balance: a push of 150 N in the back for a tenth of a second is taken by the feet, which stay
where they are, and a longer one topples the body. The numbers are those that `poise perform --json` prints.
"""

from pathlib import Path

import poise
from poise.export.formats import export


def main(folder: Path) -> None:
    """Two pushes in the back; the second ends in a fall, which is kept."""
    body = poise.Body.named("human37")
    world = poise.World(poise.Scene.of(body))
    folder.mkdir(exist_ok=True)
    for push in ("150@0.5,duration=0.1", "150@0.5,duration=0.4"):
        performance = poise.perform(
            world,
            poise.named_controller("hold"),
            poise.named_motion("stand", body),
            seconds=3,
            pushes=[poise.parse_push(push)],
        )
        numbers = poise.metrics(performance.recording)
        fell = numbers["fell_at"]
        print(f"push {push}: {'stayed up' if fell is None else f'fell at {fell:.2f} s'}")
        print(f"  slip of the feet {numbers['foot_slip_mm_s']:.3f} mm/s")
        print(f"  peak torque {100 * numbers['peak_torque_ratio']:.0f} % of the limit")
    performance.recording.save(folder / "recording.npz")
    print("watch", export(performance.recording, folder / "page.html"))


if __name__ == "__main__":
    main(Path("poise-push"))
