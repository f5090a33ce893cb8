"""Rising from the ground: a graph of key poses that leads from any way of lying to standing.

Joint springs move the body from one key pose to the next. The approach to a key pose waits while joints lag behind, and
the next key pose follows when the body is where it must be. If the body does not get there, it begins again from the
way it lies then. The last stage, from the squat to standing, is a landing without a flight, by the torque program.
"""

from dataclasses import dataclass, replace
from math import degrees, inf, sqrt

import mujoco
import numpy as np

from poise.arrays import Array
from poise.body.body import Body
from poise.control.rotation.actor import RotationActor, rotation_pose_line
from poise.control.rotation.flight import STAND_UP_SPRING, Landing, poses_to_standing
from poise.control.rotation.settings import POSES, LandingNumbers, RiseNumbers
from poise.control.rotation.support_plane import RotationPlane
from poise.dynamics.actuation import PASSIVE, Actuation, Motors
from poise.dynamics.state import State
from poise.ease import cubic_ease
from poise.library.behaviours.behaviour import BehaviourReference
from poise.reference.body_clip import posed_data


@dataclass(frozen=True)
class RiseStage:
    """When a key pose counts as reached, and what follows; the defaults demand nothing."""

    then: str  # the stage that follows
    speed: float = inf  # m/s and rad/s: largest speed of the root
    error: float = inf  # degrees: largest error of a large joint
    hold: float = 0.0  # s for which the key pose is held
    patience: float = inf  # s after which the body begins again
    insists: bool = True  # whether the body begins again when patience ends; otherwise it goes on if it lies right
    front: float = 1.0  # largest upward share of the front of the trunk: 1 on the back, -1 on the belly
    up: tuple[float, float] = (-1.0, 1.0)  # upward share of the length of the pelvis
    ahead: tuple[float, float] = (-inf, inf)  # m: the capture point in front of the ankles
    arms: float = 1.0  # share of the stiffness of the arms; with less, arms give way to the ground
    otherwise: str | None = None  # the stage that follows when patience ends; None to begin again
    timed: bool = False  # whether the approach does not wait for joints: a roll needs its momentum
    early: bool = False  # whether the next stage follows as soon as the body lies right, before the key pose is reached


OVER_FEET = RiseStage(
    "stood", speed=2.0, patience=1.3, front=0.0, up=(0.5, 1.0), ahead=(-0.1, 0.13), otherwise="lean", early=True
)
STAGES = {
    "supine": RiseStage("reach", speed=0.5, patience=0.8, insists=False),
    "reach": RiseStage("over", timed=True),
    "over": RiseStage("belly", hold=0.38, timed=True),
    "belly": RiseStage("flat", hold=0.33, patience=0.7, insists=False, front=-0.5, timed=True),
    "flat": RiseStage("prone", speed=0.6, patience=2.0, insists=False, front=-0.5, arms=0.4),
    "prone": RiseStage("push", speed=0.3, error=20.0, patience=2.5, insists=False, front=-0.6),
    "push": RiseStage("fours", speed=0.4, error=20.0, patience=3.0),
    "fours": RiseStage("fold", speed=0.4, error=20.0, patience=3.0, front=-0.6, up=(-0.75, 0.75)),
    "fold": RiseStage("squat", speed=0.4, error=25.0, patience=2.0, insists=False, front=-0.6),
    "squat": OVER_FEET,
    "lean": replace(OVER_FEET, patience=1.6, ahead=(-0.1, 0.18), otherwise=None),
}
"""The stages between lying still and standing, by the name of their key pose."""
ON_BELLY = -0.75  # `front` below which the body lies on its belly; otherwise it must roll over
ON_SIDE = 0.3  # Upward share of the left of the trunk from which the body lies on its right side and rolls over it
STILL, STILL_TIME, LIMP_TIME = 0.3, 0.2, 3.0
"""The body rises when the speed of its root (m/s and rad/s) is below STILL for STILL_TIME s, or after LIMP_TIME s."""
LAGS, PACES = (15.0, 40.0), (1.0, 0.05)
"""Lags (degrees) of a large joint, and the shares of the full pace at which a key pose is approached with these."""
TURNED_AWAY = 0.4  # Excess of `front` over the largest that a stage allows from which the body begins again at once
TIPPED = 0.3  # Upward share of the length of the pelvis below which a body that was standing up has fallen
LARGE_JOINTS = ("hip", "knee", "spine", "chest", "shoulder", "elbow")  # Parts of names of joints whose errors count
LOWEST = 0.2  # Least height (m) of the centre of mass above the ankles in the formula of the capture point
UNLIMITED = 15.0  # N m per kg: torque on which the stiffness of a joint without a limit is based
LANDING = LandingNumbers(end_height=0.0, stand_ahead=0.07, land_spring=STAND_UP_SPRING)


class Rise:
    """Rising; `stage` is limp, the name of a key pose, or stood."""

    def __init__(self, actor: RotationActor, staged: BehaviourReference) -> None:
        body, behaviour = actor.body, staged.behaviour
        self._actor, self._lying = actor, LyingBody(body, actor.planner.gravity)
        self._numbers = n = RiseNumbers.from_behaviour(behaviour)
        names = POSES[behaviour.kind]
        right = staged.key_poses()
        sides = {"right": right, "left": body.mirrored(right)}
        self._keys = {side: dict(zip(names, poses, strict=True)) for side, poses in sides.items()}
        self._seconds = dict(zip(names, np.diff(behaviour.at, prepend=0.0), strict=True))
        large = [joint for joint in body.joints if any(part in joint.name for part in LARGE_JOINTS)]
        self._large = [dof for joint in large for dof in joint.dofs]
        self._arms = np.zeros(actor.model.nv, bool)
        self._arms[[dof for name in body.groups["arms"] for dof in body.joint(name).dofs]] = True
        limit = np.where(np.isfinite(body.torque_limit), body.torque_limit, UNLIMITED * body.mass)
        self._stiffness = np.zeros(actor.model.nv)  # N m/rad
        self._stiffness[6 : actor.nv] = n.stiffness * limit[6:]
        self.stage, self.side = "limp", "right"  # the side over which the body rolls
        self.pose = self._entry = np.array(staged.at(0.0).qpos)
        self._began = self._share = 0.0  # s: start of the stage; how far the key pose is approached, 1 for reached
        self._since = 0.0  # s for which the body has been still, or at the key pose
        self._rolls = 0  # rolls begun
        self._plane: RotationPlane
        self._landing: Landing

    def act(self, state: State) -> Actuation:
        """Enter the next stage if it is due; return the actuation of the coming step."""
        following = self._following_stage(state)
        if following is not None:
            self._enter(following, state)
        if self.stage == "limp":
            self.pose = np.array(state.qpos[: self._actor.body.nq])
            return PASSIVE
        return self._stand(state) if self.stage == "stood" else self._approach_key(state)

    def stands(self) -> bool:
        """Whether the body stands at rest."""
        return self.stage == "stood" and self._landing.stands()

    def _following_stage(self, state: State) -> str | None:
        """The stage to enter now; None to go on with the present one."""
        lying, time = self._lying, state.time - self._began
        front, left = lying.upward(state)
        if self.stage == "stood":
            return "limp" if self._landing.fallen or lying.pelvis_up(state) < TIPPED else None
        if self.stage == "limp":
            self._since = self._since + state.step if lying.speed(state) < STILL else 0.0
            return self._first_stage(front) if self._since > STILL_TIME or time > LIMP_TIME else None
        stage = STAGES[self.stage]
        self._since = self._since + state.step if self._share >= 1.0 else 0.0
        error = self._largest_error(state, self._keys[self.side][self.stage])
        arrived = stage.early or (self._since > stage.hold and error < stage.error)
        reached = arrived and lying.speed(state) < stage.speed
        late = time > stage.patience
        if self.stage == "supine" and (reached or late):
            return self._first_stage(front, left)
        placed = (
            front < stage.front
            and stage.up[0] < lying.pelvis_up(state) < stage.up[1]
            and stage.ahead[0] < lying.capture_ahead(state) < stage.ahead[1]
        )
        if placed and (reached or (late and not stage.insists)):
            return stage.then
        if not stage.timed and front > stage.front + TURNED_AWAY:
            return self._first_stage(front)
        return (stage.otherwise or self._first_stage(front)) if late else None

    def _first_stage(self, front: float, left: float | None = None) -> str:
        """The first stage for a trunk whose front and left point up by these shares.

        A body that does not lie on its belly first straightens on its back, if `left` is None, and then rolls over.
        """
        if front < ON_BELLY:
            return "flat"
        if left is None:
            return "supine"
        self._choose_side(left)
        return STAGES["supine"].then

    def _choose_side(self, left: float) -> None:
        """Choose the side to roll over: that on which the body lies, else each in turn; every fourth try the other."""
        other = {"right": "left", "left": "right"}
        self._rolls += 1
        if abs(left) > ON_SIDE:
            self.side = "right" if left > 0 else "left"
        elif self._rolls > 1:
            self.side = other[self.side]
        if self._rolls % 4 == 0:
            self.side = other[self.side]

    def _enter(self, stage: str, state: State) -> None:
        """Begin a stage."""
        self.stage, self._began, self._share, self._since = stage, state.time, 0.0, 0.0
        self.pose = self._entry = np.array(state.qpos[: self._actor.body.nq])
        if stage == "stood":
            self._begin_standing(state)

    def _approach_key(self, state: State) -> Actuation:
        """Springs and dampers towards the pose between the entry of the stage and its key pose."""
        body, moved = self._actor.body, np.zeros(self._actor.nv)
        lag = 0.0 if STAGES[self.stage].timed else self._largest_error(state, self.pose)
        pace = np.interp(lag, LAGS, PACES)
        self._share = min(self._share + float(pace) * state.step / self._seconds[self.stage], 1.0)
        mujoco.mj_differentiatePos(body.model, moved, 1.0, self._entry, self._keys[self.side][self.stage])
        moved[:6] = 0.0
        self.pose = np.array(self._entry)
        mujoco.mj_integratePos(body.model, self.pose, moved, float(cubic_ease(self._share)))
        error = self._error(state, self.pose)
        stiffness = self._stiffness * np.where(self._arms, STAGES[self.stage].arms, 1.0)
        damping, still = self._numbers.damping * stiffness, np.zeros_like(error)
        motors = Motors.spring_damper(error, still, stiffness, damping, state.step)
        return Actuation(motors=motors)

    def _error(self, state: State, pose: Array) -> Array:
        """(nv,) rad: displacement of the joints from a state to a pose (nq,)."""
        model, out = self._actor.model, np.zeros(self._actor.model.nv)
        target = np.array(state.qpos)
        target[7 : len(pose)] = pose[7:]
        mujoco.mj_differentiatePos(model, out, 1.0, state.qpos, target)
        return out

    def _largest_error(self, state: State, pose: Array) -> float:
        """Largest displacement (degrees) of a large joint from a state to a pose (nq,)."""
        return degrees(float(np.abs(self._error(state, pose)[self._large]).max()))

    def _begin_standing(self, state: State) -> None:
        """Prepare the landing from the present pose to standing."""
        actor = self._actor
        rising = poses_to_standing(actor.body, self._entry, round(self._seconds["stood"] / actor.step) + 1)
        self._plane = RotationPlane(actor)
        self._plane.update(state)
        self._landing = Landing(self._plane, rotation_pose_line(actor.body, rising), LANDING)
        self._landing.begin(state, actor.observe(state), self._plane.pitch, planned=False)

    def _stand(self, state: State) -> Actuation:
        """Torques of the coming step, from the squat to standing."""
        self._plane.update(state)
        found = self._landing.act(state, self._actor.observe(state))
        self.pose = np.array(self._landing.pose)
        return found


class LyingBody:
    """How a body lies: which way its trunk points, and where its centre of mass is."""

    def __init__(self, body: Body, gravity: float) -> None:
        """`gravity` is in m/s^2."""
        self._gravity = gravity
        standing = next(posed_data(body, body.standing[None]))
        self._trunk = [1, body.link_id(body.joint(body.groups["trunk"][-1]).link)]  # pelvis and chest
        self._axes = standing.xmat[self._trunk].reshape(2, 3, 3).transpose(0, 2, 1)  # columns: forward, left and up
        self._feet = [body.link_id(foot.link) for foot in body.feet]

    def upward(self, state: State) -> Array:
        """(2,) upward shares of the front and the left of the trunk; means of pelvis and chest."""
        return np.asarray(self._turned(state)[:, 2, :2].mean(axis=0))

    def pelvis_up(self, state: State) -> float:
        """Upward share of the length of the pelvis."""
        return float(self._turned(state)[0, 2, 2])

    def capture_ahead(self, state: State) -> float:
        """Distance (m) of the capture point in front of the ankles, in the direction that the pelvis faces."""
        data, mass = state.data, state.mass[0, 0]
        left = self._turned(state)[0, :2, 1]
        forward = np.array([left[1], -left[0]]) / max(float(np.linalg.norm(left)), 1e-6)
        com, ankles = data.subtree_com[1], data.xpos[self._feet].mean(axis=0)
        fall = sqrt(max(float(com[2] - ankles[2]), LOWEST) / self._gravity)  # s
        return float(forward @ ((com - ankles)[:2] + fall * (state.mass[:2] @ state.qvel) / mass))

    def speed(self, state: State) -> float:
        """The larger of the root's speed (m/s) and its angular velocity (rad/s)."""
        return float(max(np.linalg.norm(state.qvel[:3]), np.linalg.norm(state.qvel[3:6])))

    def _turned(self, state: State) -> Array:
        """(2, 3, 3) forward, left and up of pelvis and chest, as columns, in the world frame."""
        return np.asarray(state.data.xmat[self._trunk].reshape(2, 3, 3) @ self._axes)
