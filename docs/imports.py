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
from poise.motion.repair.rate import BELIEVED, rate_evidence, verdict
from poise.motion.roles import find_roles

HEAD = [
    "clip", "unit", "up", "faces", "T-pose", "cut", "fps (index)", "evidence", "sure", "thorax", "floor",
    "toes p5 (before)", "wraps (index)",
]  # fmt: skip

INTRO = """# Imports

What `poise prepare FILE --report` finds, without any option, in the 40 clips of the CMU motion-capture database
(mocap.cs.cmu.edu, created with funding from NSF EIA-0196217) that we develop with, and how that compares with the index
of that collection. The data itself is not part of Poise. This page is written by `docs/imports.py`.
"""

LEGEND = """
- **unit**: metres per unit of the file, told from the length of the leg. **up**, **faces**: axes of the file.
- **T-pose**, **cut**: artificial and bad frames removed from the beginning.
- **fps (index)**: the rate that gravity confirms; the files all state 120. **evidence**: what decided; `header` where
  the clip does not tell. *flight*: the rate at which flights fall with g, and their number; *pendulum*: the rate at
  which inertia balances weight about the standing foot, and the correlation of the two; *fall*: the fastest fall of the
  centre of mass at the file's rate; *outside*: how far outside the feet the force of standing acts at the file's rate.
- **floor**: height in the file of what the figure stands on, cm. **toes p5**: fifth percentile of the lower of toe
  joint and toe tip after the import, and in the file (from the index), cm. The floor is told from flat feet, mainly
  from the ankles, because toes are the worst captured joints: in 89_04 one toe hangs 6 cm below its foot for a part of
  the clip, in 90_01 and 111_21 hidden markers send toes through the floor, in 83_29, 74_15 and 90_36 the toe joints of
  flat feet are nearly as high as the ankles. 03_01 stands on nothing lower than 14 cm.
- **wraps (index)**: Euler angles that jump by whole turns. We count the joints' quaternions that change sign because
  of it; the index counts otherwise, so that the numbers differ a little.
"""

CHECK = """
## Frame rates that lie

The same clips under false flags: the stated rate doubled or halved, and every second or fourth frame taken while the
stated rate stays. *Right* is the true rate; *believed* is staying with the file for want of evidence (lying, rolling,
standing still); *wrong* is any other rate. The thresholds of the import were set with these very clips in view, so this
shows how well the evidence separates here, not how often it errs on others.
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
    """How often the rate is found when the file lies about it."""
    counts: dict[str, list[int]] = {}
    for clip, true in clips:
        for name, false, stated, rate in flags(clip, true):
            count = counts.setdefault(name, [0, 0, 0])
            found = detected(false, stated)
            count[0 if found == rate else 1 if found == stated else 2] += 1
    head = ["flag", "clips", "right", "believed", "wrong"]
    return table(head, [[name, str(sum(count)), *map(str, count)] for name, count in counts.items()])


def flags(clip: Clip, true: float) -> Iterator[tuple[str, Clip, float, float]]:
    """Name, clip, stated rate and true rate of each way to lie."""
    yield "the truth", clip, true, true
    yield "stated twice too high", clip, 2 * true, true
    yield "stated twice too low", clip, true / 2, true
    yield "every second frame, rate kept", thinned(clip, 2), true, true / 2
    yield "every fourth frame, rate kept", thinned(clip, 4), true, true / 4
    yield "every fourth frame, the truth", thinned(clip, 4), true / 4, true / 4


def thinned(clip: Clip, step: int) -> Clip:
    """Every so many frames."""
    return replace(clip, position=clip.position[::step], rotation=clip.rotation[::step])


def detected(clip: Clip, stated: float) -> float:
    """The rate that an import would give this clip."""
    roles = find_roles(clip.skeleton)
    assert roles is not None
    seen = verdict(rate_evidence(clip, roles, stated))
    return seen.rate if seen.confidence >= BELIEVED else stated


if __name__ == "__main__":
    print(page(Path(sys.argv[1])))
