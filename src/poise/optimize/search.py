"""Search of parameters by samples alone: covariance matrix adaptation [Hansen2016], by the library `cma`.

A search is a journal of the costs that were told. Whoever goes on with a journal asks the same generator for the same
samples and tells it the same costs, and so is where it was left off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.frozen import Array


@dataclass(frozen=True)
class SearchSettings:
    """How wide and by how many samples a search looks."""

    freedom: int  # numbers to be found
    population: int = 24  # samples in a generation
    width: float = 0.5  # of the first samples, in spreads
    seed: int = 1  # at least 1

    def __post_init__(self) -> None:
        if self.freedom < 2:
            raise PoiseError(f"a search over {self.freedom} numbers: there must be at least 2")
        if self.population < 4:
            raise PoiseError(f"{self.population} samples in a generation: must be at least 4")


@dataclass(eq=False)
class Search:
    """Samples around a mean that moves to where costs are low; all in spreads, from 0."""

    settings: SearchSettings
    costs: list[list[float]] = field(default_factory=list)  # of the samples of each generation so far

    def __post_init__(self) -> None:
        s = self.settings
        options = {"seed": s.seed, "popsize": s.population, "verbose": -9}
        self._strategy = _library().CMAEvolutionStrategy(s.freedom * [0.0], s.width, options)
        told, self.costs = self.costs, []
        for costs in told:
            self.ask()
            self.tell(costs)

    @property
    def generation(self) -> int:
        """How many have been told."""
        return len(self.costs)

    @property
    def mean(self) -> Array:
        """(n,) the middle of the samples to come: what a search has found."""
        return np.array(self._strategy.mean)

    @property
    def width(self) -> float:
        """Typical distance of a number of a sample from the mean."""
        return float(self._strategy.sigma * np.sqrt(np.mean(self._strategy.C.diagonal())))

    def ask(self) -> list[Array]:
        """The samples (n,) of a generation."""
        self._asked = [np.array(sample) for sample in self._strategy.ask()]
        return self._asked

    def tell(self, costs: list[float]) -> None:
        """What the samples that were last asked for cost."""
        if len(costs) != self.settings.population:
            raise PoiseError(f"{len(costs)} costs for {self.settings.population} samples")
        self._strategy.tell(self._asked, costs)
        self.costs.append(list(costs))


def _library() -> Any:
    try:
        import cma
    except ImportError:
        raise PoiseError("searching needs the library cma: pip install 'poise[tune]'") from None
    return cma
