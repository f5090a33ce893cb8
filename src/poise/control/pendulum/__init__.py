"""Walking by an inverted pendulum [Tsai2010]."""

from poise.control.pendulum.pendulum import Pendulum, PendulumSettings

__all__ = ["Pendulum", "PendulumSettings"]
