"""Sensors of a body's state by name, such as com.vx, root.pitch or knee_y.rate; docs/poses.md lists them."""

from collections.abc import Callable
from dataclasses import dataclass
from math import atan2, hypot

import mujoco
import numpy as np

from poise.arrays import Array
from poise.control.controller import SceneView
from poise.dynamics.momentum import whole_body_rotation
from poise.dynamics.state import State
from poise.errors import unknown_name

AXES = "xyz"
HEADING_VELOCITIES = ("vahead", "vleft")
TURNS = ("yaw", "pitch", "roll")
Read = Callable[[State], float]

ANGULAR = ("roll", "pitch", "yaw", "rate", "wx", "wy", "wz", "spinx", "spiny", "spinz", "angle")
"""Qualities (the part of a name after the dot) that are angles or angular rates; "angle" stands for a bare DOF."""


@dataclass
class PoseControlSensor:
    """Reads one number from a state, in SI units and radians."""

    name: str

    @property
    def angular(self) -> bool:
        """Whether the reading is an angle or an angular rate; scripts and reports state such readings in degrees."""
        return (self.name.partition(".")[2] or "angle") in ANGULAR

    @property
    def unit(self) -> str:
        """Unit of the reading in scripts and reports."""
        quality = self.name.partition(".")[2] or "angle"
        if self.angular:
            return "deg" if quality in ("roll", "pitch", "yaw", "angle") else "deg/s"
        return "m/s" if quality.startswith("v") else "m"

    @property
    def wraps(self) -> bool:
        """Whether the reading is an angle that wraps at half a turn."""
        return self.name.partition(".")[2] in TURNS

    def __getstate__(self) -> dict[str, str]:
        return {"name": self.name}  # readers are closures; `reset` makes them again in another process

    def reset(self, scene: SceneView) -> None:
        """Look up the DOF or link of the sensor in a scene."""
        self._read = _pose_control_sensor_reader(self.name, scene)

    def read(self, state: State) -> float:
        """The reading in a state, in SI units and radians."""
        return self._read(state)


def _pose_control_sensor_reader(name: str, scene: SceneView) -> Read:
    what, dot, quality = name.partition(".")
    if what in scene.body.dof_names[6:] and quality in ("", "rate"):
        return _dof_sensor_reader(scene, what, quality)
    if not dot:
        raise unknown_name("sensor", name, scene.body.dof_names[6:])
    if what == "com":
        return _com_sensor_reader(name, quality)
    links = [scene.model.body(i).name for i in range(1, scene.model.nbody)]
    link = scene.body.links[0] if what == "root" else what
    if link not in links:
        raise unknown_name(f"link of sensor '{name}'", what, ["com", "root", *links])
    return _link_sensor_reader(scene, name, links.index(link) + 1, quality)


def _dof_sensor_reader(scene: SceneView, what: str, quality: str) -> Read:
    dof = scene.body.dof_names.index(what)
    joint = next(joint for joint in scene.body.joints if dof in joint.dofs)
    if quality == "rate":
        return lambda state: float(state.qvel[dof])
    if joint.kind == "hinge":
        place = joint.qpos[joint.dofs.index(dof)]
        return lambda state: float(state.qpos[place])
    quat, axis = list(joint.qpos), joint.dofs.index(dof)

    def angle(state: State) -> float:
        vector = np.zeros(3)
        mujoco.mju_quat2Vel(vector, state.qpos[quat], 1.0)
        return float(vector[axis])

    return angle


def _com_sensor_reader(name: str, quality: str) -> Read:
    axis = AXES.find(quality[-1:])
    if quality in HEADING_VELOCITIES:
        return lambda state: _sensed_heading_velocity(state)[HEADING_VELOCITIES.index(quality)]
    match quality[:-1]:
        case "" if axis >= 0:
            return lambda state: float(state.data.subtree_com[1, axis])
        case "v" if axis >= 0:
            return lambda state: float(sensed_com_velocity(state)[axis])
        case "spin" if axis >= 0:
            return lambda state: float(whole_body_rotation(state.mass, state.qvel, state.data).spin[axis])
    valid = [*AXES, *(f"{kind}{axis}" for kind in ("v", "spin") for axis in AXES), *HEADING_VELOCITIES]
    raise unknown_name(f"quality of sensor '{name}'", quality, valid)


def _sensed_heading_velocity(state: State) -> tuple[float, float]:
    """Velocity (m/s) of the centre of mass along the heading of the root, and to the left of this heading."""
    turn = state.data.xmat[1]
    x, y = float(turn[0]), float(turn[3])
    vx, vy, _ = sensed_com_velocity(state).tolist()
    level = max(hypot(x, y), 1e-9)
    return (x * vx + y * vy) / level, (x * vy - y * vx) / level


def _link_sensor_reader(scene: SceneView, name: str, link: int, quality: str) -> Read:
    axis = AXES.find(quality[-1:])
    if quality in TURNS:
        place = TURNS.index(quality)
        return lambda state: _sensed_yaw_pitch_roll(state.data.xmat[link])[place]
    match quality[:-1]:
        case "" if axis >= 0:
            return lambda state: float(state.data.xpos[link, axis])
        case "v" | "w" as kind if axis >= 0:
            place = axis + (0 if kind == "w" else 3)
            return lambda state: float(_sensed_link_velocity(scene.model, state, link)[place])
    valid = [*AXES, *(f"{kind}{axis}" for kind in "vw" for axis in AXES), *TURNS]
    raise unknown_name(f"quality of sensor '{name}'", quality, valid)


def _sensed_yaw_pitch_roll(matrix: Array) -> tuple[float, float, float]:
    """Yaw, pitch and roll (rad) of a rotation matrix (9,): the same as by `matrix_to_euler`, but faster."""
    xx, xy, _, yx, yy, _, zx, zy, zz = matrix.tolist()
    level = hypot(zy, zz)
    if level < 1e-9:  # the axis points straight up or down: yaw and roll coincide
        return atan2(-xy, yy), atan2(-zx, level), 0.0
    return atan2(yx, xx), atan2(-zx, level), atan2(zy, zz)


def sensed_com_velocity(state: State) -> Array:
    """(3,) velocity (m/s) of the first body's centre of mass."""
    return np.asarray(state.mass[:3] @ state.qvel / state.mass[0, 0])


def _sensed_link_velocity(model: mujoco.MjModel, state: State, link: int) -> Array:
    """(6,) angular (rad/s), then linear velocity (m/s) of a link's frame in the world."""
    out = np.zeros(6)
    mujoco.mj_objectVelocity(model, state.data, mujoco.mjtObj.mjOBJ_XBODY, link, out, 0)
    return out
