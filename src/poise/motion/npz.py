"""Clips in NumPy archives without pickles: lossless saving, and checked reading."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.errors import PoiseError
from poise.files import write_file
from poise.motion.clip import Clip, clip_from
from poise.motion.skeleton import Skeleton

CLIP_ARRAYS = ("clip", "position", "rotation", "translation")

Arrays = dict[str, NDArray[Any]]


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
