"""Import with repairs: from a file of any format to a clip in Poise's conventions, with a finding for every change."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from poise.arrays import readonly
from poise.motion.clip import Clip, convert_clip
from poise.motion.files import RawMotion, read_motion
from poise.motion.repair.bones import find_zero_bones, leg_length, mend_thorax, repair_offsets
from poise.motion.repair.false_frames import cut_leading_frames, drop_tpose
from poise.motion.repair.finding import FIND_OUT, Finding, Imported, ImportSettings
from poise.motion.repair.floor import find_floor, find_lean, find_soles, level_clip
from poise.motion.repair.rate import find_rate
from poise.motion.repair.unit_and_axes import file_stances, find_facing_axis, find_file_unit, find_up_axis, poise_axes
from poise.motion.repair.upright import (
    find_upright_pose,
    sampled_clip,
    skeleton_zero_pose_positions,
    with_repaired_limb_bends,
)
from poise.motion.roles import Roles, find_roles
from poise.motion.skeleton import FilePlace
from poise.rotations import continuous_quat

AS_IT_IS = ImportSettings(tpose="keep", leading=0, offsets="file", thorax=False, floor=0.0)


def import_motion(
    path: Path | str, settings: ImportSettings = FIND_OUT, skeleton: Path | str | None = None
) -> Imported:
    """Read a motion file and repair its known faults; `skeleton` is the ASF file of an AMC file."""
    return repair_motion(read_motion(path, skeleton, settings.rate), settings)


def repair_motion(raw: RawMotion, settings: ImportSettings = FIND_OUT) -> Imported:
    """The motion of a file in Poise's conventions, and the findings."""
    if raw.kind == "clip":
        settings = settings.over(replace(AS_IT_IS, rate=raw.clip.rate))
    filed, offsets = repair_offsets(raw.clip, settings)
    roles = find_roles(filed.skeleton, sampled_clip(filed).places.position)
    if roles is not None and leg_length(filed, roles) <= 0:
        roles = None
    size = _imported_figure_size(filed, roles)
    begun, tpose = drop_tpose(filed, roles, size, settings)
    begun, leading, leaps = cut_leading_frames(begun, roles, size, settings)
    first = filed.cut(0, 1) if tpose.value else None
    clip, conventions = _to_poise_conventions(begun, first, raw, roles, settings)
    clip, wraps = unwrap_rotations(clip)
    clip, thorax = mend_thorax(clip, roles, settings)
    rate = find_rate(clip, roles, settings)
    lean = find_lean(clip, roles, rate.value["rate"], settings)
    clip = level_clip(clip, lean.value, 0.0)
    floor = find_floor(clip, roles, rate.value["rate"], settings)
    clip = level_clip(clip, (0.0, 0.0), floor.value)
    soles, feet = find_soles(clip, roles, rate.value["rate"])
    lengths = find_zero_bones(clip.skeleton)
    notes = [Finding(f"note_{k}", note, "nothing", "", None) for k, note in enumerate(raw.notes, 1)]
    convention = clip.skeleton.convention
    if raw.kind != "clip":
        convention = replace(convention, place=FilePlace(floor=floor.value, lean=(lean.value[0], lean.value[1])))
    skeleton = replace(clip.skeleton, soles=soles, convention=convention)
    clip = replace(clip, rate=rate.value["rate"], skeleton=skeleton)
    ground = (lean, floor, feet)
    return Imported(clip, (*conventions, tpose, leading, leaps, rate, offsets, thorax, *ground, wraps, lengths, *notes))


def _to_poise_conventions(
    clip: Clip, first: Clip | None, raw: RawMotion, roles: Roles | None, settings: ImportSettings
) -> tuple[Clip, tuple[Finding, ...]]:
    """The clip in metres, z up, facing +x when upright, and the findings; `first` is the T-pose that was cut off."""
    if raw.kind == "clip":
        return clip, (Finding("conventions", "a clip saved by Poise", "nothing", "", None),)
    sample = sampled_clip(clip)
    size = _imported_figure_size(clip, roles)
    seen = None if roles is None else file_stances(sample, roles, size, first)
    up = find_up_axis(seen, raw.axes, settings)
    facing = find_facing_axis(seen, up.value, raw.axes, settings)
    unit = find_file_unit(size, roles is not None, raw.unit, settings)
    axes = poise_axes(up.value, facing.value)
    clip, sample = (convert_clip(c, unit.value, axes) for c in (clip, sample))
    standing, upright = find_upright_pose(sample, roles, first and convert_clip(first, unit.value, axes))
    clip = replace(clip, skeleton=replace(clip.skeleton, upright=standing))
    bent = clip if roles is None else with_repaired_limb_bends(clip, roles)
    if bent is not clip:
        upright = replace(upright, done=f"{upright.done}, its limbs rolled to match how elbows and knees bend")
    return bent, (unit, up, facing, upright)


def _imported_figure_size(clip: Clip, roles: Roles | None) -> float:
    """Length of a person's leg, or the diagonal of any other figure's bounding box, in the clip's unit."""
    if roles is not None:
        return leg_length(clip, roles)
    return float(np.linalg.norm(np.ptp(skeleton_zero_pose_positions(clip.skeleton)[0], axis=0)))


def unwrap_rotations(clip: Clip) -> tuple[Clip, Finding]:
    """The clip with each quaternion's sign nearer to the frame before, and the finding; Euler angles in files wrap."""
    flips = np.einsum("tjk,tjk->tj", clip.rotation[1:], clip.rotation[:-1]) < 0
    count = int(np.count_nonzero(flips))
    found = f"{count} times a joint angle jumps by full turns" if count else "no joint angle jumps by full turns"
    if not count:
        return clip, Finding("wraps", found, "nothing", "", 0)
    done = "nothing is lost: rotations are kept as continuous quaternions"
    return replace(clip, rotation=readonly(continuous_quat(clip.rotation))), Finding("wraps", found, done, "", count)
