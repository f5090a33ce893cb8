"""Tuning of a behaviour: a search for its free parameters over noisy starts, which each generation draws anew.

The search is covariance matrix adaptation [Hansen2016], by the library `cma`. To resume, it repeats the generations in
its journal: it draws the same samples and is given the same costs.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
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


def rotation_search(freedom: int, population: int, width: float, costs: Sequence[list[float]] = ()) -> Any:
    """Covariance matrix adaptation of `cma`: samples of `freedom` numbers around a mean that moves towards low costs.

    A number is the change of a parameter from its start, divided by the parameter's spread; `width` is the standard
    deviation of the first samples. Generations with given `costs` are repeated first, so that a search resumes where
    its journal ends.
    """
    if freedom < 2:
        raise PoiseError(f"a search over {freedom} free numbers: there must be at least 2")
    if population < 4:
        raise PoiseError(f"{population} samples in a generation: must be at least 4")
    try:
        import cma
    except ImportError:
        raise PoiseError("tuning needs the library cma: pip install 'poise[tune]'") from None
    search = cma.CMAEvolutionStrategy(freedom * [0.0], width, {"seed": 1, "popsize": population, "verbose": -9})
    for given in costs:
        if len(given) != population:
            raise PoiseError(f"{len(given)} costs for {population} samples")
        search.tell(search.ask(), given)
    return search


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
    done = _trial_costs_in_journal(journal, behaviour, settings)
    search = rotation_search(behaviour.freedom, settings.population, settings.width, done)
    with case_worker_map(workers) as mapped:
        while len(done) < settings.generations:
            first, samples = settings.trials * len(done), search.ask()
            trials = [_sample_trials(behaviour, by, settings, first, settings.trials) for by in samples]
            costs = [-score for score in mapped(_sample_score, trials)]
            search.tell(samples, costs)
            done.append(costs)
            write_file(journal, json.dumps({**_search_identity(behaviour, settings), "costs": done}).encode())
            width = float(search.sigma * np.sqrt(np.mean(search.C.diagonal())))  # rms over the parameters
            report(TuneGeneration(len(done), settings.generations, -min(costs), -float(np.median(costs)), width))
        mean = np.array(search.mean)
        changes = (mean, 0.0 * mean)
        ends = [_sample_trials(behaviour, by, settings, CHECKED, settings.check) for by in changes]
        after, before = mapped(_sample_score, ends)
    best = behaviour.varied(mean) if after > before else behaviour
    return TunedBehaviour(best, max(after, before), before, len(done))


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
