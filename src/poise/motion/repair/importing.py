"""Import with repairs: from a file of any source to a clip in our conventions, with nothing changed silently."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from poise.frozen import readonly
from poise.motion.clip import Clip
from poise.motion.convention import converted
from poise.motion.files import RawMotion, read_motion
from poise.motion.repair.axes import axes_of, find_facing, find_up, views
from poise.motion.repair.finding import Finding, Imported
from poise.motion.repair.floor import find_floor
from poise.motion.repair.leading import cut_leading
from poise.motion.repair.lengths import zero_lengths
from poise.motion.repair.masses import leg_length
from poise.motion.repair.poses import sampled, zero_pose
from poise.motion.repair.settings import FIND_OUT, ImportSettings
from poise.motion.repair.thorax import mend_thorax
from poise.motion.repair.timing import find_rate
from poise.motion.repair.tpose import drop_tpose
from poise.motion.repair.turns import continuous_turns
from poise.motion.repair.unit import find_unit
from poise.motion.repair.upright import find_upright
from poise.motion.roles import Roles, find_roles


def import_motion(
    path: Path | str, settings: ImportSettings = FIND_OUT, skeleton: Path | str | None = None
) -> Imported:
    """Read a motion and mend what its file is known to get wrong; `skeleton` is the ASF file of an AMC."""
    return repaired(read_motion(path, skeleton, settings.rate), settings)


def repaired(raw: RawMotion, settings: ImportSettings = FIND_OUT) -> Imported:
    """What a file holds, in our conventions, and what was found and done on the way."""
    notes = tuple(Finding("note", note, "nothing", "", None) for note in raw.notes)
    roles = find_roles(raw.clip.skeleton)
    if raw.kind == "clip":
        settings = settings.over(ImportSettings(tpose="keep", leading=0, thorax=False, rate=raw.clip.rate, floor=0.0))
    leg = _size(raw.clip, roles)
    begun, tpose = drop_tpose(raw.clip, roles, leg, settings)
    begun, leading, leaps = cut_leading(begun, leg, settings)
    first = raw.clip.cut(0, 1) if tpose.value else None
    clip, conventions = _in_our_conventions(begun, first, raw, roles, settings)
    clip, wraps = continuous_turns(clip)
    clip, thorax = mend_thorax(clip, roles, settings)
    rate = find_rate(clip, roles, settings)
    floor = find_floor(clip, roles, rate.value["rate"], settings)
    lengths = zero_lengths(clip.skeleton)
    level = readonly(clip.position - np.array([0.0, 0.0, floor.value]))
    clip = replace(clip, rate=rate.value["rate"], position=level)
    return Imported(clip, (*conventions, tpose, leading, leaps, rate, thorax, floor, wraps, lengths, *notes))


def _in_our_conventions(
    clip: Clip, first: Clip | None, raw: RawMotion, roles: Roles | None, settings: ImportSettings
) -> tuple[Clip, tuple[Finding, ...]]:
    """Metres, z up, facing +x when upright; `first` is the artificial pose that was cut off."""
    if raw.kind == "clip":
        return clip, (Finding("conventions", "a clip of ours", "nothing", "", None),)
    sample = sampled(clip)
    size = _size(clip, roles)
    seen = None if roles is None else views(sample, roles, size, first)
    up = find_up(seen, raw.axes, settings)
    facing = find_facing(seen, up.value, raw.axes, settings)
    unit = find_unit(size, roles is not None, raw.unit, settings)
    axes = axes_of(up.value, facing.value)
    clip, sample = (converted(c, unit.value, axes) for c in (clip, sample))
    standing, upright = find_upright(sample, roles, first and converted(first, unit.value, axes))
    return replace(clip, skeleton=replace(clip.skeleton, upright=standing)), (unit, up, facing, upright)


def _size(clip: Clip, roles: Roles | None) -> float:
    """The length of a leg, or of whatever is no person, in the clip's unit."""
    if roles is not None:
        return leg_length(clip, roles)
    return float(np.linalg.norm(np.ptp(zero_pose(clip.skeleton)[0], axis=0)))
