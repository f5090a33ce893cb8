"""What a flip aims for, and how much it matters: the numbers of its behaviour file."""

from __future__ import annotations

from dataclasses import dataclass, fields

from poise.control.rotation.landing import LandingNumbers
from poise.errors import PoiseError, unknown
from poise.reference.behaviours import Behaviour

KEYS = ("stand", "crouch", "take-off", "tuck", "touch-down", "absorb", "stood")
"""The poses of a flip, in this order."""


@dataclass(frozen=True)
class FlipNumbers(LandingNumbers):
    """What a flip aims for, and how much it matters."""

    flight: float = 0.58  # s
    opening: float = 0.2  # s from the tuck to the pose of touch-down
    turned: float = -351.0  # degrees of excursion at touch-down
    touch_pitch: float = -320.0  # degrees of the pelvis at touch-down
    take_off_height: float = 1.0  # m of the centre of mass
    touch_down_height: float = 0.8  # m
    touch_down_ahead: float = 0.15  # m of the centre of mass before the ankles
    travel: float = -0.1  # m backward until touch-down, negative
    squat_ahead: float = 0.04  # m of the centre of mass before the ankles in the crouch
    squat_linear: float = 0.5
    squat_angular: float = 0.5
    squat_stiffness: float = 400.0
    push_strongest: float = 1600.0  # N of heels, and of toes
    push_last: float = 0.3  # of that at take-off
    push_linear: float = 5.0
    push_angular: float = 10.0
    push_stiffness: float = 400.0
    push_core: float = 1.0  # stiffness of the trunk's own joints, of the others'
    push_support: float = 83.0  # 1/(m/s^2)^2
    flight_stiffness: float = 1500.0
    squat_trunk: float = 5.0  # weight of the pelvis' orientation in the squat, 1/(rad/s^2)^2
    push_trunk: float = 0.5  # in the push
    push_tilt: float = 0.0  # degrees by which it leans forward at the end of the push, against the soles' pose
    support: float = 28.0  # 1/(m/s^2)^2
    gap: float = 0.03  # m: feet nearer to the ground may bear

    @classmethod
    def of(cls, behaviour: Behaviour) -> FlipNumbers:
        """Those of a behaviour file."""
        known = [field.name for field in fields(cls)]
        for name in behaviour.control:
            if name not in known:
                raise unknown(f"number of a flip in {behaviour.path.name}", name, known)
        if len(behaviour.at) != len(KEYS):
            raise PoiseError(f"{behaviour.path.name}: a flip has {len(KEYS)} poses: {', '.join(KEYS)}")
        return cls(**behaviour.control)
