"""Tuning of a behaviour: a search for its free parameters over noisy starts, which each generation draws anew.

The search is covariance matrix adaptation [Hansen2016], by the library `cma`. To resume, it repeats the generations in
its journal: it draws the same samples and is given the same costs.
"""

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
from poise.study.experiment.runner import case_worker_map
from poise.study.rotation.attempts import behaviour_trial_score
from poise.study.rotation.stage import BehaviourTrial

CHECKED = 1_000_000  # First seed of the trials that judge the result; the search does not use seeds from here on


@dataclass(eq=False)
class BehaviourTrialSearch:
    """Covariance matrix adaptation: samples around a mean that moves towards low costs.

    A value is the change of a parameter from its start, divided by the parameter's spread. Generations with given
    `costs` are repeated first, so that a search resumes where its journal ends.
    """

    freedom: int  # number of parameters
    population: int = 24  # samples in a generation
    width: float = 0.5  # standard deviation of the first samples, in units of the parameters' spreads
    costs: list[list[float]] = field(default_factory=list)  # of the samples of each finished generation

    def __post_init__(self) -> None:
        if self.freedom < 2:
            raise PoiseError(f"a search over {self.freedom} free numbers: there must be at least 2")
        if self.population < 4:
            raise PoiseError(f"{self.population} samples in a generation: must be at least 4")
        options = {"seed": 1, "popsize": self.population, "verbose": -9}
        try:
            import cma
        except ImportError:
            raise PoiseError("tuning needs the library cma: pip install 'poise[tune]'") from None
        self._strategy = cma.CMAEvolutionStrategy(self.freedom * [0.0], self.width, options)
        journal, self.costs = self.costs, []
        for costs in journal:
            self.ask()
            self.tell(costs)

    @property
    def generation(self) -> int:
        """The number of finished generations."""
        return len(self.costs)

    @property
    def mean(self) -> Array:
        """(n,) mean of the next samples, which is the result of the search."""
        return np.array(self._strategy.mean)

    @property
    def sample_width(self) -> float:
        """Standard deviation of a parameter in the next samples, root mean square over the parameters."""
        return float(self._strategy.sigma * np.sqrt(np.mean(self._strategy.C.diagonal())))

    def ask(self) -> list[Array]:
        """Draw the samples of the next generation, each (n,)."""
        self._asked = [np.array(sample) for sample in self._strategy.ask()]
        return self._asked

    def tell(self, costs: list[float]) -> None:
        """Report the costs of the samples that `ask` returned last."""
        if len(costs) != self.population:
            raise PoiseError(f"{len(costs)} costs for {self.population} samples")
        self._strategy.tell(self._asked, costs)
        self.costs.append(list(costs))


@dataclass(frozen=True)
class TuneSettings:
    """Settings of a tuning."""

    generations: int = 40
    population: int = 20  # samples in a generation
    trials: int = 3  # per sample
    terrains: tuple[str, ...] = ("flat",)  # used in turn
    rates: tuple[float, ...] = (120.0,)  # Hz, used in turn
    seconds: float = 8.0  # of each trial
    noise: float = 0.1  # rad/s; the noise rises from 0 to this value over the trials of a sample
    jolt: float = 0.0  # rad/s, of joint velocities at the take-off of a flip; rises from 0 as the noise does
    limits: str | None = None  # name of a set of torque limits; None for the limits of the behaviour
    width: float = 0.5  # standard deviation of the first samples, in spreads of the file
    check: int = 10  # number of trials that compare the result with the start

    def __post_init__(self) -> None:
        for name in ("generations", "trials", "check"):
            if getattr(self, name) < 1:
                raise PoiseError(f"tune: --{name} {getattr(self, name)} must be at least 1")


@dataclass(frozen=True)
class TuneGeneration:
    """The scores of a finished generation."""

    number: int
    of: int  # number of all generations
    best: float
    median: float
    width: float


@dataclass(frozen=True, eq=False)
class TunedBehaviour:
    """The result of a tuning."""

    behaviour: Behaviour
    score: float  # of the result
    before: float  # of the original behaviour, on the same starts
    generations: int


def _sample_score(trials: Sequence[BehaviourTrial]) -> float:
    """The mean score of a sample's trials."""
    return float(np.mean([behaviour_trial_score(trial) for trial in trials]))


def tune_rotation_behaviour(
    behaviour: Behaviour, settings: TuneSettings, journal: Path, workers: int, report: Callable[[TuneGeneration], None]
) -> TunedBehaviour:
    """Search for better parameters and write the journal after each generation; resume from an existing journal."""
    earlier = _trial_costs_in_journal(journal, behaviour, settings)
    search = BehaviourTrialSearch(behaviour.freedom, settings.population, settings.width, earlier)
    with case_worker_map(workers) as mapped:
        while search.generation < settings.generations:
            first = settings.trials * search.generation
            samples = [_sample_trials(behaviour, by, settings, first, settings.trials) for by in search.ask()]
            costs = [-score for score in mapped(_sample_score, samples)]
            search.tell(costs)
            kept = {**_search_identity(behaviour, settings), "costs": search.costs}
            write_file(journal, json.dumps(kept).encode())
            scores = -min(costs), -float(np.median(costs)), search.sample_width
            report(TuneGeneration(search.generation, settings.generations, *scores))
        changes = (search.mean, 0.0 * search.mean)
        ends = [_sample_trials(behaviour, by, settings, CHECKED, settings.check) for by in changes]
        after, before = mapped(_sample_score, ends)
    best = behaviour.varied(search.mean) if after > before else behaviour
    return TunedBehaviour(best, max(after, before), before, search.generation)


def _sample_trials(
    behaviour: Behaviour, by: Array, settings: TuneSettings, first: int, count: int
) -> tuple[BehaviourTrial, ...]:
    """`count` trials of the behaviour with its parameters changed `by` (n,) spreads; seeds count from `first` on."""
    varied = behaviour.varied(by)
    seeds, grounds, rates = range(first, first + count), settings.terrains, settings.rates
    shares = np.linspace(0.0, 1.0, count) if count > 1 else np.ones(1)
    return tuple(
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


def _search_identity(behaviour: Behaviour, settings: TuneSettings) -> dict[str, Any]:
    """Text and settings of a search; both must equal those of a journal for the search to resume it."""
    same = asdict(replace(settings, generations=1, check=1))
    same["terrains"], same["rates"] = list(settings.terrains), list(settings.rates)
    return {"behaviour": behaviour.path.read_text(encoding="utf-8"), "settings": same}


def _trial_costs_in_journal(journal: Path, behaviour: Behaviour, settings: TuneSettings) -> list[list[float]]:
    if not journal.exists():
        return []
    try:
        kept = json.loads(journal.read_text(encoding="utf-8"))
        costs: list[list[float]] = kept.pop("costs")
    except (OSError, ValueError, KeyError, AttributeError):
        raise PoiseError(f"{journal} is no journal of a search: move it away to start a new one") from None
    if kept != _search_identity(behaviour, settings):
        other = "another search, with another behaviour or settings"
        raise PoiseError(f"{journal} belongs to {other}: move it away to start a new one")
    return costs


def tuned_behaviour_text(tuned: TunedBehaviour, settings: TuneSettings) -> str:
    """The text of the behaviour's file with the values that were found."""
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
