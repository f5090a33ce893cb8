"""How the pendulum walks: one set for all motions, bodies and grounds."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from poise.errors import PoiseError

LARGEST = 1e6
LAWS = ("linear", "paper")


@dataclass(frozen=True)
class PendulumSettings:
    """What can be changed. Shares of 0 switch off what goes beyond the paper (docs/pendulum.md)."""

    law: str = "linear"
    """By which pendulum landings are found; or "paper": by the energies of [Tsai2010] section 4.2."""
    gain: float = 300.0
    """Of the motors, N m s/rad for the paper's body; it grows with mass and the square of leg length."""
    quick: float = 1.0
    """m/s^2 by which the speed changes when another is wanted."""
    turn: float = 0.8
    """rad/s by which the heading changes when another is wanted."""
    ankle: float = 1.0
    """Share of the ankle strategy: the pressed point moves so that the next landing needs to correct less."""
    habit: float = 0.3
    """Of its speed, that who walks ahead is taken to lack before anything is learned; without all three of these
    nothing is made up for."""
    integral: float = 0.3
    """Of what two steps lack in speed, that is learned with each step; 0 for none."""
    prompt: float = 0.3
    """Of what two steps lack in speed, that the next one makes up for at once."""
    bearing: float = 1.0
    """Share of the torques that carry the weight which is known beforehand."""
    timing: float = 1.0
    """Share by which a step may be cut short or drawn out, to land where it should; 1 at most."""
    spin: float = 0.5
    """Share of the angular momentum that is expected to become velocity before the foot lands."""
    lean: float = 1.0
    """Share of a slope by which the body leans forward, uphill."""
    sinking: float = 1.0
    """Share by which the body sinks for the sake of long steps."""
    supple: float = 1.0
    """Share by which the standing leg of who walks briskly lets the pelvis turn, lest its foot is turned."""
    yielding: float = 10.0
    """1/s at which the heading gives way to a body that was turned by force."""

    def __post_init__(self) -> None:
        if self.law not in LAWS:
            raise PoiseError(f"pendulum: law '{self.law}' must be one of {', '.join(LAWS)}")
        for name, value in asdict(self).items():
            most = 1.0 if name == "timing" else LARGEST  # with more of it feet would land in the past
            if name != "law" and not (math.isfinite(value) and 0 <= value <= most):
                raise PoiseError(f"pendulum: {name} {value} must be between 0 and {most:g}")
        if self.gain <= 0:
            raise PoiseError("pendulum: gain must be more than 0: motors without gain do nothing")
