"""Draws a strip of every motion that comes with Poise, with Poise itself: part of `make pictures`."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from poise.export.look import visible_model
from poise.export.strip import Camera, png, render
from poise.files import write_file
from poise.reference.authoring import shipped_names
from poise.reference.dynamic import Dynamic
from poise.reference.shipping import finished, finished_bodies
from poise.world.rehearsed import stage

STATIC = Path(__file__).parent / "_static" / "motions"
PICTURES, SIZE = 8, (150, 190)
CAMERA = Camera(azimuth=-65, elevation=9, distance=4.6)


def main() -> None:
    """All that have a finished reference, each on the first body that has one."""
    STATIC.mkdir(parents=True, exist_ok=True)
    for name in shipped_names():
        for body in finished_bodies(name)[:1]:
            draw(finished(name, body), STATIC / f"{name}.png")


def draw(motion: Dynamic, path: Path) -> None:
    """A row of pictures from the start to the end, with the bar that hands hold."""
    model = visible_model(stage(motion).xml)
    clip = motion.clip
    moments = np.linspace(0, clip.frames - 1, PICTURES, endpoint=not clip.cyclic)  # a cycle would end as it began
    poses = clip.qpos[moments.round().astype(int)]
    focus, reach = framing(clip.body.model, poses)
    row = [render(model, pose, SIZE, camera=CAMERA, focus=f, span=reach) for pose, f in zip(poses, focus, strict=True)]
    content = png(np.hstack(row))
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
