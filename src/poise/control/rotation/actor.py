"""What all behaviours of the controller share: the program of the body, its supports and its rotation."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.controller import Stage
from poise.control.rotation.program import (
    Finder,
    Program,
    ProgramAim,
    ProgramSolution,
    ProgramWeights,
    Supports,
    included_contacts,
)
from poise.dynamics.rotation_indices import RotationIndices, rotation_of
from poise.dynamics.state import State

# Force-based pose tracking [Zordan2014] Eq. (6), in the stable form of [Tan2011].


class Tracker:
    """Torques towards poses, with gains in proportion to the inertia that each joint moves."""

    def __init__(self, model: mujoco.MjModel, nv: int, damping: Array) -> None:
        self._model, self._nv, self._damping = model, nv, damping

    def torques(self, state: State, poses: Array, stiffness: Array | float, velocity: Array | None = None) -> Array:
        """(P, n) N m of joints, towards each of poses (P, nq); `stiffness` (1/s^2) for all joints or (n,).

        K_p = stiffness M_jj and K_d = 2 sqrt(stiffness) M_jj, both at the end of the step.
        """
        nv, h = self._nv, state.step
        mass = state.mass[:nv, :nv]
        own = np.diag(mass)[6:]
        spring = stiffness * own
        damper = 2.0 * np.sqrt(stiffness) * own
        error, whole = np.zeros((len(poses), nv - 6)), np.zeros(self._model.nv)
        target = np.array(state.qpos)
        for k, pose in enumerate(poses):
            target[7 : len(pose)] = pose[7:]
            mujoco.mj_differentiatePos(self._model, whole, 1.0, state.qpos, target)
            error[k] = whole[6:nv]
        wanted = 0.0 if velocity is None else velocity
        pull = spring * (error - h * state.qvel[6:nv]) + damper * (wanted - state.qvel[6:nv])
        heavy = np.array(mass)
        heavy[np.arange(6, nv), np.arange(6, nv)] += h * (damper + self._damping[6:])
        drive = np.tile(-state.bias[:nv], (len(poses), 1))
        drive[:, 6:] += pull - self._damping[6:] * state.qvel[6:nv]
        acceleration = np.linalg.solve(heavy, drive.T).T
        return np.asarray(pull - h * damper * acceleration[:, 6:])


LEAST_FORCE, LEAST_TORQUE, ADULT = 21.0, 2.0, 73.5
"""N, N m about the centre of mass: contacts that bear neither are left to themselves [Zordan2014] section VI.

Of a body of so many kg; of others forces go with the mass, and torques with the mass times a length."""


class Actor:
    """A body in a world, as the controller sees it."""

    def __init__(self, world: Stage) -> None:
        self.body: Body = world.scene.body
        self.model = world.scene.model
        self.ground = world.scene.terrain
        self.nv, nv = self.body.nv, self.body.nv
        damping = np.array(self.model.dof_damping[:nv])
        self.program = Program(
            np.array(world.torque_limit[6:nv]), damping, self.body.mass, np.array(self.model.opt.gravity)
        )
        head = () if self.body.head is None else (self.body.link_id(self.body.head),)
        self.finder = Finder(self.model, nv, head)
        trunk = [name for part in ("trunk", "head") for name in self.body.groups[part]]
        dofs = [dof for name in trunk for dof in self.body.joint(name).dofs]
        self.core = np.isin(np.arange(6, nv), dofs)  # (n,) which joints are the trunk's own
        spine = [dof - 6 for name in self.body.groups["trunk"] for dof in self.body.joint(name).dofs]
        self.trunk_limit = float(self.program.limit[spine].min())  # N m
        middle = [i for i, link in enumerate(self.body.links, 1) if self.body.link_mirror.get(link) == link]
        self.trunk = np.isin(np.arange(self.model.nbody), middle)  # by body id: which links are the trunk's
        self.tracker = Tracker(self.model, nv, damping)
        size = self.body.mass / ADULT
        self._least = LEAST_FORCE * size, LEAST_TORQUE * size ** (4.0 / 3.0)  # N, N m

    def observe(self, state: State) -> RotationIndices:
        """Take a state: its equations of motion, and how the body turns."""
        rotation = rotation_of(state.mass[: self.nv, : self.nv], state.qvel[: self.nv], state.data)
        self.program.begin(state)
        return rotation

    def supports(self, state: State, gap: float) -> Supports:
        """What is nearer to the ground than a gap (m) and may bear; never the head."""
        return self.finder.near(state, gap)

    def answer(
        self, aim: ProgramAim, weights: ProgramWeights, supports: Supports, com: Array, inclusion: bool = True
    ) -> tuple[ProgramSolution, Supports]:
        """The best torques, found with all supports, then with those alone that the first pass made use of."""
        found = self.program.solve(aim, weights, supports, com)
        if not inclusion or not len(supports.body):
            return found, supports
        kept = included_contacts(supports, found.force, com, *self._least)
        if kept.all():
            return found, supports
        fewer = supports.only(kept)
        return self.program.solve(aim, weights, fewer, com), fewer

    def whole(self, torque: Array) -> Array:
        """(nv,) N m of the scene's DOFs, from those of the body's joints."""
        out = np.zeros(self.model.nv)
        out[6 : self.nv] = torque
        return out
