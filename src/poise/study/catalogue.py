"""The studies of Poise by name."""

from __future__ import annotations

from typing import Any

from poise.errors import unknown_name
from poise.study.experiment.study import Study
from poise.study.modal import modes, plant, selection, threshold, warp, window
from poise.study.modal import push as modal_push
from poise.study.modal import timing as modal_timing
from poise.study.nqr import endurance, ground, horizon, rate, steering, survival, transitions
from poise.study.nqr import push as nqr_push
from poise.study.nqr import timing as nqr_timing
from poise.study.pendulum import body, imitation, slope, speeds, stairs
from poise.study.pendulum import push as pendulum_push
from poise.study.pendulum import timing as pendulum_timing
from poise.study.poses import pd, shooting, variations
from poise.study.rotation import aerial, flip, indices, roll
from poise.study.rotation import ground as rotation_ground
from poise.study.rotation import timing as rotation_timing

STUDIES: dict[str, Study[Any]] = {
    module.STUDY.name: module.STUDY
    for module in (
        *(endurance, survival, nqr_timing, rate, horizon, ground, nqr_push, transitions, steering),
        *(pendulum_push, slope, stairs, body, imitation, speeds, pendulum_timing),
        *(modes, selection, threshold, window, modal_push, warp, plant, modal_timing),
        *(shooting, pd, variations),
        *(indices, roll, rotation_ground, flip, aerial, rotation_timing),
    )
}


def named_study(name: str) -> Study[Any]:
    """The study that is called `name`; an unknown name raises PoiseError with suggestions."""
    if name not in STUDIES:
        raise unknown_name("study", name, STUDIES)
    return STUDIES[name]
