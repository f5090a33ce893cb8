"""Draws a strip and a thumbnail of every motion that comes with Poise, with Poise itself: part of `make pictures`."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from poise.export.look import visible_model
from poise.export.pictures import Camera, png_bytes, render_pose
from poise.files import write_file
from poise.library.authoring.source import shipped_names
from poise.library.motions import shipped_dynamic, shipped_dynamic_bodies
from poise.physics.dynamic_motion import scene_of_dynamic
from poise.reference.dynamic import Dynamic

STATIC = Path(__file__).parent / "_static" / "motions"
THUMBNAILS = STATIC / "thumbnails"
PICTURES, SIZE = 8, (150, 190)
CAMERA = Camera(azimuth=-65, elevation=9, distance=4.3)


def main() -> None:
    """All that have a finished reference, each on the first body that has one."""
    THUMBNAILS.mkdir(parents=True, exist_ok=True)
    for name in shipped_names():
        for body in shipped_dynamic_bodies(name)[:1]:
            draw(shipped_dynamic(name, body), name)


def draw(motion: Dynamic, name: str) -> None:
    """A row of pictures from the start to the end, with the bar that hands hold; the most telling one by itself."""
    model = visible_model(scene_of_dynamic(motion).xml)
    chosen = moments(motion)
    poses = motion.clip.qpos[chosen]
    focus, reach = framing(motion.clip.body.model, poses)
    row = [
        render_pose(model, pose, SIZE, camera=CAMERA, focus=f, span=reach) for pose, f in zip(poses, focus, strict=True)
    ]
    airborne = ~motion.contacts.down[chosen].any(axis=1)
    telling = np.linalg.norm(poses[:, 7:] - poses[0, 7:], axis=1) + 100.0 * airborne  # what flies is shown in flight
    write(STATIC / f"{name}.png", np.hstack(row))
    write(THUMBNAILS / f"{name}.png", row[int(telling.argmax())])


def moments(motion: Dynamic) -> np.ndarray:
    """Frames between which about as much happens; a cycle would end as it began."""
    speed = np.linalg.norm(motion.qvel[:-1, 3:], axis=1)
    passed = np.concatenate([[0.0], np.cumsum(speed + speed.mean() + 1e-9)])
    wanted = np.linspace(0, passed[-1], PICTURES, endpoint=not motion.clip.cyclic)
    return np.interp(wanted, passed, np.arange(len(passed))).round().astype(int)


def write(path: Path, pixels: np.ndarray) -> None:
    """One picture."""
    content = png_bytes(pixels)
    write_file(path, content)
    print(f"wrote {path} ({len(content) // 1000} kB)")


def framing(model: mujoco.MjModel, poses: np.ndarray) -> tuple[np.ndarray, float]:
    """Where to look, (pictures, 3) m: along with the body but at one height; and how far it reaches from there, m."""
    data = mujoco.MjData(model)
    centres, links = [], []
    for pose in poses:
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        centres.append(data.subtree_com[1].copy())
        links.append(data.xpos[1:].copy())
    heights = np.array(links)[..., 2]
    focus = np.array(centres)
    focus[:, 2] = (heights.min() + heights.max()) / 2
    return focus, float(np.linalg.norm(np.array(links) - focus[:, None], axis=2).max()) + 0.1


if __name__ == "__main__":
    main()
