"""How uneven may the ground be? [Muico2009] section 5.4: steps and stairs, up and down."""

from __future__ import annotations

from poise.reference.archive import spoken_name
from poise.study.nqr.case import Case, measure
from poise.study.nqr.comparison import summary_by
from poise.study.shares import map_of
from poise.study.study import Scope, Study
from poise.study.trial import Trial

GROUNDS: dict[str, dict[str, tuple[str, tuple[float, ...]]]] = {
    "walk": {
        "once down": ("drop:{}", (0.02, 0.04, 0.06, 0.08)),
        "stairs down": ("stairs:-{}:0.7:12", (0.02, 0.04, 0.06, 0.08)),
        "stairs down, long treads": ("stairs:-{}:1:12", (0.02, 0.04, 0.06, 0.08)),
        "once up": ("drop:-{}", (0.02, 0.04, 0.06, 0.08)),
        "stairs up": ("stairs:{}:0.7:12", (0.02, 0.04, 0.06, 0.08)),
    },
    "run": {
        "down every 5 m": ("drop:{}:5", (0.02, 0.04, 0.06, 0.08)),
        "up every 5 m": ("drop:-{}:5", (0.02, 0.04, 0.06, 0.08)),
    },
    "turn-45": {"down with each cycle": ("spiral:{}:45:3.4:6", (0.02, 0.04, 0.06, 0.08))},
}
"""Motion: {what the ground does: (terrain, heights in m)}."""


def cases(scope: Scope) -> list[Case]:
    """Each motion over what is meant for it; other motions, such as prepared ones, over what is meant for a walk."""
    return [
        Case(
            {"ground": f"{spoken_name(motion)}: {what}", "height_cm": 100 * height},
            Trial(motion, seconds=scope.seconds, seed=seed, terrain=terrain.format(height)),
        )
        for motion in scope.motions
        for what, (terrain, heights) in GROUNDS.get(motion, GROUNDS["walk"]).items()
        for height in (heights[1:2] if scope.coarse else heights)
        for seed in range(scope.seeds)
    ]


STUDY: Study[Case] = Study(
    name="nqr-ground",
    title="survival of steps and stairs, up and down",
    reproduces="Muico et al. 2009, section 5.4",
    whole=Scope(seeds=10, seconds=12.0, motions=tuple(GROUNDS)),
    quick=Scope(seeds=1, seconds=8.0, motions=tuple(GROUNDS), coarse=True),
    cases=cases,
    measure=measure,
    summary=summary_by("ground", "height_cm"),
    plot=map_of("height_cm", "ground"),
)
