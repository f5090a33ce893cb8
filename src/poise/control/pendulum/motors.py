"""Velocity-driven tracking: motors that reach joint velocities within torque limits [Tsai2010] section 4.3."""

from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.pendulum.gait import GaitState
from poise.control.pendulum.walker import Walker
from poise.dynamics.actuation import Motors
from poise.dynamics.state import State

ERROR_SCALE = 1.2  # Tracking error (rad) beyond which the wanted velocity hardly grows
DEFAULT_RATE = 10.0  # Response rate c_i (1/s) of all joints of a body without a table of rates
GAIN_MASS = 81.4  # Mass (kg) of the body for which gains are given
SOFT_ANKLE, SOFT_TRAIL, SOFT_TOES = 0.1, 0.1, 0.03
"""Factors of gains: of a stance ankle, whose torque is fed forward; of a leg about to lift off or dragged; of toes."""
CHASE, MAX_CHASE = 2.0, 3.0
"""A swing leg corrects its error within 1/CHASE of the time left, with at most MAX_CHASE times its c_i."""


def response_rates(body: Body) -> Array:
    """(nv,) response rates c_i (1/s) of [Tsai2010] Table 1, zero for the root."""
    rate = np.array(body.tables["response_rate"]) if "response_rate" in body.tables else np.full(body.nv, DEFAULT_RATE)
    rate[:6] = 0.0
    return rate


def saturated_error(error: Array) -> Array:
    """Saturated error (rad), for the error-velocity curve of [Tsai2010] Fig. 7: linear near zero, level far away."""
    return np.asarray(ERROR_SCALE * np.tanh(error / ERROR_SCALE))


class MotorHints(NamedTuple):
    """Properties of a step that change gains and rates of the motors."""

    within: float  # s until the swing foot lands
    drags: bool  # whether the swing foot touches the ground, which it must not push against


class VelocityTracking:
    """Drives the joints of a body by motors towards the poses wanted now and after the time step."""

    def __init__(self, walker: Walker, gain: float) -> None:
        body = walker.body
        self._walker = walker
        self._rate = response_rates(body)
        self._gain = np.zeros(walker.model.nv)
        self._gain[6 : body.nv] = gain * body.mass / GAIN_MASS * walker.legs.scale**2
        for toes in walker.toe_dofs:
            self._gain[toes] *= SOFT_TOES
        self._error, self._ahead = np.zeros(body.nv), np.zeros(body.nv)

    def standing_motors(self, state: State, now: Array, then: Array) -> Motors:
        """Motors for standing on both feet with soft ankles, from the poses (nq,) wanted `now` and `then`."""
        gain = self._gain.copy()
        for ankle in self._walker.ankle_dofs:
            gain[ankle[:2]] *= SOFT_ANKLE
        return self._velocity_motors(state, now, then, self._rate, gain)

    def walking_motors(self, state: State, now: Array, then: Array, gait: GaitState, course: MotorHints) -> Motors:
        """Motors for walking, from the poses (nq,) wanted `now` and after the time step (`then`)."""
        walker, stance = self._walker, gait.stance
        rate, gain = self._rate.copy(), self._gain.copy()
        gain[walker.ankle_dofs[stance][:2]] *= SOFT_ANKLE
        swing = walker.leg_dofs[gait.swing]
        if gait.lift is None or course.drags:
            gain[swing] *= SOFT_TRAIL
        else:
            rate[swing] *= min(max(CHASE / (DEFAULT_RATE * max(course.within, state.step)), 1.0), MAX_CHASE)
        return self._velocity_motors(state, now, then, rate, gain)

    def _velocity_motors(self, state: State, now: Array, then: Array, rate: Array, gain: Array) -> Motors:
        body = self._walker.body
        mujoco.mj_differentiatePos(body.model, self._ahead, state.step, now, then)
        mujoco.mj_differentiatePos(body.model, self._error, 1.0, state.qpos[: body.nq], now)
        velocity = np.zeros(self._walker.model.nv)
        velocity[: body.nv] = self._ahead + rate * saturated_error(self._error)
        return Motors(velocity, gain)
