"""Tuning of a behaviour: its free numbers are searched over noisy starts, which each generation draws anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.errors import PoiseError
from poise.files import write_file
from poise.library.behaviours.behaviour import Behaviour
from poise.library.behaviours.files import behaviour_text
from poise.study.experiment.runner import crew
from poise.study.experiment.study import Row
from poise.study.rotation.rehearsal import score
from poise.study.rotation.stage import BehaviourTrial

# Search of parameters by samples alone: covariance matrix adaptation [Hansen2016], by the library `cma`.
#
# A search is a journal of the costs that were told. Whoever goes on with a journal asks the same generator for the same
# samples and tells it the same costs, and so is where it was left off.


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


CHECKED = 1_000_000
"""Seeds from here on are those with which a result is judged: no search has seen them."""
Told = Callable[["Generation"], None]


@dataclass(frozen=True)
class TuneSettings:
    """How a behaviour is tuned."""

    generations: int = 40
    population: int = 20  # samples in a generation
    trials: int = 3  # of each sample
    terrains: tuple[str, ...] = ("flat",)  # taken in turn
    rates: tuple[float, ...] = (120.0,)  # Hz, likewise
    seconds: float = 8.0  # of each trial
    noise: float = 0.1  # rad/s, at most: the trials of a sample go from none to this
    jolt: float = 0.0  # rad/s, at most, when a flip takes off: likewise
    limits: str | None = None  # torque limits instead of the behaviour's own
    width: float = 0.5  # of the first samples, in the spreads of the file
    check: int = 10  # trials by which the result and the beginning are compared

    def __post_init__(self) -> None:
        for name in ("generations", "trials", "check"):
            if getattr(self, name) < 1:
                raise PoiseError(f"tune: {name} {getattr(self, name)} must be at least 1")


@dataclass(frozen=True)
class Generation:
    """How far a search is."""

    number: int
    of: int
    best: float
    median: float
    width: float


@dataclass(frozen=True, eq=False)
class Tuned:
    """What came of a search."""

    behaviour: Behaviour
    score: float  # of the result
    before: float  # of the behaviour as it was, on the same starts
    generations: int


@dataclass(frozen=True)
class _Sample:
    """A behaviour and the trials that it is judged by."""

    trials: tuple[BehaviourTrial, ...]


def _measure(sample: _Sample) -> Row:
    """The mean score."""
    return {"score": float(np.mean([score(trial) for trial in sample.trials]))}


def tune(behaviour: Behaviour, settings: TuneSettings, journal: Path, workers: int, tell: Told) -> Tuned:
    """Search, keeping a journal after every generation; one that is there already is gone on with."""
    wanted = SearchSettings(behaviour.freedom, settings.population, settings.width)
    search = Search(wanted, _resumed(journal, behaviour, settings))
    with crew(workers) as work:
        while search.generation < settings.generations:
            first = settings.trials * search.generation
            samples = [_sample(behaviour, by, settings, first, settings.trials) for by in search.ask()]
            costs = [-float(row["score"]) for row in work(_measure, samples)]  # type: ignore[arg-type]
            search.tell(costs)
            _keep(journal, behaviour, settings, search.costs)
            told = -min(costs), -float(np.median(costs)), search.width
            tell(Generation(search.generation, settings.generations, *told))
        ends = [_sample(behaviour, by, settings, CHECKED, settings.check) for by in (search.mean, 0.0 * search.mean)]
        after, before = (float(row["score"]) for row in work(_measure, ends))  # type: ignore[arg-type]
    best = behaviour.varied(search.mean) if after > before else behaviour
    return Tuned(best, max(after, before), before, search.generation)


def _sample(behaviour: Behaviour, by: Array, settings: TuneSettings, first: int, count: int) -> _Sample:
    varied = behaviour.varied(by)
    seeds, grounds, rates = range(first, first + count), settings.terrains, settings.rates
    shares = np.linspace(0.0, 1.0, count) if count > 1 else np.ones(1)
    return _Sample(
        tuple(
            BehaviourTrial(
                varied,
                terrain=grounds[seed % len(grounds)],
                rate=rates[seed // len(grounds) % len(rates)],
                seconds=settings.seconds,
                seed=seed,
                noise=settings.noise * float(share),
                jolt=settings.jolt * float(share),
                limits=settings.limits,
            )
            for seed, share in zip(seeds, shares, strict=True)
        )
    )


def _identity(behaviour: Behaviour, settings: TuneSettings) -> dict[str, Any]:
    """What must be the same for a search to be gone on with."""
    told = asdict(replace(settings, generations=1, check=1))
    told["terrains"], told["rates"] = list(settings.terrains), list(settings.rates)
    return {"behaviour": behaviour.path.read_text(encoding="utf-8"), "settings": told}


def _resumed(journal: Path, behaviour: Behaviour, settings: TuneSettings) -> list[list[float]]:
    if not journal.exists():
        return []
    try:
        kept = json.loads(journal.read_text(encoding="utf-8"))
        costs: list[list[float]] = kept.pop("costs")
    except (OSError, ValueError, KeyError, AttributeError):
        raise PoiseError(f"{journal} is no journal of a search: move it away to begin anew") from None
    if kept != _identity(behaviour, settings):
        raise PoiseError(
            f"{journal} is of another search: its behaviour or settings differ; move it away to begin anew"
        )
    return costs


def _keep(journal: Path, behaviour: Behaviour, settings: TuneSettings, costs: Sequence[Sequence[float]]) -> None:
    write_file(journal, json.dumps({**_identity(behaviour, settings), "costs": costs}).encode())


def text_of(tuned: Tuned, settings: TuneSettings) -> str:
    """The behaviour's file with what was found."""
    found: dict[str, float | int | str] = {
        "score": round(tuned.score, 3),
        "before": round(tuned.before, 3),
        "trials": settings.check,
        "seconds": settings.seconds,
        "noise": settings.noise,
        "jolt": settings.jolt,
        "terrains": " ".join(settings.terrains),
        "rates": " ".join(f"{rate:g}" for rate in settings.rates),
        "generations": tuned.generations,
    }
    if settings.limits is not None:
        found["limits"] = settings.limits
    return behaviour_text(tuned.behaviour, tuned.behaviour.path.read_text(encoding="utf-8"), found)
