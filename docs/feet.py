"""Writes feet.md: how clean feet are over the walks and runs of a motion-capture collection.

python docs/feet.py ../shared/mocap
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from poise.arrays import true_runs
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.motion.clip import Clip
from poise.motion.repair.importer import import_motion
from poise.reference.body_clip import BodyClip
from poise.retarget.contact_detection import find_contacts
from poise.retarget.foot_cleanup import clean_feet, joint_speeds, usual_joint_speeds
from poise.retarget.retarget import retarget

HERE = Path(__file__).parent
GAITS = (
    *("02_01", "02_02", "07_01", "07_04", "132_20", "132_46", "16_11", "16_13", "16_17", "16_19", "39_11"),  # walks
    *("02_03", "09_01", "16_48"),  # runs
)
BODIES = ("own", "human37", "biped29")


def main(folder: Path) -> None:
    """All gaits on three bodies."""
    rows = []
    for gait in GAITS:
        clip = import_motion(folder / "bvh" / f"{gait}.bvh").clip
        rows += [row(clip, name) for name in BODIES]
        print("\n".join(rows[-3:]), flush=True)
    (HERE / "feet.md").write_text(TEXT + "\n".join(rows) + "\n")


def row(clip: Clip, name: str) -> str:
    """One line of the table."""
    own = name == "own"
    body = Body.from_skeleton(clip.skeleton, rate=clip.rate, name=clip.name) if own else Body.named(name)
    began = time.process_time()
    retargeted = retarget(clip, body).clip
    clean = clean_feet(find_contacts(retargeted))
    spent = time.process_time() - began
    places, moved = stances(clean)
    fastest = joint_speeds(clean).max(axis=0)[1:] / usual_joint_speeds(retargeted)[1:]
    worst = body.joints[1 + int(fastest.argmax())].name
    cells = [
        clip.name,
        name,
        f"{clean.frames}",
        f"{1e3 * moved:.2f}",
        f"{1e3 * min(0.0, places[..., 2].min()):.1f}",
        f"{fastest.max():.2f} ({worst})",
        f"{300 * spent / clean.frames:.2f}",
    ]
    return "| " + " | ".join(cells) + " |"


def stances(clip: BodyClip) -> tuple[np.ndarray, float]:
    """Places (T, points, 3) of all contact points, and how far (m) one gets from its median while it is down."""
    assert clip.down is not None
    points = [(part.link, point) for part in clip.parts for point in part.points]
    parts = [k for k, part in enumerate(clip.parts) for _ in part.points]
    places, _ = LinkKinematics(clip.body, points).at(clip.qpos)
    moved = [
        np.linalg.norm(places[a:b, k] - np.median(places[a:b, k], axis=0), axis=1).max()
        for k, part in enumerate(parts)
        for a, b in true_runs(clip.down[:, part])
    ]
    return places, float(max(moved, default=0.0))


TEXT = """# Feet

This page shows how still the stance feet of prepared motions are, and how smoothly the joints move. The clips are 11
walks and 3 runs of the CMU motion-capture database (mocap.cs.cmu.edu, created with funding from NSF EIA-0196217; the
data is not part of Poise). Each whole clip is retargeted, with default settings, to a body built for its skeleton
(`own`), to `human37` and to `biped29`. [Motion in, motion out](motion.md) explains the preparation. This command writes
the page:

```sh
python docs/feet.py ../shared/mocap
```

- **moved**: largest distance of any contact point from its median position during a contact, mm.
- **lowest**: lowest height of any contact point relative to the floor, mm; negative if it sinks in.
- **peak**: highest speed of any joint, divided by the 99th percentile of the speed of the same joint before cleaning;
  in brackets the joint.
- **s**: processor time (s) of retargeting, contact detection and cleaning, per 300 frames.

| clip | body | frames | moved | lowest | peak | s |
| --- | --- | --- | --- | --- | --- | --- |
"""

if __name__ == "__main__":
    main(Path(sys.argv[1]))
