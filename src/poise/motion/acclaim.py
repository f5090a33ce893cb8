"""Acclaim files: ASF skeletons, and AMC motions with one line per bone and frame.

A bone becomes a joint at the bone's start. The numbers of an AMC file rotate a bone in the bone's own axes: R = C M C'
with C the bone's `axis` and M the product of its degrees of freedom, the first applied first. With R, joint frames
are parallel to the world at rest, as in every `Skeleton`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.arrays import Array, readonly
from poise.errors import PoiseError
from poise.motion.clip import Clip, clip_from, file_convention
from poise.motion.skeleton import End, Skeleton
from poise.motion.text import TextFile, quoted_text, read_text_file
from poise.rotations import euler_to_quat, quat_conjugate, quat_multiply, quat_rotate

ROOT = "root"
INCH = 0.0254  # m
FREEDOMS = ("tx", "ty", "tz", "rx", "ry", "rz")
RATE = 120.0  # Hz: frame rate of CMU's captures; AMC files do not state one

_FRAME = re.compile("[0-9]{1,12}")

Section = list[tuple[int, list[str]]]  # line number and words of each line


@dataclass(frozen=True, eq=False)
class Acclaim:
    """The skeleton of an ASF file, in the file's unit, and the degrees of freedom of its joints."""

    skeleton: Skeleton
    freedoms: tuple[tuple[str, ...], ...]  # such as rx, by joint, in the order of the numbers in AMC files
    axes: Array  # (J, 4) the frame of each joint's degrees of freedom
    unit: float | None  # m; None if the file does not state it
    degrees: bool  # angles are degrees rather than radians


@dataclass(frozen=True, eq=False)
class _Bone:
    line: int
    vector: Array  # (3,) from start to end; of the root, its position
    axes: Array  # (4,)
    freedoms: tuple[str, ...]


def read_asf(path: Path | str) -> Acclaim:
    """Read the skeleton of an ASF file."""
    source = read_text_file(path)
    sections = _asf_sections(source)
    for needed in ("root", "bonedata", "hierarchy"):
        if needed not in sections:
            raise source.fault(len(source.lines), f"the file ends without a :{needed} section")
    units = {words[0].lower(): (line, words[1]) for line, words in sections.get("units", []) if len(words) == 2}
    degrees = units.get("angle", (0, "deg"))[1].lower().startswith("deg")
    bones = {ROOT: _asf_root(source, sections["root"], degrees), **_asf_bones(source, sections["bonedata"], degrees)}
    names, parents = _asf_tree(source, sections["hierarchy"], bones)
    offsets = [bones[names[p]].vector if p > 0 else np.zeros(3) for p in parents]
    offsets[0] = bones[ROOT].vector
    ends = tuple(End(j, readonly(bones[n].vector)) for j, n in enumerate(names) if j not in parents and j > 0)
    return Acclaim(
        Skeleton(names, parents, readonly(offsets), ends, file_convention()),
        tuple(bones[name].freedoms for name in names),
        readonly([bones[name].axes for name in names]),
        _asf_unit(source, units.get("length")),
        degrees,
    )


def _asf_unit(source: TextFile, length: tuple[int, str] | None) -> float | None:
    """Metres per unit of length, from the file's units per inch (CMU: 0.45); None for 1, a meaningless default."""
    per_inch = source.number(length[1], length[0]) if length else 1.0
    if length and per_inch <= 0:
        raise source.fault(length[0], f"the unit of length must be positive, not {quoted_text(length[1])}")
    return INCH / per_inch if per_inch != 1.0 else None


def _asf_sections(source: TextFile) -> dict[str, Section]:
    found: dict[str, Section] = {}
    current: Section = []
    for line, text in enumerate(source.lines, 1):
        words = text.split("#", 1)[0].split()
        if words and words[0].startswith(":"):
            current = found.setdefault(words[0][1:].lower(), [])
        elif words:
            current.append((line, words))
    return found


def _asf_root(source: TextFile, section: Section, degrees: bool) -> _Bone:
    entries = {words[0].lower(): (line, words[1:]) for line, words in section}
    line, order = entries.get("order", (0, list(FREEDOMS)))
    position_line, position = entries.get("position", (0, ["0"] * 3))
    angles_line, angles = entries.get("orientation", (0, ["0"] * 3))
    axis_line, axis = entries.get("axis", (0, ["XYZ"]))
    place = _asf_vector(source, position_line, position)
    axes = _asf_axes(source, max(angles_line, axis_line), angles + axis, degrees)
    return _Bone(line, place, axes, _asf_freedoms(source, line, order))


def _asf_bones(source: TextFile, section: Section, degrees: bool) -> dict[str, _Bone]:
    bones: dict[str, _Bone] = {}
    start, entries = 0, dict[str, tuple[int, list[str]]]()
    for line, words in section:
        keyword = words[0].lower()
        if keyword == "begin":
            start, entries = line, {}
        elif keyword == "end":
            name, bone = _asf_bone(source, start or line, entries, degrees)
            if name in bones or name == ROOT:
                raise source.fault(start, f"a second bone {quoted_text(name)}")
            bones[name] = bone
        else:
            entries[keyword] = line, words[1:]
    return bones


def _asf_bone(
    source: TextFile, start: int, entries: dict[str, tuple[int, list[str]]], degrees: bool
) -> tuple[str, _Bone]:
    for needed in ("name", "direction", "length", "axis"):
        if needed not in entries or not entries[needed][1]:
            raise source.fault(start, f"a bone without {needed}")
    direction = _asf_vector(source, *entries["direction"])
    size = float(np.linalg.norm(direction))  # not exactly 1: directions are written with six digits
    length = source.number(entries["length"][1][0], entries["length"][0])
    if length and not size:
        raise source.fault(entries["direction"][0], "a direction of length zero")
    freedoms = _asf_freedoms(source, *entries["dof"]) if "dof" in entries else ()
    vector = direction * (length / size) if length else np.zeros(3)
    return entries["name"][1][0], _Bone(start, vector, _asf_axes(source, *entries["axis"], degrees), freedoms)


def _asf_freedoms(source: TextFile, line: int, words: Sequence[str]) -> tuple[str, ...]:
    freedoms = tuple(word.lower() for word in words)
    for word in freedoms:
        if word not in FREEDOMS:
            raise source.fault(line, f"unknown degree of freedom {quoted_text(word)}; valid: {', '.join(FREEDOMS)}")
    return freedoms


def _asf_vector(source: TextFile, line: int, words: Sequence[str]) -> Array:
    if len(words) != 3:
        raise source.fault(line, f"{len(words)} numbers instead of 3")
    return np.array([source.number(word, line) for word in words])


def _asf_axes(source: TextFile, line: int, words: Sequence[str], degrees: bool) -> Array:
    """The rotation (4,) given by three angles about fixed axes and the order in which they are applied."""
    if len(words) != 4 or sorted(words[3].upper()) != ["X", "Y", "Z"]:
        raise source.fault(line, "an axis needs three angles and their order, such as XYZ")
    order = words[3].upper()
    angles = _asf_vector(source, line, words[:3])  # of x, y, z, whatever the order
    angles = np.radians(angles) if degrees else angles
    return euler_to_quat([angles["XYZ".index(axis)] for axis in reversed(order)], order[::-1])


def _asf_tree(source: TextFile, section: Section, bones: dict[str, _Bone]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Names and parents of the joints, depth first."""
    children: dict[str, list[str]] = {name: [] for name in bones}
    attached = {ROOT}
    for line, words in section:
        if len(words) == 1 and words[0].lower() in ("begin", "end"):
            continue
        for name in words:
            if name not in bones:
                raise source.fault(line, f"{quoted_text(name)} is not a bone")
        for child in words[1:]:
            if child in attached:
                raise source.fault(line, f"{quoted_text(child)} has two parents")
            attached.add(child)
            children[words[0]].append(child)
    names: list[str] = []
    parents: list[int] = []
    waiting = [(ROOT, -1)]
    while waiting:
        name, parent = waiting.pop()
        waiting.extend((child, len(names)) for child in reversed(children[name]))
        names.append(name)
        parents.append(parent)
    loose = [name for name in bones if name not in set(names)]
    if loose:
        raise source.fault(bones[loose[0]].line, f"bone {quoted_text(loose[0])} is not connected to the root")
    return tuple(names), tuple(parents)


def find_asf(path: Path) -> Path:
    """The ASF file beside an AMC file: of the same name, of the subject (02_01 -> 02), or the only ASF file."""
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
    """Read the motion of an AMC file, in the file's unit and axes."""
    source = read_text_file(path)
    widths = {name: len(f) for name, f in zip(acclaim.skeleton.names, acclaim.freedoms, strict=True) if f}
    table = source.table(_amc_rows(source, widths), sum(widths.values()))
    keywords = [text.strip().lower() for text in source.lines if text.lstrip().startswith(":")]
    units = [keyword == ":degrees" for keyword in keywords if keyword in (":degrees", ":radians")]
    degrees = units[-1] if units else acclaim.degrees  # the last keyword decides
    skeleton = acclaim.skeleton
    frames = len(table)
    source.check_size(len(source.lines), frames, skeleton.count)
    rotation = np.empty((frames, skeleton.count, 4))
    placed = np.tile(skeleton.offsets, (frames, 1, 1))
    start = 0
    for joint, freedoms in enumerate(acclaim.freedoms):
        numbers = table[:, start : start + len(freedoms)]
        start += len(freedoms)
        axes = acclaim.axes[joint]
        rotation[:, joint] = _amc_rotations(numbers, freedoms, axes, degrees)
        placed[:, joint] += _amc_translations(numbers, freedoms, axes if joint else np.array([1.0, 0, 0, 0]))
    slides = any(f.startswith("t") for freedoms in acclaim.freedoms[1:] for f in freedoms)
    return clip_from(source.path.stem, skeleton, rate, placed[:, 0], rotation, placed if slides else None)


def _amc_rotations(numbers: Array, freedoms: tuple[str, ...], axes: Array, degrees: bool) -> Array:
    """Rotations (T, 4) of a joint; the first degree of freedom is applied first, so it is last in the product."""
    which = [k for k, freedom in enumerate(freedoms) if freedom.startswith("r")][::-1]
    angles = np.radians(numbers[:, which]) if degrees else numbers[:, which]
    rotation = euler_to_quat(angles, "".join(freedoms[k][1] for k in which))
    return quat_multiply(quat_multiply(axes, rotation), quat_conjugate(axes))


def _amc_translations(numbers: Array, freedoms: tuple[str, ...], axes: Array) -> Array:
    """Translations (T, 3) of a joint, in the parent's frame."""
    shift = np.zeros((len(numbers), 3))
    for k, freedom in enumerate(freedoms):
        if freedom.startswith("t"):
            shift[:, "xyz".index(freedom[1])] += numbers[:, k]
    return quat_rotate(axes, shift)


def _amc_rows(source: TextFile, widths: dict[str, int]) -> Iterator[tuple[int, list[str]]]:
    """Line number and words of each frame, bones in the order of `widths` (number of degrees of freedom by bone)."""
    start, count = 0, -1  # the line with the number of the frame, and that number
    frame: dict[str, list[str]] = {}
    for line, text in enumerate(source.lines, 1):
        words = text.split("#", 1)[0].split()
        if not words or words[0].startswith(":"):
            continue
        if len(words) == 1 and _FRAME.fullmatch(words[0]):
            if start:
                yield start, _amc_row(source, start, frame, widths)
                if int(words[0]) != count + 1:
                    raise source.fault(line, f"frame {words[0]} after frame {count}")
            start, count, frame = line, int(words[0]), {}
            continue
        if not start:
            raise source.fault(line, f"{quoted_text(words[0])} comes before the number of the first frame")
        name = words[0]
        if name not in widths:
            raise source.fault(line, f"{quoted_text(name)} is not a bone with degrees of freedom in the skeleton")
        if name in frame:
            raise source.fault(line, f"a second {quoted_text(name)} in one frame")
        if len(words) != 1 + widths[name]:
            message = f"{len(words) - 1} numbers for the {widths[name]} degrees of freedom of {quoted_text(name)}"
            raise source.fault(line, message)
        frame[name] = words[1:]
    if not start:
        raise source.fault(len(source.lines), "the file ends before its first frame")
    yield start, _amc_row(source, start, frame, widths)


def _amc_row(source: TextFile, start: int, frame: dict[str, list[str]], widths: dict[str, int]) -> list[str]:
    try:
        return [word for name in widths for word in frame[name]]
    except KeyError as missing:
        raise source.fault(start, f"the frame has no {quoted_text(missing.args[0])}") from None
