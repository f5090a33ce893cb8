"""A single joint that turns to a target: what our controller makes of [Fattal2006] Eq. (1)-(3), and what is exact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import radians

import numpy as np
from scipy.integrate import solve_ivp

from poise.body import Body
from poise.control.poses import Poses, PosesSettings
from poise.control.poses.rig import Rig
from poise.frozen import Array
from poise.reference.keyposes import KeyPoses, PoseKeys
from poise.world.scene import Scene
from poise.world.settings import WorldSettings
from poise.world.world import World

HEAVY = 1e6
"""kg and kg m^2: what the joint is fixed to, as good as the world."""
ALL_ROUND = 180.0
"""degrees: a damper that gives way only beyond this is linear."""


@dataclass(frozen=True)
class Swing:
    """A joint at rest that is told to be elsewhere, at once."""

    inertia: float  # kg m^2
    stiffness: float  # N m/rad
    damping: float  # N m s/rad
    linear: bool
    degrees: float  # how far it is to turn
    seconds: float
    rate: float = 120.0  # Hz

    @property
    def reach(self) -> float:
        """rad: within this the damper acts in full."""
        return radians(ALL_ROUND if self.linear else PosesSettings().reach)


@dataclass(frozen=True, eq=False)
class Swung:
    """How it went."""

    time: Array  # (T,) s
    angle: Array  # (T,) rad
    velocity: Array  # (T,) rad/s


def simulated(swing: Swing) -> Swung:
    """By our controller in our world."""
    body = _joint(swing.inertia)
    world = World(Scene((body,), gravity=0.0), WorldSettings(step=1.0 / swing.rate))
    gains = np.zeros((2, body.nv))
    gains[:, 6] = swing.stiffness, swing.damping
    settings = PosesSettings(reach=np.degrees(swing.reach), stabilise=0.0)
    controller = Poses(settings, rig=Rig(*gains))
    target = PoseKeys(np.zeros(1), np.array([6]), np.array([radians(swing.degrees)]))
    reference = KeyPoses(body, "swing", target, np.zeros(body.nv), np.zeros(body.nv), swing.seconds)
    world.reset(np.array(body.standing), np.zeros(body.nv))
    controller.reset(world, reference)
    steps = round(swing.seconds * swing.rate)
    angle, velocity = np.zeros(steps + 1), np.zeros(steps + 1)
    for step in range(steps):
        world.step(controller.act(world.state))
        angle[step + 1], velocity[step + 1] = world.qpos[7], world.qvel[6]
    return Swung(np.arange(steps + 1) / swing.rate, angle, velocity)


def exact(swing: Swing) -> Swung:
    """By the differential equation itself, at the same times."""
    goal, reach = radians(swing.degrees), swing.reach

    def motion(_: float, state: Array) -> list[float]:
        error = goal - state[0]
        kept = min(1.0, reach / max(abs(error), 1e-12))
        torque = swing.stiffness * error - swing.damping * kept * state[1]
        return [float(state[1]), float(torque / swing.inertia)]

    time = np.arange(round(swing.seconds * swing.rate) + 1) / swing.rate
    found = solve_ivp(motion, (0.0, time[-1]), [0.0, 0.0], "LSODA", time, rtol=1e-9, atol=1e-10, max_step=1e-3)
    return Swung(time, *found.y)


@lru_cache(maxsize=4)
def _joint(inertia: float) -> Body:
    """A rod of that inertia (kg m^2) on a hinge, high above the ground and fixed to something very heavy."""
    root = f"{_inertial(HEAVY, HEAVY)}<freejoint/>"
    rod = f'{_inertial(1.0, inertia)}<joint name="hinge" axis="0 1 0"/>'
    shape = '<geom type="sphere" size="0.01"/>'
    bodies = f'<body name="mount" pos="0 0 10">{root}{shape}<body name="rod">{rod}{shape}</body></body>'
    return Body.from_mjcf(f'<mujoco model="joint"><worldbody>{bodies}</worldbody></mujoco>')


def _inertial(mass: float, inertia: float) -> str:
    return f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia} {inertia} {inertia}"/>'
