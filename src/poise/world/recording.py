"""Recording of a performance: one self-contained NumPy file without pickles."""

import json
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array, Ints
from poise.body.mjcf import check_mjcf, compile_mjcf, parse_mjcf
from poise.errors import PoiseError
from poise.files import read_arrays, write_arrays
from poise.toml_reader import is_number


@lru_cache(maxsize=4)
def _compiled_scene(xml: str) -> mujoco.MjModel:
    """A compiled scene, shared by all parts of a performance; callers must not change it."""
    where = "the recording's model does not load"
    check_mjcf(parse_mjcf(xml, where), where)
    return compile_mjcf(xml, where)


FILE = "recording.npz"  # Name of a recording in the folder of a performance


@dataclass(frozen=True)
class Recording:
    """States at T + 1 times, actuation and external forces in the T steps between, and N contact forces."""

    model_xml: str  # MJCF of the whole scene; loads with MuJoCo and nothing else
    time: Array  # (T+1,) s
    qpos: Array  # (T+1, nq)
    qvel: Array  # (T+1, nv)
    torque: Array  # (T, nv) joint actuation in step k -> k+1, zero on free roots
    external: Array  # (T, nv) all other applied forces: pushes, stabilisers
    contact_step: Ints  # (N,)
    contact_body: Ints  # (N,) the force acts on this body
    contact_other: Ints  # (N,)
    contact_point: Array  # (N, 3) m, world, at the start of the step
    contact_normal: Array  # (N, 3) out of `contact_other`
    contact_force: Array  # (N, 3) N, world
    contact_friction: Array  # (N,)
    contact_kind: Ints  # (N,) 0 unilateral, 1 grip, 2 between links of one body
    limit_impulse: Array | None  # (T, nv) N m s, impulses of joint limits; recordings of older versions lack it
    reference_qpos: Array | None  # (T+1, nq) the pose that was tracked
    meta: dict[str, Any]

    @property
    def steps(self) -> int:
        """Number of steps, T."""
        return len(self.torque)

    @property
    def step(self) -> float:
        """Duration of a step, s."""
        return float(self.meta["step"])

    @property
    def events(self) -> list[dict[str, Any]]:
        """The well-formed events; recordings may come from other programs."""
        listed = self.meta.get("events")
        return [event for event in listed if isinstance(event, dict)] if isinstance(listed, list | tuple) else []

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The scene, compiled."""
        return _compiled_scene(self.model_xml)

    @property
    def root(self) -> int:
        """Body id of the performer's root: the one named in meta, else the first body with a free joint."""
        found = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, str(self.meta.get("root")))
        free = self.model.jnt_bodyid[self.model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
        if found < 0 and not len(free):
            raise PoiseError("the recording has no performer: no body in it has a free joint")
        return int(found if found >= 0 else free[0])

    def save(self, path: Path) -> None:
        """Write the file atomically."""
        arrays = {name: getattr(self, name) for name in ARRAYS if getattr(self, name) is not None}
        arrays["model_xml"] = np.array(self.model_xml)
        arrays["meta"] = np.array(json.dumps(self.meta))
        write_arrays(path, arrays)

    @classmethod
    def of(cls, source: "Recording | str | Path") -> "Recording":
        """A recording itself, or the one in a file or in the folder of a performance."""
        if isinstance(source, Recording):
            return source
        if not isinstance(source, str | Path):
            raise PoiseError(f"{source!r} is not a recording: give a Recording, or the path of its file")
        path = Path(source)
        return cls.load(path / FILE if path.is_dir() else path)

    @classmethod
    def load(cls, path: Path) -> "Recording":
        """Read a recording; raises a one-line error if the file is not one."""
        data = read_arrays(path, {*ARRAYS, "model_xml", "meta"}, "a recording")
        missing = [n for n in (*ARRAYS, "model_xml", "meta") if n not in data and n not in OPTIONAL]
        if missing:
            raise PoiseError(f"{path} is not a recording: it lacks {', '.join(missing)}")
        arrays: dict[str, Any] = {name: data.get(name) for name in ARRAYS}
        try:
            meta = json.loads(str(data["meta"]))
        except (ValueError, RecursionError):
            raise PoiseError(f"{path} is not a recording: its meta is not JSON") from None
        recording = cls(model_xml=str(data["model_xml"]), meta=meta, **arrays)
        fault = recording.fault()
        if fault:
            raise PoiseError(f"{path} is not a recording: {fault}")
        return recording

    def piece(self, first: int, last: int) -> "Recording":
        """The steps from `first` to before `last`, with the states between which they lie."""
        now = (self.contact_step >= first) & (self.contact_step < last)
        cut = {name: getattr(self, name)[now] for name in ARRAYS if name.startswith("contact_")}
        cut["contact_step"] = cut["contact_step"] - first
        states = {name: getattr(self, name)[first : last + 1] for name in ("time", "qpos", "qvel")}
        steps = {name: getattr(self, name)[first:last] for name in ("torque", "external")}
        impulse = None if self.limit_impulse is None else self.limit_impulse[first:last]
        tracked = None if self.reference_qpos is None else self.reference_qpos[first : last + 1]
        return replace(self, **cut, **states, **steps, limit_impulse=impulse, reference_qpos=tracked)

    def fault(self) -> str | None:
        """Reason why this is not a valid recording, or None."""
        step = self.meta.get("step") if isinstance(self.meta, dict) else None  # files may contain any JSON
        if not is_number(step) or step <= 0:
            return "its meta has no positive step"
        try:
            model = self.model
        except PoiseError as error:
            return str(error)
        states, contacts = np.shape(self.time)[0] if np.ndim(self.time) else 0, np.shape(self.contact_step)
        steps, count = states - 1, contacts[0] if contacts else -1
        shapes: dict[str, tuple[int, ...]] = {
            **{"time": (states,), "qpos": (states, model.nq), "qvel": (states, model.nv)},
            **dict.fromkeys(("torque", "external", "limit_impulse"), (steps, model.nv)),
            **{"reference_qpos": (states, model.nq)},
            **dict.fromkeys(("contact_point", "contact_normal", "contact_force"), (count, 3)),
            **dict.fromkeys((*INTEGERS, "contact_friction"), (count,)),
        }
        if steps < 0:
            return "it has no states"
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array is None and name in OPTIONAL:
                continue
            if array.shape != shape:
                return f"its {name} has shape {array.shape}, the model and times require {shape}"
            if array.dtype.kind not in ("iu" if name in INTEGERS else "f") or not np.all(np.isfinite(array)):
                return f"its {name} must hold only {'whole' if name in INTEGERS else 'finite'} numbers"
        if steps and not np.allclose(np.diff(self.time), step, rtol=1e-6, atol=0):
            return "its times do not advance by its step"
        for name, below in (("contact_step", steps), ("contact_body", model.nbody), ("contact_other", model.nbody)):
            values = getattr(self, name)
            if values.size and not (values.min() >= 0 and values.max() < below):
                return f"its {name} must lie between 0 and {below - 1}"
        return _meta_fault(self.meta, model)

    def __repr__(self) -> str:
        what = f"{self.meta.get('motion')} by {self.meta.get('body')}"
        return f"Recording({what}, {self.steps} steps to {self.time[-1]:.2f} s)"


Check = Callable[[Any], bool]


def _meta_fault(meta: dict[str, Any], model: mujoco.MjModel) -> str | None:
    """Reason why an entry of meta that Poise reads is malformed, or None. Entries may be missing or null."""
    links = {model.body(body).name for body in range(model.nbody)}
    limits = _all(lambda value: value is None or is_number(value), model.nv)
    entries: dict[str, tuple[Check, str]] = {
        "torque_limits": (limits, "one number or null per degree of freedom"),
        "dof_names": (_all(_is_text, model.nv), "one text per degree of freedom"),
        **dict.fromkeys(("feet", "hands"), (_all(lambda value: _is_text(value) and value in links), "names of links")),
        "root": (_is_text, "a text"),
        "rigging": (_is_table, "a table"),
        "solver": (
            lambda value: _is_table(value) and is_number(value.get("worst_residual", 0.0)),
            "a table of numbers",
        ),
        "events": (_all(_is_table), "tables"),
    }
    parts: dict[str, tuple[Check, str]] = {
        **dict.fromkeys(("time", "duration", "mass"), (is_number, "a finite number")),
        **dict.fromkeys(("world_force", "point", "direction"), (_all(is_number, 3), "three finite numbers")),
        "force": (lambda value: is_number(value) or _all(is_number, 3)(value), "one or three finite numbers"),
        **dict.fromkeys(("kind", "body"), (_is_text, "a text")),
    }
    for name, (valid, what) in entries.items():
        if meta.get(name) is not None and not valid(meta[name]):
            return f"its {name} must be {what}"
    for event in meta.get("events") or ():
        for name, (valid, what) in parts.items():
            if event.get(name) is not None and not valid(event[name]):
                return f"the {name} of an event must be {what}"
    return None


def _all(valid: Check, count: int | None = None) -> Check:
    """A check that a value is a list of valid items, `count` of them if given."""
    return lambda value: (
        isinstance(value, list | tuple) and (count is None or len(value) == count) and all(map(valid, value))
    )


def _is_a(kind: type) -> Check:
    """A check that a value is of a type."""
    return lambda value: isinstance(value, kind)


_is_text, _is_table = _is_a(str), _is_a(dict)


OPTIONAL = ("limit_impulse", "reference_qpos")  # Arrays that a file may lack
INTEGERS = ("contact_step", "contact_body", "contact_other", "contact_kind")
ARRAYS = tuple(field.name for field in fields(Recording) if field.name not in ("model_xml", "meta"))
"""Fields that are arrays in the file, in its order."""
