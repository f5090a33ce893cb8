"""Certificates of motions: residuals computed by MuJoCo, without the optimiser."""

from dataclasses import asdict, dataclass

import mujoco
import numpy as np

from poise.arrays import Array, true_runs
from poise.body.link_kinematics import LinkKinematics
from poise.body.pose_space import PoseSpace, displace_poses, planar_displacement, yaw_quat
from poise.body.surface import contact_spheres_of_body
from poise.dynamics.mechanism import DynamicsTerms
from poise.errors import PoiseError
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.rotations import quat_conjugate, quat_log, quat_multiply, quat_rotate


@dataclass(frozen=True)
class Certificate:
    """The largest violations of physics in a motion, and the motion's peak torque and force."""

    equations: float  # body weights: largest residual force, or torque at 1 m, of any step and of a cycle's seam
    slip_mm: float  # largest displacement of a contact since its first frame, beyond rolling
    gap_mm: float  # largest distance from the ground of a contact that is down or has a force
    cone: float  # N, largest excess over the friction pyramid
    torque_excess: float  # N m, largest excess over torque limits, which are 0 for the root
    joint_excess_deg: float  # largest excess over joint limits
    penetration_mm: float  # greatest depth of any solid part in the ground
    peak_torque_ratio: float  # largest joint torque as a fraction of its limit
    peak_force: float  # body weights: largest sum of the forces of all contacts

    def as_dict(self) -> dict[str, float]:
        """The fields by name, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Deviation:
    """Root mean square deviations, over frames, of a motion from the desired one."""

    root_rms_m: float
    joint_rms_deg: float  # over all joint degrees of freedom
    worst_joint: str
    worst_joint_rms_deg: float


def certify(dynamic: Dynamic) -> Certificate:
    """Compute the certificate of a motion. Raises a PoiseError if a number in the motion is not finite."""
    body, contacts = dynamic.clip.body, dynamic.contacts
    _check_finite(dynamic)
    weight = body.mass * float(np.linalg.norm(body.model.opt.gravity))
    used, limit = np.abs(dynamic.torque), body.torque_limit
    angles = PoseSpace(body).angles(dynamic.clip.qpos)
    beyond = np.maximum(body.lower - angles, angles - body.upper)[:, 6:]
    slip, gap = _certified_slip_and_gap(dynamic)
    side = np.abs(contacts.force[..., :2]).sum(axis=2) - dynamic.friction * contacts.force[..., 2]
    return Certificate(
        _equation_residual(dynamic) / weight,
        1e3 * slip,
        1e3 * gap,
        float(np.max(side[:, ~contacts.held], initial=0.0)),
        float(np.max(used - limit, initial=0.0)),
        float(np.degrees(np.max(beyond, initial=0.0))),
        1e3 * _penetration(dynamic),
        float(np.max((used / np.maximum(limit, 1e-9))[:, 6:], initial=0.0)),
        float(np.max(np.linalg.norm(contacts.force.sum(axis=1), axis=1), initial=0.0)) / weight,
    )


def deviation_from(dynamic: Dynamic, desired: BodyClip) -> Deviation:
    """Root mean square deviations of a motion from the desired clip, which has the same frames."""
    body = desired.body
    away = PoseSpace(body).difference(desired.qpos, dynamic.clip.qpos)
    root = float(np.sqrt(np.mean(np.sum(away[:, :3] ** 2, axis=1))))
    joints = np.degrees(np.sqrt(np.mean(away[:, 6:] ** 2, axis=0)))
    if not len(joints):
        return Deviation(root, 0.0, "none", 0.0)
    worst = int(np.argmax(joints))
    return Deviation(root, float(np.sqrt(np.mean(joints**2))), body.dof_names[6 + worst], float(joints[worst]))


def _check_finite(dynamic: Dynamic) -> None:
    """Raise a PoiseError if a number in the motion is not finite. Comparisons with limits would not notice NaN."""
    tables = (dynamic.clip.qpos, dynamic.qvel, dynamic.torque, dynamic.contacts.force, dynamic.contacts.ground)
    if not all(np.isfinite(table).all() for table in tables):
        raise PoiseError(f"motion '{dynamic.clip.name}' contains numbers that are not finite")


def _equation_residual(dynamic: Dynamic) -> float:
    """Largest force (N) or torque (N m) missing to reach the next state, over all steps and the seam of a cycle."""
    clip, h = dynamic.clip, dynamic.step
    poses, velocities, masses = _certified_world_steps(dynamic)
    space = PoseSpace(clip.body)
    pose_off = space.difference(clip.qpos[1:], poses)
    velocity_off = velocities - dynamic.qvel[1:]
    if clip.cyclic:
        yaw, way = planar_displacement(clip.qpos[0], clip.qpos[-1])
        turn, velocity = yaw_quat(yaw), np.array(dynamic.qvel[0])
        pose, velocity[:3] = displace_poses(clip.qpos[0], turn, way), quat_rotate(turn, velocity[:3])
        pose_off = np.concatenate([pose_off, space.difference(clip.qpos[-1:], pose[None])])
        velocity_off = np.concatenate([velocity_off, (velocity - dynamic.qvel[-1])[None]])
        masses = np.concatenate([masses, masses[-1:]])
    missing = [np.abs(masses @ off[..., None]).max(initial=0.0) for off in (pose_off / h**2, velocity_off / h)]
    return float(max(missing))


def _certified_world_steps(dynamic: Dynamic) -> tuple[Array, Array, Array]:
    """Poses, velocities and mass matrices that the equations of `poise.world` give one step after each state."""
    clip, h = dynamic.clip, dynamic.step
    body, model = clip.body, clip.body.model
    terms, contacts = DynamicsTerms(model), dynamic.contacts
    gravity, damping = model.opt.gravity, model.dof_damping
    links = [body.link_id(link) for link in contacts.links]
    points = dynamic.points()
    poses, velocities = np.array(clip.qpos[1:]), np.array(dynamic.qvel[1:])
    masses = np.empty((len(poses), model.nv, model.nv))
    jacobian = np.zeros((3, model.nv))
    for k in range(len(poses)):
        terms.evaluate(clip.qpos[k], dynamic.qvel[k])
        force = dynamic.torque[k] - terms.bias
        moment = np.zeros(3)
        com = np.array(terms.data.subtree_com[1])
        for c in np.flatnonzero(contacts.force[k].any(axis=1)):
            mujoco.mj_jac(model, terms.data, jacobian, None, points[k, c], links[c])
            force = force + jacobian.T @ contacts.force[k, c]
            moment = moment + np.cross(points[k, c] - com, contacts.force[k, c])
        before = terms.mass @ dynamic.qvel[k]
        predicted = np.linalg.solve(terms.mass + h * np.diag(damping), before + h * force)
        linear = before[:3] + h * (contacts.force[k].sum(axis=0) + body.mass * gravity)
        angular = _certified_angular_momentum(terms, before) + h * moment
        pose = np.array(clip.qpos[k])
        mujoco.mj_integratePos(model, pose, predicted, h)
        terms.evaluate(pose, predicted)
        pose[:3] += com + h * linear / body.mass - terms.data.subtree_com[1]
        terms.evaluate(pose, predicted)
        poses[k], masses[k] = pose, terms.mass
        velocities[k] = predicted
        velocities[k, :6] = _certified_root_velocity(terms, linear, angular, predicted)
    return poses, velocities, masses


def _certified_angular_momentum(terms: DynamicsTerms, momentum: Array) -> Array:
    """(3,) kg m^2/s: angular momentum about the centre of mass for a generalised momentum (nv,)."""
    turn = terms.data.xmat[1].reshape(3, 3)
    lever = terms.data.subtree_com[1] - terms.data.xpos[1]
    return np.asarray(turn @ momentum[3:6] - np.cross(lever, momentum[:3]))


def _certified_root_velocity(terms: DynamicsTerms, linear: Array, angular: Array, velocity: Array) -> Array:
    """(6,) root velocity with which a body with joint velocities `velocity` (nv,) has the given momenta (3,)."""
    turn = terms.data.xmat[1].reshape(3, 3)
    lever = terms.data.subtree_com[1] - terms.data.xpos[1]
    wanted = np.concatenate([linear, turn.T @ (angular + np.cross(lever, linear))])
    return np.asarray(np.linalg.solve(terms.mass[:6, :6], wanted - terms.mass[:6, 6:] @ velocity[6:]))


def _certified_slip_and_gap(dynamic: Dynamic) -> tuple[float, float]:
    """Largest slip and gap (m) of contacts; a force needs contact at the end of its step, friction at both ends."""
    contacts = dynamic.contacts
    pushing, rubbing = contacts.force.any(axis=2), contacts.force[..., :2].any(axis=2)
    touching = np.array(contacts.down)
    touching[1:] |= pushing
    touching[:-1] |= np.where(contacts.held, pushing, rubbing)
    points = dynamic.points()
    off = np.abs(points[..., 2] - contacts.ground)[touching & ~contacts.held]
    _, turns = LinkKinematics(dynamic.clip.body, (), contacts.links).at(dynamic.clip.qpos)
    turned = quat_log(quat_multiply(turns[1:], quat_conjugate(turns[:-1])))  # (T - 1, C, 3) in the world
    rolled = np.cross(turned, [0.0, 0.0, 1.0]) * contacts.radius[:, None]
    steps = np.diff(points, axis=0) - rolled  # (T - 1, C, 3) m, slip from frame to frame
    steps[:, ~contacts.held, 2] = 0.0  # vertical displacement is measured as a gap
    slips = [
        float(np.linalg.norm(np.cumsum(way[start : stop - 1], axis=0), axis=1).max(initial=0.0))
        for way, touches in zip(steps.swapaxes(0, 1), touching.T, strict=True)
        for start, stop in true_runs(touches)
    ]
    return max(slips, default=0.0), float(off.max(initial=0.0))


def _penetration(dynamic: Dynamic) -> float:
    """Greatest depth (m) of the body's spheres below height 0, or below the lowest ground of a contact if lower."""
    balls = contact_spheres_of_body(dynamic.clip.body)
    if not balls:
        return 0.0
    places, _ = LinkKinematics(dynamic.clip.body, [(b.link, b.centre) for b in balls]).at(dynamic.clip.qpos)
    floor = np.min(dynamic.contacts.ground, axis=1, initial=0.0)
    depth = floor[:, None] - (places[..., 2] - np.array([b.radius for b in balls]))
    return float(max(depth.max(), 0.0))
