"""AMASS-style archives: poses of the SMPL family as rotation vectors, with the root's translation.

Most files hold rotations without a skeleton. The world is z up, in metres; the figure is y up and faces +z when all
rotations are zero, and the root's rotation maps between the two. The reader makes the figure z up as well: joint
frames at rest become parallel to Poise's axes, and the world is unchanged.

For files without a skeleton there is a figure with the joint names and the tree of the SMPL family. Its dimensions are
not SMPL's model data but those of an average adult: heights and lengths are fractions of stature of
[DrillisContini1966] as reprinted in [Winter2009] Fig. 4.1; hip and shoulder centres lie inside the breadths given
there. The division of spine, foot and fingers is our own. The figure stands in a T-pose and faces +x.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, readonly
from poise.errors import PoiseError
from poise.motion.clip import Arrays, Clip, clip_from, file_convention
from poise.motion.skeleton import Y_UP, End, Skeleton, depth_first_joints
from poise.motion.text import LARGEST_NUMBER
from poise.rotations import matrix_to_quat, mirror_vector, quat_exp, quat_multiply

PARTS = ("root_orient", "pose_body", "pose_jaw", "pose_eye", "pose_hand")
RATES = ("mocap_framerate", "mocap_frame_rate", "fps", "frame_rate")
SHAPE = "betas"
ARRAYS = ("poses", "trans", *PARTS, *RATES, SHAPE, "J", "offsets", "parents", "names")

STATURE = 1.70  # m

Place = tuple[float, float, float]  # forward, left, up, as fractions of stature

_WRIST = (0.0, 0.437, 0.818)  # shoulder centre 0.105, upper arm 0.186, forearm 0.146
_MIDDLE: dict[str, tuple[str, Place]] = {
    "pelvis": ("", (0.0, 0.0, 0.550)),
    "spine1": ("pelvis", (0.0, 0.0, 0.605)),
    "spine2": ("spine1", (0.0, 0.0, 0.680)),
    "spine3": ("spine2", (0.0, 0.0, 0.720)),
    "neck": ("spine3", (0.0, 0.0, 0.848)),
    "head": ("neck", (0.0, 0.0, 0.900)),
    "jaw": ("head", (0.010, 0.0, 0.895)),
}
_LEFT: dict[str, tuple[str, Place]] = {
    "hip": ("pelvis", (0.0, 0.052, 0.530)),
    "knee": ("hip", (0.0, 0.052, 0.285)),
    "ankle": ("knee", (0.0, 0.052, 0.039)),
    "foot": ("ankle", (0.073, 0.052, 0.010)),
    "collar": ("spine3", (0.0, 0.040, 0.800)),
    "shoulder": ("collar", (0.0, 0.105, 0.818)),
    "elbow": ("shoulder", (0.0, 0.291, 0.818)),
    "wrist": ("elbow", _WRIST),
    "hand": ("wrist", (0.0, 0.487, 0.818)),
    "eye_smplhf": ("head", (0.045, 0.018, 0.936)),
}
_TIPS: dict[str, Place] = {
    "head": (0.0, 0.0, 1.0),
    "foot": (0.118, 0.052, 0.010),
    "wrist": (0.0, 0.545, 0.818),  # the hand's length is 0.108
    "hand": (0.0, 0.545, 0.818),
}
_FINGERS: dict[str, tuple[Place, tuple[float, float, float]]] = {  # knuckle from the wrist; lengths of bones
    "index": ((0.013, 0.056, 0.0), (0.021, 0.013, 0.011)),
    "middle": ((0.002, 0.057, 0.0), (0.023, 0.015, 0.013)),
    "pinky": ((-0.019, 0.049, 0.0), (0.016, 0.010, 0.010)),
    "ring": ((-0.009, 0.054, 0.0), (0.021, 0.014, 0.012)),
    "thumb": ((0.014, 0.015, -0.005), (0.019, 0.016, 0.014)),
}
_SIDES = ("left", "right")


def _joint_order(names: str) -> tuple[str, ...]:
    """Joint names from a list in which "+hip" stands for left_hip and right_hip."""
    words = (f"left_{name[1:]} right_{name[1:]}" if name[0] == "+" else name for name in names.split())
    return tuple(" ".join(words).split())


_BODY = _joint_order("pelvis +hip spine1 +knee spine2 +ankle spine3 +foot neck +collar head +shoulder +elbow +wrist")
_HANDS = [f"{side}_{finger}{k}" for side in _SIDES for finger in _FINGERS for k in (1, 2, 3)]

ORDERS: dict[int, tuple[str, ...]] = {
    22: _BODY,
    24: (*_BODY, *_joint_order("+hand")),
    52: (*_BODY, *_HANDS),
    55: (*_BODY, *_joint_order("jaw +eye_smplhf"), *_HANDS),
}
"""Joint names in file order, by number of joints: 22 body, 24 SMPL, 52 with fingers, 55 with fingers and face."""


def amass_motion(arrays: Arrays, path: Path, rate: float | None = None) -> tuple[Clip, tuple[str, ...]]:
    """The motion of an archive, and notes for the user on how it was read; `rate` (Hz) replaces the file's."""
    poses = _amass_poses(arrays, path)  # (T, k, 3)
    frames, count = poses.shape[:2]
    place = _amass_numbers(arrays, "trans", path, (frames, 3)) if "trans" in arrays else np.zeros((frames, 3))
    skeleton, start, note = _amass_skeleton(arrays, count, path)
    order = depth_first_joints(skeleton.parents)
    rotation = quat_exp(poses @ Y_UP.T)
    # The root's rotation maps from the figure (y up) to the world (z up): only the figure's frame changes.
    rotation[:, 0] = quat_multiply(quat_exp(poses[:, 0]), matrix_to_quat(Y_UP.T))
    notes = (note, f"the body shape of the file ({SHAPE}) is not used") if SHAPE in arrays else (note,)
    rate = rate or _amass_rate(arrays, path)
    return clip_from(path.stem, _reordered_skeleton(skeleton, order), rate, place + start, rotation[:, order]), notes


def _amass_poses(arrays: Arrays, path: Path) -> Array:
    names = ["poses"] if "poses" in arrays else [name for name in PARTS if name in arrays]
    if "poses" not in arrays and "root_orient" not in arrays:
        raise PoiseError(f"{path} has pose_body but no root_orient")
    frames = len(_amass_numbers(arrays, names[0], path, (-1, -1)))
    whole = np.concatenate([_amass_numbers(arrays, name, path, (frames, -1)) for name in names], axis=1)
    if whole.shape[1] % 3:
        raise PoiseError(f"{path}: {', '.join(names)} hold {whole.shape[1]} numbers per frame, not three per joint")
    return whole.reshape(frames, -1, 3)


def _amass_skeleton(arrays: Arrays, count: int, path: Path) -> tuple[Skeleton, Array, str]:
    """The skeleton in the file's order of joints, the root's position (3,) at zero `trans`, and a note for the user."""
    if "offsets" in arrays and "parents" in arrays:
        offsets = _amass_numbers(arrays, "offsets", path, (count, 3))
        parents = tuple(int(p) for p in _amass_numbers(arrays, "parents", path, (count,)))
        names = tuple("_".join(str(n).split()) for n in np.ravel(arrays.get("names", np.arange(count))))
        skeleton = Skeleton(names, (-1, *parents[1:]), readonly(offsets @ Y_UP.T), (), file_convention())
        if len(names) != count or skeleton.fault():
            raise PoiseError(f"{path}: names, parents and offsets do not form a tree: {skeleton.fault() or 'names'}")
        return skeleton, offsets[0], "the skeleton is the file's own"
    if count not in ORDERS:
        known = ", ".join(map(str, ORDERS))
        raise PoiseError(f"{path} has {count} joints; it needs {known}, or its own offsets and parents")
    if "J" in arrays:
        places = _amass_numbers(arrays, "J", path, (count, 3))
        return smpl_skeleton(ORDERS[count], places @ Y_UP.T), places[0], "the joint positions are the file's J"
    note = f"the file has no skeleton: an average adult of {STATURE:g} m is used"
    return smpl_skeleton(ORDERS[count]), np.zeros(3), note


def _reordered_skeleton(skeleton: Skeleton, order: list[int]) -> Skeleton:
    rank = {joint: k for k, joint in enumerate(order)}
    return Skeleton(
        tuple(skeleton.names[j] for j in order),
        tuple(rank.get(skeleton.parents[j], -1) for j in order),
        readonly(skeleton.offsets[order]),
        tuple(sorted((End(rank[end.joint], end.offset) for end in skeleton.ends), key=lambda end: end.joint)),
        skeleton.convention,
    )


def _amass_rate(arrays: Arrays, path: Path) -> float:
    for name in RATES:
        if name in arrays:
            rate = float(_amass_numbers(arrays, name, path, (-1,))[0])
            if rate <= 0:
                raise PoiseError(f"{path}: {name} must be positive, not {rate:g}")
            return rate
    raise PoiseError(f"{path} does not state its frame rate ({RATES[0]}); give one")


def _amass_numbers(arrays: Arrays, name: str, path: Path, shape: tuple[int, ...]) -> Array:
    """Array `name` as floats; raises unless finite and of this shape, where -1 stands for any length except zero."""
    array: NDArray[Any] = arrays[name]
    if array.ndim == 0 and len(shape) == 1:
        array = array[None]
    fits = array.ndim == len(shape) and all(n == m or (m == -1 and n) for n, m in zip(array.shape, shape, strict=True))
    if not fits or array.dtype.kind not in "fiu":
        asked = ", ".join("n" if m == -1 else str(m) for m in shape)
        raise PoiseError(f"{path}: {name} is {array.dtype} of shape {array.shape}, not numbers of shape ({asked})")
    if not np.all(np.abs(array.astype(float)) < LARGEST_NUMBER):
        raise PoiseError(f"{path}: {name} holds a number that is not finite or too large for a motion")
    return array.astype(float)


def smpl_skeleton(names: tuple[str, ...], places: Array | None = None) -> Skeleton:
    """The skeleton of one of the `ORDERS`, its joints at `places` (J, 3) m in the T-pose, or an average adult's."""
    joints, tips = _smpl_joints(), _smpl_tips()
    adult = STATURE * np.array([joints[name][1] for name in names])
    places = adult if places is None else places
    parents = tuple(names.index(joints[name][0]) if joints[name][0] else -1 for name in names)
    offsets = [places[j] - places[p] if p >= 0 else np.zeros(3) for j, p in enumerate(parents)]
    tipped = [j for j, name in enumerate(names) if name in tips and (j not in parents or name == "head")]
    ends = tuple(End(j, readonly(STATURE * tips[names[j]] - adult[j])) for j in tipped)
    return Skeleton(names, parents, readonly(offsets), ends, file_convention())


def _smpl_joints() -> dict[str, tuple[str, Array]]:
    """By name of joint, for the whole SMPL family: parent, and position (3,) in fractions of stature."""
    out = {name: (parent, np.array(place)) for name, (parent, place) in _MIDDLE.items()}
    left = dict(_LEFT)
    for finger in _FINGERS:
        for k, place in enumerate(_finger_points(finger)[:3], 1):
            left[f"{finger}{k}"] = (f"{finger}{k - 1}" if k > 1 else "wrist"), place
    for name, (parent, place) in left.items():
        for side in _SIDES:
            whole = parent if parent in _MIDDLE else f"{side}_{parent}"
            out[f"{side}_{name}"] = whole, _on_side(side, place)
    return out


def _finger_points(finger: str) -> list[Place]:
    """Positions of the three joints of a left finger and of its tip, in fractions of stature."""
    knuckle, lengths = _FINGERS[finger]
    x, y, z = (a + b for a, b in zip(_WRIST, knuckle, strict=True))
    return [(x, y + sum(lengths[:k]), z) for k in range(4)]


def _smpl_tips() -> dict[str, Array]:
    """By name of joint, the position (3,) of its end site in fractions of stature."""
    sided = {name: tip for name, tip in _TIPS.items() if name in _LEFT}
    sided |= {f"{finger}3": _finger_points(finger)[3] for finger in _FINGERS}
    out = {name: np.array(tip) for name, tip in _TIPS.items() if name in _MIDDLE}
    for side in _SIDES:
        out |= {f"{side}_{name}": _on_side(side, tip) for name, tip in sided.items()}
    return out


def _on_side(side: str, place: Place) -> Array:
    return np.array(place) if side == "left" else mirror_vector(place)
