"""Random small corruptions of valid recordings, and the share of them that the audit refuses.

A corruption changes one entry of one array. Numbers change by a share of the range of their column, which counts as at
least a tenth of the range of the widest column, and as 1 if all columns are constant. Counted numbers (steps, bodies,
kinds) change to another value that the file could hold. The tracked pose and the text of `meta` are no claims about
physics and are left alone, as are the normal and the friction of grips, which nothing uses.

    python tests/measure/corruption.py 1000
"""

import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
from forging import changed, honest

from poise import PoiseError, audit
from poise.world.recording import INTEGERS

RECORDINGS = ("walk", "pushed", "fall", "swing", "held", "loaded")
SLIGHTEST = 0.001  # share of the range that may be below the bounds of the audit
SIZES = (0.1, 0.01, SLIGHTEST)
ARRAYS = (
    *("qpos", "qvel", "torque", "external", "limit_impulse", "time", "contact_point", "contact_normal"),
    *("contact_force", "contact_friction", *INTEGERS),
)


@dataclass(frozen=True)
class Corruption:
    """A change of one entry of a recording."""

    recording: str
    array: str
    size: float  # share of the range; 0 for counted numbers
    refused: bool


def corruptions(count, seed=0):
    """Make and judge random corruptions."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        name, array, size = rng.choice(RECORDINGS), str(rng.choice(ARRAYS)), float(rng.choice(SIZES))
        recording = honest(str(name))
        values = getattr(recording, array).copy()
        rows = np.arange(len(values))
        if array in ("contact_normal", "contact_friction"):
            rows = rows[recording.contact_kind != 1]
        if not len(rows):
            continue
        place = (rng.choice(rows), *(rng.integers(n) for n in values.shape[1:]))
        if array in INTEGERS:
            size = 0.0
            most = {"contact_step": recording.steps, "contact_kind": 4}.get(array, recording.model.nbody)
            values[place] = rng.choice(np.setdiff1d(np.arange(most), [values[place]]))
        else:
            spans = np.atleast_1d(np.ptp(values, axis=0))
            span = max(spans[place[1:] or 0], 0.1 * spans.max()) or 1.0
            values[place] += rng.choice([-1, 1]) * size * span
        yield Corruption(str(name), array, size, is_refused(changed(recording, **{array: values})))


def is_refused(recording):
    """Whether a recording is refused as invalid, or called not physical."""
    try:
        return not audit(recording).passed
    except PoiseError:
        return True


if __name__ == "__main__":
    tried, passed = Counter(), Counter()
    for made in corruptions(int(sys.argv[1])):
        for key in (("array", made.array), ("size", made.size), ("all", "")):
            tried[key] += 1
            passed[key] += not made.refused
        if not made.refused:
            print("passed:", made)
    for key, count in sorted(tried.items(), key=str):
        print(f"{key[0]:6} {key[1]!s:18} refused {count - passed[key]:5} of {count}")
