"""Hand-over: a second controller takes over when the first controller's motion has ended."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from math import cos, sin
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.body.pose_space import PoseSpace
from poise.body.surface import foot_links
from poise.control.catalogue import entry_of_controller
from poise.control.controller import (
    ChangesControl,
    ControlChange,
    Controller,
    PushAware,
    ReportsEnding,
    Steerable,
    WorldView,
)
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.edit.limbs import chain_joints, has_legs
from poise.errors import PoiseError
from poise.performance.start import PlacedReference
from poise.reference.body_clip import posed_data
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Reference, Still
from poise.rotations import quat_conjugate, quat_multiply, quat_rotate, yaw_of
from poise.world.terrain import Place

MEAN_POSTURE = 2.0  # Time (s) at the end of a motion whose mean posture the upper body keeps when it comes to a stand
UPRIGHT = 0.7  # Least cosine of the angle between the root and its upright orientation from which walking can begin


class Handover:
    """A controller that delegates to `first` until its motion has ended, and then to `then`, with another reference.

    A controller that reports its ending decides itself; for any other the reference's duration does.
    """

    def __init__(self, first: Controller, then: Controller, reference: Reference) -> None:
        """`then` performs `reference`, moved to where the body is and turned to the body's heading."""
        self.first, self.then = first, then
        self._next = reference
        self.name = f"{first.name}, then {then.name}"
        one, other = entry_of_controller(first), entry_of_controller(then)
        self.entry = replace(one, name=self.name, speeds=other.speeds)
        self.settings: dict[str, Any] = {first.name: first.settings, then.name: then.settings}
        self.handed_over: float | None = None  # time of the hand-over, s
        self._heading: float | None = None  # commanded, rad
        self._speed: float | None = None  # commanded, m/s
        self._turned = 0.0  # rad, from the initial heading to the heading at the hand-over

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Prepare to perform a reference with `first`, from the start."""
        self._world, self.handed_over = world, None
        self._heading = self._speed = None
        self._end = reference.duration
        self.first.reset(world, reference)

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Command a heading (rad, to the left of the initial heading) or a speed (m/s) for `then`.

        Until the hand-over the heading also steers `first`, if `first` can be steered.
        """
        self._heading = self._heading if heading is None else heading
        self._speed = self._speed if speed is None else speed
        if self.handed_over is not None:
            self._steer_then()
        elif isinstance(self.first, Steerable):
            with suppress(PoiseError):  # flips and dives cannot be steered
                self.first.steer(heading)

    def _steer_then(self) -> None:
        if isinstance(self.then, Steerable):
            self.then.steer(None if self._heading is None else self._heading - self._turned, self._speed)

    def note_push(self, time: float) -> None:
        """Note that a push begins at a time (s)."""
        if isinstance(self._acting, PushAware):
            self._acting.note_push(time)

    def is_unaware(self, time: float) -> bool:
        """Whether a push has begun that the acting controller has not noticed at a time (s)."""
        return isinstance(self._acting, PushAware) and self._acting.is_unaware(time)

    def act(self, state: State) -> Actuation:
        """Actuation of the coming step; hands over if the motion has ended."""
        if self.handed_over is None and self._ended(state):
            self.handed_over, place = state.time, self._place(state)
            self._turned = place.yaw
            self.then.reset(self._world, PlacedReference(self._next, place))
            self._steer_then()
        return self._acting.act(state)

    def target(self, time: float) -> Array:
        """(nq,) the pose that the acting controller tracks at a time (s)."""
        return self._acting.target(time)

    @property
    def changes(self) -> Sequence[ControlChange]:
        """The controllers that acted, in order of time."""
        first = self.first
        earlier = first.changes if isinstance(first, ChangesControl) else [ControlChange(0.0, first.name)]
        if self.handed_over is None:
            return earlier
        return [*earlier, ControlChange(self.handed_over, self.then.name, "the motion has ended")]

    def _ended(self, state: State) -> bool:
        """Whether the motion of `first` has ended."""
        if isinstance(self.first, ReportsEnding):
            return self.first.stands()
        return self._end is not None and state.time >= self._end - 1e-9

    @property
    def _acting(self) -> Controller:
        return self.first if self.handed_over is None else self.then

    def _place(self, state: State) -> Place:
        """Where the next reference must start, so that its feet and heading match the feet and heading of the body."""
        scene = self._world.scene
        body = scene.body
        first = next(posed_data(body, self._next.at(0.0).qpos[None]))
        here, there = (_feet_midpoint_at_hand_over(body, data) for data in (state.data, first))
        turned = float(yaw_of(state.qpos[3:7]) - yaw_of(first.qpos[3:7]))
        x = here[0] - (cos(turned) * there[0] - sin(turned) * there[1])
        y = here[1] - (sin(turned) * there[0] + cos(turned) * there[1])
        return Place(x, y, scene.terrain.height(here[0], here[1]), turned)


def stand_after_motion(motion: Dynamic) -> Still | None:
    """A stand that follows a motion; None if the motion ends at rest and in balance, off its feet, or not upright.

    Its legs are those of the standing pose, and its upper body is the mean of the motion's last seconds.
    """
    body, qpos = motion.clip.body, motion.clip.qpos
    held = motion.ends_at_rest() and not motion.ends_toppling()
    if held or not has_legs(body) or not _ends_upright_on_feet(motion):
        return None
    space, last = PoseSpace(body), qpos[-round(MEAN_POSTURE * motion.clip.rate) :]
    away = space.difference(np.repeat(body.standing[None], len(last), axis=0), last).mean(axis=0)
    away[:6] = 0.0
    away[[dof for foot in body.feet for joint in chain_joints(body, foot.link) for dof in joint.dofs]] = 0.0
    return Still("stand", space.moved(body.standing[None], away[None])[0], np.zeros(body.nv))


def _ends_upright_on_feet(motion: Dynamic) -> bool:
    """Whether nothing but feet bears in the last frame of a motion, and the root is upright."""
    body, contacts = motion.clip.body, motion.contacts
    turn = quat_multiply(motion.clip.qpos[-1, 3:7], quat_conjugate(body.standing[3:7]))
    feet = set(np.concatenate(foot_links(body)).tolist())
    bears = {body.link_id(link) for link, down in zip(contacts.links, contacts.down[-1], strict=True) if down}
    return bears <= feet and quat_rotate(turn, np.array([0.0, 0.0, 1.0]))[2] > UPRIGHT


def _feet_midpoint_at_hand_over(body: Body, data: mujoco.MjData) -> Array:
    """(3,) m: midpoint of the left and the right foot."""
    left, right = (data.xpos[body.link_id(foot.link)] for foot in body.feet)
    return np.asarray(0.5 * (left + right))
