"""A figure with the joints of the SMPL family, for motion that comes without one.

Names and tree are the family's; the places are not its model data but those of an average adult, authored here:
heights and lengths are fractions of stature of [DrillisContini1966] as reprinted in [Winter2009] Fig. 4.1; joint
centres of hips and shoulders lie inside the breadths given there. How spine, foot and fingers divide is our own.
The figure stands in a T-pose and faces +x.
"""

from __future__ import annotations

import numpy as np

from poise.frozen import Array, readonly
from poise.motion.convention import as_filed
from poise.motion.skeleton import End, Skeleton
from poise.spatial import mirror_vector

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
_FINGERS: dict[str, tuple[Place, tuple[float, float, float]]] = {  # knuckle from the wrist; lengths outwards
    "index": ((0.013, 0.056, 0.0), (0.021, 0.013, 0.011)),
    "middle": ((0.002, 0.057, 0.0), (0.023, 0.015, 0.013)),
    "pinky": ((-0.019, 0.049, 0.0), (0.016, 0.010, 0.010)),
    "ring": ((-0.009, 0.054, 0.0), (0.021, 0.014, 0.012)),
    "thumb": ((0.014, 0.015, -0.005), (0.019, 0.016, 0.014)),
}
_SIDES = ("left", "right")


def _pair(name: str) -> tuple[str, str]:
    return f"left_{name}", f"right_{name}"


_BODY = (
    *("pelvis", *_pair("hip"), "spine1", *_pair("knee"), "spine2", *_pair("ankle"), "spine3", *_pair("foot")),
    *("neck", *_pair("collar"), "head", *_pair("shoulder"), *_pair("elbow"), *_pair("wrist")),
)
_HANDS = [f"{side}_{finger}{k}" for side in _SIDES for finger in _FINGERS for k in (1, 2, 3)]

ORDERS: dict[int, tuple[str, ...]] = {
    22: _BODY,
    24: (*_BODY, *_pair("hand")),
    52: (*_BODY, *_HANDS),
    55: (*_BODY, "jaw", *_pair("eye_smplhf"), *_HANDS),
}
"""The joints in the order of their numbers, by how many a file has: body, SMPL, with fingers, with face."""


def figure(names: tuple[str, ...], places: Array | None = None) -> Skeleton:
    """The skeleton of one of the `ORDERS`, its joints at `places` (J, 3) m in the T-pose, or an average adult's."""
    joints, tips = _joints(), _tips()
    adult = STATURE * np.array([joints[name][1] for name in names])
    places = adult if places is None else places
    parents = tuple(names.index(joints[name][0]) if joints[name][0] else -1 for name in names)
    offsets = [places[j] - places[p] if p >= 0 else np.zeros(3) for j, p in enumerate(parents)]
    tipped = [j for j, name in enumerate(names) if name in tips and (j not in parents or name == "head")]
    ends = tuple(End(j, readonly(STATURE * tips[names[j]] - adult[j])) for j in tipped)
    return Skeleton(names, parents, readonly(offsets), ends, as_filed())


def _joints() -> dict[str, tuple[str, Array]]:
    """Parent and place, as a fraction of stature, of every joint of the family."""
    out = {name: (parent, np.array(place)) for name, (parent, place) in _MIDDLE.items()}
    for name, (parent, place) in (_LEFT | _finger_joints()).items():
        for side in _SIDES:
            whole = parent if parent in _MIDDLE else f"{side}_{parent}"
            out[f"{side}_{name}"] = whole, _on(side, place)
    return out


def _finger_points(finger: str) -> list[Place]:
    """The three joints of a left finger and its tip."""
    knuckle, lengths = _FINGERS[finger]
    x, y, z = (a + b for a, b in zip(_WRIST, knuckle, strict=True))
    return [(x, y + sum(lengths[:k]), z) for k in range(4)]


def _finger_joints() -> dict[str, tuple[str, Place]]:
    out: dict[str, tuple[str, Place]] = {}
    for finger in _FINGERS:
        for k, place in enumerate(_finger_points(finger)[:3], 1):
            out[f"{finger}{k}"] = (f"{finger}{k - 1}" if k > 1 else "wrist"), place
    return out


def _tips() -> dict[str, Array]:
    """The ends of joints that may have no child, as fractions of stature."""
    sided = {name: tip for name, tip in _TIPS.items() if name in _LEFT}
    sided |= {f"{finger}3": _finger_points(finger)[3] for finger in _FINGERS}
    out = {name: np.array(tip) for name, tip in _TIPS.items() if name in _MIDDLE}
    for side in _SIDES:
        out |= {f"{side}_{name}": _on(side, tip) for name, tip in sided.items()}
    return out


def _on(side: str, place: Place) -> Array:
    return np.array(place) if side == "left" else mirror_vector(place)
