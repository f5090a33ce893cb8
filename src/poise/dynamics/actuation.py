"""Actuation of a body for one step, as a controller returns it."""

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, brief_repr


@dataclass(frozen=True)
class Motors:
    """Joint motors, solved implicitly and within the torque limits together with the contacts.

    Motor i gives the torque ``gain_i (velocity_i - v_i)`` with v the velocity at the END of the step. A DOF with gain
    zero has no motor.
    """

    velocity: Array  # (nv,) rad/s, target at the end of the step
    gain: Array  # (nv,) N m s/rad

    @classmethod
    def spring_damper(cls, error: Array, velocity: Array, stiffness: Array, damping: Array, step: float) -> "Motors":
        """Motors equivalent to implicit (stable) proportional-derivative control [Tan2011].

        `error` (nv,) rad is target minus pose in the tangent space, `velocity` (nv,) rad/s the target velocity.
        Substituting q+ = q + h v+ in kp (q* - q+) + kd (v* - v+) gives a motor of gain kd + h kp.
        """
        gain = damping + step * stiffness
        push = stiffness * error + damping * velocity
        target = np.divide(push, gain, out=np.zeros_like(push), where=gain > 0)
        return cls(velocity=target, gain=gain)

    __repr__ = brief_repr


@dataclass(frozen=True)
class Actuation:
    """Actuation that a controller requests for a step; all parts are optional and add up.

    Joint torque is ``torque + feedback @ impulse + motors``; the world keeps it within the body's torque limits.
    ``impulse`` (3 c,) are the impulses along n, t1, t2 of `State.contacts`, solved in the same step.
    """

    torque: Array | None = None  # (nv,) N m, zero on free roots
    feedback: Array | None = None  # (nv, 3 c) N m per N s
    motors: Motors | None = None
    external: Array | None = None  # (nv,) N or N m: a declared stabilising wrench, recorded as such
    brace: Motors | None = None  # on free roots: likewise a stabilising wrench, implicit, without torque limits

    __repr__ = brief_repr


PASSIVE = Actuation()  # No actuation at all
