"""Walking by an inverted pendulum [Tsai2010]."""

from poise.control.pendulum.pendulum import Pendulum
from poise.control.pendulum.settings import PendulumSettings

__all__ = ["Pendulum", "PendulumSettings"]
