"""Walking by an inverted pendulum [Tsai2010]."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import mujoco
import numpy as np

from poise.body.carrying import carried, heading
from poise.control.controller import Stage
from poise.control.pendulum.filter import Pace, end_velocity, landing, pressing
from poise.control.pendulum.legs import bend_leg, legs_of, roll_foot, sole_depth
from poise.control.pendulum.style import style_of
from poise.control.pendulum.tracking import response, wanted_velocity
from poise.dynamics import Actuation, Motors, State
from poise.reference import Reference
from poise.spatial import Array, quat_multiply, quat_rotate, quat_to_matrix, yaw_of

G = 9.81


@dataclass(frozen=True)
class PendulumSettings:
    speed: float = math.nan
    gain: float = 300.0
    soft: float = 0.1
    reach: float = 0.75
    swift: float = 6.0
    soonest: float = 0.2
    press: float = 0.25
    integral: float = 0.15
    heel: float = 0.985
    stretch: float = 0.985
    ds: float = 0.12
    trail: float = 0.1
    ff: float = 1.0
    yield_: float = 10.0
    inward: float = 0.5
    outward: float = 0.75
    outlean: float = 0.45
    inlean: float = 0.7
    backward: float = 0.6
    backlean: float = 0.6
    linger: float = 0.1
    least: float = 0.04
    hipwide: float = 0.2
    touch: float = 0.93
    fall: float = 0.3
    drop: float = 6.0
    sync: float = 5.0
    resync: int = 1
    sink: float = 1.2
    chase: float = 2.0
    chasemax: float = 3.0
    real: int = 1
    lean: float = 0.45
    rateff: float = 0.0
    bump: float = 0.05
    accel: float = 1.0


def flat2(turn: float, v: Array) -> Array:
    c, s = math.cos(turn), math.sin(turn)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def smooth(u: float) -> float:
    u = min(max(u, 0.0), 1.0)
    return u * u * (3 - 2 * u)


class Pendulum:
    name = "pendulum"
    needs_physics = False

    def __init__(self, settings: PendulumSettings | None = None) -> None:
        self._s = settings or PendulumSettings()
        self.settings: dict[str, Any] = asdict(self._s)
        self.trace: list[Any] = []

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        if heading is not None:
            self._wanted_heading = self._first_heading + heading
        if speed is not None:
            self._speed = speed

    def reset(self, world: Stage, reference: Reference) -> None:
        body = world.scene.body
        self._body, self._model = body, world.scene.model
        self._legs = legs_of(body)
        self._style = style_of(reference, body, self._legs)
        self._terrain = world.scene.terrain
        self._nq, self._nv = body.nq, body.nv
        feet = sorted(body.feet, key=lambda f: 0 if "left" in f.name else 1)
        self._feet = [world.scene.model.body(f.link).id for f in feet]
        self._foot_links = [{i, *(j for j in range(self._model.nbody) if self._model.body_parentid[j] == i)} for i in self._feet]
        self._thighs = [int(self._model.body_parentid[self._model.body_parentid[f]]) for f in self._feet]
        self._own = mujoco.MjData(body.model)
        self._rate = response(body)
        gain = np.zeros(self._model.nv)
        gain[6 : self._nv] = self._s.gain * body.mass / 81.4 * (self._legs.length / 0.874) ** 2
        self._gain = gain
        self._joint_dofs = {j.name: j.dofs for j in body.joints}
        self._ankle = [list(body.joint(f.ankle).dofs) for f in feet]
        self._toe = [[d for j in body.joints if j.parent_link == f.link for d in j.dofs] for f in feet]
        self._leg_dofs = [[d for n in body.groups[g] for d in body.joint(n).dofs] for g in ("left_leg", "right_leg")]
        for toes in self._toe:
            for d in toes:
                gain[d] *= 0.03
        self._balls = [j for j in body.joints if j.kind == "ball"]
        q = reference.at(0.0).qpos
        self._first_heading = self._heading = self._wanted_heading = float(yaw_of(q[3:7]))
        self._speed = self._style.speed if math.isnan(self._s.speed) else self._s.speed
        self._boost = 0.0
        self._going = self._style.speed
        self._start(q, world.state)

    def _start(self, q: Array, state: State) -> None:
        style = self._style
        joints = style.pose[:, :, 7:]
        gap = np.sum((joints - q[7:]) ** 2, axis=2)
        stance, sample = np.unravel_index(np.argmin(gap), gap.shape)
        self._stance = int(stance)
        self._phase = float(sample / (style.pose.shape[1] - 1))
        self._lifted = self._phase > self._s.ds
        self._since = self._phase * style.duration
        data = state.data
        self._begin_swing(data)
        self._z = None
        self._overdue = 0.0
        self._last_land, self._fresh = None, True
        self._strikes: list[tuple[float, Array]] = []
        self._offset = np.zeros(3)
        self._target = np.array(q)
        self._beta = [0.0, 0.0]

    def _begin_swing(self, data: Any) -> None:
        foot = self._feet[1 - self._stance]
        self._from = data.xpos[foot].copy()
        self._from_turn = data.xquat[foot].copy()
        self._from_ground = self._ground(self._from[:2])
        self._from_extra = self._from[2] - self._from_ground - sole_depth(self._legs, 1 - self._stance, data.xmat[foot].reshape(3, 3))

    def _yaw(self, data: Any, side: int) -> float:
        m = data.xmat[self._feet[side]]
        return math.atan2(m[3], m[0])

    def _anchor(self, data: Any, side: int) -> Array:
        """Where the ball of a standing foot is, on the ground."""
        foot = self._feet[side]
        out = data.xpos[foot] + data.xmat[foot].reshape(3, 3) @ self._legs.ball[side]
        out[2] = min(self._ground(out[:2]), out[2])
        return out

    def _ground(self, xy: Array) -> float:
        return float(self._terrain.height(float(xy[0]), float(xy[1])))

    def _cop(self, data: Any, side: int) -> Array:
        """Middle pressed point of a foot, world (3,)."""
        foot = self._feet[side]
        local = np.array([self._s.press * self._legs.ball[side, 0], 0.0, self._legs.sole[side, 0, 2]])
        return data.xpos[foot] + data.xmat[foot].reshape(3, 3) @ local

    def act(self, state: State) -> Actuation:
        data, h = state.data, state.step
        legs, style, s = self._legs, self._style, self._s
        com = data.subtree_com[1].copy()
        vel = state.mass[:3, : self._nv] @ state.qvel[: self._nv] / self._body.mass
        if self._z is None:
            self._z, self._vz = com[2], vel[2]
        self._look(state, com, vel)
        stance, swing = self._stance, 1 - self._stance
        phase = self._phase
        cop = self._cop(data, stance)
        ground = cop[2]
        rate = math.sqrt(G / max(com[2] - ground, 0.3 * legs.length))
        turn = self._heading
        place, v = flat2(-turn, com[:2] - cop[:2]), flat2(-turn, vel[:2])
        swing_cop = self._cop(data, swing)
        foot = flat2(-turn, swing_cop[:2] - cop[:2])
        duration = style.duration
        self._going += float(np.clip(self._speed - self._going, -s.accel * h, s.accel * h))
        speed = self._going + self._boost
        long = legs.length
        out = -1.0 if swing == 1 else 1.0  # to the left for a left foot
        step_side = np.array([-s.inward, s.outward]) * long
        lean_side = np.array([-s.outlean, s.inlean]) * long
        if out < 0:
            step_side = -step_side[::-1]
            lean_side = -lean_side[::-1]
        pace = Pace(duration, end_velocity(speed, max(style.width, 0.14), duration, rate, swing), s.swift,
                    np.array([-s.backward * long, step_side[0]]), np.array([s.reach * long, step_side[1]]),
                    np.array([-s.backlean * long, lean_side[0]]), np.array([s.lean * long, lean_side[1]]))
        due = max((1.0 - phase) * duration, h)
        soonest = max(s.soonest - self._since, s.least)
        if not self._lifted:
            soonest = max(soonest, 0.18)
        latest = due + s.linger * max(1.0 - self._overdue / 0.1, 0.0)
        times = np.linspace(min(soonest, due), latest, 16)
        hips = data.xpos[self._thighs[stance]][2] - ground - legs.ankle_height
        fall = hips + np.minimum(vel[2], 0.0) * times - 0.5 * s.drop * times**2
        reach = np.sqrt(np.maximum((s.stretch * long) ** 2 - np.maximum(fall, 0.5 * long) ** 2, (0.15 * long) ** 2)) + s.hipwide
        plan = landing(place, v, rate, pace, foot, times, due, reach)
        here = end_velocity(speed, max(style.width, 0.14), duration, rate, stance)
        shift = pressing(plan.velocity, here, rate, plan.within)
        shift = np.clip(shift, [-0.06, -0.03], [0.07, 0.03])
        self.plan, self.shift, self.place, self.v = plan, shift, place, v
        land = cop[:2] + flat2(turn, plan.place)
        ankle_land = land - flat2(turn, np.array([s.press * legs.ball[swing, 0], 0.0]))
        land_ground = self._ground(land)
        if self._last_land is None or self._fresh:
            self._last_land = ankle_land
            self._fresh = False
        drift = s.rateff * (ankle_land - self._last_land)
        self._last_land = ankle_land
        # phase rate
        rate_phase = (1.0 - phase) / max(plan.within, h) if phase < 1 else 0.0
        # height
        ahead = style.at(stance, phase)
        later = style.at(stance, min(phase + rate_phase * h, 1.0))
        anchor = self._anchor(data, stance)
        foot_xy = anchor[:2] - flat2(self._yaw(data, stance), legs.ball[stance, :2])
        hip = data.xpos[self._thighs[stance]]
        above = com[2] - hip[2]
        def arc(xy: Array, sample: Any) -> float:
            away = xy - foot_xy
            d = math.sqrt(away @ away)
            rise = sample.rise * min(d / max(sample.away, 0.05), 1.0)
            leg = min(sample.leg, s.stretch * legs.length)
            return above + anchor[2] + legs.ankle_height + rise + math.sqrt(max(leg**2 - d * d, (0.5 * legs.length) ** 2))
        wanted = arc(hip[:2], ahead)
        rising = (arc(hip[:2] + h * vel[:2], later) - wanted) / h
        step = plan.place - plan.there
        low = above + land_ground + legs.ankle_height + math.sqrt(max((0.99 * legs.length) ** 2 - step @ step, (0.5 * legs.length) ** 2))
        wanted = min(wanted, low + s.sink * plan.within)
        rising = min(max(rising, -1.0), 1.0)
        az = float(np.clip(100 * (wanted - self._z) + 20 * (rising - self._vz), -s.drop, 10))
        z1, vz1 = self._z + h * self._vz + 0.5 * h * h * az, self._vz + h * az
        # poses
        yawrate = np.clip((self._wanted_heading - turn) / 0.3, -0.8, 0.8)
        com0 = np.array([com[0], com[1], self._z])
        com1 = np.array([com[0] + h * vel[0], com[1] + h * vel[1], z1])
        root1 = state.qpos[:7].copy()
        root1[:3] += h * state.qvel[:3]
        mujoco.mju_quatIntegrate(root1[3:7], state.qvel[3:6], h)
        q0 = self._pose(com0, turn, ahead, phase, data, ankle_land, land_ground, state.qpos[:7], self._overdue, first=True)
        q1 = self._pose(com1, turn + h * yawrate, later, min(phase + rate_phase * h, 1.0), data, ankle_land + drift, land_ground, root1, self._overdue + (h if phase >= 1 else 0.0))
        forward, error = np.zeros(self._nv), np.zeros(self._nv)
        mujoco.mj_differentiatePos(self._body.model, forward, h, q0, q1)
        mujoco.mj_differentiatePos(self._body.model, error, 1.0, state.qpos[: self._nq], q0)
        velocity = np.zeros(self._model.nv)
        speedup = self._rate.copy()
        if self._lifted:
            speedup[self._leg_dofs[swing]] *= min(max(s.chase / (10 * max(plan.within, 0.02)), 1.0), s.chasemax)
        velocity[: self._nv] = forward + speedup * wanted_velocity(error)
        gain = self._gain.copy()
        if self._beta[stance] < 0.02:
            gain[self._ankle[stance][:2]] *= s.soft
        if not self._lifted:
            gain[self._leg_dofs[swing]] *= s.trail
        torque = self._feed(state, com, ground, rate, shift, az, phase)
        # advance
        self._phase = min(phase + rate_phase * h, 1.0)
        self._since += h
        self._overdue = self._overdue + h if phase >= 1 else 0.0
        off = float(yaw_of(state.qpos[3:7]) - yaw_of(q0[3:7]))
        off = math.remainder(off, 2 * math.pi)
        self._heading += h * yawrate + s.yield_ * h * off
        self._z = z1 + s.sync * h * (com[2] + h * vel[2] - z1)
        self._vz = vz1 + s.sync * h * (vel[2] - vz1)
        self._target = q0
        return Actuation(torque=torque, motors=Motors(velocity, gain))

    def _look(self, state: State, com: Array, vel: Array) -> None:
        """Notice strikes and lifts."""
        contacts = state.contacts
        swing = 1 - self._stance
        touching = any(int(b) in self._foot_links[swing] for b in contacts.body[contacts.touching])
        if not self._lifted and self._phase > self._s.ds:
            self._lifted = True
            self._begin_swing(state.data)
        elif self._lifted and touching and self._phase > 0.7:
            self._strikes.append((state.time, com.copy()))
            if len(self._strikes) > 2:
                (t0, c0), (t1, c1) = self._strikes[-3], self._strikes[-1]
                mean = flat2(-self._heading, (c1 - c0)[:2])[0] / max(t1 - t0, 0.1)
                self._boost = float(np.clip(self._boost + self._s.integral * (self._speed - mean), -0.4, 0.4))
            self._stance = swing
            self._phase, self._since, self._lifted = 0.0, 0.0, False
            self._fresh = True
            self._overdue = 0.0
            if self._s.resync:
                self._z, self._vz = com[2], vel[2]

    def _pose(self, com, turn, sample, phase, data, ankle_land, land_ground, root, late, first=False) -> Array:
        legs, stance, swing = self._legs, self._stance, 1 - self._stance
        q = sample.pose.copy()
        mujoco.mj_normalizeQuat(self._body.model, q)
        way = heading(turn)
        q[3:7] = quat_multiply(way, q[3:7])
        across = quat_rotate(way, sample.across)
        own = self._own
        swing_ankle, swing_turn = None, None
        if self._lifted:
            u = (phase - self._s.ds) / (1 - self._s.ds)
            p0 = self._style.at(stance, self._s.ds).progress
            sigma = min(max((sample.progress - p0) / (1 - p0), 0.0), 1.0)
            want = quat_multiply(way, sample.foot[1] / np.linalg.norm(sample.foot[1]))
            if want @ self._from_turn < 0:
                want = -want
            mix = smooth(u / 0.4)
            quat = (1 - mix) * self._from_turn + mix * want
            swing_turn = quat_to_matrix(quat / np.linalg.norm(quat))
            xy = self._from[:2] + sigma * (ankle_land - self._from[:2]) + flat2(turn, np.array([0.0, sample.bow]))
            g = self._from_ground + smooth(u / 0.8) * (land_ground - self._from_ground)
            w = min(u / self._s.touch, 1.0)
            sooner = self._style.at(stance, self._s.ds + w * (1 - self._s.ds)).clear
            clear = max(sooner, 4 * self._s.bump * w * (1 - w)) - self._s.fall * (late + max(u - self._s.touch, 0.0) * self._style.duration)
            z = g + clear + sole_depth(legs, swing, swing_turn)
            z += self._from_extra * (1 - smooth(u / 0.4))
            q[legs.places[swing, 3]] = 0.0
            swing_ankle = np.array([xy[0], xy[1], z])
        for it in range(3 if first else 2):
            q[:3] = com - self._offset
            for side in (stance, swing):
                if side == swing and swing_ankle is not None:
                    bend_leg(q, legs, side, swing_ankle, swing_turn, across[1])
                    continue
                m = data.xmat[self._feet[side]].reshape(3, 3)
                ball = self._anchor(data, side)
                foot = quat_to_matrix(heading(self._yaw(data, side)))
                beta = roll_foot(q, legs, side, ball, foot, self._s.heel * legs.length, 0.0)
                if side == stance:
                    beta *= smooth((self.place[0] - 0.05) / 0.1)
                else:
                    beta = min(beta, 0.6)
                if first:
                    self._beta[side] = beta
                rolled = foot @ np.array([[math.cos(beta), 0, math.sin(beta)], [0, 1, 0], [-math.sin(beta), 0, math.cos(beta)]])
                bend_leg(q, legs, side, ball - rolled @ legs.ball[side], rolled, across[0 if side == stance else 1])
                if legs.places[side, 3] >= 0:
                    q[legs.places[side, 3]] = -beta
            own.qpos[:] = q
            mujoco.mj_kinematics(self._body.model, own)
            mujoco.mj_comPos(self._body.model, own)
            self._offset = own.subtree_com[1] - q[:3]
        if swing_ankle is not None and self._s.real:
            moved = q.copy()
            moved[:7] = root
            bend_leg(moved, legs, swing, swing_ankle, swing_turn, across[1])
            lo, hi = legs.places[swing, 0], legs.places[swing, 3] + 1
            q[lo:hi] = moved[lo:hi]
        return q

    def _feed(self, state: State, com: Array, ground: float, rate: float, shift: Array, az: float, phase: float) -> Array:
        data = state.data
        torque = np.zeros(self._model.nv)
        torque[6 : self._nv] = state.bias[6 : self._nv]
        share = 1.0
        if not self._lifted:
            share = 0.3 + 0.7 * smooth(phase / self._s.ds)
        jac = np.zeros((3, self._model.nv))
        for side, part in ((self._stance, share), (1 - self._stance, 1 - share)):
            if part <= 0:
                continue
            point = self._cop(data, side)
            if side == self._stance:
                point[:2] += flat2(self._heading, shift)
                if self._beta[side] > 0.02:
                    m = data.xmat[self._feet[side]].reshape(3, 3)
                    point = data.xpos[self._feet[side]] + m @ self._legs.ball[side]
            else:
                m = data.xmat[self._feet[side]].reshape(3, 3)
                point = data.xpos[self._feet[side]] + m @ self._legs.ball[side]
            away = com - point
            f = self._body.mass * (G + max(az, -4)) * part * np.array([away[0] / away[2], away[1] / away[2], 1.0])
            mujoco.mj_jac(self._model, data, jac, None, point, self._feet[side])
            torque -= self._s.ff * (jac.T @ f)
        torque[:6] = 0.0
        return torque

    def target(self, time: float) -> Array:
        return self._target
