"""Who topples is caught: another controller steps until the body stands, and the first goes on from there."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin, sqrt
from typing import Any

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.body.carriage import Carriage, advance, carried, heading
from poise.body.contact_parts import contact_parts, foot_links
from poise.control.catalogue import entry_of
from poise.control.controller import Controller, Ending, Stage, Startled
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.ease import quintic_ease
from poise.edit.blend import features
from poise.edit.foot_placement import FootPlacement
from poise.edit.limbs import easy_reach, foot_parts, leg_lengths, pelvis_drop
from poise.edit.take import BLOCK, Frame, Take, take_of
from poise.errors import PoiseError
from poise.reference.reference import Reference, Still
from poise.rotations import yaw_of

# Going on with a motion from a pose: where that is, as it faces, and with its feet where they stand.

SEARCHED = 6.0  # s of a motion that are looked at


def resumed(take: Take, pose: Array, start: float, over: float) -> Take | None:
    """A motion that keeps its feet where they are, from `start` (s) on: from a pose (nq,) at rest, within `over` s.

    It is entered where it is most like the pose. None if feet that stand as the pose's cannot bear its lowest moment.
    """
    resumption = _Resumption(take, pose, start, over)
    if not resumption.reaches_down():
        return None
    return replace(take.with_blocks(resumption.block, resumption.first), duration=None)


def keeps_its_feet(take: Take) -> bool:
    """Whether each foot stands all the time."""
    parts = foot_parts(take.body)
    return bool(parts) and all(
        frame.down is not None and all(frame.down[own].any() for own in parts) for frame in _searched(take)
    )


def tallest(take: Take) -> Array:
    """(nq,) the pose whose root is highest."""
    return max(_searched(take), key=_height).qpos


def _searched(take: Take) -> list[Frame]:
    """What is looked at of a motion."""
    return [take.frame(k) for k in range(round(min(take.duration or SEARCHED, SEARCHED) * take.rate))]


def _height(frame: Frame) -> float:
    """m, of the root."""
    return float(frame.qpos[2])


class _Resumption:
    """Frames of a motion that goes on."""

    def __init__(self, take: Take, pose: Array, start: float, over: float) -> None:
        self._take, self._pose = take, np.array(pose)
        self.first, self._over = round(start * take.rate), max(round(over * take.rate), 1)
        self._footing, self._lengths = FootPlacement(take.body), leg_lengths(take.body)
        self._place, self._turn = self._footing.places(self._pose[None])
        self._entry = self._most_alike()
        entered = take.frame(self._entry).qpos
        self._turned = heading(float(yaw_of(self._pose[3:7]) - yaw_of(entered[3:7])))
        there, _ = self._footing.places(carried(entered, self._turned, np.zeros(3))[None])
        self._way = (self._place - there)[0].mean(axis=0)  # (3,) m

    def _most_alike(self) -> int:
        """The frame of the motion that is most like the pose, at rest."""
        frames = _searched(self._take)
        still = [Frame(self._pose, frames[0].down)] * 2
        theirs, mine = (features(self._take.body, each, self._take.rate) for each in (frames, still))
        return int(np.argmin(np.linalg.norm(theirs - mine[0], axis=1)))

    def block(self, first: int) -> list[Frame]:
        """The frames of a block."""
        return self._stood([self._mixed(first + k) for k in range(BLOCK)])

    def reaches_down(self) -> bool:
        """Whether all that bears when the motion is lowest can bear where the feet stand."""
        lowest = min(_searched(self._take), key=_height)
        (found,) = self._stood([Frame(self._there(lowest), lowest.down)])
        return found.down is not None and bool(np.all(found.down == lowest.down))

    def _stood(self, frames: list[Frame]) -> list[Frame]:
        """Frames with feet where they stand."""
        for frame, sink in zip(frames, self._sink(np.array([frame.qpos for frame in frames])), strict=True):
            frame.qpos[2] -= sink
        place, turn = (np.repeat(each, len(frames), axis=0) for each in (self._place, self._turn))
        return self._footing.settled(frames, place, turn)

    def _sink(self, qpos: Array) -> Array:
        """(T,) m: how far the pelvis of poses (T, nq) goes down, so that legs stretch no further than theirs."""
        hips, feet = self._footing.hips(qpos), self._footing.places(qpos)[0]
        used = np.linalg.norm(hips - feet, axis=-1)
        return pelvis_drop(hips, self._place, easy_reach(self._lengths, used))

    def _there(self, frame: Frame) -> Array:
        """(nq,) a pose of the motion, facing as the body does and above its feet."""
        return carried(frame.qpos, self._turned, self._way)

    def _mixed(self, number: int) -> Frame:
        """Between the pose and the motion, which has its feet where it likes."""
        since = max(number - self.first, 0)
        model, there = self._take.body.model, self._take.frame(self._entry + since)
        out, way = np.array(self._pose), np.zeros(model.nv)
        mujoco.mj_differentiatePos(model, way, 1.0, out, self._there(there))
        mujoco.mj_integratePos(model, out, way, float(quintic_ease(since / self._over)))
        return Frame(out, there.down)


RESTS, OVER = 0.5, 1.0  # s that it has to stand before it goes on, and in which it is in the motion again
LOWEST = 0.3  # m: who is lower topples as if he were so high
_SIDES = np.array([[cos(k * pi / 32), sin(k * pi / 32)] for k in range(64)])  # (64, 2) directions, all round


class Catching:
    """Lets a controller perform a motion that stands, and another one catch the body when it topples.

    It topples when its capture point [Pratt2006] is beyond what its feet cover: no force on them brings it to rest
    then, only a step does. Who notices pushes late is caught late.
    """

    def __init__(self, first: Controller, rescuer: Ending) -> None:
        """`rescuer` performs standing still, from however the body topples."""
        self.first, self.rescuer = first, rescuer
        self.entry = entry_of(first)
        self.name = f"{first.name}, caught by {rescuer.name}"
        self.settings: dict[str, Any] = {first.name: first.settings, rescuer.name: rescuer.settings}
        self.caught: list[float] = []  # s
        self.resumed: list[float] = []  # s

    def reset(self, world: Stage, reference: Reference) -> None:
        """Get ready to perform a reference from the start."""
        body = world.scene.body
        self._world = world
        self._take = take_of(reference, body, 1.0 / world.state.step)
        if not keeps_its_feet(self._take):
            raise PoiseError(f"'{reference.name}' cannot be caught: it does not keep its feet where they are")
        self._support, self._upright = _Support(body), tallest(self._take)
        self.caught, self.resumed = [], []
        self._catch(world.state)  # compiles it, before time counts
        self.first.reset(world, reference)

    def startle(self, time: float) -> None:
        """A push begins at a time, s."""
        if isinstance(self.first, Startled):
            self.first.startle(time)

    def dazed(self, time: float) -> bool:
        """Whether at a time, s, a push has begun that is not noticed yet."""
        return isinstance(self.first, Startled) and self.first.dazed(time)

    def act(self, state: State) -> Actuation:
        """Torques of the coming step."""
        if self._is_caught:
            if not self.rescuer.stands():
                self._stood_since, self._stays = state.time, False
            elif not self._stays and state.time - self._stood_since > RESTS - 1e-9:
                self._go_on(state)
        elif not self.dazed(state.time) and self._support.beyond(self._world, state) > 0:
            self.caught.append(state.time)
            self._catch(state)
        return self._acting.act(state)

    def target(self, time: float) -> Array:
        """The pose that is tracked."""
        return self._acting.target(time)

    @property
    def _is_caught(self) -> bool:
        return len(self.caught) > len(self.resumed)

    @property
    def _acting(self) -> Controller:
        return self.rescuer if self._is_caught else self.first

    def _catch(self, state: State) -> None:
        """Stand still where the body is and as it faces, with feet as wide as the motion has them."""
        yaw, way = advance(self._upright, state.qpos[: len(self._upright)])
        pose = Carriage(yaw, way).pose(self._upright)
        self.rescuer.reset(self._world, Still("stand", pose, np.zeros(self._world.scene.body.nv)))
        self._stood_since, self._stays = state.time, False

    def _go_on(self, state: State) -> None:
        """Go on with the motion; or stay, if feet that stand so cannot bear it."""
        pose = np.array(state.qpos[: self._world.scene.body.nq])
        motion = resumed(self._take, pose, state.time, OVER)
        self._stays = motion is None
        if motion is not None:
            self.resumed.append(state.time)
            self.first.reset(self._world, motion)


class _Support:
    """What the feet of a body cover."""

    def __init__(self, body: Body) -> None:
        self._body = body
        feet = set(np.concatenate(foot_links(body)).tolist())
        parts = [(body.link_id(part.link), part.points) for part in contact_parts(body)]
        self._parts = [(link, points) for link, points in parts if link in feet]

    def beyond(self, world: Stage, state: State) -> float:
        """m by which the capture point is beyond it; negative within."""
        data, model = state.data, world.scene.model
        own = [points @ data.xmat[link].reshape(3, 3).T + data.xpos[link] for link, points in self._parts]
        corners = np.concatenate(own)
        com, velocity = data.subtree_com[1], state.mass[:2] @ state.qvel / self._body.mass
        high = max(float(com[2] - corners[:, 2].min()), LOWEST)
        capture = com[:2] + velocity * sqrt(high / -float(model.opt.gravity[2]))
        return float(np.max(_SIDES @ capture - (_SIDES @ corners[:, :2].T).max(axis=1)))
