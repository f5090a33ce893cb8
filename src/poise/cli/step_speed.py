"""Speed of a step: its processor time divided by that of MuJoCo's own step, on the same model in the same run."""

from dataclasses import dataclass

import numpy as np

from poise.body.body import Body
from poise.control.catalogue import controller_entry, named_controller
from poise.errors import PoiseError
from poise.library.motions import named_motion
from poise.measure.speed import BATCH, MujocoStep, processor_seconds, timed_steps
from poise.performance.run import Run
from poise.performance.stage import scene_with_held_prop, set_up_run
from poise.performance.start import place_at_start
from poise.world.scene import Scene
from poise.world.world import World


@dataclass(frozen=True)
class BenchRow:
    """The times of a step in one case."""

    case: str
    contacts: int  # number of touching contacts in Poise
    poise_us: float
    mujoco_us: float
    bound: float  # upper bound of `ratio`

    @property
    def ratio(self) -> float:
        """Time of a Poise step divided by the time of a MuJoCo step."""
        return self.poise_us / self.mujoco_us


@dataclass(frozen=True)
class BenchCommandWalk:
    """A controlled walk that is timed, and the bounds for its speed."""

    body: str
    controller: str
    bound: float  # upper bound of the mean step, in MuJoCo steps
    slow: float  # upper bound of the 99th percentile of the steps, in MuJoCo steps
    fast: float  # least speed, as a multiple of real time

    @property
    def name(self) -> str:
        """The name of the case in tables."""
        return f"{self.body} walking, {self.controller}"


WALKS = (
    BenchCommandWalk("biped29", "nqr", 12.0, 30.0, 25.0),
    BenchCommandWalk("human58", "pendulum", 25.0, 40.0, 15.0),
)


def bench(steps: int) -> list[BenchRow]:
    """Time steps of the bodies of the nqr and pendulum papers: standing, in free flight and in controlled walks."""
    if not 10 <= steps <= 1_000_000:
        raise PoiseError(f"{steps} steps: must be between 10 and 1000000")
    return [
        _bench_row_without_controller("biped29", True, steps, 6.0),
        _bench_row_without_controller("biped29", False, steps, 3.0),
        _bench_row_without_controller("human58", True, steps, 5.0),
        _bench_row_without_controller("human58", False, steps, 3.0),
        *(row for walk in WALKS for row in _bench_rows_of_walk(walk, steps)),
    ]


def bench_walking_speed(walk: BenchCommandWalk, steps: int) -> float:
    """Speed at which a walk is controlled, simulated and recorded, as a multiple of real time."""
    run = _stage_bench_walk(walk)
    return run.step_s / processor_seconds(run.step, steps)


def _stage_bench_walk(walk: BenchCommandWalk) -> Run:
    body = Body.named(walk.body)
    reference = named_motion("walk", body)
    entry = controller_entry(walk.controller)
    return set_up_run(scene_with_held_prop(body, reference), reference, entry.make(), entry.step)


def _bench_rows_of_walk(walk: BenchCommandWalk, steps: int) -> list[BenchRow]:
    """Two rows of a walk: the mean and the 99th percentile of the times to control and simulate a step."""
    run = _stage_bench_walk(walk)
    world, controller = run.world, run.controller
    times = timed_steps(world, controller, steps)
    slow = 1e6 * float(np.percentile(times.whole, 99))
    usual, mujoco_us = int(np.median(times.contacts)), 1e6 * float(np.median(times.mujoco))
    mean = BenchRow(walk.name, usual, 1e6 * float(times.whole.mean()), mujoco_us, walk.bound)
    return [mean, BenchRow(f"{walk.name}, p99", usual, slow, mujoco_us, walk.slow)]


def _bench_row_without_controller(name: str, standing: bool, steps: int, bound: float) -> BenchRow:
    """The row of a body that stands or flies with constant actuation: the median time to simulate a step."""
    body = Body.named(name)
    world = World(Scene.of(body))
    reference = named_motion("stand", body)
    place_at_start(world, reference, 0, 0.0)
    qpos = world.qpos.copy()
    if not standing:
        qpos[2] += 1000.0  # so high that it does not land while it is timed
    controller = named_controller("hold")
    controller.reset(world, reference)
    world.reset(qpos, np.zeros(body.nv))
    actuation = controller.act(world.state)
    mujoco_step = MujocoStep(world)
    ours, theirs, contacts = [], [], 0
    for _ in range(max(1, steps // BATCH)):
        world.reset(qpos, np.zeros(body.nv))
        ours.append(processor_seconds(lambda: world.step(actuation), BATCH))
        contacts = int(world.contacts.touching.sum())
        theirs.append(mujoco_step.seconds(qpos, np.zeros(body.nv)))
    case = f"{name} {'standing' if standing else 'flying'}"
    return BenchRow(case, contacts, 1e6 * float(np.median(ours)), 1e6 * float(np.median(theirs)), bound)
