"""A flight that ends on the feet: poses alone, of which the last is taken when the root will arrive as it should.

[Zordan2014] section VII. The tuck is left when the root will arrive at touch-down with the wanted pitch, and feet are
placed through the hips.
"""

from __future__ import annotations

from math import radians, sqrt

import numpy as np

from poise.control.rotation.actor import Actor
from poise.control.rotation.flip_numbers import FlightNumbers
from poise.control.rotation.footing import LEFT, Footing
from poise.control.rotation.opening import Opening
from poise.control.rotation.poseline import PoseLine, pose_line
from poise.dynamics import Actuation, State
from poise.dynamics.rotation import Rotation
from poise.frozen import Array
from poise.spatial import quat_from_axis_angle, quat_multiply

BIT = 0.01
"""rad by which something is turned to see what comes of it."""
FARTHEST = 0.3
"""rad by which legs are turned for where feet arrive."""


class Flight:
    """A flight that is to come, or under way."""

    def __init__(
        self, actor: Actor, footing: Footing, lines: tuple[PoseLine, PoseLine], numbers: FlightNumbers, placing: bool
    ) -> None:
        """`lines` are the poses into the tuck and out of it, a step apart; `placing` for feet that are placed."""
        self._actor, self._footing, self._numbers, self._placing = actor, footing, numbers, placing
        self._into, self._out = lines
        self._gravity = -float(actor.model.opt.gravity[2])
        self._lean = self._leaning()  # m/rad by which a trunk that leans takes the centre of mass forward
        self._began = 0.0  # s
        self._open_at: int | None = None
        self.pose = np.array(self._into.qpos[0])

    def inertia(self, step: float) -> Array:
        """(N,) kg m^2 at the steps of a flight as long as it should be."""
        into, out = self._into.inertia[1:], self._out.inertia[1:]
        hold = round(self._numbers.flight / step) - len(into) - len(out)
        return np.concatenate([into, np.full(max(hold, 1), self._out.inertia[0]), out])

    def begin(self, state: State) -> None:
        """From here on."""
        self._began = state.time

    def landed(self, state: State) -> bool:
        """Whether feet are on the ground again."""
        return self._footing.touching(state) and state.time - self._began > 0.5 * self._numbers.flight

    def act(self, state: State, rotation: Rotation) -> Actuation:
        """Torques of the coming step."""
        n, rise = self._numbers, self._into
        opening = Opening(self._out, state.step)
        k = round((state.time - self._began) / state.step) + 1
        if self._open_at is None:
            last = len(rise.qpos) - 1
            self.pose = np.array(rise.qpos[min(k, last)])
            velocity = rise.moves[k] / state.step if k <= last else np.zeros(self._actor.nv - 6)
            left, spin = self._left(rotation), float(self._footing.axis @ rotation.angular_momentum)
            if k >= last and opening.due(self._footing.pitch, spin, left, radians(n.touch_pitch)):
                self._open_at = 0
        if self._open_at is not None:
            self._open_at += 1
            pose, velocity = opening.pose(self._open_at)
            self.pose = np.array(pose)
            if self._placing:
                self._place_feet(rotation, opening)
        torque = self._actor.tracker.torques(state, self.pose[None], n.flight_stiffness, velocity)[0]
        limit = self._actor.program.limit
        return Actuation(torque=self._actor.whole(np.clip(torque, -limit, limit)))

    def _place_feet(self, rotation: Rotation, opening: Opening) -> None:
        """Turn the legs at the hips by what the pelvis will be off at touch-down, so that feet arrive as planned."""
        assert self._open_at is not None
        last = len(self._out.qpos) - 1
        spin, at = float(self._footing.axis @ rotation.angular_momentum), min(self._open_at, last)
        arrival = opening.arrival(self._footing.pitch, spin, self._left(rotation), at)
        off = min(max(arrival - radians(self._numbers.touch_pitch), -0.6), 0.6)
        reach = self._reach(rotation, off)
        self._turn("hip", -at / last * (off - reach))
        self._turn("ankle", -at / last * reach)

    def _leaning(self) -> float:
        self.pose = np.array(self._out.qpos[-1])
        self._turn("hip", -BIT)
        return float(np.diff(pose_line(self._actor.body, np.stack([self._out.qpos[-1], self.pose])).ahead)[0] / BIT)

    def _turn(self, joint: str, angle: float) -> None:
        """Of both sides, about the left, by an angle (rad)."""
        for side in ("left", "right"):
            place = list(self._actor.body.joint(f"{side}_{joint}").qpos)
            self.pose[place] = quat_multiply(quat_from_axis_angle(LEFT, angle), self.pose[place])

    def _reach(self, rotation: Rotation, off: float) -> float:
        """rad by which legs are to be turned back, so that feet arrive where the momentum about them is as wanted.

        That is H + m (z x' - x z'), with the centre of mass x before them and z above. `off` (rad) is how much further
        forward than wanted the trunk will lean, over legs that are turned back by as much.
        """
        wanted = self._numbers.about_feet
        if wanted is None:
            return 0.0
        spin, mass = float(self._footing.axis @ rotation.angular_momentum), rotation.mass
        height = float(self._out.height[-1])
        along, down = float(self._footing.forward @ rotation.velocity), self._falling(rotation)
        ahead = float(self._out.ahead[-1]) + self._lean * off
        about = spin + mass * (height * along + ahead * down)  # as the pose places the feet
        return min(max((wanted - about) / (mass * down * height), -FARTHEST), FARTHEST)

    def _falling(self, rotation: Rotation) -> float:
        """m/s downward at touch-down."""
        return max(self._gravity * self._left(rotation) - float(rotation.velocity[2]), 0.5)

    def _left(self, rotation: Rotation) -> float:
        """s until the centre of mass is as low as it is above flat soles in the pose of touch-down."""
        fall, up, g = float(rotation.com[2] - self._out.height[-1]), float(rotation.velocity[2]), self._gravity
        return max((up + sqrt(max(up**2 + 2 * g * fall, 0.0))) / g, 0.0)
