"""From poses to motors: joint velocities that are reached within torque limits [Tsai2010] section 4.3."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.pendulum.gait import GaitState
from poise.control.pendulum.walker import Walker
from poise.dynamics.actuation import Motors
from poise.dynamics.state import State

WIDEST = 1.2
"""rad: the error beyond which the wanted velocity hardly grows."""
RATE = 10.0
"""1/s: c_i of joints for which a body's tables tell none."""
MASS = 81.4
"""kg: of the body that gains are told for."""
SOFT_ANKLE, SOFT_TRAIL, SOFT_TOES = 0.1, 0.1, 0.03
"""Shares of the gain: of a standing ankle, whose torque is told; of a leg about to leave the ground, or dragged along
it; of toes."""
SUPPLE_HIP, SUPPLE_ANKLE, PATIENT = 0.03, 0.05, 0.5
"""Shares of the gains about the vertical of a leg that stands in a brisk step, and of its hip's c_i: the other leg's
swing then turns the pelvis, as it does with people, and not the foot on the ground."""
CHASE, FASTEST = 2.0, 3.0
"""A swinging leg makes up for its error within half the time that is left, and at most this much faster."""


def response(body: Body) -> Array:
    """(nv,) 1/s: c_i of [Tsai2010] Table 1, zero on the root."""
    rate = np.array(body.tables["response_rate"]) if "response_rate" in body.tables else np.full(body.nv, RATE)
    rate[:6] = 0.0
    return rate


def wanted_velocity(error: Array) -> Array:
    """rad: in place of the error-velocity curve that [Tsai2010] draws in Fig. 7: linear near zero, level far away."""
    return np.asarray(WIDEST * np.tanh(error / WIDEST))


class StepPoses(NamedTuple):
    """How a step goes."""

    within: float  # s until the swinging foot lands
    rolls: bool  # whether the standing heel lifts
    drags: bool  # whether the swinging foot is caught by the ground, which it must not push itself off from
    supple: float  # share by which the standing leg lets the pelvis turn


class Tracking:
    """Drives a body's joints."""

    def __init__(self, figure: Walker, gain: float) -> None:
        body = figure.body
        self._figure = figure
        self._rate = response(body)
        self._gain = np.zeros(figure.model.nv)
        self._gain[6 : body.nv] = gain * body.mass / MASS * figure.legs.scale**2
        for toes in figure.toe_dofs:
            self._gain[toes] *= SOFT_TOES
        self._error, self._ahead = np.zeros(body.nv), np.zeros(body.nv)

    def standing(self, state: State, now: Array, then: Array) -> Motors:
        """The same on both feet: neither ankle is stiff."""
        gain = self._gain.copy()
        for ankle in self._figure.ankle_dofs:
            gain[ankle[:2]] *= SOFT_ANKLE
        return self._driven(state, now, then, self._rate, gain)

    def motors(self, state: State, now: Array, then: Array, gait: GaitState, course: StepPoses) -> Motors:
        """From where joints should be now (nq,) and after the step."""
        figure, stance = self._figure, gait.stance
        rate, gain = self._rate.copy(), self._gain.copy()
        if not course.rolls:
            gain[figure.ankle_dofs[stance][:2]] *= SOFT_ANKLE
        gain[figure.hip_twists[stance]] *= SUPPLE_HIP**course.supple
        gain[figure.ankle_twists[stance]] *= SUPPLE_ANKLE**course.supple
        rate[figure.hip_twists[stance]] *= PATIENT**course.supple
        swing = figure.leg_dofs[gait.swing]
        if gait.lift is None or course.drags:
            gain[swing] *= SOFT_TRAIL
        else:
            rate[swing] *= min(max(CHASE / (RATE * max(course.within, state.step)), 1.0), FASTEST)
        return self._driven(state, now, then, rate, gain)

    def _driven(self, state: State, now: Array, then: Array, rate: Array, gain: Array) -> Motors:
        body = self._figure.body
        mujoco.mj_differentiatePos(body.model, self._ahead, state.step, now, then)
        mujoco.mj_differentiatePos(body.model, self._error, 1.0, state.qpos[: body.nq], now)
        velocity = np.zeros(self._figure.model.nv)
        velocity[: body.nv] = self._ahead + rate * wanted_velocity(self._error)
        return Motors(velocity, gain)
