"""Settings of the pendulum controller: one set for all motions, bodies and grounds."""

import math
from dataclasses import asdict, dataclass

from poise.errors import PoiseError

LARGEST = 1e6
LAWS = ("linear", "paper")


@dataclass(frozen=True)
class PendulumSettings:
    """Settings of a walk. A share of 0 switches off an addition to the paper (docs/pendulum-method.md)."""

    law: str = "linear"
    """Pendulum model that finds landings: "linear", or "paper" for the energies of [Tsai2010] section 4.2."""
    gain: float = 300.0
    """Motor gain (N m s/rad) for the paper's body; for others, it scales with mass and the square of leg length."""
    quick: float = 1.0
    """Acceleration (m/s^2) towards a newly commanded speed."""
    turn: float = 0.8
    """Turning rate (rad/s) towards a newly commanded heading."""
    ankle: float = 1.0
    """Share of the ankle strategy: the centre of pressure moves to reduce the correction left to the next landing."""
    integral: float = 0.2
    """Share of the speed error of the last two steps that is learned with each step; 0 learns nothing."""
    bearing: float = 1.0
    """Factor of the feed-forward torques that carry the weight."""
    timing: float = 1.0
    """Share by which a step may be shortened or prolonged to land in the right place; 1 at most."""
    spin: float = 0.5
    """Share of the angular momentum that is expected to become velocity before the foot lands."""
    lean: float = 1.0
    """Forward lean of the body on an uphill slope, as a factor of the slope."""
    sinking: float = 1.0
    """Share by which the body sinks so that the legs reach far landings."""
    yielding: float = 10.0
    """Rate (1/s) at which the heading follows a body that a push has turned."""

    def __post_init__(self) -> None:
        if self.law not in LAWS:
            raise PoiseError(f"pendulum: law '{self.law}' is not one of {', '.join(LAWS)}")
        for name, value in asdict(self).items():
            most = 1.0 if name == "timing" else LARGEST  # more would put landings into the past
            if name != "law" and not (math.isfinite(value) and 0 <= value <= most):
                raise PoiseError(f"pendulum: {name} {value} must be between 0 and {most:g}")
        if self.gain <= 0:
            raise PoiseError("pendulum: gain must be greater than 0")
