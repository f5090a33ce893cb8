"""A self-contained web page that plays a performance in 3D, without network access."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from poise.arrays import Array
from poise.export import look
from poise.files import write_file
from poise.reference.body_clip import posed_model_data
from poise.world.recorder import SELF

Json = dict[str, Any]
Event = Mapping[str, Any]
Indices = NDArray[np.intp]

FRAME_RATE = 60.0  # Hz, largest rate of the stored frames; the page interpolates between them
FOCUS_BLUR = 0.3  # s, standard deviation of the Gaussian that smooths the camera's path
SCRIPTS = ("data.js", "quality.js", "stage.js", "figure.js", "overlays.js", "viewer.js")


def write_page(recording: look.Drawable, path: str | Path, title: str | None = None) -> Path:
    """Write the page to `path`; the default title is the motion's name."""
    assets = files("poise.export") / "assets"

    def asset(name: str) -> str:
        return (assets / name).read_text(encoding="utf-8")

    heading = title if title is not None else _meta_name(recording.meta.get("motion")) or "Performance"
    data = json.dumps(page_data(recording), separators=(",", ":"), allow_nan=False)
    parts = {
        "title": escape(heading),
        "summary": escape(page_summary(recording)),
        "style": asset("viewer.css"),
        "data": data.replace("<", "\\u003c"),
        "three": f"/*\nthree.js\n{asset('three.LICENSE')}*/\n{asset('three.bundle.min.js')}",
        "viewer": '"use strict";\n(() => {\n' + "\n".join(map(asset, SCRIPTS)) + "})();",
    }
    page = re.sub(r"\{\{(\w+)\}\}", lambda slot: parts[slot[1]], asset("page.html"))
    return write_file(Path(path), page.encode())


def page_summary(recording: look.Drawable) -> str:
    """One line with body, motion, controller, duration, and whether the character fell."""
    meta = recording.meta
    parts = list(dict.fromkeys(_meta_name(meta.get(key)) for key in ("body", "motion", "controller")))
    parts.append(f"{recording.time[-1] - recording.time[0]:.1f} s")
    fall = meta.get("fell_at")
    if isinstance(fall, int | float):
        parts.append(f"fell at {fall:.2f} s")
    elif "fell_at" in meta:
        parts.append("no fall")
    parts += [str(meta[key]) for key in ("verdict", "likeness") if key in meta]
    return " · ".join(part for part in parts if part)


def page_data(recording: look.Drawable) -> Json:
    """The data that the page's script reads."""
    model = mujoco.MjModel.from_xml_string(recording.model_xml)
    kept = _page_frames(recording.time)
    moving = moving_bodies(model)
    qpos = np.asarray(recording.qpos)[kept]
    roots, posed = look.performer_roots(model), posed_model_data(model, qpos)
    centres = [(data.subtree_com[roots], look.performer_centre(model, data)) for data in posed]
    com, centre = (np.array(column) for column in zip(*centres, strict=True))  # (T, performers, 3) and (T, 3) m
    ghost = recording.reference_qpos
    listed, names = recording.meta.get("events"), [model.body(int(body)).name for body in moving]
    events = [event for event in listed if isinstance(event, Mapping)] if isinstance(listed, list | tuple) else []
    pushes, fall = _page_pushes(events, names, model.body_ipos[moving]), recording.meta.get("fell_at")
    marks = [{"time": push["time"], "kind": "push"} for push in pushes]
    marks += [{"time": float(fall), "kind": "fall"}] if isinstance(fall, int | float) else []
    return {
        **page_scene_data(model, qpos[0]),
        "times": pack_array(recording.time[kept], "f4"),
        "poses": _packed_poses(body_poses(model, qpos)),
        "ghost": None if ghost is None else _packed_poses(body_poses(model, np.asarray(ghost)[kept])),
        "com": pack_array(com, "f4"),
        "performers": len(roots),
        "focus": pack_array(_smooth_camera_path(centre, recording.time[kept]), "f4"),
        "contacts": _page_contacts(recording, kept, model.nbody),
        "pushes": pushes,
        "weights": _page_weights(events, names),
        "marks": marks,
    }


def page_scene_data(model: Any, qpos: Array) -> Json:
    """The initial scene: moving bodies, shapes, the performers' size (m) and mean weight (N), camera azimuth (deg)."""
    moving, heavy = moving_bodies(model), look.performer_roots(model)
    return {
        "bodies": [model.body(int(body)).name for body in moving],
        "shapes": _page_shapes(model, qpos, moving),
        "span": look.performer_span(model, qpos),
        "azimuth": look.camera_azimuth(model, qpos),
        "weight": max(1.0, 9.81 * float(model.body_subtreemass[heavy].sum()) / max(1, len(heavy))),
    }


def moving_bodies(model: Any) -> Indices:
    """Ids of the bodies that are not fixed to the world."""
    return np.flatnonzero(model.body_weldid != 0)


def pack_array(values: NDArray[Any], kind: str) -> Json:
    """Encode an array for the script: element type, and little-endian bytes in base64."""
    return {"kind": kind, "data": base64.b64encode(values.astype(f"<{kind}").tobytes()).decode()}


def body_poses(model: Any, qpos: Array) -> Array:
    """Position and quaternion w x y z of each moving body in poses (T, nq): (T, bodies, 7)."""
    moving = moving_bodies(model)
    poses = [np.hstack([data.xpos[moving], data.xquat[moving]]) for data in posed_model_data(model, qpos)]
    return np.array(poses).reshape(-1, len(moving), 7)


def _packed_poses(poses: Array) -> Json:
    rotation = pack_array(np.rint(32767 * poses[..., 3:]), "i2")
    return {"position": pack_array(poses[..., :3], "f4"), "rotation": rotation}


def _page_frames(time: Array) -> Indices:
    """Indices of the stored states: evenly spaced at no more than FRAME_RATE, and the last."""
    last = len(time) - 1
    if last < 1:
        return np.array([0])
    stride = max(1, int(np.ceil(last / (FRAME_RATE * (time[-1] - time[0])) - 1e-6)))
    return np.unique(np.append(np.arange(0, last, stride), last))


def _smooth_camera_path(path: Array, time: Array) -> Array:
    """Smooth a path (n, 3) in time, so that the camera does not bob; values beyond the ends repeat the end."""
    if len(time) < 2:
        return path
    frames = FOCUS_BLUR * (len(time) - 1) / (time[-1] - time[0])
    return np.asarray(gaussian_filter1d(path, frames, axis=0, mode="nearest", radius=int(np.ceil(3 * frames))))


def _page_shapes(model: Any, qpos: Array, moving: Indices) -> list[Json]:
    """The drawn geoms in their body's frame; those of fixed bodies (body -1) in the world frame."""
    data = look.data_of_pose(model, qpos)
    colours, roles = look.geom_colours(model), look.body_roles(model)
    index = {int(body): k for k, body in enumerate(moving)}
    shapes = []
    for geom in np.flatnonzero((model.geom_group < np.count_nonzero(look.SHOWN_GROUPS)) & (colours[:, 3] > 0)):
        body = int(model.geom_bodyid[geom])
        position, rotation = model.geom_pos[geom], model.geom_quat[geom]
        if body not in index:
            position, rotation = data.geom_xpos[geom], np.zeros(4)
            mujoco.mju_mat2Quat(rotation, data.geom_xmat[geom])
        shape: Json = {
            "name": model.geom(int(geom)).name,
            "body": index.get(body, -1),
            "role": roles[body],
            "type": mujoco.mjtGeom(model.geom_type[geom]).name.removeprefix("mjGEOM_").lower(),
            "size": model.geom_size[geom].tolist(),
            "position": position.tolist(),
            "rotation": rotation.tolist(),
            "rgba": colours[geom].tolist(),
        }
        if shape["type"] in ("mesh", "hfield"):
            shape |= _page_surface(model, shape["type"], int(model.geom_dataid[geom]))
        shapes.append(shape)
    return shapes


def _page_surface(model: Any, kind: str, index: int) -> Json:
    """The data of a mesh or a height field."""
    if kind == "mesh":
        vertices, faces = look.mesh_arrays(model, index)
        return {"surface": {"vertices": pack_array(vertices, "f4"), "faces": pack_array(faces, "u4")}}
    rows, columns, start = (int(a[index]) for a in (model.hfield_nrow, model.hfield_ncol, model.hfield_adr))
    heights = pack_array(model.hfield_data[start : start + rows * columns], "f4")
    return {"size": model.hfield_size[index].tolist(), "field": {"rows": rows, "columns": columns, "heights": heights}}


def _page_contacts(recording: look.Drawable, kept: Indices, bodies: int) -> Json:
    """Mean contact force over the steps of each frame, at its centre of pressure, for each touching body.

    Forces between links of one body are left out: they cancel.
    """
    outer = recording.contact_kind != SELF
    step, body = (np.asarray(ids[outer], np.intp) for ids in (recording.contact_step, recording.contact_body))
    force, point = recording.contact_force[outer], recording.contact_point[outer]
    frame = np.searchsorted(kept, step, side="right") - 1
    key, group = np.unique(frame * bodies + body, return_inverse=True)
    strength = np.linalg.norm(force, axis=1) + 1e-9
    total = np.bincount(group, strength, minlength=len(key))
    steps = np.diff(np.append(kept, kept[-1] + 1))[key // bodies]
    rows = np.empty((len(key), 6))
    for axis in range(3):
        rows[:, axis] = np.bincount(group, strength * point[:, axis], minlength=len(key)) / total
        rows[:, 3 + axis] = np.bincount(group, force[:, axis], minlength=len(key)) / steps
    start = np.searchsorted(key // bodies, np.arange(len(kept) + 1))
    return {"start": pack_array(start, "u4"), "rows": pack_array(rows, "f4")}


def _meta_name(value: Any) -> str:
    """The name in an entry of meta, which may be a name, a path to a file, or a table with a name."""
    if isinstance(value, Mapping):
        value = value.get("name")
    return Path(value).name if isinstance(value, str) else ""


# Events of a recording. Recordings may come from other programs: incomplete events are skipped.


def _page_pushes(events: Sequence[Event], bodies: Sequence[str], centres: Array) -> list[Json]:
    """The pushes on bodies; `centres` (N, 3) are their centres of mass in m, each in its body's frame."""
    pushes = []
    for event in events:
        force, time = _event_force(event), event.get("time")
        body = _event_body_index(event, bodies, 0 if "body" not in event and bodies else -1)
        if np.any(force) and isinstance(time, int | float) and body >= 0:
            push = {"body": body, "time": time, "duration": event.get("duration", 0.1)}
            pushes.append(push | {"force": force.tolist(), "point": centres[body].tolist()})
    return pushes


def _page_weights(events: Sequence[Event], bodies: Sequence[str]) -> list[Json]:
    """The weights hung on bodies: body, time, mass, point, and the time of removal if they were removed."""
    weights: list[Json] = []
    for event in events:
        kind, time, mass, point = (event.get(key) for key in ("kind", "time", "mass", "point"))
        body = _event_body_index(event, bodies, -1)
        if not isinstance(time, int | float):
            continue
        if kind == "weights off":
            for weight in weights:
                weight.setdefault("until", time)
        elif kind == "weight" and body >= 0 and _is_vector(point) and isinstance(mass, int | float):
            weights.append({"body": body, "time": time, "mass": mass, "point": point})
    return weights


def _event_body_index(event: Event, bodies: Sequence[str], otherwise: int) -> int:
    name = event.get("body")
    return bodies.index(name) if isinstance(name, str) and name in bodies else otherwise


def _event_force(event: Event) -> Array:
    """Force (3,) of an event in the world frame, from a vector or from newtons and a direction; zero if missing."""
    force, direction = event.get("world_force", event.get("force")), event.get("direction")
    if isinstance(force, int | float) and isinstance(direction, list | tuple):
        force = [force * axis for axis in direction]
    return np.array(force if _is_vector(force) else (0, 0, 0), np.float64)


def _is_vector(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 3
