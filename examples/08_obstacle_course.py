"""A walk over, under and between obstacles.

Whatever `pendulum` does not need for its balance can be edited while it walks. Here it steps over a hurdle, which it
knows as part of the ground. Then it stoops and bends its knees to pass under a bar, and turns its shoulders to pass
between two walls. The controller does not know the bar and the walls. A director in the script keeps it on its line,
and edits the walk in time. The clearance from each obstacle is measured in the recording.
"""

from pathlib import Path

import mujoco

import poise
from poise.control.pendulum.pendulum import Pendulum
from poise.export.formats import export
from poise.world.props import Bar, Block

SECONDS, SPEED, GLANCE = 12.5, 0.8, 0.25
"""Duration (s), speed (m/s), and time between looks at the position (s)."""
HURDLE, BAR = "hurdle:0.15", Bar("bar", height=1.45, x=4.6, length=1.6)
WALLS = [Block(f"wall_{side}", size=(0.7, 0.2, 1.7), at=(8.0, y, 0.85)) for side, y in (("left", 0.4), ("right", -0.4))]
STOOP = (
    "trunk:-0.18",
    "offset:spine=0:25:0",
    "offset:upper_spine=0:25:0",
    "offset:chest=0:20:0",
    "offset:neck=0:-20:0",
)
DANGLE = ("offset:left_shoulder=0:-60:0", "offset:right_shoulder=0:-60:0")
TWIST = ("offset:spine=0:0:-20", "offset:upper_spine=0:0:-20", "offset:chest=0:0:-20")
TUCK = ("carry:sides", "offset:left_shoulder=-10:-20:0", "offset:right_shoulder=10:25:0")
LOOK = ("offset:neck=0:0:25", "offset:head=0:0:25")
DIRECTIONS = [(3.3, 2.0, STOOP + DANGLE), (5.4, 3.6, TWIST + TUCK + LOOK)]
"""Position (m) at which edits are made, distance (m) over which they apply, and the edits."""


class Director:
    """Steers the walker back to its line, and edits its walk ahead of obstacles."""

    def __init__(self, controller: Pendulum, walk: poise.Live) -> None:
        self._controller, self._walk, self._untold = controller, walk, list(DIRECTIONS)

    def __call__(self, world: poise.World) -> dict[str, object]:
        """Steer towards the line y = 0, and make the edits that are due."""
        x, y = world.qpos[:2]
        heading = -0.8 * float(y)  # rad
        self._controller.steer(heading, SPEED)
        if self._untold and x > self._untold[0][0]:
            _, way, edits = self._untold.pop(0)
            for edit in edits:
                self._walk.edit(poise.parse_edit(f"{edit}@{world.time:.2f}-{world.time + way / SPEED:.2f}"), world.time)
        return {"kind": "steer", "time": world.time, "heading": heading, "speed": SPEED}


def main(folder: Path) -> None:
    """Walk the course, measure the clearances, audit, and write the playback page."""
    body = poise.Body.named("human58")
    walk = poise.Live(poise.named_motion("walk", body), body)
    controller = Pendulum()
    director = Director(controller, walk)
    scene = poise.Scene.of(body, HURDLE, props=[BAR, *WALLS])
    world = poise.World(scene, poise.WorldSettings(step=0.02))
    cues = [poise.Cue(GLANCE * k, "look", director) for k in range(round(SECONDS / GLANCE))]
    recording = poise.perform(world, controller, walk, seconds=SECONDS, cues=cues).recording
    for name, thing in (("hurdle", "platform0"), ("bar", "bar_shape"), *((w.name, f"{w.name}_shape") for w in WALLS)):
        print(f"passed the {name} at {100 * clearance(recording, scene.model, thing):.1f} cm")
    fell = poise.metrics(recording)["fell_at"]
    print("stayed up" if fell is None else f"fell at {fell:.2f} s")
    failed = [check.name for check in poise.audit(recording).checks if not check.passed]
    print(f"not physical: {', '.join(failed)}" if failed else "physical")
    folder.mkdir(exist_ok=True)
    recording.save(folder / "recording.npz")
    print("watch", export(recording, folder / "page.html"))


def clearance(recording: poise.Recording, model: mujoco.MjModel, thing: str) -> float:
    """Least distance (m) between the body and an obstacle."""
    data, geom, nearest = mujoco.MjData(model), model.geom(thing).id, 1.0
    solid = [g for g in range(model.ngeom) if model.geom_contype[g] and model.body_weldid[model.geom_bodyid[g]] > 0]
    for pose in recording.qpos[::2]:
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        for part in solid:
            nearest = min(nearest, mujoco.mj_geomDistance(model, data, geom, part, nearest, None))
    return nearest


if __name__ == "__main__":
    main(Path("poise-obstacles"))
