"""Survival of pushes in our simulation and in the paper's linear simulation: [Jain2011] Eq. (11).

The paper linearises the equations of motion at the current pose and zero velocity in every step, and simulates that
linear system. The linear system has no Coriolis and centrifugal forces, so momentum is not conserved. `LinearWorld`
cancels them by generalised forces, which are declared in recordings. Contacts obey the same law in both worlds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product

import mujoco
import numpy as np

from poise.arrays import Array
from poise.dynamics.actuation import PASSIVE, Actuation
from poise.dynamics.state import State
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import figure_panels
from poise.study.experiment.study import Figure, Row, Scope, Study
from poise.study.experiment.table import column_values, distinct_names, rows_where, summary_by
from poise.study.experiment.trial import PUSH_DIRECTIONS, Trial
from poise.study.modal.case import MOTIONS, OURS, ModalCase, paper_window, run_modal_trial, study_body, summary_columns
from poise.study.modal.push import push_for_frames, pushes_of_motion
from poise.world.result import StepResult
from poise.world.world import World

FORCES = {"walk": (0.0, 100.0, 175.0), "squat": (0.0, 75.0, 150.0, 250.0), "swing": (0.0, 175.0)}
"""Forces (N) by motion: 0 for no push, then forces of the paper from the weakest to the strongest."""
LITERAL = replace(OURS, believed=0.0, capture=0.0)  # Settings with the paper's reaction to pushes and fixed footholds


class LinearWorld(World):
    """A world without Coriolis and centrifugal forces."""

    def step(self, actuation: Actuation = PASSIVE, external: Array | None = None) -> StepResult:
        """Advance by one step, with the velocity-dependent forces cancelled."""
        cancelled = self.terms.bias - self._gravity_forces()
        return super().step(actuation, cancelled if external is None else cancelled + external)

    @property
    def state(self) -> State:
        """The state for controllers; its bias forces contain gravity alone."""
        return super().state._replace(bias=self._gravity_forces())

    def _gravity_forces(self) -> Array:
        """(nv,) bias forces at the current pose and zero velocity."""
        data = self._data_at_rest
        data.qpos[:] = self.qpos
        mujoco.mj_kinematics(self.model, data)
        mujoco.mj_comPos(self.model, data)
        out = np.zeros(self.model.nv)
        mujoco.mj_rne(self.model, data, 0, out)
        return out

    @cached_property
    def _data_at_rest(self) -> mujoco.MjData:
        return mujoco.MjData(self.model)


WORLDS = {"ours": World, "the paper's": LinearWorld}


def plant_cases(scope: Scope) -> list[ModalCase]:
    """A case for each motion, push and seed in each of the two worlds."""
    return [case for motion in scope.motions for name in WORLDS for case in _plant_cases_of_motion(motion, name, scope)]


def _plant_cases_of_motion(motion: str, name: str, scope: Scope) -> Iterator[ModalCase]:
    forces = FORCES.get(motion, FORCES["walk"])
    for force, seed in product(forces[:2] if scope.coarse else forces, range(scope.seeds)):
        for angle in PUSH_DIRECTIONS[:: 4 if scope.coarse else 1] if force else (0,):
            pushes = (push_for_frames(angle, force, pushes_of_motion(motion).frames),) if force else ()
            yield ModalCase(
                {"motion": motion_display_name(motion), "force": force, "direction": angle, "world": name},
                Trial(motion, study_body(motion), seconds=scope.seconds, seed=seed, pushes=pushes),
                replace(LITERAL, window=paper_window(motion)),
                world=WORLDS[name],
            )


plant_summary = summary_by(
    ("motion", "world", "force"), summary_columns("trials", "survived", "share", "joint_rms_deg", "root_rms_m")
)


def plot_plant(rows: Sequence[Row]) -> Figure:
    """The survival share against the force: a panel for each motion, a curve for each world."""
    motions = distinct_names(rows, "motion")
    figure, axes = figure_panels(1, len(motions))
    for axis, motion in zip(axes[0], motions, strict=True):
        for world in WORLDS:
            own = rows_where(plant_summary(rows), motion=motion, world=world)
            axis.plot(column_values(own, "force"), column_values(own, "share"), "o-", label=world)
        axis.set(xlabel="N", ylabel="survived", ylim=(-0.05, 1.05), title=motion)
    axes[0, 0].legend(frameon=False)
    return figure


STUDY: Study[ModalCase] = Study(
    name="modal-plant",
    title="survival of pushes in our simulation and in the paper's, which is linear in each step",
    reproduces="Jain and Liu 2011, Eq. (11)",
    whole=Scope(seeds=1, seconds=4.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=2.5, motions=("walk", "squat"), coarse=True),
    cases=plant_cases,
    run_case=run_modal_trial,
    summary=plant_summary,
    plot=plot_plant,
)
