"""Does the excursion tell better than the root how a body as a whole turns? [Zordan2014] Fig. 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from poise.arrays import Array
from poise.dynamics.rotation_indices import RotationIndices, rotation_of, turned_on
from poise.dynamics.terms import Terms
from poise.errors import PoiseError
from poise.reference.archive import spoken_name
from poise.reference.body_clip import BodyClip
from poise.reference.played import Played
from poise.rotations import quat_conjugate, quat_multiply, quat_rotate
from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.trial import cast_once
from poise.world.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Rotation indices of a whole motion, simulated or captured [Zordan2014].

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Rotations:
    """How a body turned, about its centre of mass and in the world frame."""

    time: Array  # (T,) s
    angular_momentum: Array  # (T, 3) kg m^2/s
    inertia: Array  # (T, 3, 3) kg m^2
    spin: Array  # (T, 3) rad/s
    root: Array  # (T, 4) orientation of the root
    excursion: Array  # (T, 4) since the beginning: the spin integrated on the rotation group

    @cached_property
    def axis(self) -> Array:
        """(3,) about which it turned most: the main direction of the spin, along the net turn."""
        _, vectors = np.linalg.eigh(self.spin.T @ self.spin)
        main = vectors[:, -1]
        return np.asarray(main * np.copysign(1.0, self.spin.sum(axis=0) @ main))

    @cached_property
    def turns(self) -> float:
        """Whole turns and parts of one about the axis."""
        about = self.spin @ self.axis
        return float(np.sum(0.5 * (about[1:] + about[:-1]) * np.diff(self.time)) / (2 * np.pi))

    @cached_property
    def root_turn(self) -> Array:
        """(T, 4) of the root since the beginning."""
        return quat_multiply(self.root, quat_conjugate(self.root[0]))

    def off_axis(self, turn: Array) -> Array:
        """(T,) rad by which turns (T, 4) tilt the axis: zero where they go about it only."""
        cosine = np.clip(quat_rotate(turn, self.axis) @ self.axis, -1.0, 1.0)
        return np.asarray(np.arccos(cosine))


def rotations_of_recording(recording: Recording) -> Rotations:
    """Of the character of a recording, the one that comes first."""
    return _rotations(recording.model, recording.time, recording.qpos, recording.qvel)


def rotations_of_clip(clip: BodyClip) -> Rotations:
    """Of a body's clip; velocities by differences."""
    return _rotations(clip.body.model, np.arange(clip.frames) / clip.rate, clip.qpos, clip.qvel)


def _rotations(model: mujoco.MjModel, time: Array, qpos: Array, qvel: Array) -> Rotations:
    terms = Terms(model)
    first = int(np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)[0])
    root, dof, place = int(model.jnt_bodyid[first]), int(model.jnt_dofadr[first]), int(model.jnt_qposadr[first])
    found: list[RotationIndices] = []
    for pose, velocity in zip(qpos, qvel, strict=True):
        terms.evaluate(pose, velocity)
        found.append(rotation_of(terms.mass, velocity, terms.data, root, dof))
    spin = np.array([each.spin for each in found])
    excursion = np.tile(IDENTITY, (len(time), 1))
    for k in range(len(time) - 1):
        excursion[k + 1] = turned_on(excursion[k], 0.5 * (spin[k] + spin[k + 1]), time[k + 1] - time[k])
    return Rotations(
        np.asarray(time, float),
        np.array([each.angular_momentum for each in found]),
        np.array([each.inertia for each in found]),
        spin,
        np.array(qpos[:, place + 3 : place + 7]),
        excursion,
    )


MOTIONS = ("backflip", "roll", "log-roll", "jump", "walk", "run", "turn-180")


@dataclass(frozen=True)
class IndexCase:
    """A motion as it was captured or made: nothing is simulated."""

    motion: str


def cases(scope: Scope) -> list[IndexCase]:
    """One of each."""
    return [IndexCase(motion) for motion in scope.motions]


@lru_cache(maxsize=32)
def rotations(motion: str) -> Rotations:
    """Of a clip by name or file."""
    _, reference = cast_once(motion, None, False)
    if not isinstance(reference, Played):
        raise PoiseError(f"motion '{motion}' is a pose, which does not turn: take one that moves")
    return rotations_of_clip(reference.clip)


def measure(case: IndexCase) -> Row:
    """How far excursion and root leave the axis of the turn, and how much they wobble about it."""
    found = rotations(case.motion)
    excursion, root = (np.degrees(found.off_axis(turn)) for turn in (found.excursion, found.root_turn))
    return {
        "motion": case.motion,
        "seconds": float(found.time[-1]),
        "turns": found.turns,
        "peak_momentum": float(np.linalg.norm(found.angular_momentum, axis=1).max()),
        "excursion_off_deg": float(excursion.max()),
        "root_off_deg": float(root.max()),
        "excursion_wobble_deg": _wobble(excursion),
        "root_wobble_deg": _wobble(root),
    }


def _wobble(angle: Array) -> float:
    """Degrees that an angle goes up and down in all, beyond the way from its first to its last value."""
    return float(np.abs(np.diff(angle)).sum() - abs(angle[-1] - angle[0]))


def summary(rows: Sequence[Row]) -> list[Row]:
    """All rows by short names."""
    return [{**row, "motion": spoken_name(str(row["motion"]))} for row in rows]


def plot(rows: Sequence[Row]) -> Figure:
    """How far excursion and root tilt the axis, against time."""
    columns = min(4, len(rows))
    figure, axes = panels(-(-len(rows) // columns), columns)
    for axis, row in zip(axes.ravel(), rows, strict=False):
        found = rotations(str(row["motion"]))
        for name, turn, style in (("root", found.root_turn, "0.6"), ("excursion", found.excursion, "C0")):
            axis.plot(found.time, np.degrees(found.off_axis(turn)), color=style, label=name)
        axis.set_title(f"{spoken_name(str(row['motion']))}: {found.turns:.2f} turns", fontsize=8)
        axis.set_xlabel("s")
    for axis in axes.ravel()[len(rows) :]:
        axis.set_axis_off()
    axes[0, 0].set_ylabel("off the axis, degrees")
    axes[0, 0].legend(fontsize=7)
    return figure


STUDY: Study[IndexCase] = Study(
    name="rotation-indices",
    title="excursion and root: how far they leave the axis of a turn",
    reproduces="Zordan et al. 2014, Fig. 1",
    whole=Scope(seeds=1, seconds=1.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=1.0, motions=("backflip", "roll", "walk")),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
