"""AMASS-style archives: poses of the SMPL family as rotation vectors, with the root's translation.

Such a file tells turns, not a skeleton, unless it brings one along. Its world is z up, in metres; its figure is
y up and faces +z when all turns are zero. The root's turn leads from the one to the other, so here the figure is
stood up once and for all: joint frames at rest are parallel to our axes, and the world stays as it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.errors import PoiseError
from poise.frozen import Array, readonly
from poise.motion.archive import Arrays
from poise.motion.clip import Clip, clip_from
from poise.motion.convention import as_filed
from poise.motion.skeleton import Y_UP, End, Skeleton, depth_first
from poise.motion.smpl import ORDERS, STATURE, figure
from poise.motion.text import LARGEST_NUMBER
from poise.spatial import matrix_to_quat, quat_exp, quat_multiply

PARTS = ("root_orient", "pose_body", "pose_jaw", "pose_eye", "pose_hand")
RATES = ("mocap_framerate", "mocap_frame_rate", "fps", "frame_rate")
SHAPE = "betas"
ARRAYS = ("poses", "trans", *PARTS, *RATES, SHAPE, "J", "offsets", "parents", "names")


def is_amass(arrays: Arrays) -> bool:
    """Whether a file's arrays are of this kind."""
    return "poses" in arrays or "pose_body" in arrays


def amass_motion(arrays: Arrays, path: Path, rate: float | None = None) -> tuple[Clip, tuple[str, ...]]:
    """The motion, and what a user should know about how it was read."""
    poses = _poses(arrays, path)  # (T, k, 3)
    frames, count = poses.shape[:2]
    place = _numbers(arrays, "trans", path, (frames, 3)) if "trans" in arrays else np.zeros((frames, 3))
    skeleton, start, note = _skeleton(arrays, count, path)
    order = depth_first(skeleton.parents)
    rotation = quat_exp(poses @ Y_UP.T)
    # A root's turn is from the figure, y up, to the world, z up: only the figure's side of it changes.
    rotation[:, 0] = quat_multiply(quat_exp(poses[:, 0]), matrix_to_quat(Y_UP.T))
    notes = (note, f"the body shape of the file ({SHAPE}) is not used") if SHAPE in arrays else (note,)
    rate = rate or _rate(arrays, path)
    return clip_from(path.stem, _reordered(skeleton, order), rate, place + start, rotation[:, order]), notes


def _poses(arrays: Arrays, path: Path) -> Array:
    names = ["poses"] if "poses" in arrays else [name for name in PARTS if name in arrays]
    if "poses" not in arrays and "root_orient" not in arrays:
        raise PoiseError(f"{path} has pose_body but no root_orient")
    frames = len(_numbers(arrays, names[0], path, (-1, -1)))
    whole = np.concatenate([_numbers(arrays, name, path, (frames, -1)) for name in names], axis=1)
    if whole.shape[1] % 3:
        raise PoiseError(f"{path}: {', '.join(names)} hold {whole.shape[1]} numbers per frame, not three per joint")
    return whole.reshape(frames, -1, 3)


def _skeleton(arrays: Arrays, count: int, path: Path) -> tuple[Skeleton, Array, str]:
    """The figure in its file's order of joints, the root's place (3,) where trans is zero, and what was done."""
    if "offsets" in arrays and "parents" in arrays:
        offsets = _numbers(arrays, "offsets", path, (count, 3))
        parents = tuple(int(p) for p in _numbers(arrays, "parents", path, (count,)))
        names = tuple("_".join(str(n).split()) for n in np.ravel(arrays.get("names", np.arange(count))))
        skeleton = Skeleton(names, (-1, *parents[1:]), readonly(offsets @ Y_UP.T), (), as_filed())
        if len(names) != count or skeleton.fault():
            raise PoiseError(f"{path}: its names, parents and offsets are not a tree: {skeleton.fault() or 'names'}")
        return skeleton, offsets[0], "the skeleton is the file's own"
    if count not in ORDERS:
        known = ", ".join(map(str, ORDERS))
        raise PoiseError(f"{path} has {count} joints; known are {known}, or a file with offsets and parents")
    if "J" in arrays:
        places = _numbers(arrays, "J", path, (count, 3))
        return figure(ORDERS[count], places @ Y_UP.T), places[0], "the joints are where the file's J has them"
    note = f"the file has no skeleton: an average adult of {STATURE:g} m was taken"
    return figure(ORDERS[count]), np.zeros(3), note


def _reordered(skeleton: Skeleton, order: list[int]) -> Skeleton:
    rank = {joint: k for k, joint in enumerate(order)}
    return Skeleton(
        tuple(skeleton.names[j] for j in order),
        tuple(rank.get(skeleton.parents[j], -1) for j in order),
        readonly(skeleton.offsets[order]),
        tuple(sorted((End(rank[end.joint], end.offset) for end in skeleton.ends), key=lambda end: end.joint)),
        skeleton.convention,
    )


def _rate(arrays: Arrays, path: Path) -> float:
    for name in RATES:
        if name in arrays:
            rate = float(_numbers(arrays, name, path, (-1,))[0])
            if rate <= 0:
                raise PoiseError(f"{path}: {name} is {rate:g}")
            return rate
    raise PoiseError(f"{path} does not tell its frame rate ({RATES[0]}); give one")


def _numbers(arrays: Arrays, name: str, path: Path, shape: tuple[int, ...]) -> Array:
    """An array of finite numbers; -1 in a shape stands for any length but zero."""
    array: NDArray[Any] = arrays[name]
    if array.ndim == 0 and len(shape) == 1:
        array = array[None]
    fits = array.ndim == len(shape) and all(n == m or (m == -1 and n) for n, m in zip(array.shape, shape, strict=True))
    if not fits or array.dtype.kind not in "fiu":
        asked = ", ".join("n" if m == -1 else str(m) for m in shape)
        raise PoiseError(f"{path}: {name} is {array.dtype} of shape {array.shape}, not numbers of shape ({asked})")
    if not np.all(np.abs(array.astype(float)) < LARGEST_NUMBER):
        raise PoiseError(f"{path}: {name} holds a number that no motion can have")
    return array.astype(float)
