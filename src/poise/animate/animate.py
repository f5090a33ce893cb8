"""Perform a script, optionally after solving its goals, and write the files of the performance."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.animate.read_script import is_shipped_script, solved_script_text
from poise.animate.script import Script, script_keys, script_run, solved_changes
from poise.animate.solve import ScriptSolution, solve_script
from poise.arrays import readonly
from poise.export.formats import export
from poise.files import check_folder_writable, check_write_targets, write_file
from poise.library.authoring.curves import CurveKeys, authored_curve
from poise.measure.metrics import stabilising_effort
from poise.performance.performance import Performance
from poise.performance.report import Outcome, check_performance_folder, write_performance
from poise.performance.start import displacement_to_start
from poise.progress import Say, Steps, no_progress
from poise.reference.body_clip import BodyClip
from poise.reference.key_poses import pose_from_coordinates, standing_coordinates

RATE = 60.0  # Frame rate (Hz) of the keyframe interpolation
KEYFRAMES = ("keyframes.bvh", "keyframes.html")  # Files of the keyframe interpolation, to compare with the performance


def keyframe_interpolation(script: Script, seconds: float | None = None) -> BodyClip:
    """Interpolate the script's keys without physics; the root turns with its keys but keeps its initial place."""
    body = script.scene.body
    times = np.arange(round((seconds or script.seconds) * RATE) + 1) / RATE
    first = standing_coordinates(body)
    coordinates = np.tile(first, (len(times), 1))
    keys = script_keys(script, solved_changes(script.goals))
    for dof in np.unique(keys.dof):
        own = keys.dof == dof
        at, last = np.unique(keys.time[own][::-1], return_index=True)  # the last of several keys at one time counts
        values = keys.value[own][::-1][last]
        if at[0] > 0:
            at, values = np.append(0.0, at), np.append(first[dof], values)
        coordinates[:, dof] = authored_curve(CurveKeys(at, values), times)
    qpos = np.array([pose_from_coordinates(body, row) for row in coordinates])
    qpos[:, 2] += script.root_rise
    stand = script.beginning.stand
    qpos = displacement_to_start(replace(stand, z=script.scene.terrain.height(stand.x, stand.y))).pose(qpos)
    return BodyClip(f"{script.name}-keyframes", body, RATE, readonly(qpos))


@dataclass(frozen=True)
class Animation:
    """The result of performing a script."""

    script: Script
    performance: Performance
    summary: dict[str, Any]
    solution: ScriptSolution | None
    remark: str = ""  # why goals were not solved or no solved script was written

    @property
    def failed(self) -> bool:
        """Whether the simulation blew up or the solver did not meet all constraints."""
        return self.performance.blow_up is not None or (self.solution is not None and not self.solution.converged)

    def text(self) -> str:
        """The summary as text."""
        stabiliser = self.summary["stabiliser"]
        sizes = f"up to {stabiliser['peak_nm']:.0f} N m, {stabiliser['mean_nm']:.0f} on average"
        torques = f"stabilising torques: {sizes}, in {100 * stabiliser['share']:.0f} % of the time"
        lines = [*(self.solution.lines() if self.solution else []), *([self.remark] if self.remark else [])]
        return "\n".join([*lines, Outcome(self.performance, self.summary).text(torques)])


def animate(script: Script, seconds: float | None = None, progress: Steps = range) -> Performance:
    """Perform a script with the changes that were solved earlier and are stored in it; nothing is solved here."""
    return script_run(script, solved_changes(script.goals)).perform(seconds or script.seconds, progress)


def animate_to(
    script: Script, folder: Path, solving: bool = False, seconds: float | None = None, say: Say = no_progress,
    progress: Steps = range, workers: int = 1,
) -> Animation:  # fmt: skip
    """Perform a script and write files into a folder. With `solving`, solve its goals first, and write the solution."""
    check_performance_folder(folder, script.path, KEYFRAMES)
    to_solve = solving and bool(script.goals)
    target = _solved_script_path(script.path) if to_solve and script.path is not None else None
    solution = solve_script(script, say=say, workers=workers) if to_solve else None
    chosen = script if solution is None else solution.script
    performance = animate(chosen, seconds, progress)
    summary = write_performance(performance, folder).summary
    summary |= {**_solution_summary(solution), "stabiliser": stabilising_effort(performance.recording)}
    plain = keyframe_interpolation(chosen, seconds)
    for name in KEYFRAMES:
        export(plain, folder / name)
    paths = [*summary["files"], *(str(folder / name) for name in KEYFRAMES)]
    unsolved = 0 if solving else sum(not any(goal.solved) for goal in script.goals)
    remark = f"unsolved goals: {unsolved} (use --solve)" if unsolved else ""
    if solving and not script.goals:
        remark = "the script has no goals: nothing to solve"
    if solution is not None and script.path is not None and target is not None:
        if solution.converged:
            text = solved_script_text(solution.script, script.path.read_text(encoding="utf-8"))
            paths.append(str(write_file(target, text.encode())))
        else:
            remark = f"{target} is not written: not all goals are met"
    return Animation(chosen, performance, {**summary, "files": paths}, solution, remark)


def _solved_script_path(path: Path) -> Path:
    """Path of the solved script: beside its original, or in the working folder if shipped; raise if not writable."""
    folder = Path() if is_shipped_script(path) else path.parent
    target = folder / (path.stem.removesuffix("-solved") + "-solved.toml")
    check_folder_writable(folder)
    if target != path:  # solving a solved script again replaces it
        check_write_targets([target], path)
    return target


def _solution_summary(solution: ScriptSolution | None) -> dict[str, Any]:
    """The numbers of a solution by the keys of the JSON output; zeros without a solution."""
    if solution is None:
        return {"converged": None, "iterations": 0, "simulations": 0, "solve_s": 0.0, "constraints": [], "goals": []}
    counted = ("converged", "iterations", "simulations")
    goals = [
        {"goal": answer.goal.name, **{key: getattr(answer.hit, key) for key in counted}, "solve_s": answer.seconds}
        for answer in solution.answers
    ]
    totals = {key: sum(goal[key] for goal in goals) for key in counted[1:]}
    summary = {"converged": solution.converged, **totals, "solve_s": solution.seconds}
    return {**summary, "constraints": solution.constraints(), "goals": goals}
