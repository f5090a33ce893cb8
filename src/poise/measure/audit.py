"""The audit: replays a recording and checks it against mechanics, independently of how it was made."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array, Mask, true_runs
from poise.body.self_contact import self_contact_pairs
from poise.body.surface import distance_to_link
from poise.errors import PoiseError
from poise.measure.declared_forces import ON_TIME, DeclaredForces, Effort
from poise.measure.equation_of_motion import MotionErrors
from poise.measure.joint_limits import JointLimits
from poise.measure.replay import Replay, replays
from poise.measure.verdict import AuditCheck, Verdict
from poise.world.recorder import CONTACT, GRIP, SELF
from poise.world.recording import Recording

GRASP = 0.1  # Largest distance (m) of a grip from the surfaces it joins: the reach of fingers
EARTH = 9.81  # m/s^2. Errors are fractions of the weight on Earth, whatever the scene's gravity.
LEAST_FRICTION = 1e-5  # Coefficient that MuJoCo gives to surfaces without friction
LOADED = 0.02  # Share of the weight that a part in stance carries
SAME_SLACK = 1e-6  # m, largest difference of equal overlaps
AT_LIMIT = 3.0  # degrees: a joint this near to its limit may press on it in a step


@dataclass(frozen=True)
class Audit:
    """All checks of a recording, and the verdict."""

    checks: tuple[AuditCheck, ...]
    verdict: Verdict
    notes: tuple[str, ...] = ()  # what the checks refer to

    @property
    def passed(self) -> bool:
        """Whether all checks passed: the recording is physical or assisted, as its verdict says."""
        return all(check.passed for check in self.checks)

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict and the checks for JSON; infinite numbers, which JSON lacks, become null."""
        checks = {check.name: check.as_dict() for check in self.checks}
        return {**self.verdict.as_dict(), "passed": self.passed, "notes": list(self.notes), "checks": checks}

    def __repr__(self) -> str:
        return f"Audit({self.verdict})"


def audit(recording: Recording | str | Path, replay: Replay | None = None) -> Audit:
    """Judge a recording, or the one in a file: motion, forces, contacts, joints, and what is not declared."""
    recording = Recording.of(recording)
    fault = recording.fault()
    if fault:
        raise PoiseError(f"the recording cannot be audited: {fault}")
    exists = _existence_checks(recording)
    if not all(check.passed for check in exists):
        return Audit(exists, Verdict.of(exists, None))
    limits = JointLimits.of(recording)
    pieces = [_checks_of_piece(each) for each in ((replay,) if replay else replays(recording))]
    checks = (*exists, *map(_worst_check, zip(*(checks for checks, _ in pieces), strict=True)))
    assistance = Effort.of_pieces([effort for _, effort in pieces])
    verdict = Verdict.of(checks, assistance if assistance.share > 0 else None, tuple(_unjudged(recording, limits)))
    return Audit(checks, verdict, tuple(_notes(recording, limits)))


def _checks_of_piece(replay: Replay) -> tuple[tuple[AuditCheck, ...], Effort]:
    """The checks of a piece of a recording, and what a stabiliser gave in it."""
    forces, limits = DeclaredForces.of(replay), JointLimits.of(replay.recording)
    joints = (*_motion_checks(replay, limits), *_joint_checks(replay, limits), *_force_checks(forces))
    return (*joints, *_contact_checks(replay), _self_pair_check(replay.recording, limits)), forces.assistance


def _worst_check(checks: tuple[AuditCheck, ...]) -> AuditCheck:
    """The check with the largest value; a value that is not a number is the largest."""
    return max(checks, key=lambda check: np.inf if np.isnan(check.value) else check.value)


def _unjudged(recording: Recording, limits: JointLimits) -> Iterator[str]:
    """What the recording does not allow to judge."""
    if recording.limit_impulse is None:
        yield "the impulses of joint limits, which the file lacks: those that the motion needs are taken for granted"
    if limits.body is None and not recording.model.npair:
        yield "the overlap of links: the recording does not list which links can touch each other"
    if limits.unknown:
        yield "the angles of ball joints: the recording does not state their limits"


def _notes(recording: Recording, limits: JointLimits) -> Iterator[str]:
    """What the checks refer to."""
    yield f"torque limits of {limits.source}"
    gravity = np.array(recording.model.opt.gravity)
    if not np.allclose(gravity, [0, 0, -EARTH]):
        yield f"gravity is {np.round(gravity, 3).tolist()} m/s^2"


def _existence_checks(recording: Recording) -> tuple[AuditCheck, ...]:
    """Whether there is anything to judge: steps, and a performer that nothing holds in the air."""
    model = recording.model
    free = model.jnt_bodyid[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
    driven = model.body_rootid[model.dof_bodyid[recording.torque.any(axis=0)]]
    named = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, str(recording.meta.get("root")))
    is_free = len(free) > 0 and (named < 0 or named in free) and bool(np.all(np.isin(driven, free)))
    return (
        AuditCheck("steps", recording.steps, np.inf, "", "steps of the recording", least=1),
        AuditCheck("free_root", float(is_free), np.inf, "", "performers move freely: 1, or 0 if fixed", least=1),
    )


def _motion_checks(replay: Replay, limits: JointLimits) -> tuple[AuditCheck, ...]:
    """Checks of momentum, of each joint's equation of motion, and of poses against velocities."""
    recording, known = replay.recording, replay.recording.limit_impulse
    linear, angular, drift = _momentum_errors(replay)
    errors = MotionErrors.of(replay, np.zeros_like(recording.torque) if known is None else known)
    lacking = np.abs(errors.force)
    if known is None:  # what a limit can give counts as given by it
        lacking[limits.distance_of_impulses(recording.step * errors.force) <= np.radians(AT_LIMIT)] = 0.0
    force, joint = _worst(recording, lacking)
    high, median = np.percentile(lacking, [99, 50], axis=0).max(axis=1)
    turn, turned = _worst(recording, np.degrees(np.abs(errors.pose)))
    bound = 1e-6 * _performer_weight(replay)  # N m: a millionth of the weight, at 1 m
    return (
        AuditCheck("linear_momentum", linear, 1e-6, "of weight", "change beyond contacts, gravity and external forces"),
        AuditCheck("angular_momentum", angular, 1e-6, "of weight x 1 m", "change beyond the moments of those forces"),
        AuditCheck("centre_of_mass", drift, 1e-6, "m", "movement that its momentum does not explain"),
        AuditCheck("joint_equation", force, bound, "N m", "torque that a joint's motion lacks", joint),
        AuditCheck("joint_equation_p99", float(high), bound, "N m", "99 % of the steps, worst joint"),
        AuditCheck("joint_equation_median", float(median), bound, "N m", "half of the steps, worst joint"),
        AuditCheck("pose", turn, 1e-3, "degrees", "turn that velocities do not explain", turned),
    )


def _joint_checks(replay: Replay, limits: JointLimits) -> tuple[AuditCheck, ...]:
    """Checks of joint angles, of the impulses of their limits, and of torques."""
    recording, known = replay.recording, replay.recording.limit_impulse
    roots = (recording.model.body_dofadr[replay.roots][:, None] + np.arange(6)).ravel()
    root_torque = float(np.max(np.abs(recording.torque[:, roots]), initial=0.0))
    angle, bent = _worst(recording, np.degrees(limits.excess))
    pressing = np.zeros((1, 1)) if known is None else limits.distance_of_impulses(known)
    distance, pressed = _worst(recording, np.degrees(pressing))
    return (
        AuditCheck("joint_angle", angle, 1.0, "degrees", "angle of a joint beyond its limit", bent),
        AuditCheck(
            "limit_impulse", distance, AT_LIMIT, "degrees", "distance of a joint from a limit it presses on", pressed
        ),
        AuditCheck("root_torque", root_torque, 1e-9, "N m", "joint actuation on a free root"),
        AuditCheck("torque_ratio", limits.torque_ratio, 1 + 1e-9, "", "largest joint torque against its limit"),
    )


def _force_checks(forces: DeclaredForces) -> tuple[AuditCheck, ...]:
    """Checks of external forces against those declared."""
    hand, errors = forces.intrusion, forces.weight_errors
    typical, worst = (float(errors.mean()), float(errors.max())) if len(errors) else (0.0, 0.0)
    told = hand.text if hand.share else ""
    return (
        AuditCheck("undeclared_force", hand.impulse_ns, 1e-5, "N s", "external force that no event declares", told),
        AuditCheck("hung_weight", typical, 0.02, "of weight", "error of a hung weight's force m (g - a), mean"),
        AuditCheck("hung_weight_max", worst, 1.5, "of weight or m a", "the largest such error, in blows"),
    )


def _contact_checks(replay: Replay) -> tuple[AuditCheck, ...]:
    """Checks of contacts, grips, friction, overlap and slip."""
    recording = replay.recording
    pull, cone, driven, stated = _friction_errors(replay)
    apart, away, angle = np.max(replay.places, axis=0, initial=0.0)
    length = np.max(np.abs(np.linalg.norm(recording.contact_normal, axis=1) - 1.0), initial=0.0)
    gap, misplaced, askew = 1e3 * float(apart), 1e3 * float(away), float(np.degrees(max(angle, length)))
    slip, reach = replay.mean_slip(recording.contact_kind == CONTACT)[0], _grip_distance(replay)
    stances = 1e3 * _stance_slips(replay)
    typical, longest = (float(np.median(stances)), float(stances.max())) if len(stances) else (0.0, 0.0)
    overlap, deepest = 1e3 * float(np.percentile(replay.self_overlap, 99)), replay.deepest_self_overlap
    solver = recording.meta.get("solver")
    residual = solver.get("worst_residual") if isinstance(solver, dict) else None
    residual = float(residual) if isinstance(residual, int | float) else 0.0
    wrong = _unlawful_contacts(recording)
    undeclared = "grips that no event declares" if np.any(wrong & (recording.contact_kind == GRIP)) else ""
    return (
        AuditCheck("contact_kind", float(wrong.sum()), 0, "", "contacts of no lawful kind", undeclared),
        AuditCheck("pull", pull, 1e-6, "of weight", "contact force that pulls"),
        AuditCheck("friction_cone", cone, 1e-6, "of weight", "tangential force beyond friction"),
        AuditCheck("friction_coefficient", stated, 1e-6, "", "difference of a stated friction from the surfaces'"),
        AuditCheck("friction_work", driven, 0.05, "of friction's work", "friction that drives slips"),
        AuditCheck("contact_throw", _thrown_height(replay), 15.0, "cm", "height to which contacts throw a performer"),
        AuditCheck("contact_distance", gap, 10.0, "mm", "distance of two bodies in a step in which they pressed"),
        AuditCheck("contact_place", misplaced, 0.1, "mm", "distance of a force from where the surfaces are closest"),
        AuditCheck("contact_normal", askew, 0.1, "degrees", "angle of a normal to that of the surfaces"),
        AuditCheck("grip_distance", reach, 1e3 * GRASP, "mm", "distance of a grip from a body it joins"),
        AuditCheck("penetration", 1e3 * float(replay.depth.max()), 15.0, "mm", "deepest overlap of two bodies"),
        AuditCheck("self_overlap", overlap, 10.0, "mm", "overlap of links of one body, 99 % of states", deepest),
        AuditCheck("slip", slip, np.inf, "mm/s", "mean slip of contacts, weighted by force"),
        AuditCheck("stance_slip", typical, np.inf, "mm", "slip of a loaded part in a stance, median"),
        AuditCheck("stance_slip_max", longest, np.inf, "mm", "the longest such slip"),
        AuditCheck("solver_residual", residual, 1e-8, "m/s", "complementarity that the recording itself reports"),
    )


def _self_pair_check(recording: Recording, limits: JointLimits) -> AuditCheck:
    """Check that the file lists all pairs of geoms of a bundled body that can touch."""
    model, found = recording.model, 0
    if limits.body is not None:
        geoms = zip(model.pair_geom1.tolist(), model.pair_geom2.tolist(), strict=True)
        names = (frozenset(model.geom(geom).name for geom in pair) for pair in geoms)
        listed = dict(zip(names, (-model.pair_margin).tolist(), strict=True))  # a margin is minus the overlap allowed
        wanted = self_contact_pairs(limits.body)
        found = sum(listed.get(frozenset(pair[:2]), np.inf) > pair.slack + SAME_SLACK for pair in wanted)
    return AuditCheck("self_pairs", found, 0, "", "pairs that can touch, and that the file leaves out or loosens")


def _performers(replay: Replay) -> Mask:
    """Which of the floating trees (trees,) perform: the one named as the root, and all with joints; no loose props."""
    model = replay.recording.model
    jointed = np.bincount(model.body_rootid[model.dof_bodyid], minlength=model.nbody)[replay.roots] > 6
    return np.asarray(jointed | (replay.roots == replay.recording.root))


def _performer_weight(replay: Replay) -> float:
    """Weight (N) of the lightest performer, by which errors are judged: a heavy prop must not excuse larger errors."""
    return EARTH * float(replay.mass[_performers(replay)].min())


def _worst(recording: Recording, errors: Array) -> tuple[float, str]:
    """The largest of the errors (K, nv), and the joint and time where it is; no place without errors."""
    k, dof = np.unravel_index(int(np.argmax(errors)), errors.shape)
    if not errors[k, dof] > 0:
        return float(errors[k, dof]), ""
    joint = recording.model.joint(int(recording.model.dof_jntid[dof]))
    name = joint.name or recording.model.body(int(joint.bodyid[0])).name
    return float(errors[k, dof]), f"{name} at {recording.time[k]:.2f} s"


def _unlawful_contacts(recording: Recording) -> Mask:
    """Contacts (N,) of unknown kinds or of a kind that does not fit the two bodies, and undeclared grips."""
    r, model = recording, recording.model
    same = model.body_rootid[r.contact_body] == model.body_rootid[r.contact_other]
    own = same & (r.contact_body != r.contact_other) & (model.body_weldid[r.contact_body] != 0)
    wrong = np.where(r.contact_kind == CONTACT, same, np.where(r.contact_kind == SELF, ~own, r.contact_kind != GRIP))
    told = [e for e in r.events if e.get("kind") == "grips" and isinstance(e.get("time"), int | float)]
    for n in np.flatnonzero(r.contact_kind == GRIP):
        pair = sorted(model.body(int(body[n])).name for body in (r.contact_body, r.contact_other))
        now = [e.get("pairs") for e in told if e["time"] <= r.time[r.contact_step[n]] + ON_TIME]
        held = now[-1] if now and isinstance(now[-1], list) else []
        wrong[n] = pair not in [sorted(map(str, each)) for each in held if isinstance(each, list)]
    return np.asarray(wrong)


def _stance_slips(replay: Replay) -> Array:
    """Paths (m) over which loaded parts slip; a stance is a run of steps in which a part carries weight."""
    r, model = replay.recording, replay.recording.model
    force = np.linalg.norm(r.contact_force, axis=1) * (r.contact_kind == CONTACT)
    carried, path = np.zeros((r.steps, model.nbody)), np.zeros((r.steps, model.nbody))
    np.add.at(carried, (r.contact_step, r.contact_body), force)
    np.add.at(path, (r.contact_step, r.contact_body), force * replay.slip * r.step)
    loaded = carried > LOADED * _performer_weight(replay)
    path = np.divide(path, carried, out=np.zeros_like(path), where=loaded)
    runs = [(k, *run) for k in np.flatnonzero(loaded.any(0)) for run in true_runs(loaded[:, k])]
    return np.array([path[first:last, k].sum() for k, first, last in runs])


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


def driving_share_of_friction(replay: Replay) -> float:
    """The share of friction's work that drives slips instead of braking them, in the worst second."""
    return _friction_errors(replay)[2]


def _friction_errors(replay: Replay) -> tuple[float, float, float, float]:
    """Pulling force, force outside the cone, share of friction's work that drives slip, error of stated coefficients.

    The share is taken over the worst second, so that a long recording is judged as strictly as a short one. Without
    slip, friction's work is only noise: impacts bend the path of a contact point within a step, and sticking points
    oscillate by the step's third-order error. The work of a fall by 1 cm is therefore added to the denominator: of the
    heaviest moving thing, but of at most ten performers, so that a heavy prop does not excuse them.
    """
    r = replay.recording
    loose = r.contact_kind != GRIP
    if not loose.any():
        return 0.0, 0.0, 0.0, 0.0
    weight, surfaces = _performer_weight(replay), _surface_friction(replay)
    heaviest = min(EARTH * float(replay.mass.max()), 10 * weight)
    friction = np.minimum(r.contact_friction, surfaces * (1 + 1e-9))
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
        float(np.max(driving / (working + 0.01 * heaviest))),
        float(np.max(np.abs(r.contact_friction - surfaces)[loose])),
    )


def _thrown_height(replay: Replay) -> float:
    """Height (cm) by which the work of contacts that throw performers away would raise what they bear, per second.

    Contacts are inelastic: they push surfaces out of each other, but not away from each other. The value is that of the
    worst second.
    """
    r, chosen = replay.recording, _contacts_of_performers(replay)
    if not chosen.any():
        return 0.0
    pressing = np.einsum("ni,ni->n", r.contact_force, r.contact_normal)
    away = np.minimum(replay.normal_moves, replay.gap_at_end)
    work = (np.maximum(pressing, 0.0) * np.maximum(away, 0.0))[chosen]
    second = (r.contact_step[chosen] * r.step).astype(np.int64)
    return 100 * float(np.max(np.bincount(second, work) / _borne_weight(replay)[: second.max() + 1]))


def _contacts_of_performers(replay: Replay) -> Mask:
    """Which contacts (N,), grips excepted, touch a performer."""
    r, performs = replay.recording, np.append(_performers(replay), False)
    mine = [performs[replay.floating_tree_index(bodies)] for bodies in (r.contact_body, r.contact_other)]
    return np.asarray((r.contact_kind != GRIP) & (mine[0] | mine[1]))


def _borne_weight(replay: Replay) -> Array:
    """(S,) N: mean force of the performers' contacts in each second, and at least the weight of the lightest performer.

    It is larger than this weight if something heavy lies or falls on a performer.
    """
    r, chosen = replay.recording, _contacts_of_performers(replay)
    pressing = np.abs(np.einsum("ni,ni->n", r.contact_force, r.contact_normal))
    second = (r.contact_step * r.step).astype(np.int64)
    count = int(r.steps * r.step) + 2
    borne = r.step * np.bincount(second, pressing * chosen, minlength=count)
    return np.asarray(np.maximum(borne, _performer_weight(replay)))


def _grip_distance(replay: Replay) -> float:
    """Largest distance (mm) of a grip from the surface of either body that it joins."""
    r, model = replay.recording, replay.recording.model
    worst = 0.0
    for n in np.flatnonzero(r.contact_kind == GRIP):
        for body in (r.contact_body[n], r.contact_other[n]):
            place, turn = replay.xpos[r.contact_step[n], body], replay.xmat[r.contact_step[n], body]
            local = turn.T @ (r.contact_point[n] - place)
            worst = max(worst, distance_to_link(model, int(body), local))
    return 1e3 * worst


def _surface_friction(replay: Replay) -> Array:
    """Largest friction coefficient (N,) of the geoms of the two bodies at each contact."""
    model, r = replay.recording.model, replay.recording
    best = np.zeros(model.nbody)
    solid = (model.geom_contype | model.geom_conaffinity) != 0
    np.maximum.at(best, model.geom_bodyid[solid], model.geom_friction[solid, 0])
    coefficients = np.maximum(best[r.contact_body], best[r.contact_other])
    paired = np.zeros((model.nbody, model.nbody))  # of pairs that the model lists, which have their own coefficients
    first, second = model.geom_bodyid[model.pair_geom1], model.geom_bodyid[model.pair_geom2]
    for a, b in ((first, second), (second, first)):
        np.maximum.at(paired, (a, b), model.pair_friction[:, 0])
    own = paired[r.contact_body, r.contact_other]
    return np.maximum(np.where(own > 0, own, coefficients), LEAST_FRICTION)
