"""Rising from the ground, from any pose, by a graph of key poses.

Joint springs move the body from key pose to key pose. A key pose waits while the joints lag, and the next key pose
follows when the body is where it must be; if it does not get there, the body begins again from how it lies then.
The last stage, from the squat to standing, is a landing of [Zordan2014] without a flight: the torque program.
"""

from dataclasses import dataclass
from math import degrees, inf

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.rotation.actor import RotationActor, rotation_pose_line
from poise.control.rotation.flight import Landing, poses_to_standing
from poise.control.rotation.settings import POSES, LandingNumbers, RiseNumbers
from poise.control.rotation.support_plane import RotationPlane
from poise.dynamics.actuation import PASSIVE, Actuation, Motors
from poise.dynamics.state import State
from poise.library.behaviours.behaviour import BehaviourReference
from poise.reference.body_clip import posed_data


@dataclass(frozen=True)
class RiseStage:
    """How the body goes on from a key pose. The defaults demand nothing."""

    then: str  # the next stage
    error: float = inf  # degrees: largest error of a large joint
    speed: float = inf  # m/s and rad/s: largest speed of the root
    rest: float = 0.0  # s that the key pose is held
    patience: float = inf  # s after which the stage ends in any case
    presses_on: bool = False  # whether the next stage follows when patience ends
    front: tuple[float, float] = (-1.0, 1.0)  # upward share of the front of the trunk: 1 on the back, -1 on the belly
    up: tuple[float, float] = (-1.0, 1.0)  # upward share of the length of the pelvis
    ahead: tuple[float, float] = (-inf, inf)  # m: the centre of mass in front of the ankles


PRONE = (-1.0, -0.5)
STAGES = {
    "supine": RiseStage("roll", speed=0.5, patience=1.5, presses_on=True),
    "reach": RiseStage("over"),
    "over": RiseStage("belly", rest=0.42),
    "belly": RiseStage("flat", rest=0.35, front=PRONE),
    "flat": RiseStage("prone", speed=0.6, patience=2.0, presses_on=True, front=PRONE),
    "prone": RiseStage("push", 20.0, 0.3, patience=2.5, presses_on=True, front=(-1.0, -0.6)),
    "push": RiseStage("fours", 20.0, 0.4, patience=3.0),
    "fours": RiseStage("fold", 20.0, 0.4, patience=3.0, front=(-1.0, -0.6), up=(-0.75, 0.75)),
    "fold": RiseStage("squat", 25.0, 0.4, patience=2.0, presses_on=True, front=(-1.0, -0.6)),
    "squat": RiseStage("stood", speed=0.5, patience=4.0, up=(0.5, 1.0), ahead=(-0.02, 0.16)),
}
TIMED = ("reach", "over", "belly")  # Stages that do not wait for the joints: a roll needs its momentum
LARGE_JOINTS = ("hip", "knee", "spine", "chest", "shoulder", "elbow")
SLACK, LOST, SLOWEST = 15.0, 40.0, 0.05
"""Error (degrees) up to which a key pose is approached at full pace, from which at the least pace, and this pace."""


def ease(u):
    return u * u * (3.0 - 2.0 * u)


class Rise:
    """Rising; `stage` is limp, the name of a key pose, or stood."""

    def __init__(self, actor: RotationActor, staged: BehaviourReference) -> None:
        body, behaviour = actor.body, staged.behaviour
        self._actor, self._numbers = actor, RiseNumbers.from_behaviour(behaviour)
        names, at = POSES["rise"], np.array(behaviour.at)
        self._keys = {name: staged.key_poses(mirrored) for name, mirrored in (("right", False), ("left", True))}
        self._index = {name: k for k, name in enumerate(names)}
        self._seconds = dict(zip(names, np.diff(at, prepend=0.0), strict=True))
        large = [dof for joint in body.joints for dof in joint.dofs if any(w in joint.name for w in LARGE_JOINTS)]
        self._large = np.array(large)
        limit = np.where(np.isfinite(body.torque_limit), body.torque_limit, 0.0)
        self._stiffness = np.zeros(actor.model.nv)
        self._stiffness[6 : actor.nv] = self._numbers.stiffness * limit[6:]
        chest = body.joint(body.groups["trunk"][-1]).link
        standing = next(posed_data(body, body.standing[None]))
        self._trunk = [1, body.link_id(chest)]
        self._axes = standing.xmat[self._trunk].reshape(2, 3, 3).transpose(0, 2, 1)  # columns: forward, left, up
        self._feet = [body.link_id(foot.link) for foot in body.feet]
        self.pose = np.array(staged.at(0.0).qpos)
        self.stage, self.side = "limp", "right"
        self._began, self._share, self._tries = 0.0, 0.0, 0
        self._quiet = 0.0
        self._entry = np.array(self.pose)
        self._landing: Landing | None = None
        self.log: list = []

    # -- how the body lies
    def _upward(self, state: State) -> Array:
        """(3,) upward shares of the trunk's front, left and length; mean of pelvis and chest."""
        now = state.data.xmat[self._trunk].reshape(2, 3, 3) @ self._axes
        return now[:, 2, :].mean(axis=0)

    def _enter(self, stage: str, state: State) -> None:
        self.log.append((round(state.time, 2), stage, self.side, np.round(self._upward(state), 2).tolist()))
        self.stage, self._began, self._share = stage, state.time, 0.0
        self._entry = np.array(state.qpos[: self._actor.body.nq])
        if stage == "stood":
            self._begin_standing(state)

    def _sort(self, state: State) -> str:
        return "flat" if self._upward(state)[0] < -0.55 else "supine"

    def act(self, state: State) -> Actuation:
        if self.stage == "limp":
            speed = np.abs(state.qvel[: self._actor.nv]).max()
            self._quiet = self._quiet + state.step if self._speed(state) < 0.3 else 0.0
            if self._quiet > 0.2 or state.time > 3.0:
                self._enter(self._sort(state), state)
            else:
                self.pose = np.array(state.qpos[: self._actor.body.nq])
                return PASSIVE
        if self.stage != "stood":
            self._advance(state)
        if self.stage == "stood":
            return self._stand(state)
        return self._drive(state)

    def _speed(self, state: State) -> float:
        return float(max(np.linalg.norm(state.qvel[:3]), np.linalg.norm(state.qvel[3:6])))

    def _key(self) -> Array:
        return self._keys[self.side][self._index[self.stage]]

    def _error(self, state: State, pose: Array) -> Array:
        target, out = np.array(state.qpos), np.zeros(self._actor.model.nv)
        target[7 : len(pose)] = pose[7:]
        mujoco.mj_differentiatePos(self._actor.model, out, 1.0, state.qpos, target)
        return out

    def _advance(self, state: State) -> None:
        s, t = STAGES[self.stage], state.time - self._began
        error = degrees(np.abs(self._error(state, self._key())[self._large]).max())
        lag = degrees(np.abs(self._error(state, self.pose)[self._large]).max()) if self._share else 0.0
        pace = 1.0 if self.stage in TIMED else min(max(1.0 - (lag - SLACK) / (LOST - SLACK), SLOWEST), 1.0)
        self._share += pace * state.step / self._seconds[self.stage]
        if self._share >= 1.0 and not hasattr(self, "_arrived"):
            self._arrived = state.time
        arrived = self._share >= 1.0
        held = arrived and state.time - self._arrived >= s.rest
        front, _, up = self._upward(state)
        up = state.data.xmat[1].reshape(3, 3)[2] @ self._axes[0][:, 2]
        here = s.front[0] <= front <= s.front[1] and s.up[0] <= up <= s.up[1]
        if here and np.isfinite(s.ahead[0]):
            ahead = self._ahead(state)
            here = s.ahead[0] <= ahead <= s.ahead[1]
        reached = held and error < s.error and self._speed(state) < s.speed
        late = t > s.patience
        waits = STAGES[self.stage].ahead[0] > -inf or not s.presses_on
        go = None
        if self.stage == "supine" and (reached or late):
            go = "flat" if front < -0.75 else self._roll(state)
        elif reached and here or (late and s.presses_on and here):
            go = s.then
        elif late or (reached and s.front != (-1.0, 1.0) and not here and s.presses_on) or (self.stage == "belly" and reached):
            self.log.append((round(state.time, 2), "failed", self.stage, round(error), round(self._speed(state), 2), round(front, 2), round(up, 2), round(self._ahead(state), 2)))
            go = self._sort(state)
        if go:
            if hasattr(self, "_arrived"):
                del self._arrived
            self._enter(go, state)

    def _ahead(self, state: State) -> float:
        data = state.data
        ankles = data.xpos[self._feet].mean(axis=0)
        left = data.xmat[1].reshape(3, 3) @ self._axes[0][:, 1]
        forward = np.array([left[1], -left[0]])
        return float(forward @ (data.subtree_com[1] - ankles)[:2] / max(np.linalg.norm(forward), 1e-6))

    def _roll(self, state: State) -> str:
        left = self._upward(state)[1]
        self._tries += 1
        if abs(left) > 0.3:
            self.side = "left" if left < -0.3 else "right"
        elif self._tries > 1:
            self.side = "left" if self.side == "right" else "right"
        if self._tries % 4 == 0:
            self.side = "left" if self.side == "right" else "right"
        return "reach"

    def _between(self, u):
        key = self._key()
        model, moved = self._actor.body.model, np.zeros(self._actor.nv)
        mujoco.mj_differentiatePos(model, moved, 1.0, self._entry, key)
        moved[:6] = 0.0
        pose = np.array(self._entry)
        mujoco.mj_integratePos(model, pose, moved, u)
        return pose

    def _drive(self, state: State) -> Actuation:
        self.pose = pose = self._between(ease(min(self._share, 1.0)))
        error = self._error(state, pose)
        n = self._numbers
        return Actuation(
            motors=Motors.spring_damper(error, np.zeros_like(error), self._stiffness, n.damping * self._stiffness, state.step)
        )

    def _begin_standing(self, state: State) -> None:
        actor = self._actor
        self._plane = RotationPlane(actor)
        line = rotation_pose_line(actor.body, poses_to_standing(actor.body, self._entry, round(self._seconds["stood"] / actor.step) + 1))
        self._landing = Landing(self._plane, line, LandingNumbers(end_height=0.0, land_damping=10.6, stand_ahead=0.07, trunk_spring=60, trunk=4.0, flat_spring=400, flat=0.9))
        rotation = actor.observe(state)
        self._plane.update(state)
        self._landing.begin(state, rotation, self._plane.pitch, False)

    def _stand(self, state: State) -> Actuation:
        rotation = self._actor.observe(state)
        self._plane.update(state)
        out = self._landing.act(state, rotation)
        self.pose = np.array(self._landing.pose)
        if state.time - self._began > 0.3 and self._upward(state)[2] < 0.3:
            self.log.append((round(state.time, 2), "fell while standing"))
            self.stage = "limp"
            self._quiet = 0.0
        return out

    def stands(self) -> bool:
        return self.stage == "stood" and self._landing.stands()
