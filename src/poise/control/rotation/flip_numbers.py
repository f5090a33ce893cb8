"""What a flip aims for, and how much it matters: the numbers of its behaviour file."""

from __future__ import annotations

from dataclasses import dataclass, fields

from poise.control.rotation.landing import LandingNumbers
from poise.control.rotation.take_off import TakeOffNumbers
from poise.errors import PoiseError, unknown
from poise.reference.behaviours import Behaviour

KEYS = {
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
        keys = KEYS[behaviour.kind]
        if len(behaviour.at) != len(keys):
            raise PoiseError(f"{behaviour.path.name}: a {behaviour.kind} has {len(keys)} poses: {', '.join(keys)}")
        return cls(**behaviour.control)
