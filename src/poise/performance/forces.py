"""External forces of a run: pushes, and weights that hang on links, as generalised forces of each step."""

import copy
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.body.pose_space import PoseDisplacement
from poise.dynamics.actuation import Actuation
from poise.errors import PoiseError, unknown_name
from poise.performance.arguments import number_argument
from poise.performance.start import displacement_to_start
from poise.world.pushes import Push
from poise.world.result import BlowUp
from poise.world.terrain import Place
from poise.world.world import World

HEAVIEST = 200.0  # Largest mass (kg) of a weight
MOST_WEIGHTS = 8  # Largest number of weights at once
TRIALS = 10  # Largest number of trial steps to find the force of the weights
FORCE_AND_TORQUE = "force and torque"  # What a stabiliser gives that pushes the root as well as turns it
NEAR = 0.01  # Residual force, as a share of the weight, at which the trials stop


class PushInRun:
    """A push in a world: a constant force at the centre of mass of a link."""

    def __init__(self, push: Push, world: World, vector: Array, held: bool = False) -> None:
        """`vector` (3,) N is the force in the world frame; `push` says when and where it acts; `held` marks a pull."""
        self.push, self.vector, self.held = push, vector, held  # a pull lasts until it is let go
        self.renews = False  # whether this pull continues a pull of the same link with another force
        name = world.scene.body.trunk if push.body is None else push.body
        self.link_id = world.scene.link_id(name)
        if world.mechanism.body_last_dof[self.link_id] < 0:
            raise unknown_name("body part that can be pushed", name, world.scene.body.links)
        self.event: dict[str, Any] = {"kind": "push", **asdict(push), "body": name, "world_force": vector.tolist()}

    @classmethod
    def placed(cls, push: Push, world: World, place: Place) -> Self:
        """A push whose direction is relative to the performer's initial heading, that of `place`."""
        return cls(push, world, push.force * displacement_to_start(place).vector(np.array(push.direction)))

    @classmethod
    def from_now(
        cls, force: ArrayLike, duration: float, body: str | None, world: World, place: Place, held: bool = False
    ) -> Self:  # fmt: skip
        """A push that begins now, with a force (3,) N in the world frame, for a duration (s); `place` is the start."""
        try:
            vector = np.asarray(force, float).reshape(-1)
        except (TypeError, ValueError):
            vector = np.zeros(0)
        size = float(np.linalg.norm(vector))
        if vector.shape != (3,) or not 0 < size < math.inf:
            what = "needs three finite numbers that are not all 0, in the world frame"
            raise PoiseError(f"a push of {force!r} N: {what} (pushes by short form go to poise.stage)")
        number_argument("duration", duration)
        x, y, z = PoseDisplacement(-place.yaw, np.zeros(3)).vector(vector / size).tolist()
        unit = math.hypot(x, y, z)
        return cls(Push(size, world.time, duration, (x / unit, y / unit, z / unit), body), world, vector, held)

    @property
    def end(self) -> float:
        """Time (s) at which the push ends."""
        return self.push.time + self.push.duration

    def lasting(self, duration: float) -> Self:
        """The same push with another duration (s)."""
        longer = copy.copy(self)
        longer.push, longer.event = replace(self.push, duration=duration), {**self.event, "duration": duration}
        return longer

    def generalised_force(self, world: World) -> Array | None:
        """(nv,) generalised forces in the coming step; None while the push does not act."""
        share = self.push.share(world.time, world.settings.step)
        if share <= 0:
            return None
        out, data = np.zeros(world.model.nv), world.terms.data
        point = data.xipos[self.link_id]
        mujoco.mj_applyFT(world.model, data, share * self.vector, np.zeros(3), point, self.link_id, out)
        return out


def total_push(pushes: Sequence[PushInRun], world: World) -> Array | None:
    """(nv,) generalised force of all pushes in the coming step; None if no push acts."""
    acting = [force for push in pushes if (force := push.generalised_force(world)) is not None]
    return np.sum(acting, axis=0) if acting else None


def stabiliser_kind(actuation: Actuation, world: World) -> str | None:
    """What an actuation's stabiliser may give the performer's root: `torque`, or `force and torque`; None without."""
    brace = actuation.brace
    parts = [part for part in (actuation.external, None if brace is None else brace.gain) if part is not None]
    if not parts:
        return None
    first = world.scene.dofs(0).start
    return FORCE_AND_TORQUE if any(np.any(part[first : first + 3]) for part in parts) else "torque"


@dataclass(frozen=True)
class WeightHungInRun:
    """A point mass that is fixed to a link."""

    link: int
    point: tuple[float, float, float]  # m, in the link's frame
    mass: float  # kg

    @classmethod
    def on(cls, world: World, name: str, mass: float) -> Self:
        """A weight of `mass` (kg) on the link `name`: in the hand, or at the centre of mass of any other link."""
        if not 0 < number_argument("mass", mass) <= HEAVIEST:
            raise PoiseError(f"a weight of {mass:g} kg: must be above 0 and at most {HEAVIEST:g} kg")
        body, link = world.scene.body, world.scene.link_id(name)
        if world.mechanism.body_last_dof[link] < 0:
            raise unknown_name("body part that a weight can hang on", name, body.links)
        hand = next((each.point for each in body.hands if each.link == name), world.model.body_ipos[link])
        x, y, z = map(float, hand)
        return cls(link, (x, y, z), mass)

    def place(self, world: World) -> Array:
        """(3,) m: position of the weight in the world."""
        data = world.terms.data
        return np.asarray(data.xpos[self.link] + data.xmat[self.link].reshape(3, 3) @ np.array(self.point))


def hung_force(weights: Sequence[WeightHungInRun], world: World, actuation: Actuation, pushes: Array | None) -> Array:
    """(nv,) generalised force of the weights in the coming step, given the `pushes` (nv,); the world is left unchanged.

    A weight exerts m (g - a), where a is the acceleration of its point in the same step. The first trial step applies
    m g; each result corrects the force through the compliance of the mechanism, which Broyden's method updates. The
    force with the smallest residual is returned. It is recorded in `external`, like pushes.
    """
    before, h = _hung_weights_jacobian(weights, world), world.settings.step  # (3W, nv)
    mass = np.repeat([weight.mass for weight in weights], 3)
    gravity = np.tile(world.model.opt.gravity, len(weights))
    others = np.zeros(world.model.nv) if pushes is None else pushes
    now, speed, inertia = world.snapshot, before @ world.qvel, world.terms.mass.copy()
    best, least, force = mass * gravity, np.inf, mass * gravity
    gain, change, last = np.zeros((0, 0)), force, force  # gain: change of the force per missing force
    for trial in range(TRIALS):
        try:
            result = world.step(actuation, others + before.T @ force)
        except BlowUp:
            world.go_back(now)
            break
        gained = (_hung_weights_jacobian(weights, world) @ world.qvel - speed) / h
        world.go_back(now)
        missing = mass * (gravity - gained) - force
        off = float(np.linalg.norm(missing))
        if off < least:
            best, least = force, off
        if off < NEAR * float(np.linalg.norm(mass * gravity)):
            break
        if trial == 0:
            damping = _joint_damping_in_run(world, actuation, result.torque)
            compliance = before @ np.linalg.solve(inertia + np.diag(h * damping), before.T)  # 1/kg
            gain = np.linalg.inv(np.eye(len(mass)) + mass[:, None] * compliance)
        else:  # contacts and limits stiffen the mechanism: Broyden's update of the gain
            response = gain @ (missing - last)
            gain -= np.outer(change + response, change @ gain) / (float(change @ response) or -1.0)
        change, last = gain @ missing, missing
        force = force + change
    return np.asarray(before.T @ best)


def _joint_damping_in_run(world: World, actuation: Actuation, torque: Array) -> Array:
    """(nv,) N m s/rad: damping of the joints by friction and motors; motors at their torque limit add none."""
    own = world.model.dof_damping
    if actuation.motors is None:
        return np.asarray(own)
    return np.asarray(own + np.where(np.abs(torque) < (1 - 1e-9) * world.torque_limit, actuation.motors.gain, 0.0))


def _hung_weights_jacobian(weights: Sequence[WeightHungInRun], world: World) -> Array:
    """(3W, nv) Jacobian of the positions of the W weights."""
    out = np.zeros((3 * len(weights), world.model.nv))
    for k, weight in enumerate(weights):
        mujoco.mj_jac(world.model, world.terms.data, out[3 * k : 3 * k + 3], None, weight.place(world), weight.link)
    return out
