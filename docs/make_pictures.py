"""Makes the pictures of README and documentation, with Poise itself: `make pictures`.

Each picture shows one performance at several moments at once: a scene with as many copies of the body, each in
the pose of its moment, drawn by `poise.export.pictures`. Recordings come from the examples, run as a user runs them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from poise.body.assemble import body_names
from poise.body.body import Body
from poise.export.look import visible_model
from poise.export.pictures import Camera, png_bytes, render_pose, write_strip
from poise.files import write_file
from poise.reference.archive import is_prepared, load_prepared
from poise.reference.played import Played
from poise.world.props import Bar, Block, Prop
from poise.world.recording import Recording
from poise.world.scene import Scene
from poise.world.terrain_kinds import parse_terrain

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
STATIC = HERE / "_static"
CYCLES = 4  # of a motion that goes on and on


@dataclass(frozen=True)
class Shot:
    """How an example is shown."""

    example: str  # the script's name without its ending
    times: Sequence[float]  # s
    camera: Camera
    focus: tuple[float, float, float]  # m
    terrain: str = "flat"
    props: tuple[Prop, ...] = ()
    apart: float = 0.0  # m: moments that would cover each other are set side by side along x
    size: tuple[int, int] = (1200, 560)
    loads: Mapping[str, float] = field(default_factory=dict)  # kg that links carry


SHOTS = (
    Shot(
        "01_rag_doll_on_stairs",
        (0.1, 0.42, 0.66, 1.0, 4.0),
        Camera(azimuth=-108, elevation=10, distance=4.9),
        (1.45, 0.0, 1.2),
        terrain="stairs:0.15:0.3:8",
        size=(1200, 600),
    ),
    Shot(
        "02_stand_and_push",
        (0.4, 0.9, 1.2, 1.5, 1.7, 3.0),
        Camera(azimuth=-84, elevation=7, distance=5.9, field=14),
        (2.75, 0.0, 0.8),
        apart=0.75,
        size=(1200, 440),
    ),
    Shot(
        "03_hang_on_a_bar",
        (0.2, 1.0, 2.6, 3.3),
        Camera(azimuth=-74, elevation=6, distance=8.6, field=13.4),
        (2.7, 0.0, 1.3),
        props=(Bar(height=2.6, length=1.2),),
        apart=1.7,
    ),
    Shot(
        "04_your_own_motion",
        (0.15, 0.68, 1.22, 1.76, 2.3, 2.84, 3.4, 3.95),
        Camera(azimuth=-96, elevation=16, distance=4.2),
        (1.95, 0.7, 0.75),
        size=(1200, 520),
    ),
    Shot(
        "05_a_walk_that_obeys_physics",
        tuple(0.54 * k for k in range(9)),
        Camera(azimuth=-28, elevation=17, distance=4.0),
        (4.1, 2.15, 0.75),
        size=(1200, 560),
    ),
    Shot(
        "06_steering",
        (0.2, *(1.9 + 1.05 * k for k in range(14)), 17.5),
        Camera(azimuth=-40, elevation=32, distance=7.6),
        (3.8, 2.9, 0.5),
        size=(1200, 700),
    ),
    Shot(
        "07_walk_anywhere",
        tuple(0.1 + 0.9 * k for k in range(12)),
        Camera(azimuth=-46, elevation=20, distance=5.7),
        (4.3, 1.5, 0.65),
        size=(1200, 560),
        loads={"right_hand": 15.0},
    ),
    Shot(
        "08_obstacle_course",
        (0.6, 2.06, 3.0, 4.2, 5.5, 7.2, 8.3, 9.8, 11.4),
        Camera(azimuth=-40, elevation=15, distance=6.4),
        (5.5, 0.0, 0.65),
        terrain="hurdle:0.15",
        props=(
            Bar(height=1.45, x=4.6, length=1.6),
            *(Block(f"wall_{side}", (0.7, 0.2, 1.7), (8.0, y, 0.85)) for side, y in (("left", 0.4), ("right", -0.4))),
        ),
        size=(1200, 520),
    ),
    Shot(
        "09_catch_the_bar",
        (0.9, 1.2, 1.4, 1.75, 2.2),
        Camera(azimuth=-76, elevation=9, distance=4.4, field=24),
        (0.65, 0.0, 1.12),
        props=(Bar(height=2.23, x=1.061, length=1.4), Block("box", (1.2, 2.0, 0.15), (-0.4, 0.0, 0.075))),
        size=(1200, 520),
    ),
    Shot(
        "10_plans_ahead",
        tuple(0.1 + 0.46 * k for k in range(7)),
        Camera(azimuth=-64, elevation=12, distance=4.4),
        (1.9, 0.0, 0.8),
        size=(1200, 460),
    ),
    Shot(
        "12_slow_down_when_pushed",
        (0.55, 1.05, 1.5, 1.95, 2.4, 2.85, 3.3),
        Camera(azimuth=-64, elevation=12, distance=4.4),
        (2.1, 0.0, 0.8),
        size=(1200, 460),
    ),
    Shot(
        "13_steps_when_pushed_over",
        (0.2, 1.5, 1.75, 1.95, 2.3, 3.0, 6.0),
        Camera(azimuth=-84, elevation=7, distance=7.0, field=14),
        (2.9, 0.0, 0.8),
        apart=1.1,
        size=(1200, 440),
    ),
)

LIFTED = ("11_lift_a_barbell", (0.9, 1.7, 2.3, 2.8, 3.4, 4.5))
"""An example whose prop moves, so that its moments cannot share a picture; and the moments, s."""


def main() -> None:
    """Make them all."""
    STATIC.mkdir(exist_ok=True)
    bodies()
    with tempfile.TemporaryDirectory() as folder:
        for shot in SHOTS:
            exposure(*moments(done(shot.example, folder)), shot)
        lift(done(LIFTED[0], folder))


def done(example: str, folder: str) -> Path:
    """What an example writes, done in a folder."""
    subprocess.run([sys.executable, EXAMPLES / f"{example}.py"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return max(Path(folder).glob("*/re*.npz"), key=lambda path: path.stat().st_mtime)


def lift(path: Path) -> None:
    """Moments side by side, with what is lifted."""
    name, times = LIFTED
    camera = Camera(azimuth=-60, elevation=8)
    write_strip(Recording.load(path), STATIC / f"{name}.png", len(times), (200, 260), times=times, camera=camera)


def moments(path: Path) -> tuple[Body, np.ndarray, np.ndarray]:
    """Body, times and poses of what an example wrote: a recording, or a prepared motion."""
    if is_prepared(path):
        clip = load_prepared(path)
        played, cycles = Played(clip), CYCLES if clip.cyclic else 1
        clock = np.arange(cycles * (clip.frames - 1) + 1) / clip.rate
        return clip.body, clock, np.array([played.at(time).qpos for time in clock])
    recording = Recording.load(path)
    return Body.named(recording.meta["body"]), recording.time, recording.qpos


def exposure(body: Body, clock: np.ndarray, qpos: np.ndarray, shot: Shot) -> None:
    """One picture of several moments."""
    copies = len(shot.times) if shot.apart else 1
    moved = [_Moved(prop, shot.apart * k) for prop in shot.props for k in range(copies)]
    scene = Scene((body.loaded(shot.loads),) * len(shot.times), parse_terrain(shot.terrain), tuple(moved))
    pose = np.array(scene.model.qpos0)
    for k, time in enumerate(shot.times):
        then = qpos[np.abs(clock - time).argmin(), : body.nq].copy()
        then[0] += shot.apart * k
        pose[scene.coordinates(k)] = then
    picture(scene, pose, shot.size, shot.camera, shot.focus, shot.example)


def bodies() -> None:
    """All bodies side by side, at their true sizes."""
    row = [Body.named(name) for name in body_names()]
    scene = Scene(tuple(row))
    pose = np.array(scene.model.qpos0)
    places = np.cumsum([0.0, 0.85, 0.85, 0.85, 0.85, 0.8, 0.65])
    for k, body in enumerate(row):
        pose[scene.coordinates(k)] = body.standing
        pose[scene.coordinates(k)][1] += places[k]
    middle = (0.0, float(places[-1]) / 2, 0.82)
    picture(scene, pose, (1320, 460), Camera(azimuth=0, elevation=7, distance=2.9), middle, "bodies")


def picture(
    scene: Scene,
    pose: np.ndarray,
    size: tuple[int, int],
    camera: Camera,
    focus: tuple[float, float, float],
    name: str,
) -> None:
    """Draw and write one picture."""
    content = png_bytes(render_pose(visible_model(scene.xml), pose, size, camera=camera, focus=focus, span=1.75))
    path = write_file(STATIC / f"{name}.png", content)
    print(f"wrote {path} ({len(content) // 1000} kB)")


class _Moved:
    """A fixed prop further along x, under a name of its own."""

    def __init__(self, prop: Prop, by: float) -> None:
        self.prop, self.by, self.name = prop, by, f"{prop.name}_{by:g}"

    def mjcf_elements(self) -> list[Element]:
        """Those of the prop."""
        found = self.prop.mjcf_elements()
        for item in found:
            x, y, z = map(float, item.get("pos", "0 0 0").split())
            item.set("pos", f"{x + self.by} {y} {z}")
            for part in item.iter():
                if "name" in part.attrib:
                    part.set("name", f"{part.get('name')}_{self.by:g}")
        return found


if __name__ == "__main__":
    main()
