"""Read joint angles by name (of one side, or of both at once), and control poses: single ones, and cycles."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import degrees, radians
from typing import Any

import numpy as np

from poise.animate.script import ControlPose
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.edit.limbs import chain_joints, limb_joints
from poise.errors import PoiseError, unknown_name
from poise.reference.key_poses import pose_from_coordinates, standing_coordinates
from poise.retarget.ik import PoseSolver
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


NEAR = 0.02  # Largest distance (m) between a limb's end and a place that counts as reached
FIRM, LOOSE = 30.0, 0.03
"""Prior weights in inverse kinematics: of DOFs that keep their angles, and of DOFs that may change."""
YAW = ROOT["yaw"]
MOST_POSES = 10_000  # Largest number of poses of a cycle with its repetitions


def read_script_poses(body: Body, entry: TomlTable, seconds: float) -> tuple[ControlPose, ...]:
    """Read all poses of a script that lasts `seconds`, by time; laps of NAME in a cycle are NAME#1, NAME#2 ..."""
    poses: dict[str, ControlPose] = {}
    for index, table in enumerate(entry.tables("pose")):
        table.check(("time", "name", "angles", "reach"))
        pose = _read_control_pose(body, table, table.text("name", f"pose {index + 1}"), table.number("time", least=0))
        _add_script_poses(poses, [pose], table)
    for cycle in entry.tables("cycle"):
        _add_script_poses(poses, _read_pose_cycle(body, cycle, seconds), cycle)
    if not poses:
        raise entry.fail("there is no pose: write at least one [[pose]] or [[cycle]]")
    return tuple(sorted(poses.values(), key=lambda pose: pose.time))


def _add_script_poses(poses: dict[str, ControlPose], more: Iterable[ControlPose], entry: TomlTable) -> None:
    """Add poses by name; raise if a name is taken."""
    for pose in more:
        if pose.name in poses:
            raise entry.fail(f"two poses are called '{pose.name}'", "name")
        poses[pose.name] = pose


def _read_control_pose(body: Body, entry: TomlTable, name: str, time: float, lap: int | None = None) -> ControlPose:
    angles = read_script_angles(body, entry.inner("angles"), lap)
    if "reach" in entry:
        with entry.blaming("reach"):
            angles = angles_that_reach(body, angles, entry.inner("reach"))
    if not angles:
        raise entry.fail(f"pose '{name}' sets no angle")
    return ControlPose(name, time, angles)


def _read_pose_cycle(body: Body, entry: TomlTable, seconds: float) -> list[ControlPose]:
    """Read all poses of a cycle, with all repetitions of the first pose first.

    With `mirrored` each repetition is the mirror image of the previous one. `turned` (degrees, to the left) is added to
    the yaw with each repetition.
    """
    entry.check(("from", "until", "period", "mirrored", "turned", "pose"))
    start, period = entry.number("from", 0.0, 0), entry.number("period", least=0.05)
    end = min(entry.number("until", seconds, start), seconds)
    keys = entry.inners("pose")
    if not keys:
        raise entry.fail("the cycle has no pose: write pose = [{ at = 0, angles = { ... } }, ...]")
    count = int((end - start) / period + 1e-9) + 1
    if count * len(keys) > MOST_POSES:
        many = f"{count} repetitions, more than {MOST_POSES} poses"
        raise entry.fail(f"the cycle has {many}: make the period longer", "period")
    turned = radians(entry.number("turned", 0.0))
    poses = []
    for index, key in enumerate(keys):
        key.check(("at", "name", "angles", "reach"))
        first = start + period * key.number("at", least=0, most=1)
        for lap, pose in enumerate(_read_pose_laps(body, key, key.text("name", f"key {index + 1}"), count)):
            flipped = entry.flag("mirrored") and lap % 2 == 1
            angles = mirrored_angles(body, pose.angles) if flipped else pose.angles
            if YAW in angles:
                angles = {**angles, YAW: angles[YAW] + lap * turned}
            poses.append(replace(pose, time=first + lap * period, angles=angles))
    return [pose for pose in poses if pose.time <= end + 1e-9]


def _read_pose_laps(body: Body, entry: TomlTable, name: str, count: int) -> list[ControlPose]:
    """Read the repetitions of one pose of a cycle, all at time 0; a pose with constant angles is read only once."""
    angles = entry.inner("angles")
    if any(isinstance(angles.raw(key), list) and not _names_a_joint(body, key) for key in angles.keys):
        return [_read_control_pose(body, entry, f"{name}#{lap + 1}", 0.0, lap) for lap in range(count)]
    pose = _read_control_pose(body, entry, name, 0.0)
    return [replace(pose, name=f"{name}#{lap + 1}") for lap in range(count)]


def angles_that_reach(body: Body, angles: Mapping[int, float], entry: TomlTable) -> dict[int, float]:
    """Angles (rad) by DOF of a pose whose limbs are bent by inverse kinematics, so that their ends reach places (m).

    Places are x ahead, y to the left and z above the ground, with the root at its place in the standing pose and its
    orientation from the pose. Only joints of the limb that the pose does not set may bend.
    """
    limbs = {hand.link: (hand.link, hand.point) for hand in body.hands}
    limbs |= {foot.link: (foot.link, foot.points.mean(axis=0)) for foot in body.feet}
    limbs |= {link: (link, np.zeros(3)) for link in body.links if link not in limbs}
    for name in entry.keys:
        if name not in limbs:
            raise entry.fail(f"'{name}' cannot reach a place: it is neither a hand nor a foot nor a link", name)
    places = np.array([entry.numbers(name, 3) for name in entry.keys])
    coordinates = standing_coordinates(body)
    coordinates[list(angles)] = list(angles.values())
    start = pose_from_coordinates(body, coordinates)
    bends = {dof for name in entry.keys for dof in _dofs_for_script_reach(body, limbs[name][0])} - set(angles)
    weights = np.full(body.nv, FIRM)
    weights[sorted(bends)] = LOOSE
    solver = PoseSolver(body, [limbs[name] for name in entry.keys])
    found = solver.solve(start, places=places, place_weights=30.0, prior_weights=weights, iterations=100)
    for name, away in zip(entry.keys, found.place_error, strict=True):
        if away > NEAR:
            raise entry.fail(f"'{name}' cannot reach its place: it stays {away:.2f} m away", name)
    coordinates = PoseSpace(body).angles(found.qpos[None])[0]
    return {**angles, **{dof: float(coordinates[dof]) for dof in sorted(bends)}}


def _dofs_for_script_reach(body: Body, link: str) -> list[int]:
    """DOFs of the limb that ends in a link; raise if the link is the root."""
    if not chain_joints(body, link):
        raise PoiseError(f"'{link}' is the root: it cannot reach a place")
    return [dof for joint in limb_joints(body, link) for dof in joint.dofs]
