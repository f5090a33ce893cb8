"""Rotation of a whole body by its excursion and by its root: [Zordan2014] Fig. 1."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import mujoco
import numpy as np

from poise.arrays import Array
from poise.dynamics.mechanism import DynamicsTerms
from poise.dynamics.momentum import RotationIndices, integrate_excursion, whole_body_rotation
from poise.errors import PoiseError
from poise.reference.archive import motion_display_name
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played
from poise.rotations import quat_conjugate, quat_multiply, quat_rotate
from poise.study.experiment.plots import curves, drawn_of, picture, point_rows
from poise.study.experiment.study import NamedCase, Row, Scope, Study, motion_cases
from poise.study.experiment.trial import cached_cast
from poise.world.recording import Recording

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
MOTIONS = ("backflip", "roll", "log-roll", "jump", "walk", "run", "turn-180")


@dataclass(frozen=True, eq=False)
class StudiedRotation:
    """Rotation indices over a motion [Zordan2014], about the centre of mass, in the world frame."""

    time: Array  # (T,) s
    angular_momentum: Array  # (T, 3) kg m^2/s
    inertia: Array  # (T, 3, 3) kg m^2
    spin: Array  # (T, 3) rad/s
    root: Array  # (T, 4) orientation of the root, quaternion
    excursion: Array  # (T, 4) rotation since the start: the spin integrated on the rotation group

    @cached_property
    def axis(self) -> Array:
        """(3,) main axis of the rotation: the principal direction of the spin, with the sign of the net rotation."""
        _, vectors = np.linalg.eigh(self.spin.T @ self.spin)
        main = vectors[:, -1]
        return np.asarray(main * np.copysign(1.0, self.spin.sum(axis=0) @ main))

    @cached_property
    def turns(self) -> float:
        """The number of turns about the main axis."""
        about = self.spin @ self.axis
        return float(np.sum(0.5 * (about[1:] + about[:-1]) * np.diff(self.time)) / (2 * np.pi))

    @cached_property
    def root_turn(self) -> Array:
        """(T, 4) rotation of the root since the start."""
        return quat_multiply(self.root, quat_conjugate(self.root[0]))

    def off_axis(self, turn: Array) -> Array:
        """(T,) angle (rad) by which rotations (T, 4) tilt the axis; 0 for a rotation about the axis itself."""
        cosine = np.clip(quat_rotate(turn, self.axis) @ self.axis, -1.0, 1.0)
        return np.asarray(np.arccos(cosine))


def rotation_of_recording(recording: Recording) -> StudiedRotation:
    """Rotation indices of the first character of a recording."""
    return _studied_rotation(recording.model, recording.time, recording.qpos, recording.qvel)


def rotation_of_clip(clip: BodyClip) -> StudiedRotation:
    """Rotation indices of a clip, with velocities by finite differences."""
    return _studied_rotation(clip.body.model, np.arange(clip.frames) / clip.rate, clip.qpos, clip.qvel)


def _studied_rotation(model: mujoco.MjModel, time: Array, qpos: Array, qvel: Array) -> StudiedRotation:
    terms = DynamicsTerms(model)
    first = int(np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)[0])
    root, dof, place = int(model.jnt_bodyid[first]), int(model.jnt_dofadr[first]), int(model.jnt_qposadr[first])
    found: list[RotationIndices] = []
    for pose, velocity in zip(qpos, qvel, strict=True):
        terms.evaluate(pose, velocity)
        found.append(whole_body_rotation(terms.mass, velocity, terms.data, root, dof))
    spin = np.array([each.spin for each in found])
    excursion = np.tile(IDENTITY, (len(time), 1))
    for k in range(len(time) - 1):
        excursion[k + 1] = integrate_excursion(excursion[k], 0.5 * (spin[k] + spin[k + 1]), time[k + 1] - time[k])
    momentum, inertia = (np.array([getattr(each, name) for each in found]) for name in ("angular_momentum", "inertia"))
    turn = np.array(qpos[:, place + 3 : place + 7])
    return StudiedRotation(np.asarray(time, float), momentum, inertia, spin, turn, excursion)


@lru_cache(maxsize=32)
def studied_rotation_of_motion(motion: str) -> StudiedRotation:
    """Rotation indices of a motion, given by name or file; nothing is simulated."""
    _, reference = cached_cast(motion, None, False)
    if not isinstance(reference, Played):
        raise PoiseError(f"motion '{motion}' is a pose, which does not rotate: choose a motion that moves")
    return rotation_of_clip(reference.clip)


def run_indices_case(case: NamedCase) -> Row:
    """Row of a motion: largest tilt of excursion and of root off the axis of rotation, and wobble of both tilts."""
    found = studied_rotation_of_motion(case.name)
    excursion, root = (np.degrees(found.off_axis(turn)) for turn in (found.excursion, found.root_turn))
    return {
        "motion": case.name,
        "seconds": float(found.time[-1]),
        "turns": found.turns,
        "peak_momentum": float(np.linalg.norm(found.angular_momentum, axis=1).max()),
        "excursion_off_deg": float(excursion.max()),
        "root_off_deg": float(root.max()),
        "excursion_wobble_deg": _angle_wobble_for_plot(excursion),
        "root_wobble_deg": _angle_wobble_for_plot(root),
    }


def _angle_wobble_for_plot(angle: Array) -> float:
    """The total variation of an angle beyond the difference of its last and first values."""
    return float(np.abs(np.diff(angle)).sum() - abs(angle[-1] - angle[0]))


def tilt_points(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the tilt of the axis by root and by excursion at each time of the motions."""
    for row in rows:
        found = studied_rotation_of_motion(str(row["motion"]))
        labels = {"motion": f"{motion_display_name(str(row['motion']))}: {found.turns:.2f} turns"}
        for of, turn in (("root", found.root_turn), ("excursion", found.excursion)):
            yield from point_rows({**labels, "of": of}, s=found.time, tilt_deg=np.degrees(found.off_axis(turn)))


STUDY: Study[NamedCase] = Study(
    name="rotation-indices",
    title="tilt of excursion and root off the axis of rotation",
    reproduces="Zordan et al. 2014, Fig. 1",
    whole=Scope(seeds=1, seconds=1.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=1.0, motions=("backflip", "roll", "walk")),
    cases=motion_cases,
    run_case=run_indices_case,
    summary=lambda rows: [{**row, "motion": motion_display_name(str(row["motion"]))} for row in rows],
    plot=picture(drawn_of(tilt_points, curves("s", ("tilt_deg",), ("of",), ("motion",), "-"))),
)
