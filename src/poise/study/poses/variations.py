"""Do scripts work when a user changes them? Variations of masses, pose times and targets, solved and performed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from poise.animate.animate import animate
from poise.animate.read_script import read_script, shipped_scripts
from poise.animate.script import Goal, Pose, Script, Want
from poise.animate.solve import solve_script
from poise.body.assemble import assemble_body
from poise.body.body import Body
from poise.body.plans.plan import Segment, other_side
from poise.control.poses.rig import TimeSpan
from poise.errors import PoiseError
from poise.measure.audit import audit
from poise.measure.metrics import fell_at, ground_impulse
from poise.study.experiment.plots import panels
from poise.study.experiment.study import Row, Scope, Study
from poise.study.experiment.table import column_values, count, grouped, total
from poise.world.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What scripts are for: whether a performance of one did it.

Feat = Callable[[Recording], bool]

HARD = 3.0
"""m/s: a ball that was hit well goes on ahead at least so fast."""
HURT = 10.0
"""N s: a head that the ground gave more than this was hit."""
FLAT = 0.7
"""How far the chest faces up or down, at least, of someone who lies on back or face: 1 is straight."""

STANDS, NEAR = 0.95, 0.2
"""Upward part of the axis of a glass that stands; m from the middle of its tray."""
OFF = 0.5
"""m: who is blown aside by more did not keep to the line."""


def upright(recording: Recording) -> bool:
    """Nothing but feet and hands touched the ground."""
    return fell_at(recording) is None


def punched(recording: Recording) -> bool:
    """The ball flew off ahead, and the boxer stands."""
    return float(_velocity(recording, "ball")[:, 0].max()) > HARD and upright(recording)


def fell_on_face(recording: Recording) -> bool:
    """He lies on his face, which hit the ground."""
    return _chest(recording) < -FLAT and ground_impulse(recording, "head") > HURT


def fell_on_arms(recording: Recording) -> bool:
    """He lies with his chest down and his head was spared."""
    return _chest(recording) < -FLAT and ground_impulse(recording, "head") < HURT


def rolled_on_back(recording: Recording) -> bool:
    """He lies on his back and his head was spared."""
    return _chest(recording) > FLAT and ground_impulse(recording, "head") < HURT


def served(recording: Recording) -> bool:
    """The glass stands on the tray in the end, and the waiter on his feet."""
    data = mujoco.MjData(recording.model)
    data.qpos[:] = recording.qpos[-1]
    mujoco.mj_kinematics(recording.model, data)
    tray, glass = data.body("tray"), data.body("tray_glass")
    above = tray.xmat.reshape(3, 3).T @ (glass.xpos - tray.xpos)
    stands = float(glass.xmat.reshape(3, 3)[2, 2]) > STANDS and 0.0 < above[2] < NEAR and np.hypot(*above[:2]) < NEAR
    return bool(stands) and upright(recording)


def kept_to_the_line(recording: Recording) -> bool:
    """Walked on along x, upright, and was never blown far off."""
    x, y = recording.qpos[:, 0], recording.qpos[:, 1]
    return bool(np.abs(y).max() < OFF and x[-1] > 0.5 * recording.time[-1]) and upright(recording)


FEATS: dict[str, Feat] = {
    "lamp": upright,
    "somersault": upright,
    "strut": upright,
    "footprints": upright,
    "waiter": served,
    "gusts": kept_to_the_line,
    "punch": punched,
    "blow": fell_on_face,
    "blow-arms": fell_on_arms,
    "blow-roll": rolled_on_back,
}
"""By script, those that come with Poise."""


def _velocity(recording: Recording, prop: str) -> np.ndarray:
    """(T+1, 3) m/s."""
    first = int(recording.model.body(prop).dofadr[0])
    return np.asarray(recording.qvel[:, first : first + 3])


def _chest(recording: Recording) -> float:
    """Upward part of where the chest faces in the end."""
    data = mujoco.MjData(recording.model)
    data.qpos[:] = recording.qpos[-1]
    mujoco.mj_kinematics(recording.model, data)
    return float(data.body("torso").xmat.reshape(3, 3)[2, 0])


# Random variations of a script: what a user may change and still have it work.
#
# - Masses: of each link by up to 10 %, inertias alike, left and right alike; half of it is common to all links, so
# that the body as a whole becomes heavier or lighter too. Torque limits stay as they were.
# - Times: each wait from a pose to the next by up to 5 %. Gains, stabilising torques, objectives, holds and the times
# of constraints move with the poses around them; pushes come when they come.
# - Targets: each constraint's `is` by up to its `range`, as the script has it: how far the target may be moved and the
# script still solves. Without a range it stays.
#
# Changes that were found for a script are forgotten: a variation is to be solved from the animator's own poses.

MASS, TIME = 0.1, 0.05
"""Parts by which masses and waits change, at most."""

Warp = Callable[[float], float]
"""The time (s) to which a time moves."""


def varied_script(script: Script, seed: int) -> Script:
    """A script with random changes of masses, times and targets; a seed always gives the same."""
    masses, times, targets = (np.random.default_rng([seed, k]) for k in range(3))
    warp = _warp(script.poses, times)
    bodies = (_reweighed(script.scene.body, masses), *script.scene.bodies[1:])
    return replace(
        script,
        scene=replace(script.scene, bodies=bodies),
        seconds=warp(script.seconds),
        poses=tuple(replace(pose, time=warp(pose.time)) for pose in script.poses),
        changes=tuple(_moved(change, warp) for change in script.changes),
        stabilised=tuple(_span(span, warp) for span in script.stabilised),
        objectives=tuple(_moved(objective, warp) for objective in script.objectives),
        holds=tuple(_moved(hold, warp) for hold in script.holds),
        goals=tuple(_retargeted(goal, warp, targets) for goal in script.goals),
    )


def _reweighed(body: Body, rng: np.random.Generator) -> Body:
    """The body with links of other masses, as strong as before."""
    if body.plan is None:
        raise PoiseError(f"body '{body.name}' comes from MJCF or carries a load: its masses cannot be varied")
    common = rng.uniform(-MASS, MASS)
    own: dict[str, float] = {}

    def heavier(segment: Segment) -> Segment:
        side = other_side(segment.name)  # the right one's, for both sides
        if side not in own:
            own[side] = 1.0 + 0.5 * (common + rng.uniform(-MASS, MASS))
        x, y, z = (own[side] * moment for moment in segment.inertia)
        return replace(segment, mass=own[side] * segment.mass, inertia=(x, y, z))

    made = assemble_body(replace(body.plan, segments=tuple(heavier(segment) for segment in body.plan.segments)))
    return replace(made, torque_limit=body.torque_limit, rigging=body.rigging)


def _warp(poses: Sequence[Pose], rng: np.random.Generator) -> Warp:
    """Times stretched between poses; after the last one, time goes on as it did."""
    before = np.unique([0.0, *(pose.time for pose in poses)])
    waits = np.diff(before) * rng.uniform(1.0 - TIME, 1.0 + TIME, len(before) - 1)
    after = np.concatenate([[0.0], np.cumsum(waits)])

    def warp(time: float) -> float:
        return float(np.interp(time, before, after) + max(time - before[-1], 0.0))

    return warp


def _moved(timed: Any, warp: Warp) -> Any:
    """Something that goes on for a while, at another time."""
    return replace(timed, when=_span(timed.when, warp))


def _span(span: TimeSpan, warp: Warp) -> TimeSpan:
    return TimeSpan(warp(span.start), warp(span.end))


def _retargeted(goal: Goal, warp: Warp, rng: np.random.Generator) -> Goal:
    wants = tuple(_aimed(want, warp, rng) for want in goal.wants)
    return replace(goal, wants=wants, solved=(0.0,) * len(goal.free))


def _aimed(want: Want, warp: Warp, rng: np.random.Generator) -> Want:
    when = want.when
    if when.event == "time":
        when = replace(when, time=warp(when.time))
    return replace(want, when=when, value=want.value + rng.uniform(-want.range, want.range))


ENOUGH = 0.9
"""Share of variations that is to succeed."""


@dataclass(frozen=True)
class VariationCase:
    """A variation of a script."""

    script: str
    seed: int


def cases(scope: Scope) -> list[VariationCase]:
    """So many variations of every script that comes with Poise."""
    return [VariationCase(script, seed) for script in shipped_scripts() for seed in range(scope.seeds)]


def measure(case: VariationCase) -> Row:
    """Solved if it has constraints, performed, and judged."""
    script = varied_script(read_script(case.script), case.seed)
    solution = solve_script(script) if script.goals else None
    performance = animate(script if solution is None else solution.script)
    solved = solution is None or solution.converged
    performed = performance.blow_up is None and FEATS[case.script](performance.recording)
    return {
        "script": case.script,
        "seed": case.seed,
        "solved": solved,
        "done": solved and performed,
        "physical": audit(performance.recording).passed,
        "iterations": None if solution is None else sum(answer.hit.iterations for answer in solution.answers),
        "simulations": None if solution is None else sum(answer.hit.simulations for answer in solution.answers),
    }


def summary(rows: Sequence[Row]) -> list[Row]:
    """By script: how many of how many."""
    columns = {name: total(name) for name in ("solved", "done", "physical")}
    return grouped(rows, ("script",), {"variations": count, **columns})


def plot(rows: Sequence[Row]) -> Figure:
    """The share of each script that does what it is for."""
    found = summary(rows)
    shares = np.array(column_values(found, "done")) / np.array(column_values(found, "variations"))
    figure, ((axis,),) = panels(1, 1, size=(5.0, 0.8 + 0.3 * len(found)))
    axis.barh([str(row["script"]) for row in found], shares, color="C0")
    axis.axvline(ENOUGH, color="grey", lw=0.8)
    axis.set_xlim(0.0, 1.0)
    axis.set_xlabel("share of variations that succeed")
    axis.invert_yaxis()
    return figure


STUDY: Study[VariationCase] = Study(
    name="poses-variations",
    title="scripts with other masses, times and targets",
    reproduces="how far a user may go",
    whole=Scope(seeds=20, seconds=60.0),
    quick=Scope(seeds=2, seconds=60.0),
    cases=cases,
    measure=measure,
    summary=summary,
    plot=plot,
)
