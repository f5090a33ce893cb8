"""Control poses of a script: single ones, and cycles that are written out for as long as the script lasts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import radians

from poise.animation.angles import ROOT, changes_by_lap, mirrored, read_angles
from poise.animation.entry import Entry
from poise.animation.reaching import reached
from poise.animation.script import Pose
from poise.body import Body

YAW = ROOT["yaw"]
MOST = 10_000
"""Poses of a script."""


def read_poses(body: Body, entry: Entry, seconds: float) -> tuple[Pose, ...]:
    """In order of time. A pose of a cycle is called NAME#1, NAME#2 ... in its repetitions."""
    poses: dict[str, Pose] = {}
    for index, told in enumerate(entry.tables("pose")):
        told.check(("time", "name", "angles", "reach"))
        pose = _pose(body, told, told.text("name", f"pose {index + 1}"), told.number("time", least=0))
        _add(poses, [pose], told)
    for cycle in entry.tables("cycle"):
        _add(poses, _cycle(body, cycle, seconds), cycle)
    if not poses:
        raise entry.fail("there is no pose: write at least one [[pose]] or [[cycle]]")
    return tuple(sorted(poses.values(), key=lambda pose: pose.time))


def _add(poses: dict[str, Pose], more: Iterable[Pose], told: Entry) -> None:
    for pose in more:
        if pose.name in poses:
            raise told.fail(f"two poses are called '{pose.name}'", "name")
        poses[pose.name] = pose


def _pose(body: Body, entry: Entry, name: str, time: float, lap: int | None = None) -> Pose:
    angles = read_angles(body, entry.inner("angles"), lap)
    if "reach" in entry:
        with entry.blaming("reach"):
            angles = reached(body, angles, entry.inner("reach"))
    if not angles:
        raise entry.fail(f"pose '{name}' sets no angle")
    return Pose(name, time, angles)


def _cycle(body: Body, entry: Entry, seconds: float) -> list[Pose]:
    """All repetitions of a cycle; with `mirrored` each is the mirror image of the one before.

    With `turned` each has the yaw of its poses so many degrees further to the left than the one before.
    """
    entry.check(("from", "until", "period", "mirrored", "turned", "pose"))
    start, period = entry.number("from", 0.0, 0), entry.number("period", least=0.05)
    end = min(entry.number("until", seconds, start), seconds)
    told = entry.inners("pose")
    if not told:
        raise entry.fail("the cycle has no pose: write pose = [{ at = 0, angles = { ... } }, ...]")
    count = int((end - start) / period + 1e-9) + 1
    if count * len(told) > MOST:
        raise entry.fail(f"the cycle is repeated {count} times: too often", "period")
    turned = radians(entry.number("turned", 0.0))
    poses = []
    for index, key in enumerate(told):
        key.check(("at", "name", "angles", "reach"))
        first = start + period * key.number("at", least=0, most=1)
        for lap, pose in enumerate(_laps(body, key, key.text("name", f"key {index + 1}"), count)):
            flipped = entry.flag("mirrored") and lap % 2 == 1
            angles = mirrored(body, pose.angles) if flipped else pose.angles
            if YAW in angles:
                angles = {**angles, YAW: angles[YAW] + lap * turned}
            poses.append(replace(pose, time=first + lap * period, angles=angles))
    return [pose for pose in poses if pose.time <= end + 1e-9]


def _laps(body: Body, entry: Entry, name: str, count: int) -> list[Pose]:
    """A pose of a cycle in its repetitions, not yet in time; read once if it is always the same."""
    if changes_by_lap(body, entry.inner("angles")):
        return [_pose(body, entry, f"{name}#{lap + 1}", 0.0, lap) for lap in range(count)]
    pose = _pose(body, entry, name, 0.0)
    return [replace(pose, name=f"{name}#{lap + 1}") for lap in range(count)]
