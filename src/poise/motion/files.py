"""Motion files of every kind that we read, by their endings and contents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from poise.arrays import Array
from poise.errors import PoiseError
from poise.motion.acclaim import RATE, find_asf, read_amc, read_asf
from poise.motion.amass import ARRAYS, amass_motion, is_amass
from poise.motion.bvh import read_bvh
from poise.motion.captures import motion_file
from poise.motion.clip import Clip
from poise.motion.convention import IDENTITY
from poise.motion.npz import CLIP_ARRAYS, clip_from_arrays, read_arrays

Kind = Literal["bvh", "amc", "amass", "clip"]
ENDINGS = (".bvh", ".amc", ".npz")


@dataclass(frozen=True, eq=False)
class RawMotion:
    """A motion in its file's own numbers, and what the file itself says about them.

    A `clip` of ours is the exception: it is in our conventions already, and its own are remembered in its skeleton.
    """

    clip: Clip
    unit: float | None  # m per unit of the file; None if it does not say
    axes: Array | None  # (3, 3) ours from the file's; None if it does not say
    kind: Kind
    notes: tuple[str, ...] = ()  # what the reader had to assume or leave out, in plain words


def read_motion(path: Path | str, skeleton: Path | str | None = None, rate: float | None = None) -> RawMotion:
    """Read a motion file, or a fetched motion by its name.

    `skeleton` is the ASF file of an AMC, `rate` (Hz) is for files that do not tell theirs.
    """
    path = motion_file(path)
    ending = path.suffix.lower()
    if ending == ".bvh":
        return RawMotion(read_bvh(path), None, None, "bvh")
    if ending == ".amc":
        acclaim = read_asf(skeleton or find_asf(path))
        notes = () if rate else (f"an AMC file does not tell its frame rate: {RATE:g} was taken",)
        return RawMotion(read_amc(path, acclaim, rate or RATE), acclaim.unit, None, "amc", notes)
    if ending == ".npz":
        return _read_archive(path, rate)
    raise PoiseError(f"{path}: motion files end in {', '.join(ENDINGS)}, not in '{path.suffix}'")


def _read_archive(path: Path, rate: float | None) -> RawMotion:
    arrays = read_arrays(path, {*CLIP_ARRAYS, *ARRAYS})
    if "clip" in arrays:
        return RawMotion(clip_from_arrays(arrays, path), 1.0, IDENTITY, "clip")
    if is_amass(arrays):
        clip, notes = amass_motion(arrays, path, rate)
        return RawMotion(clip, 1.0, IDENTITY, "amass", notes)
    raise PoiseError(f"{path} holds neither a clip of ours nor poses as AMASS has them")
