"""A script of key poses as it is being written: keys that can be added, moved, copied, mirrored and bent."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import degrees
from pathlib import Path
from typing import Any

from poise.animate.angles import ROOT, mirrored_angles
from poise.animate.read_script import read_script
from poise.animate.script import Script
from poise.animate.script_run import reference_and_controller, solved_changes
from poise.arrays import Array, Frozen
from poise.body.body import Body
from poise.body.catalogue import names
from poise.errors import PoiseError, unknown
from poise.forms import TERRAIN_FORMS

# TOML from plain values: enough for scripts, and read back as the same values by `tomllib`.

_BARE = re.compile(r"[A-Za-z0-9_\-]+")


def toml_text(values: Mapping[str, Any]) -> str:
    """A file: plain entries first, then tables and lists of tables under headers of their own."""
    plain = {key: value for key, value in values.items() if not _headed(value)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    for key, value in values.items():
        if key in plain:
            continue
        for table in value if isinstance(value, list) else [value]:
            header = f"[[{_key(key)}]]" if isinstance(value, list) else f"[{_key(key)}]"
            lines += ["", header, *(f"{_key(inner)} = {_value(told)}" for inner, told in table.items())]
    return "\n".join(lines) + "\n"


def _headed(value: Any) -> bool:
    return isinstance(value, dict) or (
        bool(value) and isinstance(value, list) and all(isinstance(v, dict) for v in value)
    )


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quoted(key)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    if isinstance(value, list | tuple):
        return _list(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(told)}" for key, told in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    raise PoiseError(f"{value!r} cannot be written into a script")


def _list(values: Any) -> str:
    """On one line, or with tables in it each on a line of its own."""
    told = [_value(value) for value in values]
    if any(isinstance(value, Mapping) for value in values):
        return "[\n" + "".join(f"    {each},\n" for each in told) + "]"
    return f"[{', '.join(told)}]"


_ROOTS = {dof: name for name, dof in ROOT.items()}
_SAME = 1e-9
LATEST = 600.0
"""s."""


@dataclass(frozen=True)
class Key:
    """Angles at a time."""

    time: float  # s
    name: str
    angles: Mapping[int, float]  # rad by freedom


@dataclass(frozen=True, eq=False)
class Sheet:
    """All that a script says; changes return another one."""

    raw: Mapping[str, Any]  # everything but its poses
    keys: tuple[Key, ...]  # in order of time
    script: Script  # what it reads as
    text: str  # of the file; an animator's own words and remarks until something is changed

    @classmethod
    def read(cls, text: str, folder: Path, name: str = "script") -> Sheet:
        """From the text of a script; nothing that it names is looked for in files."""
        try:
            raw = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise PoiseError(f"{name}.toml is no TOML file: {error}") from None
        _refuse_files(raw)
        path = folder / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        script = read_script(str(path))
        own = [table.get("name", f"pose {k + 1}") for k, table in enumerate(raw.get("pose", []))]
        keys = [Key(pose.time, pose.name, Frozen(pose.angles)) for pose in script.poses if pose.name in own]
        return cls(Frozen({key: value for key, value in raw.items() if key != "pose"}), tuple(keys), script, text)

    @classmethod
    def blank(cls, body: str, folder: Path) -> Sheet:
        """A body that stands for three seconds."""
        return cls.read(toml_text({"title": "Untitled", "body": body, "seconds": 3.0, **_standing()}), folder)

    @property
    def body(self) -> Body:
        """Who performs."""
        return self.script.scene.body

    def _written(self, raw: Mapping[str, Any], keys: Sequence[Key]) -> str:
        """A file that says so."""
        poses = [
            {"time": round(key.time, 6), "name": key.name, "angles": told_angles(self.body, key.angles)} for key in keys
        ]
        return toml_text({**raw, **({"pose": poses} if poses else {})})

    def changed(self, keys: tuple[Key, ...] | None = None, **entries: Any) -> Sheet:
        """With other keys or entries; what makes no script is refused. An entry of None is taken away."""
        ordered = tuple(sorted(self.keys if keys is None else keys, key=lambda key: key.time))
        raw = {key: value for key, value in {**self.raw, **entries}.items() if value is not None}
        path = self.script.path
        assert path is not None
        return Sheet.read(self._written(raw, ordered), path.parent, path.stem)

    def _at(self, index: int) -> Key:
        if not 0 <= index < len(self.keys):
            raise PoiseError(f"there is no key {index}")
        return self.keys[index]

    def with_key(self, time: float, coordinates: Any) -> Sheet:
        """One more key: what the pose is there already, in all angles that some key sets."""
        if any(abs(key.time - time) < 1e-6 for key in self.keys):
            raise PoiseError(f"there is a key at {time:.2f} s already")
        used = sorted({dof for key in self.keys for dof in key.angles} or set(ROOT.values()))
        angles = {dof: float(coordinates[dof]) for dof in used}
        return self.changed((*self.keys, Key(time, self._free_name("pose"), angles)))

    def _free_name(self, stem: str) -> str:
        taken = {pose.name for pose in self.script.poses}
        return next(name for k in range(1, len(taken) + 2) if (name := f"{stem} {k}") not in taken)

    def moved(self, index: int, time: float) -> Sheet:
        """A key at another time."""
        key = self._at(index)
        return self.changed((*self.keys[:index], replace(key, time=time), *self.keys[index + 1 :]))

    def copied(self, index: int, time: float) -> Sheet:
        """A key once more, at another time."""
        key = self._at(index)
        return self.changed(
            (*self.keys, replace(key, time=time, name=self._free_name(key.name.rstrip("0123456789 ") or "pose")))
        )

    def mirrored(self, index: int) -> Sheet:
        """A key with left and right exchanged."""
        key = self._at(index)
        angles = Frozen(mirrored_angles(self.body, key.angles))
        return self.changed((*self.keys[:index], replace(key, angles=angles), *self.keys[index + 1 :]))

    def without(self, index: int) -> Sheet:
        """All other keys."""
        self._at(index)
        if len(self.keys) == 1 and "cycle" not in self.raw:
            raise PoiseError("a script needs at least one key")
        return self.changed((*self.keys[:index], *self.keys[index + 1 :]))

    def named(self, index: int, name: str) -> Sheet:
        """A key with another name, also where goals refer to it."""
        key, name = self._at(index), name.strip()
        if not 0 < len(name) <= 40 or "." in name or "#" in name:
            raise PoiseError("a key's name is short, and without . and #")
        goals = [_renamed(goal, f"{key.name}.", f"{name}.") for goal in self.raw.get("goal", [])]
        keys = (*self.keys[:index], replace(key, name=name), *self.keys[index + 1 :])
        return self.changed(keys, **({"goal": goals} if goals else {}))

    def bent(self, index: int, angles: Mapping[int, float]) -> Sheet:
        """A key with some angles set, rad."""
        key = self._at(index)
        bent = replace(key, angles=Frozen({**key.angles, **angles}))
        return self.changed((*self.keys[:index], bent, *self.keys[index + 1 :]))

    def freed(self, index: int, dof: int) -> Sheet:
        """A key that says nothing more of an angle."""
        key = self._at(index)
        left = {k: v for k, v in key.angles.items() if k != dof}
        if not left:
            raise PoiseError("a key sets at least one angle: delete the key instead")
        return self.changed((*self.keys[:index], replace(key, angles=Frozen(left)), *self.keys[index + 1 :]))


def freedom(body: Body, name: str) -> int:
    """A freedom by its name; the root's are roll, pitch and yaw."""
    if name in ROOT:
        return ROOT[name]
    if name not in body.dof_names[6:]:
        raise unknown("angle", name, [*ROOT, *body.dof_names[6:]])
    return body.dof_names.index(name)


def angle_name(body: Body, dof: int) -> str:
    """The name of a freedom."""
    return _ROOTS.get(dof) or body.dof_names[dof]


def told_angles(body: Body, angles: Mapping[int, float]) -> dict[str, float]:
    """Angles as scripts have them: degrees by name, both sides at once where they are alike."""
    out: dict[str, float] = {}
    for dof in sorted(angles):
        name = angle_name(body, dof)
        if name.startswith(("left_", "right_")) and body.symmetry is not None:
            other = int(body.mirror_dofs[dof])
            alike = other in angles and abs(angles[other] - body.mirror_signs[other] * angles[dof]) < _SAME
            if alike and name.startswith("right_"):
                continue
            name = name.removeprefix("left_") if alike else name
        out[name] = round(degrees(angles[dof]), 6) + 0.0
    return out


def _standing() -> dict[str, Any]:
    return {"pose": [{"time": 0.0, "name": "start", "angles": {"pitch": 0.0}}]}


def _renamed(goal: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    def swap(told: Any) -> Any:
        if isinstance(told, str):
            return new + told.removeprefix(old) if told.startswith(old) else told
        return {**told, "what": swap(told["what"])} if isinstance(told, dict) and "what" in told else told

    out = dict(goal)
    if isinstance(goal.get("free"), list):
        out["free"] = [swap(each) for each in goal["free"]]
    if isinstance(goal.get("solved"), dict):
        out["solved"] = {swap(key): value for key, value in goal["solved"].items()}
    return out


def _refuse_files(raw: Mapping[str, Any]) -> None:
    body, scene = raw.get("body", "human37"), raw.get("scene", {})
    if body not in names():
        raise PoiseError(f"the studio has the bodies {', '.join(names())}, not '{str(body)[:40]}'")
    terrain = scene.get("terrain", "flat") if isinstance(scene, Mapping) else "flat"
    if not isinstance(terrain, str) or terrain.partition(":")[0] not in TERRAIN_FORMS:
        raise PoiseError(f"the studio has the terrains {', '.join(TERRAIN_FORMS)}, not '{str(terrain)[:40]}'")
    if isinstance(seconds := raw.get("seconds"), int | float) and seconds > LATEST:
        raise PoiseError(f"a script of {seconds:g} s is too long for the studio")


def coordinates_at(sheet: Sheet, time: float) -> Array:
    """(nv,) rad: the pose that is aimed at, at a time."""
    reference, _ = reference_and_controller(sheet.script, solved_changes(sheet.script.goals))
    return reference.coordinates(time)
