"""The paper's own world beside ours: what does it change that velocities bend no path there? [Jain2011] Eq. (11).

The paper linearises the equations of motion at the present pose and zero velocity, at every step anew, and lets the
linear system itself be the simulation. Coriolis and centrifugal forces vanish there, and with them momentum is no
longer conserved. Here they are cancelled by generalised forces, which are declared in recordings; contacts obey the
same law in both worlds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.modal.modal import Modal
from poise.dynamics.actuation import PASSIVE, Actuation
from poise.dynamics.state import State
from poise.reference.archive import spoken_name
from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import column_values, grouped
from poise.study.experiment.trial import Trial
from poise.study.modal.case import MOTIONS, OURS, TOLD, ModalCase, measured, performer, window_for
from poise.study.modal.push import EIGHT, blows_for, push_to
from poise.world.result import StepResult
from poise.world.world import World

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORCES = {"walk": (0.0, 100.0, 175.0), "squat": (0.0, 75.0, 150.0, 250.0), "swing": (0.0, 175.0)}
"""N, the paper's weakest and strongest; 0 is left alone."""
LITERAL = replace(OURS, believed=0.0, capture=0.0)
"""Reacts as the paper says, and moves no footholds."""


class LinearWorld(World):
    """A world without forces that come of velocities."""

    def step(self, actuation: Actuation = PASSIVE, push: Array | None = None) -> StepResult:
        """Advance by one step; what velocities would do is cancelled."""
        cancelled = self.terms.bias - self._gravity()
        return super().step(actuation, cancelled if push is None else cancelled + push)

    @property
    def state(self) -> State:
        """What controllers see: bias forces are those of gravity."""
        return super().state._replace(bias=self._gravity())

    def _gravity(self) -> Array:
        """(nv,) generalised forces that hold the pose against gravity."""
        data = self._still
        data.qpos[:] = self.qpos
        mujoco.mj_kinematics(self.model, data)
        mujoco.mj_comPos(self.model, data)
        out = np.zeros(self.model.nv)
        mujoco.mj_rne(self.model, data, 0, out)
        return out

    @cached_property
    def _still(self) -> mujoco.MjData:
        return mujoco.MjData(self.model)


@dataclass(frozen=True)
class PlantCase:
    """A trial in one of the worlds."""

    case: ModalCase
    linear: bool


def cases(scope: Scope) -> list[PlantCase]:
    """Each push in both worlds."""
    return [
        PlantCase(replace(case, labels={**case.labels, "world": name}), name == "the paper's")
        for motion in scope.motions
        for name in ("ours", "the paper's")
        for case in _cases(motion, scope)
    ]


def _cases(motion: str, scope: Scope) -> Iterator[ModalCase]:
    forces = FORCES.get(motion, FORCES["walk"])
    for force, seed in product(forces[:2] if scope.coarse else forces, range(scope.seeds)):
        for angle in EIGHT[:: 4 if scope.coarse else 1] if force else (0,):
            pushes = (push_to(angle, force, blows_for(motion).frames),) if force else ()
            yield ModalCase(
                {"motion": spoken_name(motion), "force": force, "direction": angle},
                Trial(motion, performer(motion), seconds=scope.seconds, seed=seed, pushes=pushes),
                replace(LITERAL, window=window_for(motion)),
            )


def measure(planted: PlantCase) -> Row:
    """Perform it."""
    return measured(planted.case, Modal(planted.case.settings), world=LinearWorld if planted.linear else World)


def summary(rows: Sequence[Row]) -> list[Row]:
    """By motion, world and force."""
    columns = {name: TOLD[name] for name in ("trials", "survived", "share", "joint_rms_deg", "root_rms_m")}
    return grouped(rows, ("motion", "world", "force"), columns)


def plot(rows: Sequence[Row]) -> Figure:
    """The share that survives against the force, a panel for each motion and a curve for each world."""
    motions = list(dict.fromkeys(str(row["motion"]) for row in rows))
    figure, axes = panels(1, len(motions))
    for axis, motion in zip(axes[0], motions, strict=True):
        for world in ("ours", "the paper's"):
            own = [row for row in summary(rows) if (row["motion"], row["world"]) == (motion, world)]
            axis.plot(column_values(own, "force"), column_values(own, "share"), "o-", label=world)
        axis.set_xlabel("N")
        axis.set_ylabel("survived")
        axis.set_ylim(-0.05, 1.05)
        axis.set_title(motion)
    axes[0, 0].legend(frameon=False)
    return figure


STUDY: Study[PlantCase] = Study(
    name="modal-plant",
    title="survival of pushes in our world and in the paper's own, that is linear at every step",
    reproduces="Jain and Liu 2011, Eq. (11)",
    whole=Scope(seeds=1, seconds=4.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=2.5, motions=("walk", "squat"), coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
