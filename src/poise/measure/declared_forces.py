"""Forces that a recording's events declare, and what else its `external` holds.

Declared are pushes, hung weights, and the stabiliser of a controller. All else is a hand from nowhere. The size of a
stabiliser or of such a hand is told in N and N m, as an impulse, and as the distance by which the centre of pressure
would have to lie outside the points that bear the body to give it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array, Mask
from poise.errors import PoiseError
from poise.measure.replay import Replay
from poise.world.pushes import Push
from poise.world.recording import Recording

NOTHING = 1e-6  # Forces (N) and torques (N m) below this are rounding errors
BEARING = 0.02  # Share of the weight that contacts must carry for a centre of pressure to exist
ON_TIME = 1e-6  # Tolerance (s) of the times of events
_ANGLES = np.linspace(0, 2 * pi, 72, endpoint=False)
_SIDES = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)  # (72, 2) directions in which support is measured


@dataclass(frozen=True)
class DeclaredForces:
    """The parts of a recording's `external` forces: those that its events declare, and the rest."""

    replay: Replay
    stabiliser: Array  # (T, nv) N and N m on the performer's root, of a controller that declares one
    undeclared: Array  # (T, nv) what no event declares
    weight_errors: Array  # (K,) errors of hung weights' forces, as shares of the weight, or of its inertial force

    @classmethod
    def of(cls, replay: Replay) -> "DeclaredForces":
        """Take the pushes of a recording from its external forces, then the weights, then the stabiliser."""
        r = replay.recording
        rest = r.external - pushed_forces(replay)
        rows = np.zeros(r.model.nv, bool)
        if kind := declared_stabiliser(r.meta):
            first = int(r.model.body_dofadr[r.root])
            rows[first + (3 if kind == "torque" else 0) : first + 6] = True
        weights, errors = _weight_forces(replay, rest, ~rows)
        rest -= weights
        return cls(replay, np.where(rows, rest, 0.0), np.where(rows, 0.0, rest), errors)

    @cached_property
    def assistance(self) -> "Effort":
        """Size of the stabiliser's forces."""
        return Effort.of(self.replay, self.stabiliser)

    @cached_property
    def intrusion(self) -> "Effort":
        """Size of the forces that nothing declares."""
        return Effort.of(self.replay, self.undeclared)


@dataclass(frozen=True)
class Effort:
    """Size of external forces."""

    peak_n: float  # N, largest force on the performer's root
    peak_nm: float  # N m, largest torque on the performer's root or on any joint
    share: float  # of the time in which they act
    impulse_ns: float  # N s, sum over time of the forces, and of the torques at 1 m
    outside_m: float | None  # m, median distance of the centre of pressure that would give them from the support
    outside_p95_m: float | None  # m, 95th percentile; both None if nothing bears the body while they act

    @classmethod
    def of(cls, replay: Replay, forces: Array) -> "Effort":
        """Size of generalised forces (T, nv)."""
        r = replay.recording
        first = int(r.model.body_dofadr[r.root])
        linear = np.linalg.norm(forces[:, first : first + 3], axis=1)
        torque = np.linalg.norm(np.delete(forces, np.s_[first : first + 3], axis=1), axis=1)
        acts = ~(linear + torque <= NOTHING)  # also numbers that are not finite
        if not acts.any():
            return cls(0.0, 0.0, 0.0, 0.0, None, None)
        outside = _distance_outside_support(replay, forces)[acts]
        outside = outside[np.isfinite(outside)]
        median, high = np.percentile(outside, [50, 95]).tolist() if outside.size else (None, None)
        impulse = r.step * float((linear + torque)[acts].sum())
        return cls(float(linear.max()), float(torque.max()), float(acts.mean()), impulse, median, high)

    @classmethod
    def of_pieces(cls, pieces: "Sequence[Effort]") -> "Effort":
        """The size over pieces of a recording, nearly equally long; distances are those of the worst piece."""
        distances = zip(*((piece.outside_m, piece.outside_p95_m) for piece in pieces), strict=True)
        outside = [[far for far in each if far is not None] for each in distances]
        return cls(
            max(piece.peak_n for piece in pieces),
            max(piece.peak_nm for piece in pieces),
            float(np.mean([piece.share for piece in pieces])),
            sum(piece.impulse_ns for piece in pieces),
            *(max(each) if each else None for each in outside),
        )

    @property
    def text(self) -> str:
        """The size in words."""
        peaks = [f"{peak:.3g} {unit}" for peak, unit in ((self.peak_n, "N"), (self.peak_nm, "N m")) if peak > NOTHING]
        unit = "N s" if self.peak_n > NOTHING else "N m s"
        share = f"in {100 * self.share:.0f} % of the time"
        words = f"up to {' and '.join(peaks)} {share}, {self.impulse_ns:.3g} {unit} in all"
        if self.outside_m is None or self.outside_p95_m is None:
            return f"{words}; nothing bears the body meanwhile"
        far = f"{100 * self.outside_m:.0f} cm (median) and {100 * self.outside_p95_m:.0f} cm (95 %)"
        return f"{words}; to give it, the centre of pressure would have to be {far} outside the support"


def declared_stabiliser(meta: dict[str, Any]) -> str | None:
    """What a declared stabiliser may give: `torque`, or `force and torque`; None if the recording declares none.

    Older recordings do not say; there, the controller `poses` declares a torque.
    """
    if "stabiliser" in meta:
        return meta["stabiliser"] if meta["stabiliser"] in ("torque", "force and torque") else None
    return "torque" if meta.get("controller") == "poses" else None


def pushed_forces(replay: Replay) -> Array:
    """Generalised forces (T, nv) of the recorded pushes, each at the centre of mass of its link."""
    r = replay.recording
    out = np.zeros_like(r.external)
    for event in (each for each in r.events if each.get("kind") == "push"):
        try:
            push = Push(float(event["force"]), float(event["time"]), float(event["duration"]))
            force, link = _vector(event["world_force"]), _link_id(r.model, event)
        except (KeyError, TypeError, ValueError, PoiseError):
            continue  # an event that does not say what it is declares nothing
        acting = [(k, share) for k, time in enumerate(r.time[:-1].tolist()) if (share := push.share(time, r.step)) > 0]
        if acting:
            steps, shares = np.array([k for k, _ in acting]), np.array([share for _, share in acting])
            bodies = np.full(len(steps), link)
            out += replay.generalised_forces(steps, bodies, replay.xipos[steps, bodies], shares[:, None] * force)
    return out


def _vector(values: Any) -> Array:
    """Three finite numbers of an event; ValueError or TypeError if they are not."""
    vector = np.array(values, float).reshape(3)
    if not np.all(np.isfinite(vector)):
        raise ValueError("not finite")
    return vector


def _link_id(model: mujoco.MjModel, event: dict[str, Any]) -> int:
    """Body id of the link that an event names."""
    found = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, str(event["body"]))
    if found < 0:
        raise KeyError(event["body"])
    return int(found)


def _weight_forces(replay: Replay, external: Array, rows: Mask) -> tuple[Array, Array]:
    """Generalised forces (T, nv) of hung weights, and their errors (K,).

    A weight must exert m (g - a), with the acceleration of its point. The simulation finds this force by trials and
    stops near it, in blows less near; the difference is fitted to the `rows` of `external`, and its size is the error.
    """
    r = replay.recording
    gravity, starts = np.array(r.model.opt.gravity), r.time[:-1] + ON_TIME
    columns, expected, scale = [], [], []
    for event, begin, end in _hung_weights(r):
        try:
            (mass, *_), link, point = _vector([event["mass"]] * 3), _link_id(r.model, event), _vector(event["point"])
        except (KeyError, TypeError, ValueError):
            continue
        if mass <= 0:
            continue  # a weight that lifts is none
        steps = np.flatnonzero((starts >= begin) & (starts < end))
        places = replay.xpos[:, link] + replay.xmat[:, link] @ point  # (T+1, 3)
        gained = np.diff(replay.point_velocity(link, places), axis=0) / r.step
        acts = np.isin(np.arange(r.steps), steps)[:, None]
        for axis in np.eye(3):
            unit = np.tile(axis, (len(steps), 1))
            columns.append(replay.generalised_forces(steps, np.full(len(steps), link), places[steps], unit))
        expected.append(np.where(acts, mass * (gravity - gained), 0.0))
        scale.append(mass * np.maximum(np.linalg.norm(gravity), np.linalg.norm(gained, axis=1)))
    out, errors = np.zeros_like(external), []
    if not columns:
        return out, np.zeros(0)
    jacobian, force = np.stack(columns, axis=2), np.concatenate(expected, axis=1)  # (T, nv, 3W), (T, 3W)
    for k in np.flatnonzero(jacobian.any(axis=(1, 2))):
        off = np.linalg.lstsq(jacobian[k, rows], (external[k] - jacobian[k] @ force[k])[rows], rcond=1e-9)[0]
        sizes = np.linalg.norm(off.reshape(-1, 3), axis=1)
        pairs = zip(sizes.tolist(), (most[k] for most in scale), strict=True)
        errors.append(max(size / most if most else size for size, most in pairs))
        out[k] = jacobian[k] @ (force[k] + off)
    return out, np.array(errors)


def _hung_weights(recording: Recording) -> Iterator[tuple[dict[str, Any], float, float]]:
    """The events that hang a weight, each with the times (s) from and until which it hangs."""
    timed = [event for event in recording.events if isinstance(event.get("time"), int | float)]
    ends = sorted(float(event["time"]) for event in timed if event.get("kind") == "weights off")
    for event in timed:
        if event.get("kind") == "weight":
            begin = float(event["time"])
            yield event, begin, next((end for end in ends if end >= begin), np.inf)


def _distance_outside_support(replay: Replay, forces: Array) -> Array:
    """Signed distance (T,) m, outside the points that bear the performer, of a centre of pressure that gives `forces`.

    The contacts keep their own forces, and give `forces` (T, nv) on the performer's root in addition. NaN where nothing
    bears the performer.
    """
    r, model, root = replay.recording, replay.recording.model, replay.recording.root
    first, own = int(model.body_dofadr[root]), model.body_rootid == model.body_rootid[root]
    mine = own[r.contact_body] != own[r.contact_other]
    step, point = r.contact_step[mine], r.contact_point[mine]
    force = np.where(own[r.contact_body[mine]], 1.0, -1.0)[:, None] * r.contact_force[mine]
    total, moment = np.zeros((r.steps, 3)), np.zeros((r.steps, 3))  # about the origin
    np.add.at(total, step, force)
    np.add.at(moment, step, np.cross(point, force))
    height, carried = np.zeros(r.steps), np.zeros(r.steps)
    pressing = np.maximum(force[:, 2], 0.0)
    np.add.at(height, step, pressing * point[:, 2])
    np.add.at(carried, step, pressing)
    reach = np.full((r.steps, len(_SIDES)), -np.inf)
    bears = pressing > 0
    np.maximum.at(reach, step[bears], point[bears, :2] @ _SIDES.T)
    push = forces[:, first : first + 3]
    total += push
    moment += np.einsum("kij,kj->ki", replay.xmat[:-1, root], forces[:, first + 3 : first + 6])
    moment += np.cross(replay.xpos[:-1, root], push)
    tree = int(replay.floating_tree_index(np.array([root]))[0])
    least = BEARING * float(replay.mass[tree]) * float(np.linalg.norm(model.opt.gravity))
    known = (carried > least) & (total[:, 2] > least)
    down, level = np.where(known, total[:, 2], 1.0), height / np.where(known, carried, 1.0)
    centre = np.stack([level * total[:, 0] - moment[:, 1], level * total[:, 1] + moment[:, 0]], axis=1) / down[:, None]
    outside = np.max(np.where(known[:, None], centre @ _SIDES.T - reach, 0.0), axis=1)
    return np.where(known, np.maximum(outside, 0.0), np.nan)
