"""The audit: replays a recording and checks it against mechanics, independently of how it was made."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.body.surface import distance_to_link
from poise.errors import PoiseError
from poise.measure.replay import Replay
from poise.world.recording import Recording

GRASP = 0.1  # Largest distance (m) of a grip from the surfaces it joins: the reach of fingers
EARTH = 9.81  # m/s^2. Errors are fractions of the weight on Earth, whatever the scene's gravity.


@dataclass(frozen=True)
class AuditCheck:
    """A measured value and its upper bound."""

    name: str
    value: float
    bound: float
    unit: str
    meaning: str

    @property
    def passed(self) -> bool:
        """Whether the value is within its bound; NaN is not."""
        return bool(self.value <= self.bound)


@dataclass(frozen=True)
class Audit:
    """All checks of a recording."""

    checks: tuple[AuditCheck, ...]

    @property
    def passed(self) -> bool:
        """Whether all checks passed."""
        return all(check.passed for check in self.checks)

    def as_dict(self) -> dict[str, Any]:
        """Return a table for JSON; an infinite bound, which JSON lacks, becomes null."""
        bounds = [c.bound if np.isfinite(c.bound) else None for c in self.checks]
        tables = zip(self.checks, bounds, strict=True)
        checks = {c.name: {**asdict(c), "bound": bound, "passed": c.passed} for c, bound in tables}
        return {"passed": self.passed, "checks": checks}

    def __repr__(self) -> str:
        failed = ", ".join(check.name for check in self.checks if not check.passed)
        return f"Audit({f'failed: {failed}' if failed else 'passed'})"


def audit(recording: Recording | str | Path, replay: Replay | None = None) -> Audit:
    """Check momentum, contact laws, penetration and torques of a recording, or of the one in a file."""
    recording = Recording.of(recording)
    fault = recording.fault() or (None if recording.steps else "it has no steps")
    if fault:
        raise PoiseError(f"the recording cannot be audited: {fault}")
    replay = replay or Replay.of(recording)
    linear, angular, drift = _momentum_errors(replay)
    pull, cone, driven = _friction_errors(replay)
    apart, away, angle = np.max(replay.places, axis=0, initial=0.0)
    gap, misplaced, askew = 1e3 * float(apart), 1e3 * float(away), float(np.degrees(angle))
    slip, reach = replay.mean_slip(recording.contact_kind == 0), _grip_distance(replay)
    roots = (recording.model.body_dofadr[replay.roots][:, None] + np.arange(6)).ravel()
    root_torque = float(np.max(np.abs(recording.torque[:, roots]), initial=0.0))
    residual = float(recording.meta.get("solver", {}).get("worst_residual", 0.0))
    checks = (
        AuditCheck("linear_momentum", linear, 1e-6, "of weight", "change beyond contacts, gravity and external forces"),
        AuditCheck("angular_momentum", angular, 1e-6, "of weight x 1 m", "change beyond the moments of those forces"),
        AuditCheck("centre_of_mass", drift, 1e-6, "m", "movement that its momentum does not explain"),
        AuditCheck("root_torque", root_torque, 1e-9, "N m", "joint actuation on a free root"),
        AuditCheck("pull", pull, 1e-6, "of weight", "contact force that pulls"),
        AuditCheck("friction_cone", cone, 1e-6, "of weight", "tangential force beyond friction"),
        AuditCheck(
            "friction_work", driven, 0.05, "of friction's work", "friction that drives slips instead of braking"
        ),
        AuditCheck("contact_distance", gap, 10.0, "mm", "distance of two bodies in a step in which they pressed"),
        AuditCheck("contact_place", misplaced, 1.0, "mm", "distance of a force from where the surfaces are closest"),
        AuditCheck("contact_normal", askew, 1.0, "degrees", "angle of a normal to that of the surfaces"),
        AuditCheck("slip", slip, np.inf, "mm/s", "mean slip of contacts, weighted by force: for information"),
        AuditCheck("grip_distance", reach, 1e3 * GRASP, "mm", "distance of a grip from a body it joins"),
        AuditCheck("penetration", 1e3 * float(replay.depth.max()), 15.0, "mm", "deepest overlap of two bodies"),
        AuditCheck("torque_ratio", torque_ratio(recording), 1 + 1e-9, "", "largest joint torque against its limit"),
        AuditCheck("solver_residual", residual, 1e-8, "m/s", "complementarity of the contact solves"),
    )
    return Audit(checks)


def torque_ratio(recording: Recording) -> float:
    """Largest joint torque relative to its limit; infinite if the recording states no limits. Null is unlimited."""
    peak = np.abs(recording.torque).max(axis=0, initial=0.0)
    stated = recording.meta.get("torque_limits")
    if not isinstance(stated, list) or len(stated) != len(peak):
        return float("inf") if peak.any() else 0.0
    limits = np.array([np.inf if value is None else value for value in stated], float)
    return float(np.max(np.divide(peak, limits, out=np.where(peak > 0, np.inf, 0.0), where=limits > 0), initial=0.0))


def _momentum_errors(replay: Replay) -> tuple[float, float, float]:
    """Largest errors per step of linear and angular momentum over h m g (times 1 m), and of the centre of mass (m)."""
    r, h = replay.recording, replay.recording.step
    if not len(replay.roots):
        return 0.0, 0.0, 0.0
    gravity = np.array(r.model.opt.gravity)
    before = replay.com[:-1]  # (T, trees, 3)
    force, moment = _external_force_and_moment(replay)
    for bodies, sign in ((r.contact_body, 1.0), (r.contact_other, -1.0)):
        tree = replay.floating_tree_index(bodies)
        on = tree >= 0
        k, t = r.contact_step[on], tree[on]
        pushing = sign * r.contact_force[on]
        np.add.at(force, (k, t), pushing)
        np.add.at(moment, (k, t), np.cross(r.contact_point[on] - before[k, t], pushing))
    weight = replay.mass[:, None] * EARTH
    expected = force + replay.mass[:, None] * gravity
    linear = np.diff(replay.linear, axis=0) / h - expected
    angular = np.diff(replay.angular, axis=0) / h - moment
    moved = np.diff(replay.com, axis=0) - h * replay.linear[1:] / replay.mass[:, None]
    relative = float(np.max(np.abs(linear) / weight)), float(np.max(np.abs(angular) / weight))
    return *relative, float(np.max(np.abs(moved)))


def _external_force_and_moment(replay: Replay) -> tuple[Array, Array]:
    """Force (N) and moment (N m) about the centre of mass (T, trees, 3) of `external`, from the free roots' rows."""
    r, model = replay.recording, replay.recording.model
    force, moment = (np.zeros((r.steps, len(replay.roots), 3)) for _ in range(2))
    for tree, root in enumerate(replay.roots):
        first = int(model.body_dofadr[root])
        push = r.external[:, first : first + 3]
        twist = np.einsum("kij,kj->ki", replay.xmat[:-1, root], r.external[:, first + 3 : first + 6])
        lever = replay.com[:-1, tree] - replay.xpos[:-1, root]
        force[:, tree] = push
        moment[:, tree] = twist - np.cross(lever, push)
    return force, moment


def _friction_errors(replay: Replay) -> tuple[float, float, float]:
    """Pulling force, force outside the friction cone, and the share of friction's work that drives slip.

    The share is taken over the worst second, so that a long recording is judged as strictly as a short one. Without
    slip, friction's work is only noise: impacts bend the path of a contact point within a step, and sticking points
    oscillate by the step's third-order error. The work of a fall by 1 cm is therefore added to the denominator.
    """
    r = replay.recording
    loose = r.contact_kind == 0
    if not loose.any():
        return 0.0, 0.0, 0.0
    weight = float(replay.mass.max()) * EARTH
    friction = np.minimum(r.contact_friction, _surface_friction(replay) * (1 + 1e-9))
    force, normal = r.contact_force[loose], r.contact_normal[loose]
    pressing = np.einsum("ni,ni->n", force, normal)
    tangential = force - pressing[:, None] * normal
    size = np.linalg.norm(tangential, axis=1)
    power = np.einsum("ni,ni->n", tangential, replay.slip_velocity[loose])
    second = (r.contact_step[loose] * r.step).astype(np.int64)
    driving, working = (r.step * np.bincount(second, part) for part in (np.maximum(power, 0.0), np.abs(power)))  # J
    return (
        float(np.max(-pressing, initial=0.0)) / weight,
        float(np.max(size - friction[loose] * pressing, initial=0.0)) / weight,
        float(np.max(driving / (working + 0.01 * weight))),
    )


def _grip_distance(replay: Replay) -> float:
    """Largest distance (mm) of a grip from the surface of either body that it joins."""
    r, model = replay.recording, replay.recording.model
    worst = 0.0
    for n in np.flatnonzero(r.contact_kind == 1):
        for body in (r.contact_body[n], r.contact_other[n]):
            place, turn = replay.xpos[r.contact_step[n], body], replay.xmat[r.contact_step[n], body]
            local = turn.T @ (r.contact_point[n] - place)
            worst = max(worst, distance_to_link(model, int(body), local))
    return 1e3 * worst


def _surface_friction(replay: Replay) -> Array:
    """Largest friction coefficient (N,) of the geoms of the two bodies at each contact."""
    model, r = replay.recording.model, replay.recording
    best = np.zeros(model.nbody)
    np.maximum.at(best, model.geom_bodyid, model.geom_friction[:, 0])
    return np.maximum(best[r.contact_body], best[r.contact_other])
