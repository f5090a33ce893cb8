"""The studies of Poise by name."""

from __future__ import annotations

from typing import Any

from poise.errors import unknown_name
from poise.study import timing
from poise.study.experiment.study import Study
from poise.study.modal import modes, planning, plant, selection
from poise.study.modal import push as modal_push
from poise.study.nqr import endurance, steering, survival
from poise.study.nqr import push as nqr_push
from poise.study.pendulum import imitation, robustness, speeds
from poise.study.pendulum import push as pendulum_push
from poise.study.poses import pd, scripts
from poise.study.rotation import aerial, ground, indices

STUDIES: dict[str, Study[Any]] = {
    study.name: study
    for study in (
        *(endurance.STUDY, survival.SURVIVAL, timing.NQR, survival.RATE, survival.HORIZON, survival.GROUND),
        *(nqr_push.STUDY, steering.TRANSITIONS, steering.STEERING),
        *(pendulum_push.STUDY, robustness.SLOPE, robustness.STAIRS, robustness.BODIES),
        *(imitation.STUDY, speeds.STUDY, timing.PENDULUM),
        *(modes.STUDY, selection.STUDY, planning.THRESHOLD, planning.WINDOW),
        *(modal_push.PUSHES, modal_push.WARPED, plant.STUDY, timing.MODAL),
        *(scripts.SHOOTING, pd.STUDY, scripts.VARIATIONS),
        *(indices.STUDY, ground.ROLLS, ground.GROUND, aerial.FLIPS, aerial.AERIAL, timing.ROTATION),
    )
}


def named_study(name: str) -> Study[Any]:
    """The study that is called `name`; an unknown name raises PoiseError with suggestions."""
    if name not in STUDIES:
        raise unknown_name("study", name, STUDIES)
    return STUDIES[name]
