"""Control poses of a script: single ones, and cycles that are written out for as long as the script lasts."""

from __future__ import annotations

from poise.animation.angles import mirrored, read_angles
from poise.animation.entry import Entry
from poise.animation.reaching import reached
from poise.animation.script import Pose
from poise.body import Body
from poise.errors import PoiseError

MOST = 10_000
"""Poses of a script."""


def read_poses(body: Body, entry: Entry, seconds: float) -> tuple[Pose, ...]:
    """In order of time. A pose of a cycle is called NAME#1, NAME#2 ... in its repetitions."""
    poses = []
    for index, told in enumerate(entry.tables("pose")):
        told.check(("time", "name", "angles", "reach"))
        poses.append(_pose(body, told, told.text("name", f"pose {index + 1}"), told.number("time", least=0)))
    for cycle in entry.tables("cycle"):
        poses += _cycle(body, cycle, seconds)
    names = [pose.name for pose in poses]
    for name in names:
        if names.count(name) > 1:
            raise entry.fail(f"two poses are called '{name}'", "pose")
    if not poses:
        raise entry.fail("there is no pose: write at least one [[pose]] or [[cycle]]")
    return tuple(sorted(poses, key=lambda pose: pose.time))


def _pose(body: Body, entry: Entry, name: str, time: float) -> Pose:
    angles = read_angles(body, entry.inner("angles"))
    if "reach" in entry:
        try:
            angles = reached(body, angles, entry.inner("reach"))
        except PoiseError as error:
            raise entry.blame(error, "reach") from None
    return Pose(name, time, angles)


def _cycle(body: Body, entry: Entry, seconds: float) -> list[Pose]:
    """All repetitions of a cycle; with `mirrored` each is the mirror image of the one before."""
    entry.check(("from", "until", "period", "mirrored", "pose", "first"))
    start, period = entry.number("from", 0.0, 0), entry.number("period", least=0.05)
    end = min(entry.number("until", seconds, start), seconds)
    patterns = []
    for index, told in enumerate(entry.inners("pose")):
        told.check(("at", "name", "angles", "reach"))
        share = told.number("at", least=0, most=1)
        patterns.append(_pose(body, told, told.text("name", f"key {index + 1}"), share * period))
    if not patterns:
        raise entry.fail("the cycle has no pose: write pose = [{ at = 0, angles = { ... } }, ...]")
    count = int((end - start) / period + 1e-9) + 1
    if count * len(patterns) > MOST:
        raise entry.fail(f"the cycle is repeated {count} times: too often", "period")
    poses = []
    for lap in range(count):
        for pattern in patterns:
            time = start + lap * period + pattern.time
            flipped = entry.flag("mirrored") and lap % 2 == 1
            angles = mirrored(body, pattern.angles) if flipped else pattern.angles
            if time <= end + 1e-9:
                poses.append(Pose(f"{pattern.name}#{lap + 1}", time, angles))
    return poses
