"""Files of prepared motions: NumPy archives without pickles that hold poses, contacts and a description of the body.

The file of a motion that obeys physics also holds velocities, torques and contact forces.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import readonly
from poise.body.assemble import body_names
from poise.body.body import Body
from poise.errors import PoiseError
from poise.files import archive_names, read_arrays, write_arrays
from poise.motion.skeleton import Skeleton
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import ContactSchedule, Dynamic

FILE = "reference.npz"  # File name that `poise prepare` gives to the prepared motion in the output folder
_KEYS = ("name", "rate", "qpos", "cyclic", "parts", "body")
_TABLES = ("centre", "radius", "held", "down", "force", "ground")  # fields of ContactSchedule, stored as contact_NAME
_ARRAYS = {*_KEYS, "down", "qvel", "torque", "friction", "contact_names", "contact_links"} | {
    f"contact_{name}" for name in _TABLES
}


def motion_display_name(motion: str) -> str:
    """A file's stem without `prepared-`, or for reference.npz the folder's name without it. A motion's name stays."""
    path = Path(motion)
    name = path.absolute().parent.name if path.name == FILE else path.stem
    return name.removeprefix("prepared-")


def save_prepared(clip: BodyClip, path: Path, dynamic: Dynamic | None = None) -> Path:
    """Write the clip, and from `dynamic` the velocities, torques and contact forces. Replaces the file atomically."""
    arrays: dict[str, Any] = {
        "name": np.array(clip.name),
        "rate": np.array(clip.rate),
        "qpos": clip.qpos,
        "cyclic": np.array(clip.cyclic),
        "parts": np.array([part.name for part in clip.parts]),
        "body": np.array(json.dumps(_body_recipe_of_prepared(clip.body))),
        **({} if clip.down is None else {"down": clip.down}),
    }
    if dynamic is not None:
        contacts = dynamic.contacts
        arrays |= {"qvel": dynamic.qvel, "torque": dynamic.torque, "friction": np.array(dynamic.friction)}
        arrays |= {f"contact_{name}": np.array(getattr(contacts, name), str) for name in ("names", "links")}
        arrays |= {f"contact_{name}": getattr(contacts, name) for name in _TABLES}
    return write_arrays(path, arrays)


def load_prepared(path: Path) -> BodyClip:
    """Read only the clip of a prepared motion. Raises a PoiseError if the file is not a prepared motion."""
    return load_reference(path)[0]


def load_reference(path: Path) -> tuple[BodyClip, Dynamic | None]:
    """Read the clip of a prepared motion, and its velocities, torques and contact forces (None if it has none)."""
    data = read_arrays(path, _ARRAYS, "a prepared motion")
    try:
        recipe = json.loads(str(data["body"]))
        body = _body_of_prepared_file(recipe)
        down = readonly(data["down"], bool) if "down" in data else None
        name, rate, cyclic = str(data["name"]), float(data["rate"]), bool(data["cyclic"])
        clip = BodyClip(name, body, rate, readonly(data["qpos"]), down, cyclic)
        parts = [str(name) for name in data["parts"]]
        dynamic = _read_prepared_dynamic(clip, data) if "torque" in data else None
    except PoiseError as error:
        raise PoiseError(f"{path}: {error}") from None
    except Exception:  # arrays and tables of any kind
        raise PoiseError(f"{path} is not a prepared motion: its arrays or its body are malformed") from None
    fault = _fault_of_prepared_clip(clip, parts) or (None if dynamic is None else _fault_of_prepared_dynamic(dynamic))
    if fault:
        raise PoiseError(f"{path} is not a prepared motion: {fault}")
    return clip, dynamic


def _read_prepared_dynamic(clip: BodyClip, data: dict[str, Any]) -> Dynamic:
    names, links = (tuple(str(name) for name in data[f"contact_{what}"]) for what in ("names", "links"))
    kinds = {"held": bool, "down": bool}
    tables = {name: readonly(data[f"contact_{name}"], kinds.get(name, float)) for name in _TABLES}
    contacts = ContactSchedule(names, links, **tables)
    return Dynamic(clip, readonly(data["qvel"]), readonly(data["torque"]), contacts, float(data["friction"]))


def is_prepared(path: Path) -> bool:
    """Whether a file is a prepared motion, judged only by the names of the arrays in it; False if unreadable."""
    return archive_names(path) >= set(_KEYS)


def _body_recipe_of_prepared(body: Body) -> dict[str, Any]:
    """JSON data from which `_body_of_prepared_file` builds the same body: a name, a skeleton with mass, or MJCF."""
    if body.name in body_names() and Body.named(body.name).mjcf == body.mjcf:
        return {"named": body.name}
    if body.rigging is not None:
        rigging = body.rigging
        recipe = {"skeleton": rigging.skeleton.as_dict(), "mass": body.mass, "rate": rigging.rate, "name": body.name}
        return {**recipe, "symmetric": _body_of_prepared_file(recipe).mjcf == body.mjcf}
    return {"mjcf": body.mjcf}


def _body_of_prepared_file(recipe: dict[str, Any]) -> Body:
    if "named" in recipe:
        return Body.named(recipe["named"])
    if "skeleton" in recipe:
        skeleton = Skeleton.from_dict(recipe["skeleton"])
        alike = recipe.get("symmetric", True)  # files of older versions have bodies with legs of equal length
        return Body.from_skeleton(
            skeleton, mass=recipe["mass"], rate=recipe["rate"], name=recipe["name"], symmetric=alike
        )
    if "<" not in recipe["mjcf"]:
        raise PoiseError("its body is not MJCF text")  # not a path: nothing but the file is read
    return Body.from_mjcf(recipe["mjcf"])


def _fault_of_prepared_clip(clip: BodyClip, parts: list[str]) -> str | None:
    """The first inconsistency between a clip and its body as text, or None."""
    if clip.qpos.ndim != 2 or clip.qpos.shape[1] != clip.body.nq or not len(clip.qpos):
        return f"its qpos has shape {clip.qpos.shape}, but its body needs (frames, {clip.body.nq})"
    if not np.all(np.isfinite(clip.qpos)) or not 0 < clip.rate < np.inf:
        return "its poses or its rate are not finite, or its rate is not positive"
    if clip.down is not None and clip.down.shape != (clip.frames, len(clip.parts)):
        return f"its contacts have shape {clip.down.shape}, not ({clip.frames}, {len(clip.parts)})"
    if parts != [part.name for part in clip.parts]:
        return "its contact parts are not those of its body"
    return None


def _fault_of_prepared_dynamic(dynamic: Dynamic) -> str | None:
    """The first inconsistency between the clip and its velocities, torques or contact forces as text, or None."""
    clip, contacts = dynamic.clip, dynamic.contacts
    frames, count, nv = clip.frames, len(contacts.names), clip.body.nv
    if frames < 2:
        return "it has forces, but only one frame"
    expected = {
        "qvel": (dynamic.qvel, (frames, nv)),
        "torque": (dynamic.torque, (frames - 1, nv)),
        "contact_centre": (contacts.centre, (count, 3)),
        "contact_radius": (contacts.radius, (count,)),
        "contact_held": (contacts.held, (count,)),
        "contact_down": (contacts.down, (frames, count)),
        "contact_force": (contacts.force, (frames - 1, count, 3)),
        "contact_ground": (contacts.ground, (frames, count)),
    }
    for name, (table, shape) in expected.items():
        if table.shape != shape:
            return f"its {name} has shape {table.shape}, not {shape}"
        if not np.all(np.isfinite(table)):
            return f"its {name} contains numbers that are not finite"
    if len(contacts.links) != count:
        return f"it has {count} contacts but {len(contacts.links)} contact links"
    if not 0 <= dynamic.friction < np.inf:
        return f"its friction is {dynamic.friction:g}; it must be finite and at least 0"
    missing = set(contacts.links) - set(clip.body.links)
    return f"its body has no link '{min(missing)}'" if missing else None
