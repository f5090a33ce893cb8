"""How hard may it be pushed? [Tsai2010] section 5.3: force, direction, phase of the stride, and torque limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from poise.body.body import Body
from poise.study.experiment.plots import panels, share_circle, share_map, shares_over
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import count, grouped, mean, total
from poise.study.experiment.trial import Build, Trial
from poise.study.pendulum.case import BODY, STEP_RATE, PendulumCase, measure, walking
from poise.world.pushes import Push

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPEED = 0.8
"""m/s, of the walk."""
STRIDE = 16 / 15
"""s, of the walk."""
PUSHED_AT = 4.0
"""s; at this speed by then."""
PAPER = ((0.0, 486.02), (354.75, 321.30), (456.24, 0.0), (266.06, -365.90),
         (0.0, -457.72), (-296.91, -341.59), (-469.68, 0.0), (-270.78, 380.75))  # fmt: skip
"""N for 0.4 s, the most in eight directions: (to the left, forward), by the axes of the paper's Fig. 5."""
SIMBICON = 340.0
"""N for 0.4 s, the most in any direction, as the paper tells it."""
SIDES = {0: "forward", 90: "left", 180: "backward", 270: "right"}
_SPREAD = 0.618034  # of a phase's share of the stride, from one seed to the next: they never meet


@dataclass(frozen=True)
class PendulumPushes:
    """Pushes of a kind: each force in each direction at each phase."""

    kind: str
    forces: tuple[float, ...]  # N
    duration: float  # s
    directions: tuple[int, ...]  # degrees: forward, then to the left
    phases: int
    motion: str = "walk"


EIGHT = tuple(range(0, 360, 45))
WHOLE = (
    PendulumPushes("walking", (250.0, 350.0, 450.0, 500.0, 550.0), 0.4, EIGHT, 8),
    PendulumPushes("walking, sideways", (700.0,), 0.2, (90, 270), 8),
    PendulumPushes("standing", (200.0, 300.0, 400.0), 0.4, EIGHT, 1, "stand"),
)
COARSE = (
    PendulumPushes("walking", (350.0, 500.0), 0.4, tuple(SIDES), 2),
    PendulumPushes("walking, sideways", (700.0,), 0.2, (90, 270), 2),
    PendulumPushes("standing", (300.0,), 0.4, tuple(SIDES), 1, "stand"),
)
LIMITS = ("paper", "human")


def cases(scope: Scope) -> list[PendulumCase]:
    """Each push under each set of torque limits."""
    return [
        case
        for limits in LIMITS
        for blows in (COARSE if scope.coarse else WHOLE)
        for case in _cases(blows, limits, scope)
    ]


def _cases(blows: PendulumPushes, limits: str, scope: Scope) -> Iterator[PendulumCase]:
    stands = blows.motion == "stand"
    for angle, force, phase, seed in product(blows.directions, blows.forces, range(blows.phases), range(scope.seeds)):
        time = pushed_at(phase, blows.phases, seed)
        way = math.radians(angle)
        push = Push(force, time, blows.duration, (math.cos(way), math.sin(way), 0.0))
        yield PendulumCase(
            {
                "pushed": blows.kind,
                "limits": limits,
                "duration": blows.duration,
                "force": force,
                "velocity_change": force * blows.duration / _mass(),
                "direction": angle,
                "phase": phase / blows.phases,
            },
            Trial(
                blows.motion,
                BODY,
                Build(limits=limits),
                seconds=time + scope.seconds,
                seed=seed,
                pushes=(push,),
                commands=() if stands else walking(SPEED),
                rate=STEP_RATE,
            ),
            rests=stands,
        )


def pushed_at(phase: int, phases: int, seed: int) -> float:
    """s: in each of so many parts of the stride, at another moment for each seed."""
    return PUSHED_AT + STRIDE * (phase + seed * _SPREAD % 1.0) / phases


def _mass() -> float:
    return Body.named(BODY).mass


def summary(rows: Sequence[Row]) -> list[Row]:
    """By kind, limits and force, over all directions and phases."""
    columns = {
        "velocity_change": mean("velocity_change"),
        "trials": count,
        "survived": total("survived"),
        "share": mean("survived"),
        "physical": total("physical"),
    }
    return grouped(rows, ("pushed", "limits", "duration", "force"), columns)


def plot(rows: Sequence[Row]) -> Figure:
    """A row for each set of limits: in circles by direction while walking and standing, and by phase."""
    limits = list(dict.fromkeys(str(row["limits"]) for row in rows))
    figure, axes = panels(len(limits), 3, size=(10.5, 3.7 * len(limits)))
    for i, name in enumerate(limits):
        here = [row for row in rows if row["limits"] == name]
        for j, kind in ((0, "walking"), (2, "standing")):
            axes[i, j].remove()
            chosen = [row for row in here if row["pushed"] == kind]
            if chosen:
                axis = figure.add_subplot(len(limits), 3, 3 * i + j + 1, projection="polar")
                _circle(axis, chosen, f"{kind}, {name} limits")
        walks = [row for row in here if row["pushed"] != "standing"]
        if walks:
            _phases(axes[i, 1], walks)
    return figure


def _circle(axis: Any, rows: Sequence[Row], title: str) -> None:
    """Shares by direction and force, with what others reach; rings tell the velocity change as well."""
    angles, forces, shares = shares_over(rows, "direction", "force")
    share_circle(axis, shares, angles, forces)
    axis.set_thetagrids(list(SIDES), SIDES.values())
    change = {row["force"]: row["velocity_change"] for row in rows}
    axis.set_rgrids(forces, [f"{force:g} N, {change[force]:.1f} m/s" for force in forces], fontsize=6)
    axis.set_rlabel_position(157.5)
    if rows[0]["duration"] == 0.4 and rows[0]["pushed"] == "walking":
        ways = [math.atan2(left, forward) for left, forward in PAPER]
        axis.plot(ways, [math.hypot(*force) for force in PAPER], "k^", ms=5, label="paper's most")
        around = [math.radians(degree) for degree in range(361)]
        axis.plot(around, [SIMBICON] * 361, "k--", lw=1, label="SIMBICON's most")
        axis.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(-0.25, 0.0))
    axis.set_title(title)


def _phases(axis: Any, rows: Sequence[Row]) -> None:
    phases, forces, shares = shares_over(rows, "phase", "force")
    lasting = {row["force"]: row["duration"] for row in rows}
    share_map(axis, shares, [f"{phase:.2g}" for phase in phases], [f"{f:g} N, {lasting[f]:g} s" for f in forces])
    axis.tick_params(axis="x", rotation=90)
    axis.set_xlabel("phase of the stride")
    axis.set_title("survived, %, all directions")


STUDY: Study[PendulumCase] = Study(
    name="pendulum-push",
    title="survival of pushes at the trunk: force, direction, phase of the stride, torque limits",
    reproduces="Tsai et al. 2010, section 5.3",
    whole=Scope(seeds=5, seconds=6.0),
    quick=Scope(seeds=1, seconds=4.0, coarse=True),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
