"""Recovery from toppling: a second controller steps until the body stands, then the first resumes its motion."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from math import cos, pi, sin, sqrt
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.body.pose_space import PoseDisplacement, displace_poses, planar_displacement, yaw_quat
from poise.body.surface import contact_parts, foot_links
from poise.control.catalogue import entry_of_controller
from poise.control.controller import ControlChange, Controller, PushAware, ReportsEnding, WorldView
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.ease import quintic_ease
from poise.edit.blend import blend_features
from poise.edit.foot_placement import EditedFootPlacement
from poise.edit.limbs import foot_parts, leg_lengths, pelvis_drop
from poise.edit.take import BLOCK, Frame, Take, take_of
from poise.errors import PoiseError
from poise.reference.reference import Reference, Still
from poise.rotations import yaw_of

SEARCHED = 6.0  # Duration (s) of a motion that is examined: for planted feet, its height and the frame to resume at
REST = 0.5  # Time (s) for which the body must stand before the motion resumes
BLEND = 1.0  # Duration (s) of the blend from the standing pose back into the motion
LOWEST = 0.3  # Least height (m) of the centre of mass in the formula of the capture point
_SIDES = np.array([[cos(k * pi / 32), sin(k * pi / 32)] for k in range(64)])  # (64, 2) directions, all round


class CatchController:
    """A controller that delegates to `first`, and when the body topples to `rescuer`, until the body stands again.

    The motion must keep both feet planted. The body topples when its capture point [Pratt2006] lies outside the
    support polygon: then no force on the feet brings it to rest, only a step does. While `first` has not noticed a
    push yet, toppling is not detected.
    """

    def __init__(self, first: Controller, rescuer: ReportsEnding) -> None:
        """`rescuer` must be able to stand still starting from any toppling state."""
        self.first, self.rescuer = first, rescuer
        self.entry = entry_of_controller(first)
        self.name = f"{first.name}, caught by {rescuer.name}"
        self.settings: dict[str, Any] = {first.name: first.settings, rescuer.name: rescuer.settings}
        self.caught: list[float] = []  # times at which `rescuer` took over, s
        self.resumed: list[float] = []  # times at which `first` resumed, s

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Prepare to perform a reference from its start; raise if the reference does not keep both feet planted."""
        body = world.scene.body
        self._world = world
        self._take = take_of(reference, body, 1.0 / world.state.step)
        if not feet_stay_planted_for_catch(self._take):
            raise PoiseError(f"'{reference.name}' cannot be caught: it does not keep both feet planted")
        self._support, self._upright = _SupportPolygon(body), tallest_pose_for_catch(self._take)
        self.caught, self.resumed = [], []
        self._catch(world.state)  # compiles its kernels before the run is timed
        self.first.reset(world, reference)

    def note_push(self, time: float) -> None:
        """Note that a push begins at a time (s)."""
        if isinstance(self.first, PushAware):
            self.first.note_push(time)

    def is_unaware(self, time: float) -> bool:
        """Whether a push has begun that `first` has not noticed at a time (s)."""
        return isinstance(self.first, PushAware) and self.first.is_unaware(time)

    def act(self, state: State) -> Actuation:
        """Actuation of the coming step; switches between the two controllers if needed."""
        if self._is_caught:
            if not self.rescuer.stands():
                self._stood_since, self._stays = state.time, False
            elif not self._stays and state.time - self._stood_since > REST - 1e-9:
                self._resume(state)
        elif not self.is_unaware(state.time) and self._support.capture_distance_outside(self._world, state) > 0:
            self.caught.append(state.time)
            self._catch(state)
        return self._acting.act(state)

    def target(self, time: float) -> Array:
        """(nq,) the pose that the acting controller tracks at a time (s)."""
        return self._acting.target(time)

    @property
    def changes(self) -> Sequence[ControlChange]:
        """The controllers that acted, in order of time."""
        caught = (ControlChange(time, self.rescuer.name, "the body topples") for time in self.caught)
        resumed = (ControlChange(time, self.first.name, "the body stands again") for time in self.resumed)
        pairs = zip_longest(caught, resumed)
        return [ControlChange(0.0, self.first.name), *(each for pair in pairs for each in pair if each is not None)]

    @property
    def _is_caught(self) -> bool:
        return len(self.caught) > len(self.resumed)

    @property
    def _acting(self) -> Controller:
        return self.rescuer if self._is_caught else self.first

    def _catch(self, state: State) -> None:
        """Let `rescuer` stand still in the tallest pose of the motion, at the place and heading of the body."""
        yaw, way = planar_displacement(self._upright, state.qpos[: len(self._upright)])
        pose = PoseDisplacement(yaw, way).pose(self._upright)
        self.rescuer.reset(self._world, Still("stand", pose, np.zeros(self._world.scene.body.nv)))
        self._stood_since, self._stays = state.time, False

    def _resume(self, state: State) -> None:
        """Resume the motion, or keep standing if the motion cannot be performed with the feet where they are."""
        pose = np.array(state.qpos[: self._world.scene.body.nq])
        motion = resume_motion_after_catch(self._take, pose, state.time, BLEND)
        self._stays = motion is None
        if motion is not None:
            self.resumed.append(state.time)
            self.first.reset(self._world, motion)


class _SupportPolygon:
    """The support polygon of the feet of a body."""

    def __init__(self, body: Body) -> None:
        self._body = body
        feet = set(np.concatenate(foot_links(body)).tolist())
        parts = [(body.link_id(part.link), part.points) for part in contact_parts(body)]
        self._parts = [(link, points) for link, points in parts if link in feet]

    def capture_distance_outside(self, world: WorldView, state: State) -> float:
        """Signed distance (m) of the capture point outside the support polygon; negative inside."""
        data, model = state.data, world.scene.model
        own = [points @ data.xmat[link].reshape(3, 3).T + data.xpos[link] for link, points in self._parts]
        corners = np.concatenate(own)
        com, velocity = data.subtree_com[1], state.mass[:2] @ state.qvel / self._body.mass
        height = max(float(com[2] - corners[:, 2].min()), LOWEST)
        capture = com[:2] + velocity * sqrt(height / -float(model.opt.gravity[2]))
        return float(np.max(_SIDES @ capture - (_SIDES @ corners[:, :2].T).max(axis=1)))


def resume_motion_after_catch(take: Take, pose: Array, start: float, over: float) -> Take | None:
    """The motion with feet planted as in `pose` (nq,), blended from this pose at rest in `over` (s) from `start` (s).

    The motion is entered at its frame most similar to the pose. None if its lowest frame cannot keep all contacts.
    """
    resumption = _MotionAfterCatch(take, pose, start, over)
    if not resumption.keeps_lowest_contacts():
        return None
    return replace(take.with_blocks(resumption.frame_block, resumption.first), duration=None)


def feet_stay_planted_for_catch(take: Take) -> bool:
    """Whether every foot is in contact in every frame of the first `SEARCHED` seconds."""
    parts = foot_parts(take.body)
    return bool(parts) and all(
        frame.down is not None and all(frame.down[own].any() for own in parts)
        for frame in _frames_searched_after_catch(take)
    )


def tallest_pose_for_catch(take: Take) -> Array:
    """(nq,) the pose with the highest root in the first `SEARCHED` seconds."""
    return max(_frames_searched_after_catch(take), key=lambda frame: float(frame.qpos[2])).qpos


def _frames_searched_after_catch(take: Take) -> list[Frame]:
    """The frames of the first `SEARCHED` seconds."""
    return [take.frame(k) for k in range(round(min(take.duration or SEARCHED, SEARCHED) * take.rate))]


class _MotionAfterCatch:
    """The frames of a resumed motion; the arguments are those of `resume_motion_after_catch`."""

    def __init__(self, take: Take, pose: Array, start: float, over: float) -> None:
        self._take, self._pose = take, np.array(pose)
        self.first, self._over = round(start * take.rate), max(round(over * take.rate), 1)
        self._footing, self._lengths = EditedFootPlacement(take.body), leg_lengths(take.body)
        self._place, self._turn = self._footing.places(self._pose[None])
        self._entry = self._most_similar_frame()
        entered = take.frame(self._entry).qpos
        self._turned = yaw_quat(float(yaw_of(self._pose[3:7]) - yaw_of(entered[3:7])))
        there, _ = self._footing.places(displace_poses(entered, self._turned, np.zeros(3))[None])
        self._shift = (self._place - there)[0].mean(axis=0)  # (3,) m, from the motion's feet to those of the pose

    def _most_similar_frame(self) -> int:
        """Index of the frame of the motion that is most similar to the pose at rest."""
        frames = _frames_searched_after_catch(self._take)
        still = [Frame(self._pose, frames[0].down)] * 2
        theirs, mine = (blend_features(self._take.body, each, self._take.rate) for each in (frames, still))
        return int(np.argmin(np.linalg.norm(theirs - mine[0], axis=1)))

    def frame_block(self, first: int) -> list[Frame]:
        """The `BLOCK` frames from frame number `first` on."""
        return self._with_feet_planted([self._blended_frame(first + k) for k in range(BLOCK)])

    def keeps_lowest_contacts(self) -> bool:
        """Whether the frame with the lowest root keeps all its contacts when the feet are planted as in the pose."""
        lowest = min(_frames_searched_after_catch(self._take), key=lambda frame: float(frame.qpos[2]))
        (found,) = self._with_feet_planted([Frame(self._pose_above_feet(lowest), lowest.down)])
        return found.down is not None and bool(np.all(found.down == lowest.down))

    def _with_feet_planted(self, frames: list[Frame]) -> list[Frame]:
        """The frames with the feet moved to the feet of the pose; lowers the roots in place, as the legs need."""
        qpos = np.array([frame.qpos for frame in frames])
        hips, feet = self._footing.hips(qpos), self._footing.places(qpos)[0]
        sinks = pelvis_drop(hips, self._place, self._lengths, np.linalg.norm(hips - feet, axis=-1))
        for frame, sink in zip(frames, sinks, strict=True):
            frame.qpos[2] -= sink
        place, turn = (np.repeat(each, len(frames), axis=0) for each in (self._place, self._turn))
        return self._footing.settled(frames, place, turn)

    def _pose_above_feet(self, frame: Frame) -> Array:
        """(nq,) the pose of a frame of the motion, turned to the body's heading and moved above the body's feet."""
        return displace_poses(frame.qpos, self._turned, self._shift)

    def _blended_frame(self, number: int) -> Frame:
        """Frame `number` of the blend from the pose to the motion, with feet that are not planted yet."""
        since = max(number - self.first, 0)
        model, there = self._take.body.model, self._take.frame(self._entry + since)
        out, way = np.array(self._pose), np.zeros(model.nv)
        mujoco.mj_differentiatePos(model, way, 1.0, out, self._pose_above_feet(there))
        mujoco.mj_integratePos(model, out, way, float(quintic_ease(since / self._over)))
        return Frame(out, there.down)
