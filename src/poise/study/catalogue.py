"""The studies of Poise by name."""

from typing import Any

from poise.errors import known_name
from poise.study import timing
from poise.study.experiment.study import Study
from poise.study.modal import modes, push, threshold_and_window
from poise.study.nqr import steering, survival
from poise.study.pendulum import imitation, robustness, speeds
from poise.study.poses import pd, scripts
from poise.study.rotation import aerial, ground, indices

STUDIES: dict[str, Study[Any]] = {
    study.name: study
    for study in (
        *(survival.ENDURANCE, survival.SURVIVAL, timing.NQR, survival.RATE, survival.HORIZON, survival.GROUND),
        *(survival.PUSHES, steering.TRANSITIONS, steering.STEERING),
        *(robustness.PUSHES, robustness.SLOPE, robustness.STAIRS, robustness.BODIES),
        *(imitation.STUDY, speeds.STUDY, timing.PENDULUM),
        *(modes.MODES, modes.SELECTION, threshold_and_window.THRESHOLD, threshold_and_window.WINDOW),
        *(push.PUSHES, push.WARPED, push.PLANT, timing.MODAL),
        *(scripts.SHOOTING, pd.STUDY, scripts.VARIATIONS),
        *(indices.STUDY, ground.ROLLS, ground.GROUND, aerial.FLIPS, aerial.AERIAL, timing.ROTATION),
    )
}


def named_study(name: str) -> Study[Any]:
    """The study that is called `name`; an unknown name raises PoiseError with suggestions."""
    return STUDIES[known_name("study", name, STUDIES)]
