"""Scripts solved and performed: the cost of meeting constraints, [Fattal2006] section 6; random variations.

A variation of a shipped script changes masses and inertias (equally on the left and the right, half of the change for
all links alike), the intervals between poses with all but the pushes in them, and the targets of constraints within
their `range`. It is solved from the animator's own poses.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from poise.animate.animate import animate
from poise.animate.read_script import read_script, shipped_scripts
from poise.animate.script import ControlPose, Goal, Script, Want
from poise.animate.solve import solve_script
from poise.body.assemble import assemble_body
from poise.body.body import Body
from poise.body.plans.plan import Segment, right_side_name
from poise.control.poses.rig import TimeSpan
from poise.errors import PoiseError
from poise.export.look import data_of_pose
from poise.measure.audit import audit
from poise.measure.metrics import fell_at, ground_impulse, metrics
from poise.study.experiment.plots import bars, drawn_of, picture
from poise.study.experiment.study import NamedCase, Row, Scope, Study, named_cases
from poise.study.experiment.table import column_means, column_totals, group_rows, row_count, summary_by
from poise.world.recording import Recording

PAPER = {"somersault": (4, 34.0), "lamp": (6, 2.5), "footprints": (3, 1.6)}
"""For each script: the paper's iterations and seconds of a solve, on a computer of 2004 (Pentium 4, 2.4 GHz)."""


def run_shooting_case(case: NamedCase) -> Row:
    """Row of a script that is solved and performed: iterations, simulations, seconds, and result."""
    solution = solve_script(read_script(case.name))
    recording = animate(solution.script).recording
    hits = [answer.hit for answer in solution.answers]
    return {
        "script": case.name,
        "seed": case.seed,
        "solved": solution.converged,
        "goals": len(hits),
        "iterations": max(hit.iterations for hit in hits),
        "simulations": sum(hit.simulations for hit in hits) / len(hits),
        "seconds": max(answer.seconds for answer in solution.answers),
        "stood": metrics(recording)["fell_at"] is None,
        "passed": audit(recording).passed,
    }


def shooting_summary(rows: Sequence[Row]) -> list[Row]:
    """For each script: iterations and seconds of the slowest goal, simulations per goal, and the paper's numbers."""
    columns = column_means("solved", "stood", "passed", "iterations", "simulations", "seconds")
    found = group_rows(rows, ("script",), columns)
    for row in found:
        row["paper_iterations"], row["paper_seconds"] = PAPER[str(row["script"])]
    return found


SHOOTING: Study[NamedCase] = Study(
    name="poses-shooting",
    title="iterations, simulations and seconds until constraints are met",
    reproduces="Fattal & Lischinski 2006, section 6",
    whole=Scope(seeds=3, seconds=1.0),
    quick=Scope(seeds=1, seconds=1.0, coarse=True),
    cases=lambda scope: named_cases(("lamp",) if scope.coarse else PAPER, scope),
    run_case=run_shooting_case,
    summary=shooting_summary,
    plot=picture(
        drawn_of(
            shooting_summary,
            bars(("seconds", "paper_seconds"), ("script",), xscale="log"),
            bars(("iterations", "paper_iterations"), ("script",)),
        )
    ),
    alone=True,
)


# Goals of the scripts.

HARD = 3.0  # Least forward speed (m/s) of a ball that was punched
HURT = 10.0  # Impulse (N s) from the ground beyond which the head was hit
FLAT = 0.7  # Least vertical component of the chest's forward axis, up or down, of a body that lies on its back or face
STANDS, NEAR = 0.95, 0.2
"""Least vertical component of the axis of a standing glass; largest distance (m) of glass and middle of the tray."""
OFF = 0.5  # Largest sideways deviation (m) of a walk that keeps to its line
ENOUGH = 0.9  # Share of variations that should succeed


def trial_stayed_upright(recording: Recording) -> bool:
    """Whether nothing but feet and hands touched the ground."""
    return fell_at(recording) is None


def punched_ball(recording: Recording) -> bool:
    """Whether the ball flew forward and the boxer stands."""
    forward = int(recording.model.body("ball").dofadr[0])
    return float(recording.qvel[:, forward].max()) > HARD and trial_stayed_upright(recording)


def fall_goal(face_down: bool, hurt: bool) -> Callable[[Recording], bool]:
    """A function that says whether the body lies on its face or its back, and whether the head hit the ground."""

    def fell_so(recording: Recording) -> bool:
        data = data_of_pose(recording.model, recording.qpos[-1])
        chest = float(data.body("torso").xmat.reshape(3, 3)[2, 0])  # of its forward axis
        impulse = ground_impulse(recording, "head")
        return (chest < -FLAT if face_down else chest > FLAT) and (impulse > HURT if hurt else impulse < HURT)

    return fell_so


def served_glass(recording: Recording) -> bool:
    """Whether the glass stands on the tray at the end, and the waiter on his feet."""
    data = data_of_pose(recording.model, recording.qpos[-1])
    tray, glass = data.body("tray"), data.body("tray_glass")
    above = tray.xmat.reshape(3, 3).T @ (glass.xpos - tray.xpos)
    stands = float(glass.xmat.reshape(3, 3)[2, 2]) > STANDS and 0.0 < above[2] < NEAR and np.hypot(*above[:2]) < NEAR
    return bool(stands) and trial_stayed_upright(recording)


def walked_along_line(recording: Recording) -> bool:
    """Whether the body walked along x, stayed upright, and was never blown far off its line."""
    x, y = recording.qpos[:, 0], recording.qpos[:, 1]
    return bool(np.abs(y).max() < OFF and x[-1] > 0.5 * recording.time[-1]) and trial_stayed_upright(recording)


def carried_crate(recording: Recording) -> bool:
    """Whether the crate is held nearly level at the height of the belly, and the porter stands."""
    data = data_of_pose(recording.model, recording.qpos[-1])
    crate = data.body("crate")
    return bool(crate.xpos[2] > 0.85 and crate.xmat.reshape(3, 3)[2, 2] > 0.95) and trial_stayed_upright(recording)


GOALS: dict[str, Callable[[Recording], bool]] = {
    "lamp": trial_stayed_upright,
    "somersault": trial_stayed_upright,
    "strut": trial_stayed_upright,
    "footprints": trial_stayed_upright,
    "waiter": served_glass,
    "gusts": walked_along_line,
    "crate": carried_crate,
    "punch": punched_ball,
    "blow": fall_goal(face_down=True, hurt=True),
    "blow-arms": fall_goal(face_down=True, hurt=False),
    "blow-roll": fall_goal(face_down=False, hurt=False),
}
"""For each shipped script: a function that says whether a recording achieves the goal of the script."""


# Variations of a script.

MASS, TIME = 0.1, 0.05  # Largest relative changes of masses and of intervals between poses
Warp = Callable[[float], float]  # Maps a time (s) of the script to a time (s) of the variation


def varied_trial_script(script: Script, seed: int) -> Script:
    """A script with random changes of masses, times and targets, drawn from the seed."""
    masses, times, targets = (np.random.default_rng([seed, k]) for k in range(3))
    warp = _random_trial_warp(script.poses, times)
    bodies = (_vary_masses_for_trial(script.scene.body, masses), *script.scene.bodies[1:])

    def warped(span: TimeSpan) -> TimeSpan:
        return TimeSpan(warp(span.start), warp(span.end))

    def varied_want(want: Want) -> Want:
        when = replace(want.when, time=warp(want.when.time)) if want.when.event == "time" else want.when
        return replace(want, when=when, value=want.value + targets.uniform(-want.range, want.range))

    def varied_goal(goal: Goal) -> Goal:
        return replace(goal, wants=tuple(map(varied_want, goal.wants)), solved=(0.0,) * len(goal.free))

    def timed(parts: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(replace(part, when=warped(part.when)) for part in parts)

    return replace(
        script,
        scene=replace(script.scene, bodies=bodies),
        seconds=warp(script.seconds),
        poses=tuple(replace(pose, time=warp(pose.time)) for pose in script.poses),
        gain_changes=timed(script.gain_changes),
        stabilised=tuple(map(warped, script.stabilised)),
        objectives=timed(script.objectives),
        holds=timed(script.holds),
        goals=tuple(map(varied_goal, script.goals)),
    )


def _vary_masses_for_trial(body: Body, rng: np.random.Generator) -> Body:
    """The body with changed masses and the same torque limits."""
    if body.plan is None:
        raise PoiseError(f"body '{body.name}' comes from MJCF or carries a load: its masses cannot be varied")
    common = rng.uniform(-MASS, MASS)
    own: dict[str, float] = {}

    def scaled_segment(segment: Segment) -> Segment:
        side = right_side_name(segment.name)  # one key for both sides
        if side not in own:
            own[side] = 1.0 + 0.5 * (common + rng.uniform(-MASS, MASS))
        x, y, z = (own[side] * moment for moment in segment.inertia)
        return replace(segment, mass=own[side] * segment.mass, inertia=(x, y, z))

    made = assemble_body(replace(body.plan, segments=tuple(scaled_segment(segment) for segment in body.plan.segments)))
    return replace(made, torque_limit=body.torque_limit, rigging=body.rigging)


def _random_trial_warp(poses: Sequence[ControlPose], rng: np.random.Generator) -> Warp:
    """A warp that stretches the intervals between poses at random; after the last pose, time keeps its rate."""
    before = np.unique([0.0, *(pose.time for pose in poses)])
    waits = np.diff(before) * rng.uniform(1.0 - TIME, 1.0 + TIME, len(before) - 1)
    after = np.concatenate([[0.0], np.cumsum(waits)])

    def warp(time: float) -> float:
        return float(np.interp(time, before, after) + max(time - before[-1], 0.0))

    return warp


def run_variation_case(case: NamedCase) -> Row:
    """Row of a variation that is solved, if it has constraints, performed, and checked for its goal."""
    script = varied_trial_script(read_script(case.name), case.seed)
    solution = solve_script(script) if script.goals else None
    performance = animate(script if solution is None else solution.script)
    solved = solution is None or solution.converged
    performed = performance.blow_up is None and GOALS[case.name](performance.recording)
    return {
        "script": case.name,
        "seed": case.seed,
        "solved": solved,
        "done": solved and performed,
        "passed": audit(performance.recording).passed,
        "iterations": None if solution is None else sum(answer.hit.iterations for answer in solution.answers),
        "simulations": None if solution is None else sum(answer.hit.simulations for answer in solution.answers),
    }


VARIATIONS: Study[NamedCase] = Study(
    name="poses-variations",
    title="scripts with other masses, times and targets",
    reproduces="how far a user may change a script",
    whole=Scope(seeds=20, seconds=60.0),
    quick=Scope(seeds=2, seconds=60.0),
    cases=lambda scope: named_cases(shipped_scripts(), scope),
    run_case=run_variation_case,
    summary=summary_by(("script",), variations=row_count, **column_totals("solved", "done", "passed")),
    plot=picture(bars(("done",), ("script",), lines={"goal": ENOUGH}, xlim=(0.0, 1.0))),
)
