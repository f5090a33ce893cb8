"""Replay of a recording through MuJoCo's kinematics, which audit and metrics measure."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import acos, ceil, dist

import mujoco
import numpy as np

from poise.arrays import Array, Ints, Mask
from poise.body.link_kinematics import links_moved_by_dofs
from poise.body.self_contact import SLACK
from poise.world.candidates import UPWARD
from poise.world.recording import Recording

LONGEST = 15_000  # Steps of the longest recording that is replayed in one piece, which takes about 450 MB
TOUCH = 1e-3  # Distance (m) within which surfaces touch; the default of `WorldSettings.touch`


@dataclass(frozen=True)
class Replay:
    """Kinematics, momenta and inertial forces. Momenta are summed from body velocities, not from the mass matrix."""

    recording: Recording
    roots: Ints  # (trees,) body ids of free roots
    mass: Array  # (trees,) kg
    com: Array  # (T+1, trees, 3) m
    linear: Array  # (T+1, trees, 3) kg m/s
    angular: Array  # (T+1, trees, 3) kg m^2/s, about the centre of mass
    xpos: Array  # (T+1, nbody, 3) m
    xmat: Array  # (T+1, nbody, 3, 3)
    xipos: Array  # (T+1, nbody, 3) m, centres of mass of the links
    tree_com: Array  # (T+1, nbody, 3) m, centre of mass of each body's tree, to which `axes` refer
    axes: Array  # (T+1, nv, 6) motion of each DOF: rotation, and translation of the tree's centre of mass
    inertial_force: Array  # (T, nv) M (v1 - v0) / h + bias: what all other forces of a step must add up to
    root_inertia: Array  # (T, nv, 6) kg m^2: columns of the mass matrix of the free root of each DOF's tree
    touches: "tuple[CloseSurfaces, ...]"  # per state: surfaces that touch or are close

    @classmethod
    def of(cls, recording: Recording) -> "Replay":
        """Replay all states of a recording."""
        model = recording.model
        data = mujoco.MjData(model)
        free = model.jnt_type == mujoco.mjtJoint.mjJNT_FREE
        roots = model.jnt_bodyid[free].astype(np.int64)
        states = len(recording.time)
        com, linear, angular = (np.zeros((states, len(roots), 3)) for _ in range(3))
        xpos, xipos, tree_com = (np.zeros((states, model.nbody, 3)) for _ in range(3))
        xmat, axes = np.zeros((states, model.nbody, 3, 3)), np.zeros((states, model.nv, 6))
        inertial_force = np.zeros((recording.steps, model.nv))
        root_inertia = np.zeros((recording.steps, model.nv, 6))
        columns, grounded = _root_columns(model)
        inertia, bias, own = np.zeros((model.nv, model.nv)), np.zeros(model.nv), np.arange(model.nv)[:, None]
        gained = np.diff(recording.qvel, axis=0) / recording.step  # (T, nv) m/s^2 or rad/s^2
        touches = []
        mass = model.body_subtreemass[roots]
        for k in range(states):
            data.qpos[:], data.qvel[:] = recording.qpos[k], recording.qvel[k]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_collision(model, data)
            mujoco.mj_comVel(model, data)
            mujoco.mj_subtreeVel(model, data)
            com[k] = data.subtree_com[roots]
            linear[k] = data.subtree_linvel[roots] * mass[:, None]
            angular[k] = data.subtree_angmom[roots]
            xpos[k], xmat[k], xipos[k] = data.xpos, data.xmat.reshape(-1, 3, 3), data.xipos
            tree_com[k], axes[k] = data.subtree_com[model.body_rootid], data.cdof
            if k < recording.steps:
                mujoco.mj_makeM(model, data)
                mujoco.mj_fullM(model, data, inertia)
                mujoco.mj_rne(model, data, 0, bias)
                inertial_force[k] = inertia @ gained[k] + bias
                root_inertia[k] = inertia[own, columns]
            touches.append(CloseSurfaces.of(model, data))
        root_inertia[:, grounded] = 0.0
        # fmt: off
        return cls(
            recording, roots, mass, com, linear, angular, xpos, xmat, xipos, tree_com, axes, inertial_force,
            root_inertia, tuple(touches),
        )
        # fmt: on

    def generalised_forces(self, step: Ints, body: Ints, point: Array, force: Array) -> Array:
        """Generalised forces (T, nv) of forces (n, 3) N on bodies at points (n, 3) m, in the steps (n,)."""
        model, steps = self.recording.model, self.recording.steps
        wrench = np.zeros((steps, model.nbody, 6))  # about the tree's centre of mass
        np.add.at(wrench[:, :, :3], (step, body), np.cross(point - self.tree_com[step, body], force))
        np.add.at(wrench[:, :, 3:], (step, body), force)
        return np.asarray(np.einsum("kdi,kdi->kd", self.axes[:-1], self._moved_bodies @ wrench))

    def point_velocity(self, body: int, point: Array) -> Array:
        """Velocity (T+1, 3) m/s of the material point of a body that is at `point` (T+1, 3) m."""
        twist = np.einsum("kdi,kd->ki", self.axes, self.recording.qvel * self._moved_bodies[:, body])
        return np.asarray(twist[:, 3:] + np.cross(twist[:, :3], point - self.tree_com[:, body]))

    @cached_property
    def contact_forces(self) -> Array:
        """Generalised forces (T, nv) of all contacts and grips, on both bodies."""
        r = self.recording
        step, body = np.tile(r.contact_step, 2), np.concatenate([r.contact_body, r.contact_other])
        points, forces = np.tile(r.contact_point, (2, 1)), np.concatenate([r.contact_force, -r.contact_force])
        return self.generalised_forces(step, body, points, forces)

    @cached_property
    def _moved_bodies(self) -> Array:
        """(nv, nbody) 1 where a DOF moves a body."""
        return np.ascontiguousarray(links_moved_by_dofs(self.recording.model).T)

    def floating_tree_index(self, bodies: Ints) -> Ints:
        """Index of the floating tree of each body, -1 if it is fixed."""
        lookup = np.full(self.recording.model.nbody, -1)
        for tree, root in enumerate(self.roots):
            lookup[self.recording.model.body_rootid == root] = tree
        found: Ints = lookup[bodies]
        return found

    @cached_property
    def slip(self) -> Array:
        """Tangential speed (N,) in m/s of each contact's material point on `contact_body` against `contact_other`."""
        return np.asarray(np.linalg.norm(self.slip_velocity, axis=1))

    def mean_slip(self, chosen: Mask) -> tuple[float, float]:
        """Mean slip speed (mm/s) of the contacts in a mask (N,), weighted by their forces, and the sum of these (N)."""
        force = np.linalg.norm(self.recording.contact_force[chosen], axis=1)
        total = float(force.sum())
        return 1e3 * float(np.sum(force * self.slip[chosen]) / total) if total else 0.0, total

    @cached_property
    def slip_velocity(self) -> Array:
        """Mean tangential velocity (N, 3) in m/s of each contact's material points over the step."""
        r = self.recording
        return np.asarray((self._contact_moves - self.normal_moves[:, None] * r.contact_normal) / r.step)

    @cached_property
    def normal_moves(self) -> Array:
        """Distance (N,) in m by which each contact's material points move apart along the normal in the step."""
        return np.asarray(np.einsum("ni,ni->n", self._contact_moves, self.recording.contact_normal))

    @cached_property
    def _contact_moves(self) -> Array:
        """Displacement (N, 3) in m of each contact's material point on `contact_body` against `contact_other`."""
        r = self.recording
        return self._contact_point_moves(r.contact_body) - self._contact_point_moves(r.contact_other)

    def _contact_point_moves(self, bodies: Ints) -> Array:
        """Displacement (N, 3) in m of each contact point with a body during its step."""
        r, k = self.recording, self.recording.contact_step
        local = np.einsum("nij,ni->nj", self.xmat[k, bodies], r.contact_point - self.xpos[k, bodies])
        after = np.einsum("nij,nj->ni", self.xmat[k + 1, bodies], local) + self.xpos[k + 1, bodies]
        return np.asarray(after - r.contact_point)

    @cached_property
    def depth(self) -> Array:
        """Deepest penetration (T+1,) in m of pairs that are not joined by a grip."""
        held: dict[int, set[tuple[int, int]]] = {}
        r = self.recording
        for n in np.flatnonzero(r.contact_kind == 1):
            pair = _ordered_pair(int(r.contact_body[n]), int(r.contact_other[n]))
            for state in (int(r.contact_step[n]), int(r.contact_step[n]) + 1):
                held.setdefault(state, set()).add(pair)
        return np.array([touches.depth(held.get(k, set())) for k, touches in enumerate(self.touches)])

    @cached_property
    def self_overlap(self) -> Array:
        """Deepest overlap (T+1,) in m of links of one body, beyond their overlap in its standing pose.

        The pairs of geoms are those of `poise.body.self_contact`; it is 0 in recordings that lack these pairs.
        """
        own = (touches.dist[touches.own] for touches in self.touches)
        return np.array([max(0.0, SLACK - dist.min(initial=np.inf)) for dist in own])

    @cached_property
    def deepest_self_overlap(self) -> str:
        """The two links and the time of the deepest `self_overlap`; empty without overlap."""
        if not self.self_overlap.any():
            return ""
        k = int(np.argmax(self.self_overlap))
        touches = self.touches[k]
        pair = touches.pair[int(np.argmin(np.where(touches.own, touches.dist, np.inf)))]
        first, second = (self.recording.model.body(link).name for link in pair)
        depth = 1e3 * self.self_overlap[k]
        return f"deepest {first} and {second}, {depth:.0f} mm at {self.recording.time[k]:.2f} s"

    @cached_property
    def places(self) -> Array:
        """Gap (m), distance to the surface point (m) and angle to its normal (rad) of each contact, (N, 3).

        The gap is the smaller of the gaps at the start and the end of the step; distance and angle are at the start.
        All are infinite where the two bodies are not close, and zero for grips.
        """
        r = self.recording
        out = np.zeros((len(r.contact_step), 3))
        columns = (r.contact_kind, r.contact_step, r.contact_body, r.contact_other)
        for n, (kind, k, body, other) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
            if kind == 1:
                continue
            pair = _ordered_pair(body, other)
            flip = 1.0 if pair[0] == other else -1.0
            gap, away, angle = self.touches[k].nearest(pair, r.contact_point[n], flip * r.contact_normal[n])
            out[n] = min(gap, self.touches[k + 1].gap(pair)), away, angle
        return out

    @cached_property
    def gap_at_start(self) -> Array:
        """Distance (N,) in m of the surfaces of each contact at the start of its step; infinite if not close."""
        r = self.recording
        pairs = zip(r.contact_step.tolist(), r.contact_body.tolist(), r.contact_other.tolist(), strict=True)
        found = [self.touches[k].gap_at(_ordered_pair(a, b), r.contact_point[n]) for n, (k, a, b) in enumerate(pairs)]
        return np.array(found, float)

    @cached_property
    def gap_at_end(self) -> Array:
        """Smallest distance (N,) in m of the two bodies of each contact at the end of its step; infinite if far."""
        r = self.recording
        pairs = zip(r.contact_step.tolist(), r.contact_body.tolist(), r.contact_other.tolist(), strict=True)
        return np.array([self.touches[k + 1].gap(_ordered_pair(a, b)) for k, a, b in pairs], float)

    @property
    def touching_at_start(self) -> Mask:
        """Whether the surfaces of each contact touch at the start of the step (N,).

        Other contacts begin during the step: in part of it the surfaces move above each other without touching.
        """
        return self.gap_at_start <= TOUCH


def replays(recording: Recording) -> Iterator[Replay]:
    """Replay a recording; one longer than LONGEST in pieces of whole seconds, so that memory is bounded."""
    count = ceil(recording.steps / LONGEST)
    if count <= 1:
        yield Replay.of(recording)
        return
    length = round(ceil(recording.steps / count * recording.step) / recording.step)
    for first in range(0, recording.steps, length):
        yield Replay.of(recording.piece(first, min(first + length, recording.steps)))


@dataclass(frozen=True)
class CloseSurfaces:
    """Pairs of close surface points in one state."""

    pair: tuple[tuple[int, int], ...]  # body ids, the smaller first
    point: Array  # (n, 3) m
    normal: Array  # (n, 3) from the first body of the pair to the second
    dist: Array  # (n,) m; for links of one body, the distance from the overlap at which they touch
    own: Mask  # (n,) whether they are links of one body

    @classmethod
    def of(cls, model: mujoco.MjModel, data: mujoco.MjData) -> "CloseSurfaces":
        """Take the contacts that MuJoCo's collision detection has just found, without walls of height fields."""
        found = data.contact
        walls = (model.geom_type[found.geom[:, 0]] == mujoco.mjtGeom.mjGEOM_HFIELD) & (found.frame[:, 2] < UPWARD)
        slack = np.minimum(found.includemargin, 0.0)  # see `poise.world.candidates`
        point, normal, dist = found.pos[~walls], found.frame[~walls, :3], (found.dist - slack)[~walls]
        bodies = model.geom_bodyid[found.geom[~walls]].reshape(-1, 2)
        flip = np.where(bodies[:, 0] <= bodies[:, 1], 1.0, -1.0)[:, None]
        pairs = tuple(_ordered_pair(a, b) for a, b in bodies.tolist())
        return cls(pairs, point, normal * flip, dist, slack[~walls] < 0)

    def depth(self, held: set[tuple[int, int]]) -> float:
        """Deepest overlap (m), except of `held` pairs and of links of one body."""
        pairs = zip(self.pair, self.dist.tolist(), self.own.tolist(), strict=True)
        return float(max([0.0, *(-gap for pair, gap, own in pairs if not own and pair not in held)]))

    def gap(self, pair: tuple[int, int]) -> float:
        """Smallest distance (m) of two bodies; infinite if they are not close."""
        return self._gaps.get(pair, np.inf)

    @cached_property
    def _gaps(self) -> dict[tuple[int, int], float]:
        """Smallest distance (m) of each pair."""
        gaps = self.dist.tolist()
        return {pair: min(gaps[k] for k in own) for pair, own in self._indices_by_pair.items()}

    @cached_property
    def _indices_by_pair(self) -> dict[tuple[int, int], list[int]]:
        """Indices of the surface points of each pair."""
        found: dict[tuple[int, int], list[int]] = {}
        for k, pair in enumerate(self.pair):
            found.setdefault(pair, []).append(k)
        return found

    def gap_at(self, pair: tuple[int, int], point: Array) -> float:
        """Distance (m) of two bodies at their surface point nearest to `point`; infinite if they are not close."""
        best = self._nearest(pair, point)
        return np.inf if best is None else float(self.dist[best])

    def nearest(self, pair: tuple[int, int], point: Array, normal: Array) -> tuple[float, float, float]:
        """Gap (m), distance (m) and angle of normals (rad) at a pair's surface point nearest to `point`."""
        best = self._nearest(pair, point)
        if best is None:
            return np.inf, np.inf, np.inf
        cosine = float(self.normal[best] @ normal) / max(float(np.linalg.norm(normal)), 1e-9)
        return self.gap(pair), dist(self.point[best], point), acos(min(1.0, max(-1.0, cosine)))

    def _nearest(self, pair: tuple[int, int], point: Array) -> int | None:
        """Index of a pair's surface point nearest to `point`."""
        mine = self._indices_by_pair.get(pair)
        return mine[int(np.argmin(((self.point[mine] - point) ** 2).sum(axis=1)))] if mine else None


def _root_columns(model: mujoco.MjModel) -> tuple[Ints, Mask]:
    """The six DOFs (nv, 6) of the free root of each DOF's tree, and the DOFs (nv,) whose tree has no free root."""
    root = model.body_rootid[model.dof_bodyid]
    free = np.isin(root, model.jnt_bodyid[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE])
    return np.where(free, model.body_dofadr[root], 0)[:, None] + np.arange(6) * free[:, None], ~free


def _ordered_pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a <= b else (b, a)
