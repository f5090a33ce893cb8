"""Quality of a recording in numbers: fall, tracking, slip, smoothness, effort, stabilising torques."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array, Mask
from poise.body.surface import descendant_links
from poise.measure.declared_forces import pushed_forces
from poise.measure.joint_limits import JointLimits
from poise.measure.replay import Replay, replays
from poise.world.recording import Recording

DEEP = 0.01  # Overlap (m) of links of one body that counts as deep: `overlap_share` is the share of frames beyond it
LAST = 0.5  # Time (s) at the end of a recording in which only feet may touch, if the character ends on its feet
NOTHING = 1e-6  # Torques (N m) below this are rounding errors


def metrics(recording: Recording | str | Path, replay: Replay | None = None) -> dict[str, Any]:
    """Measure fall, tracking, feet, smoothness and effort of a recording, or of the one in a file."""
    recording = Recording.of(recording)
    played = [replay] if replay else replays(recording)
    pieces = [(each.depth, each.self_overlap, *_foot_slip_and_force(each)) for each in played]
    depth, overlap, slip, force = (np.hstack(column) for column in zip(*pieces, strict=True))
    return {
        "seconds": recording.steps * recording.step,
        "fell_at": fell_at(recording),
        "on_feet_at_end": on_feet_at_end(recording),
        "tracking": tracking_errors(recording),
        "foot_slip_mm_s": float(np.average(slip, weights=force)) if force.any() else 0.0,
        "penetration_mm": 1e3 * float(depth.max()),
        "overlap_mm": 1e3 * float(overlap.max()),
        "overlap_share": float(np.mean(overlap > DEEP)),
        "jitter": jitter(recording),
        "peak_torque_ratio": JointLimits.of(recording).torque_ratio,
        "peak_external_n": peak_external_force(recording),
    }


def peak_external_force(recording: Recording) -> float:
    """Largest external force (N) on a free root along an axis: pushes, not stabilising torques."""
    model = recording.model
    free = model.jnt_dofadr[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
    linear = (free[:, None] + np.arange(3)).ravel()
    return float(np.max(np.abs(recording.external[:, linear]), initial=0.0))


def limb_links(recording: Recording, kind: str) -> set[int]:
    """Body ids of the character's feet or hands (`kind`) with their descendants (toes, fingers)."""
    return links_and_descendants(recording.model, recording.meta.get(kind) or (), recording.root)


def links_and_descendants(model: mujoco.MjModel, names: Iterable[str], root: int) -> set[int]:
    """Body ids of named links and their descendants; of a named root, such as a lamp's base, the root alone."""
    tops = (model.body(name).id for name in names)
    return {link for top in tops for link in ([top] if top == root else descendant_links(model, top).tolist())}


def fell_at(recording: Recording) -> float | None:
    """Time (s) at which the character first touches the ground with other parts than feet and hands, or None."""
    meta = recording.meta
    barred = links_barred_from_ground(recording.model, recording.root, meta.get("feet") or (), meta.get("hands") or ())
    fixed = recording.contact_other == 0  # the ground; bars and other props are separate bodies
    steps = recording.contact_step[barred[recording.contact_body] & fixed & (recording.contact_kind == 0)]
    return float(recording.time[steps.min()]) if len(steps) else None


def on_feet_at_end(recording: Recording) -> bool:
    """Whether in the last `LAST` seconds the character touches the ground, with nothing but feet."""
    last = recording.contact_step >= recording.steps - round(LAST / recording.step)
    touching = recording.contact_body[last & (recording.contact_other == 0) & (recording.contact_kind == 0)]
    own = touching[recording.model.body_rootid[touching] == recording.model.body_rootid[recording.root]]
    return bool(len(own) and np.isin(own, sorted(limb_links(recording, "feet"))).all())


def links_barred_from_ground(model: mujoco.MjModel, root: int, feet: Sequence[str], hands: Sequence[str]) -> Mask:
    """Mask (nbody,) of the links whose contact with the ground is a fall: all of the character but feet and hands.

    `root` is the body id of the character's root. For a character without feet, no contact is a fall.
    """
    allowed = links_and_descendants(model, [*feet, *hands], root)
    own = model.body_rootid == model.body_rootid[root]
    return np.asarray(own & ~np.isin(np.arange(model.nbody), sorted(allowed)) & bool(feet))


def _joint_dof_mask(recording: Recording) -> Mask:
    """Mask (nv,) of the performer's joint DOFs."""
    model = recording.model
    root = int(model.body_dofadr[recording.root])
    own = model.body_rootid[model.dof_bodyid] == model.body_rootid[recording.root]
    return np.asarray(own & (np.arange(model.nv) >= root + 6))


def tracking_errors(recording: Recording) -> dict[str, float | None]:
    """Root-mean-square errors of joints (degrees) and root position (m) against the reference."""
    if recording.reference_qpos is None:
        return {"joint_rms_deg": None, "root_rms_m": None}
    model = recording.model
    root, joints = int(model.body_dofadr[recording.root]), _joint_dof_mask(recording)
    error = np.zeros((len(recording.time), model.nv))
    for k, (target, pose) in enumerate(zip(recording.reference_qpos, recording.qpos, strict=True)):
        mujoco.mj_differentiatePos(model, error[k], 1.0, pose, target)
    square = error[:, root : root + 3] ** 2
    joint_rms = float(np.degrees(np.sqrt(np.mean(error[:, joints] ** 2)))) if joints.any() else 0.0
    return {"joint_rms_deg": joint_rms, "root_rms_m": float(np.sqrt(np.mean(square.sum(axis=1))))}


def foot_slip(replay: Replay) -> float:
    """Mean slip speed (mm/s) of the feet's contact points, weighted by their contact forces."""
    return _foot_slip_and_force(replay)[0]


def _foot_slip_and_force(replay: Replay) -> tuple[float, float]:
    """The `foot_slip` (mm/s), and the sum of the contact forces (N) that weight it."""
    recording = replay.recording
    feet = sorted(limb_links(recording, "feet"))
    return replay.mean_slip(np.isin(recording.contact_body, feet) & (recording.contact_kind == 0))


def jitter(recording: Recording) -> float:
    """Root-mean-square joint jerk over root-mean-square joint acceleration (1/s): high-frequency vibration."""
    velocity = recording.qvel[:, _joint_dof_mask(recording)]
    if len(velocity) < 3 or velocity.shape[1] == 0:
        return 0.0
    acceleration = np.diff(velocity, axis=0) / recording.step
    jerk = np.diff(acceleration, axis=0) / recording.step
    rms = float(np.sqrt(np.mean(acceleration**2)))
    return float(np.sqrt(np.mean(jerk**2))) / rms if rms > 1e-9 else 0.0


def ground_impulse(recording: Recording, link: str) -> float:
    """Sum (N s) of the ground's impulses on a link, including the impulses that carry its weight at rest."""
    own = (recording.contact_body == recording.model.body(link).id) & (recording.contact_other == 0)
    return recording.step * float(np.linalg.norm(recording.contact_force[own], axis=1).sum())


def stabilising_effort(recording: Recording) -> dict[str, float]:
    """Stabilising torques: peak and mean magnitude (N m), and the share of the time in which they act."""
    size = np.linalg.norm(stabilising_torques(recording), axis=1)
    acting = size > NOTHING
    mean = float(size[acting].mean()) if acting.any() else 0.0
    share = float(acting.mean()) if acting.size else 0.0
    return {"peak_nm": float(size.max(initial=0.0)), "mean_nm": mean, "share": share}


def stabilising_torques(recording: Recording) -> Array:
    """Stabilising torques (T, 3) in N m on the root, in the root's frame: external torques except those of pushes."""
    first = int(recording.model.body_dofadr[recording.root])
    pushed = np.concatenate([pushed_forces(each) for each in replays(recording)])
    return np.asarray((recording.external - pushed)[:, first + 3 : first + 6])
