"""The export formats, by file ending."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from poise.errors import PoiseError, known_name
from poise.export.clips import WHOLE, ExportPart, Source, clip_for_bvh, performer_clip
from poise.export.figure import exported_figure
from poise.export.figure_files import write_glb, write_usd
from poise.export.look import Drawable, recording_to_draw_clip
from poise.export.page import write_page
from poise.export.pictures import write_strip, write_video
from poise.files import archive_names, write_file
from poise.motion.bvh import write_bvh
from poise.motion.captures import motion_file
from poise.motion.clip import Clip, save_clip
from poise.motion.files import read_motion
from poise.motion.repair.finding import ImportSettings
from poise.motion.repair.importer import repair_motion
from poise.physics.dynamic_motion import recording_of_motion
from poise.reference.archive import is_prepared, load_reference
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.world.recording import Recording

FREE = ("x", "y", "z", "qw", "qx", "qy", "qz")  # Column suffixes of the coordinates of a free joint


def write_csv(source: Recording | Clip, path: Path) -> Path:
    """Write a table of the states and torques of a recording, or of the joint poses of a clip."""
    rows = _clip_csv_rows(source) if isinstance(source, Clip) else _recording_csv_rows(source)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return write_file(Path(path), out.getvalue().encode())


def _clip_csv_rows(clip: Clip) -> Iterator[list[str]]:
    """One row per frame: the time, and each joint's position (m) and quaternion in the world."""
    yield ["time_s", *(f"{name}_{part}" for name in clip.skeleton.names for part in FREE)]
    table = np.concatenate([clip.places.position, clip.places.rotation], axis=2).reshape(clip.frames, -1)
    for frame, values in enumerate(table):
        yield [f"{frame / clip.rate:.6f}", *(f"{value:.9g}" for value in values)]


def _recording_csv_rows(recording: Recording) -> Iterator[list[str]]:
    """One row per state: time, coordinates, velocities, and torques of the step that follows; none in the last row."""
    model = recording.model
    names = recording.meta.get("dof_names") or [f"dof{i}" for i in range(model.nv)]
    yield ["time_s", *_csv_coordinate_names(model), *(f"{n}_velocity" for n in names), *(f"{n}_torque" for n in names)]
    for k, time in enumerate(recording.time):
        torque = recording.torque[k] if k < recording.steps else np.array([])
        values = (*recording.qpos[k], *recording.qvel[k], *torque)
        padding = [""] * (model.nv - len(torque))
        yield [f"{time:.6f}", *(f"{value:.9g}" for value in values), *padding]


def _csv_coordinate_names(model: mujoco.MjModel) -> list[str]:
    parts = {int(mujoco.mjtJoint.mjJNT_FREE): FREE, int(mujoco.mjtJoint.mjJNT_BALL): FREE[3:]}
    names = []
    for joint in range(model.njnt):
        name = model.joint(joint).name
        suffixes = parts.get(int(model.jnt_type[joint]))
        names += [f"{name}_{suffix}" for suffix in suffixes] if suffixes else [name]
    return names


TEXTS = (".bvh", ".amc")  # endings of motion files that are no archives
MOTIONS = {"clip", "poses", "pose_body"}
"""Arrays of motion archives: a clip of Poise has the first, AMASS files one of the others."""


@dataclass(frozen=True)
class ExportFormat:
    """An export format: a source is converted, and the result is written."""

    what: str  # one-line description
    convert: Callable[..., Any]
    write: Callable[..., Path]
    of_clips: bool = True  # whether a clip without a body can be written
    parts: bool = True  # whether `convert` also takes the part of the motion to write
    reports: bool = False  # whether `write` takes long and reports progress through a `bar`


def _csv_source(source: Source) -> Recording | Clip:
    """A recording if states and torques are known, else the motion of the performer."""
    known = recording_of_motion(source) if isinstance(source, Dynamic) else source
    return known if isinstance(known, Recording) else performer_clip(known)


def _drawable_for_export(source: Recording | Dynamic | BodyClip) -> Drawable:
    """The source in a form that can be drawn, with contact forces and held objects where they are known."""
    if isinstance(source, Dynamic):
        return recording_of_motion(source)
    return recording_to_draw_clip(source) if isinstance(source, BodyClip) else source


_TABLE = "table of coordinates, velocities and torques, or of joint poses if there are none"
_SKINNED = "motion and skin of the performer"

FORMATS: dict[str, ExportFormat] = {
    "bvh": ExportFormat("motion of the performer, for animation tools", performer_clip, write_bvh),
    "glb": ExportFormat(f"{_SKINNED}, for animation tools and game engines", exported_figure, write_glb),
    "usd": ExportFormat(f"{_SKINNED}, binary; needs poise[usd]", exported_figure, write_usd),
    "usda": ExportFormat("the same as text", exported_figure, write_usd),
    "usdc": ExportFormat("the same as usd", exported_figure, write_usd),
    "csv": ExportFormat(_TABLE, _csv_source, write_csv, parts=False),
    "npz": ExportFormat("motion of the performer, for Poise", performer_clip, save_clip),
    "html": ExportFormat("3D playback in one self-contained page", _drawable_for_export, write_page, False, False),
    "png": ExportFormat("a strip of pictures", _drawable_for_export, write_strip, False, False),
    "mp4": ExportFormat(
        "a video; needs poise[video] and OpenGL", _drawable_for_export, write_video, False, False, True
    ),
}
"""The formats by file ending."""


def export(
    source: Source | str | Path,
    path: str | Path,
    bar: Callable[[int], Iterable[int]] = range,
    *,
    part: ExportPart = WHOLE,
    skeleton: str = "file",
    place: str = "file",
) -> Path:
    """Write a recording, a dynamic reference, a body clip or a skeleton clip in the format of the file ending.

    The source may be given as a file, or as the folder of a performance. A format that takes long iterates over
    `bar(count)`, which may show progress. BVH files have the skeleton of the user's file, or the "repaired" one, and
    the motion is at its place in the file, or at the "origin".
    """
    if isinstance(source, str | Path):
        source = read_exportable(source)
    path = Path(path)
    able = {ending: form for ending, form in FORMATS.items() if form.of_clips or not isinstance(source, Clip)}
    ending = path.suffix.lstrip(".").lower()
    if not ending:
        raise PoiseError(f"{path}: add a file ending that names the format, one of {', '.join(able)}")
    form = able[known_name("format for a motion without a body" if ending in FORMATS else "format", ending, able)]
    if part != WHOLE and not form.parts:
        can = ", ".join(ending for ending, other in able.items() if other.parts)
        raise PoiseError(f"a part or a rate can be chosen for {can} only, not for {ending}")
    converted = form.convert(source, part) if form.parts else form.convert(source)
    if ending == "bvh":
        converted = clip_for_bvh(converted, skeleton, place)
    return form.write(converted, path, **({"bar": bar} if form.reports else {}))


def read_exportable(path: str | Path) -> Source:
    """The recording, prepared motion or motion of a file; nothing in it is repaired."""
    path = motion_file(path)
    if path.is_dir():
        return Recording.of(path)
    if is_prepared(path):
        clip, motion = load_reference(path)
        return motion or clip
    if path.suffix.lower() in TEXTS or MOTIONS & archive_names(path):
        raw = read_motion(path)
        unchanged = ImportSettings(tpose="keep", leading=0, rate=raw.clip.rate, thorax=False, floor=0.0)
        return repair_motion(raw, unchanged).clip
    return Recording.load(path)
