"""What a behaviour file says: poses by angles in degrees, numbers for the controller, and what a search may change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

from poise.arrays import Array, Frozen, readonly
from poise.body.body import Body
from poise.body.surface import lowest
from poise.library.authoring.figure import LIMB_ANGLES, PosableFigure
from poise.reference.dynamic import Dynamic
from poise.reference.reference import Start, Target
from poise.retarget.figure import SIDES


@dataclass(frozen=True)
class Freedom:
    """How far a search goes at first from a number, or from each of several."""

    spread: float  # of the number's own unit, or a share of the number
    relative: bool  # whether it is a share; such numbers keep their sign


@dataclass(frozen=True, eq=False)
class Behaviour:
    """A behaviour, before it is put on a body."""

    name: str
    title: str
    kind: str  # roll, flip, kip, dive or handspring: who reads the rest
    body: str
    path: Path
    control: Mapping[str, float]  # numbers for the controller, by name
    at: tuple[float, ...]  # where the poses are: turns, or seconds
    poses: Mapping[str, tuple[float, ...]]  # degrees at each of them, by angle
    start: Mapping[str, float]  # numbers for the beginning
    free: Mapping[str, Freedom] = field(default_factory=Frozen)  # of control, poses and start, by name
    rate: float = 60.0  # Hz at which it is controlled and simulated, unless somebody asks for another
    into: str | None = None  # the roll in which a dive ends
    limits: str | None = None  # set of torque limits; the body's own if not given

    def angles(self, at: Mapping[str, Array]) -> dict[str, Array]:
        """Angles by their full names: limbs that name no side are both."""
        out: dict[str, Array] = {}
        for name in sorted(at, key=lambda word: word.startswith(SIDES)):
            for each in [f"{side}_{name}" for side in SIDES] if name in LIMB_ANGLES else [name]:
                out[each] = at[name]
        return out

    @cached_property
    def _places(self) -> tuple[tuple[str, str, int], ...]:
        """Of each free number: table, name, and place in its list."""
        out = []
        for name in self.free:
            if name in self.poses:
                out += [("poses", name, k) for k in range(len(self.poses[name]))]
            else:
                out.append(("control" if name in self.control else "start", name, 0))
        return tuple(out)

    def _number(self, table: str, name: str, k: int) -> float:
        return self.poses[name][k] if table == "poses" else getattr(self, table)[name]

    @property
    def freedom(self) -> int:
        """How many numbers are free."""
        return len(self._places)

    @property
    def free_numbers(self) -> list[tuple[str, str, float | tuple[float, ...]]]:
        """Of each that is free: table, name, and the number or numbers."""
        places = dict.fromkeys((table, name) for table, name, _ in self._places)
        return [(table, name, getattr(self, table)[name]) for table, name in places]

    def varied(self, by: Array) -> Behaviour:
        """Another whose free numbers are so many spreads (n,) away from this one's."""
        changed: dict[str, dict[str, object]] = {
            "control": dict(self.control),
            "start": dict(self.start),
            "poses": {name: list(values) for name, values in self.poses.items()},
        }
        for (table, name, k), steps in zip(self._places, by, strict=True):
            freedom, old = self.free[name], self._number(table, name, k)
            new = old * float(np.exp(freedom.spread * steps)) if freedom.relative else old + freedom.spread * steps
            if table == "poses":
                changed["poses"][name][k] = float(new)  # type: ignore[index]
            else:
                changed[table][name] = float(new)
        poses = {name: tuple(values) for name, values in changed["poses"].items()}  # type: ignore[var-annotated, arg-type]
        return replace(
            self,
            control=Frozen(changed["control"]),  # type: ignore[arg-type]
            start=Frozen(changed["start"]),  # type: ignore[arg-type]
            poses=Frozen(poses),
        )


# A behaviour put on a body: its poses, and where it begins.

SAMPLES = 512
"""Poses of a turn that are kept: nearer ones are 0.7 degrees of a roll apart."""


class BehaviourReference:
    """A behaviour as something to be performed: it begins at rest, and the controller decides what follows."""

    start: Start = "origin"
    duration: float | None = None
    begin = 0.0
    motions: Mapping[str, Dynamic] = Frozen()

    def __init__(self, behaviour: Behaviour, body: Body) -> None:
        self.behaviour, self.body = behaviour, body
        self.name = behaviour.name
        self._figure = PosableFigure(body)
        self._first = Target(self._begin(), readonly(np.zeros(body.nv)))

    def at(self, time: float) -> Target:  # noqa: ARG002
        """How it begins."""
        return self._first

    @cached_property
    def cycle(self) -> Array:
        """(SAMPLES, nq) poses of a turn, whose keys are joined smoothly all around."""
        at = np.array(self.behaviour.at)
        around = np.append(at, at[0] + 1.0)
        where = at[0] + (np.arange(SAMPLES) / SAMPLES - at[0]) % 1.0
        curves = {
            name: CubicSpline(around, np.append(values, values[0]), bc_type="periodic")(where)
            for name, values in self.behaviour.poses.items()
        }
        return readonly(self._posed(curves))

    def line(self, times: Array) -> Array:
        """(T, nq) poses at times (T,) s of a line of keys, held before the first and after the last; never overshot."""
        at = np.array(self.behaviour.at)
        where = np.clip(times, at[0], at[-1])
        curves = {name: PchipInterpolator(at, values)(where) for name, values in self.behaviour.poses.items()}
        return self._posed(curves)

    def _posed(self, curves: Mapping[str, Array]) -> Array:
        return self._figure.poses(self.behaviour.angles(curves))

    def _begin(self) -> Array:
        """The pose at `at` (turns or seconds; 0 if not told), its pelvis tilted, lowest point on the ground.

        A flip's soles are flat there, whatever clip its pose is from: who begins on the heels never gets off them.
        """
        told = self.behaviour.start
        where = told.get("at", 0.0)
        if self.behaviour.kind == "roll":
            pose = np.array(self.cycle[round(where * SAMPLES) % SAMPLES])
        else:
            pose = self.line(np.array([where]))[0]
        if self.behaviour.kind == "flip":
            pose = self._figure.bent(pose[None], {"pelvis_tilt": -self._soles(pose)})[0]
        turned = {name: value for name, value in told.items() if name.startswith("pelvis_")}
        pose = self._figure.bent(pose[None], turned)[0]
        pose[2] -= lowest(self.body.model, pose)
        return readonly(pose)

    def _soles(self, pose: Array) -> float:
        """degrees by which feet of a pose (nq,) point down."""
        data = mujoco.MjData(self.body.model)
        data.qpos[:] = pose
        mujoco.mj_kinematics(self.body.model, data)
        ahead = data.xmat[self.body.link_id(self.body.feet[0].link)].reshape(3, 3)[:, 0]
        return float(np.degrees(np.arctan2(-ahead[2], ahead[0])))
