"""A script of key poses under edit: keys are added, moved, copied, mirrored and changed."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import degrees
from pathlib import Path
from typing import Any

from poise.animate.read_poses import ROOT, mirrored_angles
from poise.animate.read_script import read_script
from poise.animate.script import ControlPose, Script, script_reference_and_controller, solved_changes
from poise.arrays import Array, Frozen
from poise.body.assemble import body_names
from poise.body.body import Body
from poise.errors import PoiseError, known_name
from poise.files import write_file
from poise.forms import TERRAIN_FORMS
from poise.toml_reader import read_toml

_BARE = re.compile(r"[A-Za-z0-9_\-]+")
_ROOT_NAMES = {dof: name for name, dof in ROOT.items()}
_TOLERANCE = 1e-9
LATEST = 600.0  # Latest time (s) of a key, and maximum length of a script


@dataclass(frozen=True, eq=False)
class ScriptSheet:
    """A script as read; changes return a new sheet."""

    raw: Mapping[str, Any]  # everything but its poses
    keys: tuple[ControlPose, ...]  # in order of time
    script: Script  # the parsed script
    text: str  # text of the file; the author's own, with comments, until something is changed

    @classmethod
    def read(cls, text: str, folder: Path, name: str = "script") -> "ScriptSheet":
        """The sheet of a script's text; scripts that refer to files are refused."""
        try:
            raw = read_toml(text)
        except ValueError as error:
            raise PoiseError(f"{name}.toml is not a TOML file: {error}") from None
        _refuse_script_files(raw)
        path = write_file(folder / f"{name}.toml", text.encode())
        script = read_script(str(path))
        own = [table.get("name", f"pose {k + 1}") for k, table in enumerate(raw.get("pose", []))]
        keys = tuple(pose for pose in script.poses if pose.name in own)
        return cls(Frozen({key: value for key, value in raw.items() if key != "pose"}), keys, script, text)

    @classmethod
    def blank(cls, body: str, folder: Path) -> "ScriptSheet":
        """A script of a body that stands for three seconds."""
        pose = {"time": 0.0, "name": "start", "angles": {"pitch": 0.0}}
        return cls.read(toml_text({"title": "Untitled", "body": body, "seconds": 3.0, "pose": [pose]}), folder)

    @property
    def body(self) -> Body:
        """The body that performs."""
        return self.script.scene.body

    def changed(self, keys: tuple[ControlPose, ...] | None = None, **entries: Any) -> "ScriptSheet":
        """The sheet with other keys or entries; an entry of None is removed. Raises unless it is a valid script."""
        ordered = tuple(sorted(self.keys if keys is None else keys, key=lambda key: key.time))
        raw = {key: value for key, value in {**self.raw, **entries}.items() if value is not None}
        poses = [
            {"time": round(key.time, 6), "name": key.name, "angles": script_angles(self.body, key.angles)}
            for key in ordered
        ]
        path = self.script.path
        assert path is not None
        return ScriptSheet.read(toml_text({**raw, **({"pose": poses} if poses else {})}), path.parent, path.stem)

    def _key_at(self, index: int) -> ControlPose:
        if not 0 <= index < len(self.keys):
            raise PoiseError(f"there is no key {index}")
        return self.keys[index]

    def _with_changed_key(self, index: int, entries: Mapping[str, Any] | None = None, **values: Any) -> "ScriptSheet":
        """The sheet with some values of a key changed, and with other entries if given."""
        changed = replace(self._key_at(index), **values)
        return self.changed((*self.keys[:index], changed, *self.keys[index + 1 :]), **(entries or {}))

    def with_key(self, time: float, coordinates: Any) -> "ScriptSheet":
        """The sheet with a key at a time, set to the present pose in all angles that some key sets."""
        if any(abs(key.time - time) < 1e-6 for key in self.keys):
            raise PoiseError(f"there already is a key at {time:.2f} s")
        used = sorted({dof for key in self.keys for dof in key.angles} or set(ROOT.values()))
        angles = {dof: float(coordinates[dof]) for dof in used}
        return self.changed((*self.keys, ControlPose(self._free_name("pose"), time, angles)))

    def _free_name(self, stem: str) -> str:
        taken = {pose.name for pose in self.script.poses}
        return next(name for k in range(1, len(taken) + 2) if (name := f"{stem} {k}") not in taken)

    def moved(self, index: int, time: float) -> "ScriptSheet":
        """The sheet with a key at another time."""
        return self._with_changed_key(index, time=time)

    def copied(self, index: int, time: float) -> "ScriptSheet":
        """The sheet with a copy of a key at another time."""
        key = self._key_at(index)
        name = self._free_name(key.name.rstrip("0123456789 ") or "pose")
        return self.changed((*self.keys, replace(key, time=time, name=name)))

    def mirrored(self, index: int) -> "ScriptSheet":
        """The sheet with left and right of a key exchanged."""
        return self._with_changed_key(index, angles=Frozen(mirrored_angles(self.body, self._key_at(index).angles)))

    def without(self, index: int) -> "ScriptSheet":
        """The sheet without a key."""
        self._key_at(index)
        if len(self.keys) == 1 and "cycle" not in self.raw:
            raise PoiseError("a script needs at least one key")
        return self.changed((*self.keys[:index], *self.keys[index + 1 :]))

    def named(self, index: int, name: str) -> "ScriptSheet":
        """The sheet with a key renamed, also where goals refer to it."""
        key, name = self._key_at(index), name.strip()
        if not 0 < len(name) <= 40 or "." in name or "#" in name:
            raise PoiseError("a key's name has 1 to 40 characters, without . and #")
        goals = [_goal_with_renamed_key(goal, f"{key.name}.", f"{name}.") for goal in self.raw.get("goal", [])]
        return self._with_changed_key(index, {"goal": goals} if goals else {}, name=name)

    def bent(self, index: int, angles: Mapping[int, float]) -> "ScriptSheet":
        """The sheet with some angles (rad) of a key set."""
        return self._with_changed_key(index, angles=Frozen({**self._key_at(index).angles, **angles}))

    def freed(self, index: int, dof: int) -> "ScriptSheet":
        """The sheet with an angle of a key unset."""
        left = {k: v for k, v in self._key_at(index).angles.items() if k != dof}
        if not left:
            raise PoiseError("a key sets at least one angle: delete the key instead")
        return self._with_changed_key(index, angles=Frozen(left))


def script_coordinates_at(sheet: ScriptSheet, time: float) -> Array:
    """Coordinates (nv,), rad, of the target pose at a time."""
    reference, _ = script_reference_and_controller(sheet.script, solved_changes(sheet.script.goals))
    return reference.coordinates(time)


def dof_of_angle(body: Body, name: str) -> int:
    """Index of a degree of freedom by its name; those of the root are roll, pitch and yaw."""
    if name in ROOT:
        return ROOT[name]
    return body.dof_names.index(known_name("angle", name, [*ROOT, *body.dof_names[6:]]))


def angle_name(body: Body, dof: int) -> str:
    """Name of a degree of freedom."""
    return _ROOT_NAMES.get(dof) or body.dof_names[dof]


def script_angles(body: Body, angles: Mapping[int, float]) -> dict[str, float]:
    """Angles in degrees by name, as written in scripts. Equal left and right angles share a name without the side."""
    out: dict[str, float] = {}
    for dof in sorted(angles):
        name = angle_name(body, dof)
        if name.startswith(("left_", "right_")) and body.symmetry is not None:
            other = int(body.mirror_dofs[dof])
            alike = other in angles and abs(angles[other] - body.mirror_signs[other] * angles[dof]) < _TOLERANCE
            if alike and name.startswith("right_"):
                continue
            name = name.removeprefix("left_") if alike else name
        out[name] = round(degrees(angles[dof]), 6) + 0.0
    return out


def _goal_with_renamed_key(goal: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    def rename_variable(entry: Any) -> Any:
        if isinstance(entry, str):
            return new + entry.removeprefix(old) if entry.startswith(old) else entry
        return (
            {**entry, "what": rename_variable(entry["what"])} if isinstance(entry, dict) and "what" in entry else entry
        )

    out = dict(goal)
    if isinstance(goal.get("free"), list):
        out["free"] = [rename_variable(each) for each in goal["free"]]
    if isinstance(goal.get("solved"), dict):
        out["solved"] = {rename_variable(key): value for key, value in goal["solved"].items()}
    return out


def _refuse_script_files(raw: Mapping[str, Any]) -> None:
    body, scene = raw.get("body", "human37"), raw.get("scene", {})
    if body not in body_names():
        raise PoiseError(f"the studio has the bodies {', '.join(body_names())}, not '{str(body)[:40]}'")
    terrain = scene.get("terrain", "flat") if isinstance(scene, Mapping) else "flat"
    if not isinstance(terrain, str) or terrain.partition(":")[0] not in TERRAIN_FORMS:
        raise PoiseError(f"the studio has the terrains {', '.join(TERRAIN_FORMS)}, not '{str(terrain)[:40]}'")
    if isinstance(seconds := raw.get("seconds"), int | float) and seconds > LATEST:
        raise PoiseError(f"a script of {seconds:g} s is too long: the studio takes at most {LATEST:g} s")


def toml_text(values: Mapping[str, Any]) -> str:
    """TOML text of a script: plain entries first, then tables under headers; `tomllib` reads the same values back."""
    plain = {key: value for key, value in values.items() if not _needs_toml_header(value)}
    lines = [f"{_toml_key(key)} = {_toml_value(value)}" for key, value in plain.items()]
    for key, value in values.items():
        if key in plain:
            continue
        for table in value if isinstance(value, list) else [value]:
            header = f"[[{_toml_key(key)}]]" if isinstance(value, list) else f"[{_toml_key(key)}]"
            lines += ["", header, *(f"{_toml_key(inner)} = {_toml_value(entry)}" for inner, entry in table.items())]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _toml_quoted(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    if isinstance(value, list | tuple):
        texts = [_toml_value(each) for each in value]
        if any(isinstance(each, Mapping) for each in value):  # one table per line
            return "[\n" + "".join(f"    {text},\n" for text in texts) + "]"
        return f"[{', '.join(texts)}]"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_toml_key(key)} = {_toml_value(entry)}" for key, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    raise PoiseError(f"{value!r} cannot be written into a script")


def _needs_toml_header(value: Any) -> bool:
    listed = bool(value) and isinstance(value, list) and all(isinstance(v, dict) for v in value)
    return isinstance(value, dict) or listed


def _toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _toml_quoted(key)


def _toml_quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
