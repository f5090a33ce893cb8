"""The figure as a handful of point masses: enough to ask gravity what time it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.frozen import Array
from poise.motion.clip import Clip
from poise.motion.roles import SIDES, Roles

HEAD, TRUNK = 0, 1  # their places among the points

# Shares of body mass and places of the centres between the joints: men in [deLeva1996] Table 4.
_HEAD_SHARE, _TRUNK_SHARE = 0.0694, 0.4346
_LIMBS = (  # segment, next joint of the limb, share, place from the segment's joint to the next
    ("upper_arm", "forearm", 0.0271, 0.58),
    ("forearm", "hand", 0.0162, 0.46),
    ("hand", "hand", 0.0061, 0.0),
    ("thigh", "shank", 0.1416, 0.41),
    ("shank", "foot", 0.0433, 0.44),
    ("foot", "toes", 0.0137, 0.5),
)


@dataclass(frozen=True, eq=False)
class MassPoints:
    """Where the parts of a body of mass 1 are."""

    share: Array  # (P,) sums to 1
    place: Array  # (T, P, 3) m

    @property
    def centre(self) -> Array:
        """(T, 3) m, the centre of mass."""
        return np.asarray(np.einsum("p,tpk->tk", self.share, self.place))


def mass_points(clip: Clip, roles: Roles) -> MassPoints:
    """One point for the head, one for the trunk and one for each segment of the limbs."""
    where = clip.places.position

    def joint(*names: str) -> Array:
        return first_joint(where, roles, *names)

    def middle(role: str) -> Array:
        return (joint(f"left_{role}") + joint(f"right_{role}")) / 2

    head = joint("head", "neck") if {"head", "neck"} & set(roles.joints) else middle("upper_arm")
    points = [(_HEAD_SHARE, head), (_TRUNK_SHARE, (middle("upper_arm") + middle("thigh")) / 2)]
    for side in SIDES:
        for segment, beyond, share, along in _LIMBS:
            inner = "foot" if segment == "foot" else "forearm"  # carries a hand the skeleton does not have
            near = joint(f"{side}_{segment}", f"{side}_{inner}")
            far = joint(f"{side}_{beyond}", f"{side}_{segment}", f"{side}_{inner}")
            points.append((share, near + along * (far - near)))
    shares = np.array([share for share, _ in points])
    return MassPoints(shares / shares.sum(), np.stack([place for _, place in points], axis=1))


def first_joint(where: Array, roles: Roles, *names: str) -> Array:
    """(T, 3) of (T, J, 3): the first of the named joints that the skeleton has."""
    return where[:, next(roles.joints[name] for name in names if name in roles.joints)]
