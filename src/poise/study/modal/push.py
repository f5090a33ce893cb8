"""Survival of pushes: with and without latency, in a slower motion, and in the paper's linear simulation.

[Jain2011] sections 7.2 (walking, squatting, swinging) and 7.3 (strong pushes backward, the motion slowed down by 25 %).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import mujoco
import numpy as np

from poise.arrays import Array
from poise.dynamics.actuation import PASSIVE, Actuation
from poise.dynamics.state import State
from poise.reference.archive import motion_display_name
from poise.study.experiment.plots import SIDES, curves, picture, share_map
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.table import summary_by
from poise.study.experiment.trial import PUSH_DIRECTIONS, Trial, horizontal_push, pushed_trial
from poise.study.modal.case import MOTIONS, OURS, ModalCase, paper_window, run_modal_trial, study_body, summary_columns
from poise.world.pushes import Push
from poise.world.result import StepResult
from poise.world.world import World

PUSHED_AT = 1.0  # Time (s) at which a push begins
FRAME = 1 / 120  # Duration (s) of a frame of the paper


@dataclass(frozen=True)
class ModalPushes:
    """Pushes of a motion: each force in each direction at each phase of the cycle."""

    forces: tuple[float, ...]  # N
    frames: int  # duration of a push
    phases: tuple[float, ...]
    directions: tuple[int, ...] = PUSH_DIRECTIONS  # degrees


WHOLE = {
    "walk": ModalPushes((100.0, 150.0, 175.0), 10, tuple(k / 8 for k in range(8))),
    "squat": ModalPushes((75.0, 100.0, 150.0, 200.0, 250.0), 20, (0.0, 0.5)),
    "swing": ModalPushes((175.0,), 20, (0.0, 0.25, 0.5, 0.75)),
}
COARSE = {
    "walk": ModalPushes((100.0,), 10, (0.0, 0.25), tuple(SIDES)),
    "squat": ModalPushes((100.0, 200.0), 20, (0.0,), tuple(SIDES)),
    "swing": ModalPushes((175.0,), 20, (0.0,), tuple(SIDES)),
}
REACTIONS = {"at once": replace(OURS, latency=0.0), "late": OURS, "late, literally": replace(OURS, believed=0.0)}
"""Settings by reaction to a push. Until a push is noticed, "late, literally" (the paper) ignores errors before it."""
FOOTHOLDS = {"moved": OURS.capture, "kept": 0.0}
STEPS = {"walk": ("moved", "kept"), "squat": ("kept", "caught"), "swing": ("kept",)}
"""Footholds of each motion: moved, kept, or ("caught") chosen by the pendulum controller when the body topples."""


def modal_push_cases(scope: Scope) -> list[ModalCase]:
    """A case for each motion, reaction, choice of footholds, push and seed."""
    return [
        ModalCase(
            {"motion": name, "reaction": reaction, "steps": steps, "force": force, "direction": angle, "phase": phase},
            pushed_trial(motion, study_body(motion), push, phase, PUSHED_AT + scope.seconds, seed),
            replace(settings, capture=FOOTHOLDS.get(steps, 0.0), window=paper_window(motion)),
            caught=steps == "caught",
        )
        for motion in scope.motions
        for name, pushes in ((motion_display_name(motion), pushes_of_motion(motion, scope.coarse)),)
        for (reaction, settings), steps in product(REACTIONS.items(), STEPS.get(motion, STEPS["walk"]))
        for force, angle, phase, seed in product(pushes.forces, pushes.directions, pushes.phases, range(scope.seeds))
        for push in (push_of_modal_case(angle, force, pushes.frames),)
    ]


def pushes_of_motion(motion: str, coarse: bool = False) -> ModalPushes:
    """The pushes to test a motion with; a motion without pushes of its own gets those of the walk."""
    table = COARSE if coarse else WHOLE
    return table.get(motion, table["walk"])


def push_of_modal_case(degrees: int, force: float, frames: int) -> Push:
    """A push of a force (N) in a direction (degrees) that begins at PUSHED_AT and lasts a number of frames."""
    return horizontal_push(degrees, force, PUSHED_AT, frames * FRAME)


PUSHES: Study[ModalCase] = Study(
    name="modal-push",
    title="survival of pushes while walking, squatting and swinging: force, direction, phase, reaction",
    reproduces="Jain and Liu 2011, section 7.2",
    whole=Scope(seeds=1, seconds=3.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=2.0, motions=MOTIONS, coarse=True),
    cases=modal_push_cases,
    run_case=run_modal_trial,
    summary=summary_by(
        ("motion", "reaction", "steps", "force"), **summary_columns("trials", "survived", "share", "physical")
    ),
    plot=picture(share_map("direction", "force", ("motion", "reaction", "steps"), ylabel="N", xlabel="degrees")),
)


WARP_FORCES = (200.0, 250.0, 300.0, 350.0, 400.0, 450.0)  # Forces (N)
FEW_WARP_FORCES = (300.0, 400.0)
BACK, PUSH_FRAMES, PUSH_PHASES = 180, 10, 8  # Direction (degrees), duration (frames) and number of phases of the pushes
SLOWER = f"warp:0.75@{PUSHED_AT:g}-{PUSHED_AT + 1.0:g},ease=0.1"
"""The edit that slows the motion down when the push begins, eased about as fast as the push takes speed away."""
WARPS: dict[str, tuple[tuple[float, str], ...]] = {"without": (), "with": ((PUSHED_AT, SLOWER),)}
WAYS = [
    {"reaction": reaction, "footholds": footholds, "warp": warp}
    for reaction, footholds, warp in product(("at once", "late"), ("kept", "moved"), WARPS)
]


def warp_cases(scope: Scope) -> list[ModalCase]:
    """A case for each motion, force, phase and seed, with and without latency, moved footholds and the warp."""
    return [
        ModalCase(
            {"motion": motion_display_name(motion), **way, "force": force, "phase": phase},
            replace(
                pushed_trial(motion, study_body(motion), push, phase, PUSHED_AT + scope.seconds, seed),
                meanwhile=WARPS[way["warp"]],
            ),
            replace(REACTIONS[way["reaction"]], capture=FOOTHOLDS[way["footholds"]], window=paper_window(motion)),
        )
        for motion, way, force in product(scope.motions, WAYS, FEW_WARP_FORCES if scope.coarse else WARP_FORCES)
        for push in (push_of_modal_case(BACK, force, PUSH_FRAMES),)
        for phase in (k / PUSH_PHASES for k in range(0, PUSH_PHASES, 4 if scope.coarse else 1))
        for seed in range(scope.seeds)
    ]


WARPED: Study[ModalCase] = Study(
    name="modal-warp",
    title="survival of strong pushes backward, without and with a slower motion",
    reproduces="Jain and Liu 2011, section 7.3",
    whole=Scope(seeds=1, seconds=3.5, motions=("walk",)),
    quick=Scope(seeds=1, seconds=2.5, motions=("walk",), coarse=True),
    cases=warp_cases,
    run_case=run_modal_trial,
    summary=summary_by(
        ("motion", "reaction", "footholds", "force", "warp"),
        **summary_columns("trials", "survived", "share", "physical"),
    ),
    plot=picture(share_map("phase", "force", ("warp", "reaction", "footholds"), ylabel="N")),
)


PLANT_FORCES = {"walk": (0.0, 100.0, 175.0), "squat": (0.0, 75.0, 150.0, 250.0), "swing": (0.0, 175.0)}
"""Forces (N) by motion: 0 for no push, then forces of the paper from the weakest to the strongest."""
LITERAL = replace(OURS, believed=0.0, capture=0.0)  # Settings with the paper's reaction to pushes and fixed footholds


class LinearWorldOfTrial(World):
    """The paper's world, linearised in each step (Eq. (11)): without Coriolis and centrifugal forces."""

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


WORLDS = {"ours": World, "the paper's": LinearWorldOfTrial}


def plant_cases(scope: Scope) -> list[ModalCase]:
    """A case for each motion, push and seed in each of the two worlds."""
    return [
        ModalCase(
            {"motion": motion_display_name(motion), "force": force, "direction": angle, "world": name},
            Trial(motion, study_body(motion), seconds=scope.seconds, seed=seed, pushes=pushes),
            replace(LITERAL, window=paper_window(motion)),
            world=world,
        )
        for motion, (name, world) in product(scope.motions, WORLDS.items())
        for forces in (PLANT_FORCES.get(motion, PLANT_FORCES["walk"]),)
        for force, seed in product(forces[:2] if scope.coarse else forces, range(scope.seeds))
        for angle in (PUSH_DIRECTIONS[:: 4 if scope.coarse else 1] if force else (0,))
        for pushes in ((push_of_modal_case(angle, force, pushes_of_motion(motion).frames),) if force else (),)
    ]


PLANT: Study[ModalCase] = Study(
    name="modal-plant",
    title="survival of pushes in our simulation and in the paper's, which is linear in each step",
    reproduces="Jain and Liu 2011, Eq. (11)",
    whole=Scope(seeds=1, seconds=4.0, motions=MOTIONS),
    quick=Scope(seeds=1, seconds=2.5, motions=("walk", "squat"), coarse=True),
    cases=plant_cases,
    run_case=run_modal_trial,
    summary=summary_by(
        ("motion", "world", "force"), **summary_columns("trials", "survived", "share", "joint_rms_deg", "root_rms_m")
    ),
    plot=picture(curves("force", ("survived",), ("world",), ("motion",), xlabel="N", ylim=(-0.05, 1.05))),
)
