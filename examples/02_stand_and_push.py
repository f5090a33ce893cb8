"""Standing, and a push.

The controller `hold` has a spring and a damper in every joint, integrated implicitly and kept within the torque
limits. It does not balance. After a push of 150 N in the back for a tenth of a second, the feet stay in place and the
body remains standing. A longer push topples it. The printed numbers are those of `poise perform --json`.
"""

from pathlib import Path

import poise
from poise.export.formats import export


def main(folder: Path) -> None:
    """Perform two pushes in the back; the second one ends in a fall, which is saved."""
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
