"""Frames of the reference that the planning window needs, and the loads that the body carries in them.

Loads are known in advance, so that a window of any length includes them. A carried load is a point mass on a link. It
adds to the weight and the inertia of the body.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, isfinite
from typing import NamedTuple

import mujoco
import numpy as np

from poise.arrays import Array, Ints, Mask
from poise.body.body import Body
from poise.body.surface import contact_parts
from poise.control.modal.modes import ROOT
from poise.dynamics.state import State
from poise.dynamics.tree import transform_point
from poise.errors import PoiseError
from poise.kernel import kernel
from poise.reference.reference import Reference, Target, edition_of

COAST = 0.3  # Time constant (s) with which a reference that has ended comes to rest; longer than most windows
KEPT = 200  # Number of frames after which a computed frame is dropped


@dataclass(frozen=True)
class CarriedMass:
    """A load: a point mass that a link carries from a time on."""

    link: str
    mass: float  # kg
    since: float  # s
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m in the link's frame

    def __post_init__(self) -> None:
        if not (0 < self.mass < 1e4 and 0 <= self.since < 1e6):
            limits = "more than 0 kg and less than 10000, from a time of at least 0 s"
            raise PoiseError(f"load on '{self.link}': {self.mass} kg from {self.since} s must be {limits}")
        if not all(isfinite(each) for each in self.point):
            raise PoiseError(f"load on '{self.link}': its point {self.point} must be finite")


class WindowFrame(NamedTuple):
    """A frame of the reference, with C contact points and L loads."""

    qpos: Array  # (nq,)
    qvel: Array  # (nv,)
    com: Array  # (3,) m, centre of mass
    velocity: Array  # (3,) m/s, of the centre of mass
    angmom: Array  # (3,) kg m^2/s, angular momentum about the centre of mass
    corner: Array  # (C, 3) m, contact points
    down: Mask  # (C,) whether each contact point bears
    load_point: Array  # (L, 3) m, where each load is carried, or lies until it is taken up
    load_velocity: Array  # (L, 3) m/s
    load_mass: Array  # (L,) kg of the loads that are carried; 0 until they are taken up


class ModalWindowFrames:
    """Frames of a reference, one per step of the world. A frame is computed when needed, and again after an edit."""

    def __init__(self, body: Body, reference: Reference, step: float, loads: Sequence[CarriedMass] = ()) -> None:
        self._body, self._reference, self._step = body, reference, step
        self._data = mujoco.MjData(body.model)
        parts = contact_parts(body)
        self._part = np.array([k for k, part in enumerate(parts) for _ in part.points], np.int64)
        self.link = np.array([body.link_id(part.link) for part in parts for _ in part.points], np.int64)
        self.local = np.array([point for part in parts for point in part.points], float)  # (C, 3)
        hands = [body.link_id(hand.link) for hand in body.hands]
        self.held = np.isin(self.link, hands)  # (C,) points that can grip, and so may pull
        self.load_link = np.array([body.link_id(load.link) for load in loads], np.int64)  # (L,)
        self.load_local = np.array([load.point for load in loads]).reshape(-1, 3)  # (L, 3) m in the links' frames
        self._since, self._mass = (np.array([getattr(load, of) for load in loads]) for of in ("since", "mass"))
        self._known: dict[int, WindowFrame] = {}
        self._pickup: list[Array] = []  # L points (3,) m where loads are taken up; empty until computed
        self.edition = edition_of(reference)

    def at(self, index: int) -> WindowFrame:
        """The frame `index` steps after the start of the reference."""
        if index not in self._known:
            self._known[index] = self._compute_frame(index)
            self._known.pop(index - KEPT, None)
        return self._known[index]

    def drop_if_edited(self) -> bool:
        """Drop all computed frames if the reference was edited since the last call; return whether it was."""
        edition = edition_of(self._reference)
        if edition == self.edition:
            return False
        self._known.clear()
        self._pickup.clear()
        self.edition = edition
        return True

    def _compute_frame(self, index: int) -> WindowFrame:
        target = self._target(index * self._step)
        data = self._set_pose(target)
        mujoco.mj_comVel(self._body.model, data)
        mujoco.mj_subtreeVel(self._body.model, data)
        momenta = (data.subtree_com[1].copy(), data.subtree_linvel[1].copy(), data.subtree_angmom[1].copy())
        corner = link_points_in_world(data.xpos, data.xmat, self.link, self.local)
        down = np.zeros(len(self.link), bool) if target.down is None else target.down[self._part]
        loads = link_points_in_world(data.xpos, data.xmat, self.load_link, self.load_local)
        mass = np.where(index * self._step > self._since - 1e-9, self._mass, 0.0)
        frame = WindowFrame(target.qpos, target.qvel, *momenta, corner, down, loads, self._load_velocities(loads), mass)
        return frame if mass.all() else self._with_lying_loads(frame)

    def _target(self, time: float) -> Target:
        """The reference's target at a time (s); past its end the reference coasts to rest."""
        end = self._reference.duration
        if end is None or time < end:
            return self._reference.at(time)
        last = self._reference.at(end - self._step)
        slower = exp(-(time - end + self._step) / COAST)
        qpos = np.array(last.qpos)
        mujoco.mj_integratePos(self._body.model, qpos, last.qvel, COAST * (1.0 - slower))
        return replace(last, qpos=qpos, qvel=slower * last.qvel)

    def _set_pose(self, target: Target) -> mujoco.MjData:
        """Compute the kinematics of the body in a target's pose and velocity; return MuJoCo's data, which is reused."""
        data = self._data
        data.qpos[:], data.qvel[:] = target.qpos, target.qvel
        mujoco.mj_kinematics(self._body.model, data)
        mujoco.mj_comPos(self._body.model, data)
        return data

    def _with_lying_loads(self, frame: WindowFrame) -> WindowFrame:
        """The frame; each load that is not carried yet is at rest where it will be taken up."""
        if not self._pickup:
            for k, since in enumerate(self._since):
                data = self._set_pose(self._target(float(since)))
                self._pickup.append(link_points_in_world(data.xpos, data.xmat, self.load_link, self.load_local)[k])
        carried = frame.load_mass[:, None] > 0
        points = np.where(carried, frame.load_point, np.array(self._pickup))
        return frame._replace(load_point=points, load_velocity=np.where(carried, frame.load_velocity, 0.0))

    def _load_velocities(self, points: Array) -> Array:
        """(L, 3) m/s: velocities of the points (L, 3) m that carry loads."""
        model, data = self._body.model, self._data
        jacobian, out = np.zeros((3, model.nv)), np.zeros((len(self.load_link), 3))
        for k, (link, place) in enumerate(zip(self.load_link, points, strict=True)):
            mujoco.mj_jac(model, data, jacobian, None, place, int(link))
            out[k] = jacobian @ data.qvel
        return out


@kernel
def link_points_in_world(place: Array, turn: Array, link: Ints, local: Array) -> Array:
    """(k, 3) m in the world: points ``local`` of ``link`` (k,); ``place`` and ``turn`` (., 9) are of all links."""
    out = np.empty_like(local)
    for k in range(len(link)):
        transform_point(place[link[k]], turn[link[k]].reshape(3, 3), local[k], out[k])
    return out


class CompositeInertia(NamedTuple):
    """Inertia of the body together with all loads that it carries by the end of the window, at their present places."""

    com: Array  # (3,) m
    mass: float  # kg
    inertia: Array  # (3, 3) kg m^2 about the centre of mass


class ModalLoads:
    """Adds the loads to the terms of the body's equations of motion."""

    def __init__(self, model: mujoco.MjModel, nv: int, frames: ModalWindowFrames) -> None:
        self._model, self._nv, self._frames = model, nv, frames
        self._gravity = np.array(model.opt.gravity)  # (3,) m/s^2
        self._moving, self._rate = np.zeros((3, model.nv)), np.zeros((3, model.nv))

    def equation_terms(self, state: State, frame: WindowFrame) -> tuple[Array, Array]:
        """Mass matrix (nv, nv) and bias forces (nv,) with the loads that are carried in a frame."""
        nv, data = self._nv, state.data
        mass, bias = np.array(state.mass[:nv, :nv]), np.array(state.bias[:nv])
        if not frame.load_mass.any():
            return mass, bias
        points = link_points_in_world(data.xpos, data.xmat, self._frames.load_link, self._frames.load_local)
        for link, place, load in zip(self._frames.load_link, points, frame.load_mass, strict=True):
            mujoco.mj_jac(self._model, data, self._moving, None, place, int(link))
            mujoco.mj_jacDot(self._model, data, self._rate, None, place, int(link))
            rows = self._moving[:, :nv]
            mass += load * rows.T @ rows
            bias += load * (self._rate @ state.qvel - self._gravity) @ rows
        return mass, bias

    def composite_inertia(self, state: State, frame: WindowFrame, loads: Array) -> CompositeInertia:
        """Inertia of the body with loads (L,) kg; loads not carried yet in the frame lie where they are taken up."""
        data, points = state.data, frame.load_point
        if len(loads):
            carried = link_points_in_world(data.xpos, data.xmat, self._frames.load_link, self._frames.load_local)
            points = np.where(frame.load_mass[:, None] > 0, carried, points)
        root, com = np.ascontiguousarray(state.mass[:ROOT, :ROOT]), data.subtree_com[1]
        return CompositeInertia(*rigid_mode_inertia(root, data.xpos[1], data.xmat[1], com, loads, points))


@kernel
def rigid_mode_inertia(
    root: Array, place: Array, turn: Array, com: Array, loads: Array, points: Array
) -> tuple[Array, float, Array]:
    """The fields of `CompositeInertia` for a body and loads (L,) kg at points (L, 3) m.

    ``root`` (6, 6) is the mass matrix of the body's root; ``place`` (3,) m and ``turn`` (9,) are its position and
    orientation. ``com`` (3,) m is the centre of mass of the body without loads.
    """
    mass, axes = root[0, 0], turn.reshape(3, 3)
    total, middle = mass, mass * com
    for k in range(len(loads)):
        total += loads[k]
        middle += loads[k] * points[k]
    middle /= total
    inertia = axes @ np.ascontiguousarray(root[3:, 3:]) @ axes.T
    _add_point_inertia(-mass, com - place, inertia)
    _add_point_inertia(mass, com - middle, inertia)
    for k in range(len(loads)):
        _add_point_inertia(loads[k], points[k] - middle, inertia)
    return middle, total, inertia


@kernel
def _add_point_inertia(mass: float, arm: Array, inertia: Array) -> None:
    """Add to `inertia` (3, 3) kg m^2 the inertia of a point mass (kg) at a distance `arm` (3,) m."""
    size = mass * (arm @ arm)
    for i in range(3):
        inertia[i, i] += size
        for j in range(3):
            inertia[i, j] -= mass * arm[i] * arm[j]
