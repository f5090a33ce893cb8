"""Prepared motions as files: one NumPy archive with poses, contacts and the body they belong to, without pickles."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from poise.body import Body, names
from poise.errors import PoiseError
from poise.files import write_file
from poise.frozen import readonly
from poise.motion import Skeleton
from poise.reference.bodyclip import BodyClip

_KEYS = ("name", "rate", "qpos", "cyclic", "parts", "body")


def save_prepared(clip: BodyClip, path: Path) -> Path:
    """Write a body's clip, whole or not at all."""
    arrays: dict[str, Any] = {
        "name": np.array(clip.name),
        "rate": np.array(clip.rate),
        "qpos": clip.qpos,
        "cyclic": np.array(clip.cyclic),
        "parts": np.array([part.name for part in clip.parts]),
        "body": np.array(json.dumps(_recipe(clip.body))),
    }
    if clip.down is not None:
        arrays["down"] = clip.down
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return write_file(Path(path), buffer.getvalue())


def load_prepared(path: Path) -> BodyClip:
    """Read a prepared motion; a file that is not one gives a one-line error."""
    try:
        content = io.BytesIO(Path(path).read_bytes())
    except OSError as error:
        raise PoiseError(f"cannot read {path}: {error.strerror or error}") from None
    try:
        with np.load(content, allow_pickle=False) as archive:
            data = {name: archive[name] for name in archive.files}
        recipe = json.loads(str(data["body"]))
        body = _build(recipe)
        down = readonly(data["down"], bool) if "down" in data else None
        clip = BodyClip(
            str(data["name"]), body, float(data["rate"]), readonly(data["qpos"]), down, bool(data["cyclic"])
        )
        parts = [str(name) for name in data["parts"]]
    except PoiseError as error:
        raise PoiseError(f"{path}: {error}") from None
    except Exception:  # NumPy passes on whatever zip, zlib and its own parsers raise on damaged files
        raise PoiseError(f"{path} is not a prepared motion (a NumPy .npz file without pickles)") from None
    fault = _fault(clip, parts)
    if fault:
        raise PoiseError(f"{path} is not a prepared motion: {fault}")
    return clip


def is_prepared(path: Path) -> bool:
    """Does an archive hold a prepared motion? Looks at its table of contents only."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {f"{key}.npy" for key in _KEYS} <= set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def _recipe(body: Body) -> dict[str, Any]:
    """What it takes to build a body again."""
    if body.name in names() and Body.named(body.name).mjcf == body.mjcf:
        return {"named": body.name}
    if body.rigging is not None:
        rigging = body.rigging
        return {"skeleton": rigging.skeleton.as_dict(), "mass": body.mass, "rate": rigging.rate, "name": body.name}
    return {"mjcf": body.mjcf}


def _build(recipe: dict[str, Any]) -> Body:
    if "named" in recipe:
        return Body.named(recipe["named"])
    if "skeleton" in recipe:
        skeleton = Skeleton.from_dict(recipe["skeleton"])
        return Body.from_skeleton(skeleton, mass=recipe["mass"], rate=recipe["rate"], name=recipe["name"])
    return Body.from_mjcf(recipe["mjcf"])


def _fault(clip: BodyClip, parts: list[str]) -> str | None:
    """What makes this no motion of its body, or None."""
    if clip.qpos.ndim != 2 or clip.qpos.shape[1] != clip.body.nq or not len(clip.qpos):
        return f"its qpos has shape {clip.qpos.shape}, its body asks for (frames, {clip.body.nq})"
    if not np.all(np.isfinite(clip.qpos)) or not 0 < clip.rate < np.inf:
        return "it holds numbers that are not finite"
    if clip.down is not None and clip.down.shape != (clip.frames, len(clip.parts)):
        return f"its contacts have shape {clip.down.shape}, not ({clip.frames}, {len(clip.parts)})"
    if parts != [part.name for part in clip.parts]:
        return "its contact parts are not those of its body"
    return None
