"""What a flip aims for, and how much it matters: the numbers of its behaviour file."""

from __future__ import annotations

from dataclasses import dataclass, fields

from poise.control.rotation.landing import LandingNumbers
from poise.control.rotation.take_off import TakeOffNumbers
from poise.errors import PoiseError, unknown
from poise.library.behaviours.behaviour import Behaviour

# What a back handspring aims for, and how much it matters: the numbers of its behaviour file.

HANDSPRING_KEYS = (
    "stand",
    "lean",
    "crouch",
    "take-off",
    "reach",
    "over",
    "leave",
    "snap",
    "touch-down",
    "absorb",
    "stood",
)
"""The poses of a handspring, in this order."""


@dataclass(frozen=True)
class HandsNumbers:
    """What the time on the hands aims for."""

    hands_pitch: float = -140.0  # degrees of the pelvis when the hands touch down
    hands_strongest: float = 900.0  # N of the heels of the hands, and of the fingers
    hands_last: float = 0.2  # of that when they leave the ground
    hands_linear: float = 5.0
    hands_angular: float = 8.0
    hands_spring: float = 80.0  # 1/s^2
    hands_damping: float = 32.0  # 1/s
    hands_spin_damping: float = 32.0  # 1/s
    hands_stiffness: float = 600.0
    hands_core: float = 4.0  # stiffness of the trunk's own joints, of the others'
    hands_support: float = 200.0  # 1/(m/s^2)^2
    hands_gap: float = 0.02  # m: hands nearer to the ground may bear
    hands_again: float = 0.05  # s from one plan to the next
    leave_height: float = 0.8  # m of the centre of mass when the hands leave the ground
    second_travel: float = -0.3  # m of the centre of mass, from hands to feet
    second_flight: float = 0.15  # s from hands to feet
    opening: float = 0.1  # s from the snap to the pose of touch-down
    touch_pitch: float = -310.0  # degrees of the pelvis when the feet touch down
    second_height: float = 0.72  # m of the centre of mass then
    touch_down_ahead: float = 0.3  # m of it before the ankles then
    flight_stiffness: float = 1500.0


@dataclass(frozen=True)
class HandspringNumbers(TakeOffNumbers, HandsNumbers, LandingNumbers):
    """What a handspring aims for, and how much it matters."""

    springs: float = 1.0  # in a row
    between: float = 0.6  # s from touch-down, after which the next one begins
    again: float = 0.2  # s that it crouches from there on, before the next push

    @classmethod
    def of(cls, behaviour: Behaviour) -> HandspringNumbers:
        """Those of a behaviour file."""
        known = [field.name for field in fields(cls)]
        for name in behaviour.control:
            if name not in known:
                raise unknown(f"number of a handspring in {behaviour.path.name}", name, known)
        if len(behaviour.at) != len(HANDSPRING_KEYS):
            raise PoiseError(
                f"{behaviour.path.name}: a handspring has {len(HANDSPRING_KEYS)} poses: {', '.join(HANDSPRING_KEYS)}"
            )
        return cls(**behaviour.control)


FLIP_KEYS = {
    "flip": ("stand", "crouch", "take-off", "tuck", "touch-down", "absorb", "stood"),
    "kip": ("lie", "shoulders", "crouch", "take-off", "tuck", "touch-down", "absorb", "stood"),
}
"""The poses of a flip and of a kip-up, in this order; the crouch of that one is on its shoulders, its tuck an arch."""


@dataclass(frozen=True)
class FlightNumbers:
    """What a flight onto the feet aims for."""

    flight: float = 0.58  # s
    opening: float = 0.2  # s from the tuck to the pose of touch-down
    touch_pitch: float = -320.0  # degrees of the pelvis at touch-down
    flight_stiffness: float = 1500.0
    about_feet: float | None = -20.0  # kg m^2/s about the feet at touch-down, which are placed for it; none: as posed


@dataclass(frozen=True)
class FlipNumbers(TakeOffNumbers, FlightNumbers, LandingNumbers):
    """What a flip aims for, and how much it matters."""

    touch_down_ahead: float = 0.15  # m of the centre of mass before the ankles

    @classmethod
    def of(cls, behaviour: Behaviour) -> FlipNumbers:
        """Those of a behaviour file."""
        known = [field.name for field in fields(cls)]
        for name in behaviour.control:
            if name not in known:
                raise unknown(f"number of a flip in {behaviour.path.name}", name, known)
        keys = FLIP_KEYS[behaviour.kind]
        if len(behaviour.at) != len(keys):
            raise PoiseError(f"{behaviour.path.name}: a {behaviour.kind} has {len(keys)} poses: {', '.join(keys)}")
        return cls(**behaviour.control)
