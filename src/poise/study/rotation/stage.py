"""Trials of behaviours for the searches and studies of rotation."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from poise.body.body import Body
from poise.control.controller import WorldView
from poise.control.rotation.leaps import Flip
from poise.control.rotation.rotation import Rotation
from poise.control.rotation.settings import RotationSettings
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.library.behaviours.behaviour import Behaviour, BehaviourReference
from poise.measure.audit import driving_share_of_friction
from poise.measure.replay import Replay
from poise.performance.performance import Performance
from poise.performance.run import Run
from poise.performance.stage import scene_with_held_prop, set_up_run
from poise.reference.reference import Reference
from poise.world.result import BlowUp, StepResult
from poise.world.world import World

FEET, HANDS = ("_foot", "_toes"), ("_hand", "_forearm")  # Endings of the names of links of feet and of hands
DRIVEN_TOLERANCE = 0.025  # Tolerated share of driving work in the work of friction: half of the audit's bound


class DisturbedFlip(Rotation):
    """The rotation controller with torques, within the limits, that disturb the joints when a flip's flight begins."""

    def __init__(self, settings: RotationSettings, behaviour: Behaviour, jolt: float, seed: int) -> None:
        """`jolt` is the standard deviation (rad/s) of the joint velocities that are added."""
        super().__init__(settings, behaviour)
        self._jolt, self._seed = jolt, seed

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Prepare to perform a reference from the start."""
        super().reset(world, reference)
        self._limit, self._jolted = np.array(world.torque_limit), False

    def act(self, state: State) -> Actuation:
        """Actuation of the coming step; disturbed once, in the first step of the flight."""
        actuation = super().act(state)
        performing = self.performing
        if self._jolted or not (isinstance(performing, Flip) and performing.stage == "flight"):
            return actuation
        self._jolted = True
        assert actuation.torque is not None
        change = self._jolt * np.random.default_rng(self._seed).standard_normal(len(self._limit) - 6)
        mobility = np.linalg.inv(state.mass)[6:, 6:]  # joint accelerations per torque, in the air
        torque = np.array(actuation.torque)
        torque[6:] += np.linalg.solve(state.step * mobility, change)
        return Actuation(torque=np.clip(torque, -self._limit, self._limit))


@dataclass(frozen=True)
class BehaviourTrial:
    """A behaviour, its terrain and its disturbances."""

    behaviour: Behaviour
    terrain: str = "flat"
    seconds: float = 10.0
    seed: int = 0
    noise: float = 0.1  # rad/s, standard deviation of the initial joint velocities
    jolt: float = 0.0  # rad/s, standard deviation of the joint velocities added when a flip takes off
    limits: str | None = None  # name of a set of torque limits; None for the limits of the behaviour
    rate: float | None = None  # Hz; None for the rate of the behaviour
    settings: RotationSettings = field(default_factory=RotationSettings)

    @property
    def hertz(self) -> float:
        """Simulation rate (Hz)."""
        return self.behaviour.rate if self.rate is None else self.rate


def stage_behaviour_trial(trial: BehaviourTrial) -> tuple[Run, World, Rotation]:
    """Stage a trial; return the run, its world and its controller."""
    behaviour = trial.behaviour
    body = Body.named(behaviour.body)
    limits = trial.limits or behaviour.limits
    if limits is not None:
        body = body.with_torque_limits(limits)
    controller = Rotation(trial.settings, behaviour)
    if trial.jolt:
        controller = DisturbedFlip(trial.settings, behaviour, trial.jolt, trial.seed)
    reference = BehaviourReference(behaviour, body)
    scene, step = scene_with_held_prop(body, reference, trial.terrain), 1.0 / trial.hertz
    run = set_up_run(scene, reference, controller, step, seed=trial.seed, noise=trial.noise)
    return run, run.world, controller


Performer = TypeVar("Performer")


@dataclass(frozen=True, kw_only=True)
class BehaviourTrialOutcome:
    """Results that the performances of all behaviours share."""

    blew_up: bool
    performance: Performance

    @property
    def driven(self) -> float:
        """Share of driving work in the work of friction, as the audit measures it."""
        return driving_share_of_friction(Replay.of(self.performance.recording))

    @property
    def driven_excess(self) -> float:
        """Excess of `driven` over DRIVEN_TOLERANCE; 0 if there is no excess."""
        return max(self.driven - DRIVEN_TOLERANCE, 0.0)


class BehaviourTrialAttempt(Generic[Performer]):
    """An attempt at a behaviour; each iteration over `steps` performs one step."""

    def __init__(self, trial: BehaviourTrial, kind: type[Performer]) -> None:
        """`kind` is the class that performs the behaviour."""
        self._trial = trial
        self._run, self.world, controller = stage_behaviour_trial(trial)
        assert isinstance(controller.performing, kind)
        self.performing = controller.performing
        self._failure: BlowUp | None = None

    def steps(self) -> Iterator[StepResult]:
        """Perform a step at each iteration, until the time of the trial is up or the simulation blows up."""
        try:
            while self.world.time < self._trial.seconds:
                yield self._run.step()
        except BlowUp as error:
            self._failure = error

    def contact_links(self) -> Iterator[set[str]]:
        """Perform the steps; yield the names of the links in contact in each step."""
        for result in self.steps():
            bodies = np.unique(result.body[result.impulse[:, 0] > 0])
            yield {self.world.model.body(int(body)).name for body in bodies}

    def outcome(self) -> dict[str, Any]:
        """The fields of `BehaviourTrialOutcome`; this ends the recording."""
        return {"blew_up": self._failure is not None, "performance": self._run.take(self._failure)}


def only_links_in_trial(links: set[str], endings: tuple[str, ...]) -> bool:
    """Whether all names in `links` end in one of `endings`; true if there are no links."""
    return all(link.endswith(endings) for link in links)
