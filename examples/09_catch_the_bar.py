"""A jump that catches a bar and continues with a swing.

`modal` needs only the poses and contacts ahead, so a motion can be edited while it is performed. Here the arms of a
broad jump are raised. In the air both hands touch a bar and then, 2 cm from it, grip it. From then on the motion has
no contacts, and the body swings passively while it follows the poses of the jump. After 1.3 s a transition of half a
second leads from the present pose into `swing`. It enters `swing` at the most similar moment, moved to where the hands
hold, and then continues with it.
"""

from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

import poise
from poise.control.modal.modal import Modal
from poise.ease import quintic_ease
from poise.edit.parse import parse_edit
from poise.edit.take import Frame, Span, Take, take_of
from poise.export.formats import export
from poise.physics.dynamic_motion import scene_of_dynamic
from poise.world.props import Bar
from poise.world.terrain_kinds import Platforms

CATCH, PASSIVE, OVER, SECONDS = 1.4, 1.3, 0.5, 8.0
"""Time of the catch, and durations of the passive swing, of the transition and of the whole (s)."""
BOX = 0.15
"""Height (m) from which it jumps."""
SIDES = ("left", "right")
RAISED = [f"offset:{side}_{turn}@1.1,ease=0.25" for side in SIDES for turn in ("shoulder=0:-60:0", "elbow=-10")]
TUCKED = [f"offset:{side}_knee=70" for side in SIDES]  # this bar is lower than that of `swing`


@dataclass(frozen=True, eq=False)
class Unborne:
    """An edit that keeps the poses and removes the contacts."""

    span: Span = field(default_factory=Span)

    def on(self, take: Take) -> Take:
        """The motion without contacts from the start of the span on."""
        first = round((self.span.start or 0.0) * take.rate)

        def frame(number: int) -> Frame:
            qpos, down = take.frame(number)
            return Frame(qpos, None if number >= first else down)

        return take.with_frames(frame)


@dataclass(frozen=True, eq=False)
class GoOver:
    """An edit that blends from a pose into another motion, entered at a given frame and shifted (m)."""

    pose: np.ndarray
    other: Take
    entry: int
    shift: np.ndarray
    span: Span = field(default_factory=Span)

    def on(self, take: Take) -> Take:
        """The motion with the contacts of the other one at once, and its poses blended in."""
        first, model = round((self.span.start or 0.0) * take.rate), take.body.model

        def frame(number: int) -> Frame:
            if number < first:
                return take.frame(number)
            there = self.other.frame(self.entry + number - first)
            goal, pose, way = np.array(there.qpos), np.array(self.pose), np.zeros(take.body.nv)
            goal[:3] += self.shift
            mujoco.mj_differentiatePos(model, way, 1.0, pose, goal)
            mujoco.mj_integratePos(model, pose, way, float(quintic_ease((number - first) / (OVER * take.rate))))
            return Frame(pose, there.down)

        return take.with_frames(frame, duration=None)


class Leap:
    """The jump, and the edits that are made to it during the performance."""

    def __init__(self, body: poise.Body) -> None:
        self.body, swing = body, poise.named_motion("swing", body)
        self.live = poise.Live(_with(take_of(poise.named_motion("broad-jump", body), body), RAISED), body)
        self._swing = _with(take_of(swing, body), TUCKED)
        hung = scene_of_dynamic(swing.motions["swing"]).props[0]
        self._hung = np.array([hung.x, 0.0, hung.height])  # m, where the hands of `swing` hold
        self._cycle = swing.motions["swing"].clip.frames

    def hands(self, world: poise.World) -> np.ndarray:
        """The point (3,) midway between both hands, m."""
        return np.mean([world.point(hand.link, hand.point) for hand in self.body.hands], axis=0)

    def catch(self, world: poise.World) -> None:
        """Grip the bar with both hands."""
        for hand in self.body.hands:
            world.grip(hand.link, world.point(hand.link, hand.point), "bar")
        self.live.edit(Unborne(), world.time)

    def go_over(self, world: poise.World) -> None:
        """Start the transition into the swing. The motion does not include the height of the box."""
        box = np.array([0.0, 0.0, BOX])
        shift = self.hands(world) - box - self._hung
        pose = np.array(world.qpos[: self.body.nq])
        pose[:3] -= box
        roots = np.array([self._swing.frame(k).qpos[:3] for k in range(self._cycle + 1)]) + shift
        off = np.linalg.norm(roots[:-1] - pose[:3], axis=1)
        off += 0.3 * np.linalg.norm(np.diff(roots, axis=0) * self._swing.rate - world.qvel[:3], axis=1)
        self.live.edit(GoOver(pose, self._swing, int(np.argmin(off)), shift), world.time)


def main(folder: Path) -> None:
    """Find where the hands get in a trial jump, put a bar there, then jump, catch it and swing."""
    body = poise.Body.named("human42")
    ground = Platforms(((-1.0, 0.2, -1.0, 1.0, BOX),))
    trial, world = Leap(body), poise.World(poise.Scene.of(body, ground))
    poise.perform(world, Modal(), trial.live, seconds=CATCH)
    x, _, z = trial.hands(world)

    jump, world = Leap(body), poise.World(poise.Scene.of(body, ground, props=[Bar(height=z, x=x, length=1.4)]))
    cues = [
        poise.Cue(CATCH, "catch the bar", jump.catch),
        poise.Cue(CATCH + PASSIVE, "go over into the swing", jump.go_over),
    ]
    recording = poise.perform(world, Modal(), jump.live, seconds=SECONDS, cues=cues).recording
    after = recording.time > CATCH + PASSIVE + OVER
    off = np.linalg.norm((recording.qpos - recording.reference_qpos)[after, :3], axis=1)
    swept = np.ptp(recording.qpos[after, 0])
    print(f"the bar is {z:.2f} m high; the pelvis sweeps {swept:.2f} m, {100 * off.mean():.0f} cm from the motion's")
    failed = [check.name for check in poise.audit(recording).checks if not check.passed]
    print(f"not physical: {', '.join(failed)}" if failed else "physical")
    folder.mkdir(exist_ok=True)
    recording.save(folder / "recording.npz")
    print("watch", export(recording, folder / "page.html"))


def _with(take: Take, edits: list[str]) -> Take:
    for edit in edits:
        take = parse_edit(edit).on(take)
    return take


if __name__ == "__main__":
    main(Path("poise-catch"))
