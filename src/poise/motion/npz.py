"""NumPy archives without pickles: safe reading of any file, and lossless saving of clips."""

from __future__ import annotations

import io
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.errors import PoiseError
from poise.files import write_file
from poise.motion.clip import Clip, clip_from
from poise.motion.skeleton import Skeleton

LARGEST_ARCHIVE = 2**31  # bytes, unpacked
CLIP_ARRAYS = ("clip", "position", "rotation", "translation")

Arrays = dict[str, NDArray[Any]]


def read_npz_arrays(path: Path | str, names: Collection[str]) -> Arrays:
    """Read the arrays in `names` from an archive; names that the archive lacks are left out."""
    try:
        with open(path, "rb") as file:
            content = io.BytesIO(file.read(LARGEST_ARCHIVE))
    except OSError as error:
        raise PoiseError(f"cannot read {path}: {error.strerror or error}") from None
    try:
        with np.load(content, allow_pickle=False) as archive:
            wanted = [name for name in archive.files if name in names]
            sizes = {info.filename.removesuffix(".npy"): info.file_size for info in archive.zip.infolist()}
            size = sum(sizes[name] for name in wanted)
            found = {name: np.asarray(archive[name]) for name in wanted} if size <= LARGEST_ARCHIVE else None
    except Exception:  # NumPy passes on whatever zip, zlib and its own parsers raise on damaged files
        raise PoiseError(f"{path} is not a NumPy .npz file without pickles, or it is damaged") from None
    if found is None:
        raise PoiseError(f"{path} unpacks to more than {LARGEST_ARCHIVE >> 20} MB")
    return found


def save_clip(clip: Clip, path: Path | str) -> Path:
    """Write a clip to an .npz file, atomically; return the path."""
    header = {"name": clip.name, "rate": clip.rate, "skeleton": clip.skeleton.as_dict()}
    arrays = {"clip": np.array(json.dumps(header)), "position": clip.position, "rotation": clip.rotation}
    if clip.translation is not None:
        arrays["translation"] = clip.translation
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return write_file(Path(path), buffer.getvalue())


def clip_from_npz(arrays: Arrays, path: Path | str) -> Clip:
    """The clip in the arrays of a file written by `save_clip`; raises if the clip is not valid."""
    for needed in ("clip", "position", "rotation"):
        if needed not in arrays:
            raise PoiseError(f"{path} is not a clip: it lacks {needed}")
    try:
        header = json.loads(str(arrays["clip"]))
        skeleton = Skeleton.from_dict(header["skeleton"])
        moved = arrays.get("translation")
        clip = clip_from(str(header["name"]), skeleton, header["rate"], arrays["position"], arrays["rotation"], moved)
        fault = skeleton.fault() or clip.fault()
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError):
        raise PoiseError(f"{path} is not a clip: its header or arrays are malformed") from None
    if fault:
        raise PoiseError(f"{path} is not a clip: {fault}")
    return clip
