"""BVH files: a skeleton, then one line of numbers per frame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil, log10
from pathlib import Path

import numpy as np

from poise.errors import PoiseError
from poise.files import write_file
from poise.motion.channels import columns_of, motion_of
from poise.motion.clip import Clip, clip_from
from poise.motion.convention import in_file_numbers
from poise.motion.hierarchy import hierarchy_text, read_hierarchy
from poise.motion.text import Source, quoted, read_source

FASTEST, SLOWEST = 1e-6, 1e4  # s, frame times that make sense

_FRAMES = re.compile(r"frames\s*:\s*(\d{1,12})$", re.IGNORECASE)
_FRAME_TIME = re.compile(r"frame\s*time\s*:\s*(\S+)$", re.IGNORECASE)
_FINENESS = 1e-8  # m, to which positions are written
_ANGLE_DIGITS = 6  # behind the point, degrees


def read_bvh(path: Path | str) -> Clip:
    """The motion of a file in its own unit and axes."""
    source = read_source(path)
    skeleton, line = read_hierarchy(source)
    width = sum(map(len, skeleton.convention.channels))
    if not width:
        raise source.fault(line, "no joint has CHANNELS, so there is no motion")
    line, frames = _frame_count(source, line + 1)
    source.check_size(line, frames, skeleton.count)
    line, seconds = _frame_time(source, line + 1)
    columns = source.table(_rows(source, line + 1, frames, width), width)
    position, rotation, translation = motion_of(skeleton, columns)
    return clip_from(source.path.stem, skeleton, 1.0 / seconds, position, rotation, translation)


def write_bvh(clip: Clip, path: Path | str) -> Path:
    """Write a clip in its own convention; gives back the path."""
    return write_file(Path(path), bvh_text(clip).encode())


def bvh_text(clip: Clip) -> str:
    """A BVH file of the clip: its names, offsets, end sites, unit, axes, channels and frame time."""
    if not clip.frames:
        raise PoiseError(f"clip '{clip.name}' has no frames to write")
    unit = clip.skeleton.convention.unit
    filed = in_file_numbers(clip)
    channels, columns = columns_of(filed, unit)
    finest = max(0, ceil(log10(unit / _FINENESS)))
    digits = [finest if name.endswith("position") else _ANGLE_DIGITS for names in channels for name in names]
    form = " ".join(f"%.{n}f" for n in digits)
    columns = np.where(np.equal(digits, finest), columns.round(finest), columns.round(_ANGLE_DIGITS)) + 0.0  # no -0.0
    lines = hierarchy_text(filed.skeleton, channels)
    lines += ["MOTION", f"Frames: {clip.frames}", f"Frame Time: {1.0 / clip.rate:.15g}"]
    lines += [form % tuple(row) for row in columns.tolist()]
    return "\n".join(lines) + "\n"


def _frame_count(source: Source, line: int) -> tuple[int, int]:
    line, text = _next(source, line, "Frames:")
    match = _FRAMES.match(text)
    if not match:
        raise source.fault(line, f"{quoted(text)} where 'Frames: ' and their number belong")
    if not int(match[1]):
        raise source.fault(line, "the motion has no frames")
    return line, int(match[1])


def _frame_time(source: Source, line: int) -> tuple[int, float]:
    line, text = _next(source, line, "Frame Time:")
    match = _FRAME_TIME.match(text)
    if not match:
        raise source.fault(line, f"{quoted(text)} where 'Frame Time: ' and seconds belong")
    seconds = source.number(match[1], line)
    if not FASTEST <= seconds <= SLOWEST:
        raise source.fault(line, f"a frame time of {quoted(match[1])} s makes no sense")
    return line, seconds


def _next(source: Source, line: int, what: str) -> tuple[int, str]:
    """The next line that is not blank."""
    for number in range(line, len(source.lines) + 1):
        if text := source.lines[number - 1].strip():
            return number, text
    raise source.fault(len(source.lines), f"the file ends before its '{what}'")


def _rows(source: Source, start: int, frames: int, width: int) -> Iterator[tuple[int, list[str]]]:
    """The words of each frame, from a line on."""
    found = 0
    for number in range(start, len(source.lines) + 1):
        words = source.lines[number - 1].split()
        if not words:
            continue
        if found == frames:
            raise source.fault(number, f"more lines than the {frames} that 'Frames:' announces")
        if len(words) != width:
            raise source.fault(number, f"{len(words)} numbers for {width} channels")
        found += 1
        yield number, words
    if found < frames:
        raise source.fault(len(source.lines), f"the file ends after {found} of {frames} frames")
