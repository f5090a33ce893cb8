"""Joint angles by the names that scripts use: of one side, or of both sides at once."""

from __future__ import annotations

from collections.abc import Mapping
from math import degrees, radians
from typing import Any

from poise.body.body import Body
from poise.errors import PoiseError, unknown_name
from poise.toml_reader import TomlTable

ROOT = {"roll": 3, "pitch": 4, "yaw": 5}  # DOFs of the root's orientation, by name
SIDES = ("left_", "right_")
BEYOND = 20.0  # Degrees by which a target may exceed a joint limit, so that a spring can press against it


def script_angle_dofs(body: Body, name: str) -> dict[int, float]:
    """DOFs that the name of an angle stands for, each with the sign of the angle; `knee_y` stands for both knees."""
    if name in ROOT:
        return {ROOT[name]: 1.0}
    if name in body.dof_names[6:]:
        return {body.dof_names.index(name): 1.0}
    if f"left_{name}" in body.dof_names:
        left = body.dof_names.index(f"left_{name}")
        right = int(body.mirror_dofs[left])
        return {left: 1.0, right: float(body.mirror_signs[right])}
    both = {dof.removeprefix("left_") for dof in body.dof_names if dof.startswith("left_")}
    raise unknown_name("angle", name, [*ROOT, *body.dof_names[6:], *both])


def script_joint_dofs(body: Body, name: str) -> tuple[int, ...]:
    """DOFs that a name stands for: the name of a joint, of a part of the body (legs, trunk), of an angle, or `all`."""
    if name == "all":
        return tuple(range(6, body.nv))
    if name in body.groups:
        return tuple(dof for joint in body.groups[name] for dof in body.index(joint))
    names = {joint.name for joint in body.joints[1:]}
    if name in names:
        return body.index(name)
    if f"left_{name}" in names:
        return (*body.index(f"left_{name}"), *body.index(f"right_{name}"))
    try:
        return tuple(script_angle_dofs(body, name))
    except PoiseError:
        valid = [*body.groups, *names, *(n.removeprefix("left_") for n in names if n.startswith("left_")), "all"]
        raise unknown_name("joint or part", name, valid) from None


def read_script_angles(body: Body, entry: TomlTable, lap: int | None = None) -> dict[int, float]:
    """Read a table of angles in degrees by name, and return angles (rad) by DOF.

    A joint takes a list of all its angles. A single DOF in a cycle may take a list with one angle for each repetition;
    `lap` counts repetitions from 0, and the last angle holds for all that follow.
    """
    out: dict[int, float] = {}
    for name in entry.keys:
        with entry.blaming(name):
            angles = _read_named_angle(body, entry, name, lap)
            for dof, angle in angles.items():
                low, high = body.lower[dof], body.upper[dof]
                if dof >= 6 and not low - radians(BEYOND) <= angle <= high + radians(BEYOND):
                    limits = f"its limits are {degrees(low):.0f} and {degrees(high):.0f} degrees"
                    raise PoiseError(f"{body.dof_names[dof]} cannot be {degrees(angle):.0f} degrees: {limits}")
        out.update(angles)
    return out


def angles_change_by_lap(body: Body, entry: TomlTable) -> bool:
    """Whether a DOF has a list of angles, one for each repetition."""
    return any(isinstance(entry.raw(name), list) and not _names_a_joint(body, name) for name in entry.keys)


def _names_a_joint(body: Body, name: str) -> bool:
    return bool({name, f"left_{name}"} & {joint.name for joint in body.joints})


def _read_named_angle(body: Body, entry: TomlTable, name: str, lap: int | None) -> dict[int, float]:
    value: Any = entry.raw(name)
    if not isinstance(value, list):
        angle = radians(entry.number(name, least=-720, most=720))
        return {dof: sign * angle for dof, sign in script_angle_dofs(body, name).items()}
    if not _names_a_joint(body, name):
        signs, by_lap = script_angle_dofs(body, name), entry.numbers(name, len(value))
        if lap is None or not by_lap:
            raise entry.fail(f"'{name}' is one angle; a list of angles, one per repetition, is for cycles only", name)
        return {dof: sign * radians(by_lap[min(lap, len(by_lap) - 1)]) for dof, sign in signs.items()}
    sides = [name] if name in {j.name for j in body.joints} else [side + name for side in SIDES]
    dofs = body.index(sides[0])
    out = dict(zip(dofs, [radians(v) for v in entry.numbers(name, len(dofs))], strict=True))
    if len(sides) == 2:
        out.update(mirrored_angles(body, out))
    return out


def mirrored_angles(body: Body, angles: Mapping[int, float]) -> dict[int, float]:
    """Angles (rad) by DOF of the mirror image of a pose with the given angles."""
    return {
        int(dof): float(body.mirror_signs[dof]) * angles[int(body.mirror_dofs[dof])]
        for dof in range(3, body.nv)
        if int(body.mirror_dofs[dof]) in angles
    }
