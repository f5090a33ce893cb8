"""One performance of a behaviour, watched step by step by the function that judges it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from poise.performance.run import Performance
from poise.study.rotation.stage import SOUND, BehaviourTrial, Friction, of_foot, staged, touching_links
from poise.world.result import BlowUp, StepResult

Performer = TypeVar("Performer")
_HANDS = ("_hand", "_forearm")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What is known of the performance of any behaviour."""

    blew_up: bool
    driven: float  # share of the work of friction that drives slips, in the worst second
    performance: Performance

    @property
    def driven_excess(self) -> float:
        """Driving share of friction's work beyond what is sound."""
        return max(self.driven - SOUND, 0.0)


class Attempt(Generic[Performer]):
    """A behaviour at its start, performed by iterating over `steps`."""

    def __init__(self, trial: BehaviourTrial, kind: type[Performer]) -> None:
        """`kind` is the class that performs the behaviour."""
        self._trial = trial
        self._run, self.world, controller = staged(trial)
        assert isinstance(controller.performing, kind)
        self.performing = controller.performing
        self._friction = Friction(self.world)
        self._failure: BlowUp | None = None

    def steps(self) -> Iterator[StepResult]:
        """Perform a step at each iteration, until the time of the trial is up or the simulation blows up."""
        try:
            while self.world.time < self._trial.seconds:
                yield self._friction.watch(self._run.step)
        except BlowUp as error:
            self._failure = error

    def touches(self) -> Iterator[set[str]]:
        """The links that touch anything in each step."""
        for result in self.steps():
            yield touching_links(self.world, result)

    def outcome(self) -> dict[str, Any]:
        """The fields of `Outcome`; this ends the recording."""
        performance = self._run.take(self._failure)
        return {"blew_up": self._failure is not None, "driven": self._friction.driven, "performance": performance}


def only_feet(links: set[str]) -> bool:
    """Whether all links belong to feet."""
    return all(of_foot(link) for link in links)


def only_hands(links: set[str]) -> bool:
    """Whether all links are hands or forearms."""
    return all(link.endswith(_HANDS) for link in links)
