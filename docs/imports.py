"""What importing finds in each clip of a folder of captured motions, against that folder's index: a Markdown page.

python docs/imports.py ../shared/mocap > docs/imports.md
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tables import table

from poise.arrays import Array
from poise.motion.clip import Clip
from poise.motion.repair.finding import Imported
from poise.motion.repair.importer import import_motion
from poise.motion.repair.rate import BELIEVED, rate_evidence, rate_verdict
from poise.motion.roles import find_roles

HEAD = [
    "clip", "unit", "up", "faces", "T-pose", "cut", "fps (index)", "evidence", "sure", "thorax", "floor",
    "toes p5 (before)", "wraps (index)",
]  # fmt: skip

INTRO = """# Imports

This page shows what `poise prepare FILE --report` finds without any option, compared with the true values. The true
values are those of the *index*, a list of facts about the clips of our collection. The clips are the 40 of the CMU
motion-capture database (mocap.cs.cmu.edu, created with funding from NSF EIA-0196217) with which Poise is developed. The
data is not part of Poise. The columns are explained below the table. [Motion in, motion out](motion.md) explains the
import. This command writes the page:

```sh
python docs/imports.py ../shared/mocap > docs/imports.md
```
"""

LEGEND = """
- **unit**: metres per unit of the file, inferred from the length of the leg. **up**, **faces**: axes of the file.
- **T-pose**, **cut**: number of artificial frames and of bad frames that were removed from the beginning.
- **fps (index)**: frames per second that the import finds, and those of the index. All files state 120.
- **evidence**: in bold, the evidence that decided about the rate; `header` if the clip gives no evidence and the stated
  rate is kept. **sure**: how sure the import is of the rate. The kinds of evidence are
  - *flight*: the rate at which flights fall with g, and the number of flights;
  - *pendulum*: the rate at which inertia balances weight about the standing foot, and the correlation of the two;
  - *fall*: the fastest fall of the centre of mass at the file's rate;
  - *outside*: how far outside the feet the ground force acts while the figure stands, at the file's rate.
- **thorax**: whether a missing thorax bone was restored (`mended`).
- **floor**: height in the file of the surface on which the figure stands, cm.
- **toes p5 (before)**: fifth percentile of the height of the toes (the lower of toe joint and toe tip), cm: after the
  import, and in brackets in the file (from the index).
- **wraps (index)**: number of times that Euler angles jump by whole turns. Poise counts how often the quaternion of a
  joint changes sign because of such a jump. The index counts differently, so the numbers differ slightly.

The floor is inferred from flat feet, mainly from the ankles, because toes are captured less accurately than all other
joints. In 89_04 one toe hangs 6 cm below its foot for a part of the clip. In 90_01 and 111_21 hidden markers send toes
through the floor. In 83_29, 74_15 and 90_36 the toe joints of flat feet are nearly as high as the ankles. In 03_01 the
feet never stand lower than 14 cm.
"""

CHECK = """
## Wrong frame rates

Here the same clips are imported with falsified rates: the stated rate is doubled or halved, or only every second or
fourth frame is kept while the stated rate stays. *Right* counts the clips for which the true rate is found. *Kept*
counts those for which the file's rate is kept because there is too little evidence (lying, rolling, standing still).
*Wrong* counts those for which another rate is found. The thresholds of the import were chosen with these same clips.
The table therefore shows how well the import works on these clips, not how often it errs on others.
"""


def page(folder: Path) -> str:
    """The whole page."""
    entries = json.loads((folder / "index.json").read_text())
    imports = {entry["trial"]: import_motion(folder / entry["file"]) for entry in entries}
    rows = [row(imports[entry["trial"]], entry) for entry in entries]
    counts = check([(imports[entry["trial"]].clip, float(entry["true_fps"])) for entry in entries])
    return "\n".join([INTRO, table(HEAD, rows), LEGEND, CHECK.strip(), "", counts])


def row(imported: Imported, entry: dict[str, Any]) -> list[str]:
    """One clip."""
    value = {finding.name: finding.value for finding in imported.findings}
    rate = imported.clip.rate
    agrees = "" if rate == entry["true_fps"] else " **differs**"
    return [
        imported.clip.name,
        f"{value['unit']:.5f}",
        value["up"],
        value["facing"],
        str(value["tpose"]),
        str(value["leading"]),
        f"{rate:g} ({entry['true_fps']}){agrees}",
        evidence(value["rate"]),
        f"{min(imported.finding('rate').confidence or 0, 0.99):.0%}",
        "mended" if value["thorax"] else "-",
        f"{value['floor'] * 100:+.1f}",
        f"{np.percentile(toes(imported.clip), 5) * 100:+.1f} ({entry['toe_height_p5_m'] * 100:+.1f})",
        f"{value['wraps']} ({entry['euler_wraps']})",
    ]


def evidence(value: dict[str, Any]) -> str:
    """What the clip says about its rate."""
    said = [f"**{value['decided_by']}**:"]
    if value["flight_rate"] is not None:
        said.append(f"flight {value['flight_rate']:.0f} ({value['flights']})")
    if value["supports"]:
        said.append(f"pendulum {value['pendulum_rate']:.0f} ({value['pendulum_agreement']:.2f})")
    said.append(f"fall {value['fall_g']:.1f} g")
    if value["outside_m"] is not None:
        said.append(f"outside {value['outside_m'] * 100:.0f} cm")
    return " ".join([said[0], ", ".join(said[1:])])


def toes(clip: Clip) -> Array:
    """(T,) m, the lowest joint or tip of the toes."""
    roles = find_roles(clip.skeleton)
    assert roles is not None
    joints = [roles.joints["left_toes"], roles.joints["right_toes"]]
    tips = [k for k, end in enumerate(clip.skeleton.ends) if end.joint in joints]
    places = clip.places
    return np.concatenate([places.position[:, joints, 2], places.ends[:, tips, 2]], axis=1).min(axis=1)


def check(clips: list[tuple[Clip, float]]) -> str:
    """A table of how often the rate is found when the file states a wrong one."""
    counts: dict[str, list[int]] = {}
    for clip, true in clips:
        for name, false, stated, rate in flags(clip, true):
            count = counts.setdefault(name, [0, 0, 0])
            found = detected(false, stated)
            count[0 if found == rate else 1 if found == stated else 2] += 1
    head = ["falsification", "clips", "right", "kept", "wrong"]
    return table(head, [[name, str(sum(count)), *map(str, count)] for name, count in counts.items()])


def flags(clip: Clip, true: float) -> Iterator[tuple[str, Clip, float, float]]:
    """Name, clip, stated rate and true rate of each falsification."""
    yield "none", clip, true, true
    yield "stated twice too high", clip, 2 * true, true
    yield "stated twice too low", clip, true / 2, true
    yield "every second frame, stated rate kept", thinned(clip, 2), true, true / 2
    yield "every fourth frame, stated rate kept", thinned(clip, 4), true, true / 4
    yield "every fourth frame, true rate stated", thinned(clip, 4), true / 4, true / 4


def thinned(clip: Clip, step: int) -> Clip:
    """Every so many frames."""
    return replace(clip, position=clip.position[::step], rotation=clip.rotation[::step])


def detected(clip: Clip, stated: float) -> float:
    """The rate that an import would give this clip."""
    roles = find_roles(clip.skeleton)
    assert roles is not None
    seen = rate_verdict(rate_evidence(clip, roles, stated))
    return seen.rate if seen.confidence >= BELIEVED else stated


if __name__ == "__main__":
    print(page(Path(sys.argv[1])))
