"""The figure as point masses, and smoothed tracks of feet and hands, for checks of the frame rate against gravity."""

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.motion.clip import Clip
from poise.motion.roles import SIDES, Roles

HEAD, TRUNK = 0, 1  # indices among the mass points
HEEL, TIP = -0.3, 1.5  # ends of the sole on the line from ankle (0) to ball of the foot (1)

# Fractions of body mass, and positions of the centres between the joints: men in [deLeva1996] Table 4.
_HEAD_SHARE, _TRUNK_SHARE = 0.0694, 0.4346
_LIMBS = (  # segment, next joint of the limb, fraction of mass, position from the segment's joint (0) to the next (1)
    ("upper_arm", "forearm", 0.0271, 0.58),
    ("forearm", "hand", 0.0162, 0.46),
    ("hand", "hand", 0.0061, 0.0),
    ("thigh", "shank", 0.1416, 0.41),
    ("shank", "foot", 0.0433, 0.44),
    ("foot", "toes", 0.0137, 0.5),
)


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Parabolas fitted around each frame with `half` neighbours on both sides; the unit of time is the frame."""

    value: Array  # (T - 2 half, ...)
    speed: Array  # per frame
    acceleration: Array  # per frame^2


def local_parabolas(curve: Array, half: int) -> Smoothed:
    """Least-squares parabolas over 2 half + 1 frames of a curve (T, ...) [SavitzkyGolay1964]."""
    frame = np.arange(-half, half + 1.0)
    fit = np.linalg.pinv(np.stack([np.ones_like(frame), frame, frame**2 / 2], axis=1))  # (3, window)
    columns = np.ascontiguousarray(curve.reshape(len(curve), -1).T)
    shape = (len(curve) - 2 * half, *curve.shape[1:])
    value, speed, acceleration = (
        np.stack([np.correlate(column, row, "valid") for column in columns], axis=-1).reshape(shape) for row in fit
    )
    return Smoothed(value, speed, acceleration)


@dataclass(frozen=True, eq=False)
class MassPoints:
    """Point masses of a body of mass 1."""

    share: Array  # (P,) sums to 1
    place: Array  # (T, P, 3) m

    @property
    def centre(self) -> Array:
        """Centre of mass (T, 3) m."""
        return np.asarray(np.einsum("p,tpk->tk", self.share, self.place))


def mass_points(clip: Clip, roles: Roles) -> MassPoints:
    """One point for the head, one for the trunk and one for each segment of the limbs."""
    where = clip.places.position
    pairs = [(roles.joints[f"left_{role}"], roles.joints[f"right_{role}"]) for role in ("upper_arm", "thigh")]
    shoulders, hips = ((where[:, left] + where[:, right]) / 2 for left, right in pairs)
    headed = {"head", "neck"} & set(roles.joints)
    head = joint_track(where, roles, "head", "neck") if headed else shoulders
    points = [(_HEAD_SHARE, head), (_TRUNK_SHARE, (shoulders + hips) / 2)]
    for side in SIDES:
        for segment, beyond, share, along in _LIMBS:
            inner = "foot" if segment == "foot" else "forearm"  # replaces a hand that the skeleton lacks
            near = joint_track(where, roles, f"{side}_{segment}", f"{side}_{inner}")
            far = joint_track(where, roles, f"{side}_{beyond}", f"{side}_{segment}", f"{side}_{inner}")
            points.append((share, near + along * (far - near)))
    shares = np.array([share for share, _ in points])
    return MassPoints(shares / shares.sum(), np.stack([place for _, place in points], axis=1))


def joint_track(where: Array, roles: Roles, *names: str) -> Array:
    """Positions (T, 3) of the first of the named joints that the skeleton has; `where` (T, J, 3) are all positions."""
    return where[:, next(roles.joints[name] for name in names if name in roles.joints)]


@dataclass(frozen=True, eq=False)
class FootTrack:
    """The smoothed motion of one foot."""

    middle: Array  # (T, 3) m
    sole: Array  # (T, 2, 3) m, heel and tip
    pace: Array  # (T,) m per frame, speed of the foot's middle
    stillness: Array  # (T,) m per frame, speed of the foot's middle or ball, whichever is slower


@dataclass(frozen=True, eq=False)
class Extremities:
    """The smoothed motions of feet and hands, left and right."""

    feet: tuple[FootTrack, ...]
    hands: tuple[Array, ...]  # (T, 3) m
    hand_paces: tuple[Array, ...]  # (T,) m per frame


def foot_and_hand_tracks(where: Array, roles: Roles, half: int) -> Extremities:
    """Feet and hands of a figure with joints at (T, J, 3) m, smoothed over `half` frames to both sides."""
    hands = [local_parabolas(joint_track(where, roles, f"{side}_hand", f"{side}_forearm"), half) for side in SIDES]
    feet = tuple(_foot_track(where, roles, side, half) for side in SIDES)
    paces = tuple(_speed_per_frame(hand.speed) for hand in hands)
    return Extremities(feet=feet, hands=tuple(hand.value for hand in hands), hand_paces=paces)


def _foot_track(where: Array, roles: Roles, side: str, half: int) -> FootTrack:
    ankle = local_parabolas(joint_track(where, roles, f"{side}_foot"), half)
    ball = local_parabolas(joint_track(where, roles, f"{side}_toes", f"{side}_foot"), half)
    along = ball.value - ankle.value
    pace = _speed_per_frame((ankle.speed + ball.speed) / 2)
    sole = np.stack([ankle.value + HEEL * along, ankle.value + TIP * along], axis=1)
    stillness = np.minimum(pace, _speed_per_frame(ball.speed))
    return FootTrack(middle=ankle.value + along / 2, sole=sole, pace=pace, stillness=stillness)


def _speed_per_frame(velocity: Array) -> Array:
    return np.asarray(np.linalg.norm(velocity, axis=-1))
