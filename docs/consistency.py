"""Writes consistency.md: captured motions made to obey physics, and those that come with Poise.

python docs/consistency.py ../shared/mocap
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from poise.body.body import Body
from poise.edit.cycle import extract_cycle
from poise.library.authoring.source import shipped_names
from poise.library.motions import shipped_dynamic, shipped_dynamic_bodies
from poise.physics.certificate import Certificate, certify
from poise.physics.dynamic_motion import with_physics
from poise.retarget.prepare import prepare

HERE = Path(__file__).parent
CLIPS = ("07_01", "02_01", "132_20", "09_01", "02_03", "16_17", "39_11")  # three walks, two runs, two turns
CYCLES = ("07_01", "02_01", "132_20", "02_03")
BODIES = ("biped29", "own")

TEXT = """# Physics: what was measured

This page has the residuals of [motions that obey physics](physics.md): how exactly they satisfy each law. This command
writes the page (its argument is a folder of clips from the CMU motion-capture database, which is not part of Poise):

```sh
python docs/consistency.py ../shared/mocap
```

## Captured motions

The clips are three walks, two runs and two turns, on `biped29` and on a body built for the skeleton of the clip
(`own`). For four clips, a cycle was made as well.

- **iterations**: number of iterations of the optimiser. **CPU**: its time in seconds on one core, without the
  preparation of the clip.
- **equations**: largest residual of the equations of motion in any step, in body weights: the force (or torque at 1 m)
  that is missing to reach the next state. It is computed with MuJoCo and the world's own step, not with the optimiser.
- **slip**: largest distance by which a contact slides from the place where it began; rolling does not count.
- **excess**: the largest violation of friction cones (N), torque limits (N m) and joint limits (degrees).
- **peak force**: largest sum of contact forces, in body weights.
- **root**, **joints**: root-mean-square distance of the root and of the joints from the prepared motion.

| motion | body | frames | iterations | CPU | equations | slip, mm | excess | peak force | root, cm | joints, degrees |
|---|---|---|---|---|---|---|---|---|---|---|
"""

SHIPPED = """
## Motions that come with Poise

These are the references in the shipped files. The columns have the meaning given above; *peak torque* is the largest
joint torque relative to its limit. `poise motions build` prints the distances of the references from their
sources.

| motion | body | frames | equations | slip, mm | excess | peak force | peak torque, of its limit |
|---|---|---|---|---|---|---|---|
"""


def main(folder: Path) -> None:
    """Captured motions on two bodies, then all finished references."""
    captured = []
    for name in CLIPS:
        for body in BODIES:
            captured += rows(folder / "bvh" / f"{name}.bvh", body)
            print("\n".join(captured[-2:]), flush=True)
    shipped = [line(name, body) for name in shipped_names() for body in shipped_dynamic_bodies(name)]
    print("\n".join(shipped))
    (HERE / "consistency.md").write_text(TEXT + "\n".join(captured) + "\n" + SHIPPED + "\n".join(shipped) + "\n")


def rows(path: Path, body: str) -> list[str]:
    """A captured motion as a whole, and its cycle if it has one."""
    clip = prepare(path, None if body == "own" else Body.named(body)).clip
    tried = [(path.stem, clip)]
    if path.stem in CYCLES:
        tried.append((f"{path.stem}, a cycle", extract_cycle(clip)))
    out = []
    for name, each in tried:
        began = time.process_time()
        found = with_physics(each)
        spent = time.process_time() - began
        sure, like = found.certificate, found.deviation
        cells = [name, body, found.dynamic.clip.frames, found.iterations, f"{spent:.1f}", *residuals(sure)]
        cells += [f"{sure.peak_force:.1f}", f"{100 * like.root_rms_m:.1f}", f"{like.joint_rms_deg:.1f}"]
        out.append(table_row(cells))
    return out


def line(name: str, body: str) -> str:
    """A finished reference."""
    motion = shipped_dynamic(name, body)
    sure = certify(motion)
    cells = [name, body, motion.clip.frames, *residuals(sure)]
    return table_row([*cells, f"{sure.peak_force:.1f}", f"{100 * sure.peak_torque_ratio:.0f} %"])


def residuals(sure: Certificate) -> list[str]:
    """The cells that must be zero."""
    excess = max(sure.cone, sure.torque_excess, sure.joint_excess_deg)
    return [f"{sure.equations:.0e}", f"{sure.slip_mm:.1g}", f"{excess:.2g}"]


def table_row(cells: list[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
