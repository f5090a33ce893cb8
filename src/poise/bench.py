"""Speed of a step, as a ratio to MuJoCo's own step on the same model in the same run."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import mujoco
import numpy as np

from poise.body import Body
from poise.control import named_controller
from poise.errors import PoiseError
from poise.performance import start
from poise.reference import named_motion
from poise.world.scene import Scene
from poise.world.world import World


@dataclass(frozen=True)
class Row:
    """One case."""

    case: str
    contacts: int  # that touch, in Poise
    poise_us: float
    mujoco_us: float
    bound: float  # what the ratio is meant to stay below

    @property
    def ratio(self) -> float:
        """How many of MuJoCo's steps one of ours costs."""
        return self.poise_us / self.mujoco_us

    def as_dict(self) -> dict[str, float | str]:
        """For JSON."""
        return {**asdict(self), "ratio": self.ratio}


def bench(steps: int) -> list[Row]:
    """Standing on the ground and flying free, for the bodies of the nqr and pendulum papers."""
    if not 10 <= steps <= 1_000_000:
        raise PoiseError(f"{steps} steps: must be between 10 and 1000000")
    return [
        _case("biped29", True, steps, 6.0),
        _case("biped29", False, steps, 3.0),
        _case("human58", True, steps, 5.0),
        _case("human58", False, steps, 3.0),
    ]


def _case(name: str, standing: bool, steps: int, bound: float) -> Row:
    body = Body.named(name)
    world = World(Scene.of(body))
    reference = named_motion("stand", body)
    start(world, reference, 0, 0.0)
    qpos = world.qpos.copy()
    if not standing:
        qpos[2] += 1000.0  # far from the ground, so that it does not land while it is timed
    controller = named_controller("hold")
    controller.reset(world, reference)
    world.reset(qpos, np.zeros(body.nv))
    actuation = controller.act(world.state)
    # MuJoCo's contacts are springs that act within the margin: our look-ahead would throw its body up.
    model = copy.copy(world.model)
    model.geom_margin[:] = 0.0
    model.opt.timestep = world.settings.step
    data = mujoco.MjData(model)

    def back() -> None:
        """MuJoCo's soft contacts let the body sink and fall: start each batch from the same pose."""
        data.qpos[:], data.qvel[:] = qpos, 0.0

    ours, theirs = [], []
    contacts = 0
    for _ in range(max(1, steps // 10)):
        world.reset(qpos, np.zeros(body.nv))
        ours.append(_time(lambda: world.step(actuation)))
        contacts = int(world.contacts.touching.sum())
        back()
        theirs.append(_time(lambda: mujoco.mj_step(model, data)))
    case = f"{name} {'standing' if standing else 'flying'}"
    return Row(case, contacts, float(np.median(ours)), float(np.median(theirs)), bound)


def _time(step: Callable[[], object], count: int = 10) -> float:
    """Microseconds of one call, the median of a few to pass over interruptions."""
    spent = []
    for _ in range(count):
        began = time.perf_counter()
        step()
        spent.append(time.perf_counter() - began)
    return 1e6 * float(np.median(spent))
