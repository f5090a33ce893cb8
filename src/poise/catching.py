"""Who topples is caught: another controller steps until the body stands, and the first goes on from there."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np

from poise.body import Body
from poise.body.carrying import Carriage, advance
from poise.body.feet import foot_links
from poise.control.controller import Controller, Stage, Startled
from poise.dynamics import Actuation, State
from poise.errors import PoiseError
from poise.frozen import Array
from poise.handover import Ending
from poise.reference import Reference
from poise.reference.edit.resume import keeps_its_feet, resumed, tallest
from poise.reference.edit.take import take_of
from poise.reference.parts import contact_parts
from poise.reference.reference import Still

RESTS, OVER = 0.5, 1.0
"""s that it has to stand before it goes on, and in which it is in the motion again."""
LOWEST = 0.3
"""m: who is lower topples as if he were so high."""
_SIDES = np.array([[cos(k * pi / 32), sin(k * pi / 32)] for k in range(64)])  # (64, 2) directions, all round


class Catching:
    """Lets a controller perform a motion that stands, and another one catch the body when it topples.

    It topples when its capture point [Pratt2006] is beyond what its feet cover: no force on them brings it to rest
    then, only a step does. Who notices pushes late is caught late.
    """

    def __init__(self, first: Controller, rescuer: Ending) -> None:
        """`rescuer` performs standing still, from however the body topples."""
        self.first, self.rescuer = first, rescuer
        self.needs_physics = first.needs_physics
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
