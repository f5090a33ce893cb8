"""Footprints of motions that are written down: one for each contact of a foot, from heel strike to toe-off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise.frozen import readonly
from poise.reference.bodyclip import BodyClip
from poise.reference.contacts_runs import runs
from poise.reference.footprints import Footprint, footprints


def whole_prints(clip: BodyClip, sure: NDArray[np.bool_] | None = None) -> list[Footprint]:
    """The prints that fit a clip best, each until the toes leave the ground as well.

    In `sure` frames (T,) feet are where they stand already: contacts that have such frames are told by them alone.
    """
    assert clip.down is not None
    told, spans = np.array(clip.down), {}
    for foot in clip.body.feet:
        mine = np.array([part.limb == foot.name for part in clip.parts])
        spans[foot.name] = runs(np.asarray(clip.down[:, mine].any(axis=1)))
        for start, stop in spans[foot.name]:
            known = np.zeros(stop - start, bool) if sure is None else sure[start:stop]
            if known.any():
                told[start:stop, mine] &= known[:, None]
    found: dict[tuple[str, int], Footprint] = {}
    for each in footprints(replace(clip, down=readonly(told, bool))):
        start, stop = next(span for span in spans[each.foot.name] if span[0] <= each.start < span[1])
        found.setdefault((each.foot.name, start), replace(each, start=start, stop=stop))
    return list(found.values())
