"""Reading motion files of any supported format, chosen by file ending and content."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from poise.arrays import Array
from poise.errors import PoiseError
from poise.files import read_arrays
from poise.motion.acclaim import RATE, find_asf, read_amc, read_asf
from poise.motion.amass import ARRAYS, amass_motion
from poise.motion.bvh import read_bvh
from poise.motion.captures import motion_file
from poise.motion.clip import CLIP_ARRAYS, IDENTITY, Clip, clip_from_npz

Kind = Literal["bvh", "amc", "amass", "clip"]
ENDINGS = (".bvh", ".amc", ".npz")


@dataclass(frozen=True, eq=False)
class RawMotion:
    """A motion in its file's unit and axes, and what the file states about them; a "clip" is in Poise's conventions."""

    clip: Clip
    unit: float | None  # m per unit of the file; None if not stated
    axes: Array | None  # (3, 3) from the file's axes to Poise's; None if not stated
    kind: Kind
    notes: tuple[str, ...] = ()  # for the user: what the reader assumed or left out


def read_motion(path: Path | str, skeleton: Path | str | None = None, rate: float | None = None) -> RawMotion:
    """Read a motion file, or a fetched motion by name; `skeleton`: ASF of an AMC; `rate` (Hz): of AMC or AMASS."""
    path = motion_file(path)
    ending = path.suffix.lower()
    if ending == ".bvh":
        return RawMotion(read_bvh(path), None, None, "bvh")
    if ending == ".amc":
        acclaim = read_asf(skeleton or find_asf(path))
        notes = () if rate else (f"an AMC file does not state its frame rate: {RATE:g} Hz is assumed",)
        return RawMotion(read_amc(path, acclaim, rate or RATE), acclaim.unit, None, "amc", notes)
    if ending == ".npz":
        arrays = read_arrays(path, {*CLIP_ARRAYS, *ARRAYS}, "a motion")
        if "clip" in arrays:
            return RawMotion(clip_from_npz(arrays, path), 1.0, IDENTITY, "clip")
        if "poses" in arrays or "pose_body" in arrays:
            clip, assumed = amass_motion(arrays, path, rate)
            return RawMotion(clip, 1.0, IDENTITY, "amass", assumed)
        raise PoiseError(f"{path} holds neither a clip saved by Poise nor AMASS poses")
    raise PoiseError(f"{path}: motion files end in {', '.join(ENDINGS)}, not in '{path.suffix}'")
