"""Lifting 30 kg, with plans of a tenth and of three tenths of a second.

`lift` is a squat in which the hands go down in front of the feet. The motion was made without a load. With a barbell
of 30 kg in the hands, the common centre of mass is ahead of the toes. `modal` gets the load as an input. As soon as
the load is within its planning window, it plans for a body that has 30 kg more at the hands, and moves to where the
feet can support it. With a window of 36 frames it leans back before the hands close, and stands up with the barbell.
With a window of 12 frames the load enters the window too late, and the body topples forward.
"""

from pathlib import Path

import mujoco
import numpy as np

import poise
from poise.control.modal.frames import CarriedMass
from poise.control.modal.modal import Modal, ModalSettings
from poise.export.formats import export
from poise.world.props import Barbell

MASS, GRASP, SECONDS = 30.0, 1.8, 6.0
"""Mass (kg), time at which the hands close (s), and duration (s)."""
BELOW = 0.046
"""Distance (m) of the centre of the bar below the centre of a hand that lies on it."""
WINDOWS = (12, 36)
"""Lengths of the planning window (frames)."""


def main(folder: Path) -> None:
    """Lift the barbell with each window, and save the last performance."""
    body = poise.Body.named("human42").with_torque_limits("athlete")
    motion = poise.named_motion("lift", body)
    data = mujoco.MjData(body.model)
    data.qpos[:] = motion.at(GRASP).qpos
    mujoco.mj_kinematics(body.model, data)
    loads, held = [], []
    for hand in body.hands:
        place, turn = data.body(hand.link).xpos, data.body(hand.link).xmat.reshape(3, 3)
        held.append(place + turn @ hand.point - [0.0, 0.0, BELOW])
        loads.append(CarriedMass(hand.link, MASS / 2, GRASP, tuple(turn.T @ (held[-1] - place))))
    x, _, z = np.mean(held, axis=0)

    def grasp(world: poise.World) -> None:
        """Close the hands around the bar."""
        bar = world.point("barbell")
        for hand in body.hands:
            world.grip(hand.link, (bar[0], world.point(hand.link, hand.point)[1], bar[2]), "barbell")

    for window in WINDOWS:
        world = poise.World(poise.Scene.of(body, props=[Barbell(mass=MASS, disc=z, at=(x, 0.0, z))]))
        controller = Modal(ModalSettings(window=window), loads)
        done = poise.perform(world, controller, motion, seconds=SECONDS, cues=[poise.Cue(GRASP, "grasp", grasp)])
        recording = done.recording
        away = recording.qpos[:, 0] - recording.reference_qpos[:, 0]  # m
        taken = np.searchsorted(recording.time, GRASP)
        toppled = done.blow_up is not None or poise.metrics(recording)["fell_at"] is not None
        failed = [check.name for check in poise.audit(recording).checks if not check.passed]
        print(
            f"{window} frames ahead: {-100 * away[taken]:.1f} cm back as its hands close,",
            "topples" if toppled else f"stands; not physical: {failed}" if failed else "stands, all physical",
        )
    folder.mkdir(exist_ok=True)
    recording.save(folder / "recording.npz")
    print("watch", export(recording, folder / "page.html"))


if __name__ == "__main__":
    main(Path("poise-lift"))
