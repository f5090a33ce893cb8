"""The pose editor: edits a script of key poses, solves it and performs it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import degrees, radians
from pathlib import Path
from typing import Any

import numpy as np

from poise.animate.animate import animate, keyframe_interpolation
from poise.animate.read_script import find_script, shipped_scripts, solved_script_text
from poise.animate.script import Beginning
from poise.animate.solve import solve_script
from poise.arrays import Array
from poise.body.assemble import body_names
from poise.body.body import Body
from poise.body.surface import lowest_geom_height
from poise.errors import PoiseError, known_name
from poise.export.page import body_poses, page_scene_data
from poise.performance.performance import Performance
from poise.performance.report import summarise_performance
from poise.studio.frames import track_bytes
from poise.studio.handles import angles_of_drag, pose_handles, pose_on_ground
from poise.studio.script_sheet import LATEST, ScriptSheet, angle_name, dof_of_angle, script_coordinates_at
from poise.studio.transfers import download_file, safe_upload_name
from poise.studio.wire import Arguments, file_bytes, json_message

UNDO_LIMIT = 100  # Number of changes that can be undone


def _key_index(args: Arguments) -> int:
    return int(args.number("index", 0, 10_000))


def _key_time(args: Arguments) -> float:
    return round(args.number("time", 0.0, LATEST), 3)


def _dof(sheet: ScriptSheet, args: Arguments) -> int:
    return dof_of_angle(sheet.body, args.text("dof"))


KEY_CHANGES: Mapping[str, Callable[[ScriptSheet, int, Arguments], tuple[ScriptSheet, float | None]]] = {
    "move": lambda sheet, index, args: (sheet.moved(index, _key_time(args)), _key_time(args)),
    "copy": lambda sheet, index, args: (sheet.copied(index, _key_time(args)), _key_time(args)),
    "mirror": lambda sheet, index, _: (sheet.mirrored(index), sheet.keys[index].time),
    "delete": lambda sheet, index, _: (sheet.without(index), None),
    "name": lambda sheet, index, args: (sheet.named(index, args.text("name")), None),
    "angle": lambda sheet, index, args: (
        sheet.bent(index, {_dof(sheet, args): radians(args.number("degrees", -720.0, 720.0))}),
        None,
    ),
    "free": lambda sheet, index, args: (sheet.freed(index, _dof(sheet, args)), None),
}
"""By command: the sheet with one key changed, and the time (s) to show, or None."""


class PoseEditor:
    """The script that a page edits."""

    def __init__(self, send: Callable[[str | bytes], None], folder: Path) -> None:
        self._send, self._folder = send, folder
        self._sheet: ScriptSheet | None = None
        self._before: list[ScriptSheet] = []
        self._name = "script"
        self._performance: Performance | None = None

    def _say(self, kind: str, **more: Any) -> None:
        self._send(json_message(kind, **more))

    def execute(self, name: str, args: Arguments) -> None:
        """Execute a command of the pose mode."""
        if name in KEY_CHANGES:
            self._show_sheet(*KEY_CHANGES[name](self.sheet, _key_index(args), args))
            return
        act = getattr(self, f"_do_{name}", None)
        if act is None:
            raise PoiseError(f"unknown command 'pose.{name[:40]}'")
        act(args)

    @property
    def sheet(self) -> ScriptSheet:
        """The script being edited."""
        if self._sheet is None:
            raise PoiseError("no script is open: open or create one first")
        return self._sheet

    # -- opening and saving ------------------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Open an uploaded script."""
        self._open(path.read_text(encoding="utf-8", errors="replace"), path.stem)

    def _open(self, text: str, name: str) -> None:
        self._name = safe_upload_name(f"{name}.toml").removesuffix(".toml")
        self._show_sheet(ScriptSheet.read(text, self._folder, self._name), anew=True)

    def _do_open(self, args: Arguments) -> None:
        name = known_name("script", args.text("script"), shipped_scripts())
        self._open(find_script(name).read_text(encoding="utf-8"), name)

    def _do_text(self, args: Arguments) -> None:
        self._open(args.text("text"), args.text("name", "script"))

    def _do_new(self, args: Arguments) -> None:
        body = known_name("body", args.text("body", "human37"), body_names())
        self._name = "script"
        self._show_sheet(ScriptSheet.blank(body, self._folder), anew=True)

    def _do_save(self, _: Arguments) -> None:
        self._send(file_bytes(f"{self._name}.toml", self.sheet.text.encode()))

    def _do_download(self, args: Arguments) -> None:
        if self._performance is None:
            raise PoiseError("nothing to save yet: press Perform first")
        _, content = download_file(self._performance, args.text("format"), self._folder)
        self._send(file_bytes(f"{self._name}.{args.text('format')}", content))

    # -- changing ----------------------------------------------------------------------------------------------------

    def _do_key(self, args: Arguments) -> None:
        time = _key_time(args)
        self._show_sheet(self.sheet.with_key(time, script_coordinates_at(self.sheet, time)), time)

    def _do_drag(self, args: Arguments) -> None:
        """Drag a handle: show the pose while it is held, and store it when it is released."""
        index, sheet = _key_index(args), self.sheet
        if index >= len(sheet.keys):
            raise PoiseError(f"there is no key {index}")
        coordinates = script_coordinates_at(sheet, sheet.keys[index].time)
        angles = angles_of_drag(sheet.body, coordinates, args.text("handle"), args.vector("place", 100.0))
        if args.flag("done"):
            self._show_sheet(sheet.bent(index, angles))
            return
        coordinates[list(angles)] = list(angles.values())
        self._send_pose(coordinates)

    def _do_at(self, args: Arguments) -> None:
        self._send_pose(script_coordinates_at(self.sheet, _key_time(args)))

    def _do_entries(self, args: Arguments) -> None:
        """Change title and length."""
        title, seconds = args.text("title"), round(args.number("seconds", 0.1, LATEST), 3)
        self._show_sheet(self.sheet.changed(title=title, seconds=seconds))

    def _do_goals(self, args: Arguments) -> None:
        goals = args.raw("goals")
        if not isinstance(goals, list) or not all(isinstance(goal, dict) for goal in goals):
            raise PoiseError("goals must be a list of tables")
        self._show_sheet(self.sheet.changed(goal=goals or None))

    def _do_undo(self, _: Arguments) -> None:
        if not self._before:
            raise PoiseError("there is nothing to undo")
        self._sheet = self._before.pop()
        self._send_sheet()

    # -- showing -----------------------------------------------------------------------------------------------------

    def _show_sheet(self, sheet: ScriptSheet, time: float | None = None, anew: bool = False) -> None:
        if anew:
            self._before, self._performance = [], None
        elif self._sheet is not None:
            self._before = [*self._before[-UNDO_LIMIT:], self._sheet]
        self._sheet = sheet
        if anew:
            self._send_scene(sheet)
        self._send_sheet(time)

    def _send_scene(self, sheet: ScriptSheet) -> None:
        scene, body = sheet.script.scene, sheet.body
        qpos = self._poses_in_scene(body.standing[None])[0]
        self._say(
            "easel",
            **page_scene_data(scene.model, qpos),
            angles=[_angle_slider(body, dof) for dof in range(3, body.nv)],
            handles=[handle._asdict() for handle in pose_handles(body)],
            links=list(body.links),
        )

    def _send_sheet(self, time: float | None = None) -> None:
        sheet = self.sheet
        body, script = sheet.body, sheet.script
        own = {key.name for key in sheet.keys}
        self._say(
            "sheet",
            title=script.title,
            body=body.name,
            seconds=script.seconds,
            keys=[{"time": k.time, "name": k.name, "angles": _degrees_by_name(body, k.angles)} for k in sheet.keys],
            others=[{"time": pose.time, "name": pose.name} for pose in script.poses if pose.name not in own],
            goals=[dict(goal) for goal in sheet.raw.get("goal", [])],
            text=sheet.text,
            name=self._name,
            at=time,
            undo=len(self._before),
        )
        clip = keyframe_interpolation(replace(script, beginning=Beginning()))  # at the place of the posed body
        qpos, some = np.array(clip.qpos), np.unique(np.append(np.arange(0, clip.frames, 6), clip.frames - 1))
        rise = [-lowest_geom_height(body.model, qpos[k]) for k in some]  # to the ground; not all frames, to save time
        qpos[:, 2] += np.interp(np.arange(clip.frames), some, rise)
        self._send(track_bytes("keyframes", script.scene.model, 1 / clip.rate, self._poses_in_scene(qpos)))

    def _send_pose(self, coordinates: Array) -> None:
        body = self.sheet.body
        qpos = self._poses_in_scene(pose_on_ground(body, coordinates)[None])
        poses = [round(x, 5) for x in body_poses(self.sheet.script.scene.model, qpos).ravel().tolist()]
        angles = {dof: coordinates[dof] for dof in range(3, body.nv)}
        self._say("posed", poses=poses, angles=_degrees_by_name(body, angles))

    def _poses_in_scene(self, qpos: Array) -> Array:
        """Poses of the body (T, nq) with the props as in the scene."""
        scene = self.sheet.script.scene
        out = np.tile(scene.model.qpos0, (len(qpos), 1))
        out[:, scene.coordinates(0)] = qpos
        return out

    # -- performing --------------------------------------------------------------------------------------------------

    def _do_perform(self, _: Arguments) -> None:
        self._perform({})

    def _do_solve(self, _: Arguments) -> None:
        sheet = self.sheet
        if not sheet.script.goals:
            raise PoiseError("there is nothing to solve: add a goal first")
        solution = solve_script(sheet.script, say=lambda text: self._say("solving", text=text))
        if solution.converged:
            path = sheet.script.path
            assert path is not None
            text = solved_script_text(solution.script, path.read_text(encoding="utf-8"))
            self._show_sheet(ScriptSheet.read(text, path.parent, path.stem))
        solved = {"converged": solution.converged, "constraints": solution.constraints(), "solve_s": solution.seconds}
        self._perform(solved)

    def _perform(self, solving: dict[str, Any]) -> None:
        script = self.sheet.script

        def report_progress(steps: int) -> Any:
            for step in range(steps):
                if step % 60 == 0:
                    self._say("solving", text=f"performing, {step * script.step:.1f} of {script.seconds:g} s")
                yield step

        made = animate(script, progress=report_progress)
        self._performance = made
        recording = made.recording
        summary = summarise_performance(made)
        self._send(track_bytes("performed", recording.model, recording.step, recording.qpos))
        self._say(
            "performed",
            **solving,
            **{key: summary[key] for key in ("seconds", "fell_at", "verdict", "reasons", "real_time_factor")},
            stopped=None if made.blow_up is None else str(made.blow_up),
        )


def _degrees_by_name(body: Body, angles: Mapping[int, float]) -> dict[str, float]:
    """Angles (degrees) by name, from angles (rad) by degree of freedom."""
    return {angle_name(body, dof): degrees(angle) for dof, angle in angles.items()}


def _angle_slider(body: Body, dof: int) -> dict[str, Any]:
    """Name, group and range (degrees) of the slider of an angle."""
    group = "root" if dof < 6 else next(joint.group for joint in body.joints if dof in joint.dofs)
    low, high = max(degrees(body.lower[dof]), -180.0), min(degrees(body.upper[dof]), 180.0)
    return {"name": angle_name(body, dof), "group": group, "low": low, "high": high}
