"""A flight that ends on the feet: poses alone, of which the last is taken when the root will arrive as it should.

[Zordan2014] section VII. The tuck is left when the root will arrive at touch-down with the wanted pitch, and feet are
placed through the hips.
"""

from __future__ import annotations

from math import radians, sqrt

import numpy as np

from poise.arrays import Array
from poise.control.rotation.actor import Actor
from poise.control.rotation.behaviour_numbers import FlightNumbers
from poise.control.rotation.footing import LEFT, FootSupportPlane
from poise.control.rotation.pose_line import PoseLine, pose_line
from poise.dynamics.actuation import Actuation
from poise.dynamics.rotation_indices import RotationIndices
from poise.dynamics.state import State
from poise.rotations import quat_from_axis_angle, quat_multiply

# When to leave the tuck, so that the root arrives at touch-down as it should.
#
# The pitch of the root is predicted, not the excursion's: at the right excursion a trunk may be over-rotated by 0.7
# rad.


class Opening:
    """From a tuck to the pose of touch-down, in so many steps of a line, the last of which is held."""

    def __init__(self, line: PoseLine, step: float) -> None:
        """`line` begins with the tuck; a step of it takes `step` s."""
        self._step, self._line = step, line
        self._flow = np.concatenate([[0.0], np.cumsum(step / line.inertia[1:])])  # s/(kg m^2), passed since the tuck

    def arrival(self, pitch: float, momentum: float, left: float, at: int, wait: float = 0.0) -> float:
        """rad: the root's pitch after `left` s, from step `at` of the line on, if it waits so long before that."""
        line, last = self._line, len(self._line.qpos) - 1
        moving = min(last - at, int(max(left - wait, 0.0) / self._step))
        end = at + moving
        rest = max(left - wait - moving * self._step, 0.0)
        time = wait / line.inertia[at] + self._flow[end] - self._flow[at] + rest / line.inertia[end]
        return float(pitch + momentum * time - (line.swing[end] - line.swing[at]))

    def due(self, pitch: float, momentum: float, left: float, wanted: float) -> bool:
        """Whether the first pose should be left now: to wait would end beyond the wanted pitch, or no time is left.

        To wait turns the root further in a tuck that is left for a pose that is stretched out, and less far in an arch
        that is left for a squat.
        """
        inertia = self._line.inertia
        further = np.sign(momentum) * np.sign(inertia[-1] - inertia[0])
        beyond = further * (self.arrival(pitch, momentum, left, 0) - wanted)
        return bool(beyond >= 0 or left <= (len(self._line.qpos) - 1) * self._step)

    def pose(self, at: int) -> tuple[Array, Array]:
        """(nq,) of a step, and (n,) rad/s of joints there."""
        line, last = self._line, len(self._line.qpos) - 1
        return line.qpos[min(at, last)], line.moves[at] / self._step if at <= last else np.zeros(line.moves.shape[1])


BIT = 0.01
"""rad by which something is turned to see what comes of it."""
FARTHEST = 0.3
"""rad by which legs are turned for where feet arrive."""


class Flight:
    """A flight that is to come, or under way."""

    def __init__(
        self,
        actor: Actor,
        footing: FootSupportPlane,
        lines: tuple[PoseLine, PoseLine],
        numbers: FlightNumbers,
        placing: bool,
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

    def act(self, state: State, rotation: RotationIndices) -> Actuation:
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

    def _place_feet(self, rotation: RotationIndices, opening: Opening) -> None:
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

    def _reach(self, rotation: RotationIndices, off: float) -> float:
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

    def _falling(self, rotation: RotationIndices) -> float:
        """m/s downward at touch-down."""
        return max(self._gravity * self._left(rotation) - float(rotation.velocity[2]), 0.5)

    def _left(self, rotation: RotationIndices) -> float:
        """s until the centre of mass is as low as it is above flat soles in the pose of touch-down."""
        fall, up, g = float(rotation.com[2] - self._out.height[-1]), float(rotation.velocity[2]), self._gravity
        return max((up + sqrt(max(up**2 + 2 * g * fall, 0.0))) / g, 0.0)
