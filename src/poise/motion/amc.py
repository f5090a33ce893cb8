"""AMC files: the motion of an ASF skeleton, one line per bone and frame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from poise.errors import PoiseError
from poise.frozen import Array
from poise.motion.asf import Acclaim
from poise.motion.clip import Clip, clip_from
from poise.motion.text import Source, quoted, read_source
from poise.spatial import euler_to_quat, quat_conjugate, quat_multiply, quat_rotate

RATE = 120.0  # frames per second of CMU's captures; the file does not say

_FRAME = re.compile("[0-9]{1,12}")


def find_asf(path: Path) -> Path:
    """The skeleton that belongs to a motion: of the same name, of its subject (02_01 -> 02), or the only one there."""
    stems = [path.stem, path.stem.split("_")[0]]
    skeletons = sorted(p for p in path.parent.iterdir() if p.suffix.lower() == ".asf") if path.parent.is_dir() else []
    for stem in stems:
        for skeleton in skeletons:
            if skeleton.stem.lower() == stem.lower():
                return skeleton
    if len(skeletons) != 1:
        wanted = " or ".join(dict.fromkeys(f"{stem}.asf" for stem in stems))
        raise PoiseError(f"{path} needs its skeleton {wanted} beside it")
    return skeletons[0]


def read_amc(path: Path | str, acclaim: Acclaim, rate: float = RATE) -> Clip:
    """The motion of a file in its own unit and axes."""
    source = read_source(path)
    widths = {name: len(f) for name, f in zip(acclaim.skeleton.names, acclaim.freedoms, strict=True) if f}
    table = source.table(_rows(source, widths), sum(widths.values()))
    degrees = _degrees(source, acclaim.degrees)
    skeleton = acclaim.skeleton
    frames = len(table)
    source.check_size(len(source.lines), frames, skeleton.count)
    rotation = np.empty((frames, skeleton.count, 4))
    placed = np.tile(skeleton.offsets, (frames, 1, 1))
    start = 0
    for joint, freedoms in enumerate(acclaim.freedoms):
        numbers = table[:, start : start + len(freedoms)]
        start += len(freedoms)
        rotation[:, joint] = _turned(numbers, freedoms, acclaim.axes[joint], degrees)
        placed[:, joint] += _shifted(numbers, freedoms, acclaim.axes[joint] if joint else np.array([1.0, 0, 0, 0]))
    slides = any(f.startswith("t") for freedoms in acclaim.freedoms[1:] for f in freedoms)
    return clip_from(source.path.stem, skeleton, rate, placed[:, 0], rotation, placed if slides else None)


def _turned(numbers: Array, freedoms: tuple[str, ...], axes: Array, degrees: bool) -> Array:
    """Rotations (T, 4); the first degree of freedom is applied first, so it stands last in the product."""
    which = [k for k, freedom in enumerate(freedoms) if freedom.startswith("r")][::-1]
    angles = np.radians(numbers[:, which]) if degrees else numbers[:, which]
    turn = euler_to_quat(angles, "".join(freedoms[k][1] for k in which))
    return quat_multiply(quat_multiply(axes, turn), quat_conjugate(axes))


def _shifted(numbers: Array, freedoms: tuple[str, ...], axes: Array) -> Array:
    """Translations (T, 3)."""
    shift = np.zeros((len(numbers), 3))
    for k, freedom in enumerate(freedoms):
        if freedom.startswith("t"):
            shift[:, "xyz".index(freedom[1])] += numbers[:, k]
    return quat_rotate(axes, shift)


def _degrees(source: Source, otherwise: bool) -> bool:
    """Whether angles are degrees: as the last of the keywords says, else as the skeleton does."""
    said = [text.strip().lower() for text in source.lines if text.lstrip().startswith(":")]
    units = [keyword == ":degrees" for keyword in said if keyword in (":degrees", ":radians")]
    return units[-1] if units else otherwise


def _rows(source: Source, widths: dict[str, int]) -> Iterator[tuple[int, list[str]]]:
    """The line and the words of each frame, bones in the order of `widths`."""
    start, count = 0, -1  # line of the frame's number, and that number
    frame: dict[str, list[str]] = {}
    for line, text in enumerate(source.lines, 1):
        words = text.split("#", 1)[0].split()
        if not words or words[0].startswith(":"):
            continue
        if len(words) == 1 and _FRAME.fullmatch(words[0]):
            if start:
                yield start, _row(source, start, frame, widths)
                if int(words[0]) != count + 1:
                    raise source.fault(line, f"frame {words[0]} after frame {count}")
            start, count, frame = line, int(words[0]), {}
            continue
        if not start:
            raise source.fault(line, f"{quoted(words[0])} before the number of the first frame")
        _check(source, line, words, widths, frame)
        frame[words[0]] = words[1:]
    if not start:
        raise source.fault(len(source.lines), "the file ends before its first frame")
    yield start, _row(source, start, frame, widths)


def _check(source: Source, line: int, words: list[str], widths: dict[str, int], frame: dict[str, list[str]]) -> None:
    name = words[0]
    if name not in widths:
        raise source.fault(line, f"{quoted(name)} is not a bone of the skeleton that moves")
    if name in frame:
        raise source.fault(line, f"a second {quoted(name)} in one frame")
    if len(words) != 1 + widths[name]:
        raise source.fault(
            line, f"{len(words) - 1} numbers for the {widths[name]} degrees of freedom of {quoted(name)}"
        )


def _row(source: Source, start: int, frame: dict[str, list[str]], widths: dict[str, int]) -> list[str]:
    try:
        return [word for name in widths for word in frame[name]]
    except KeyError as missing:
        raise source.fault(start, f"the frame has no {quoted(missing.args[0])}") from None
