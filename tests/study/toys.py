"""A fast study for tests: squares of numbers, with an error on demand."""

from dataclasses import dataclass

from poise import PoiseError
from poise.study.experiment.plots import curves, picture
from poise.study.experiment.study import Scope, Study
from poise.study.experiment.table import column_total, row_count, summary_by


@dataclass(frozen=True)
class Toy:
    number: int
    kind: str = "square"


def measure(toy):
    if toy.kind == "mistake":
        raise PoiseError(f"toy {toy.number} is broken")
    return {"kind": "even" if toy.number % 2 == 0 else "odd", "number": toy.number, "square": toy.number**2}


def cases(scope):
    return [Toy(n) for n in range(4 * scope.seeds)]


TOYS = Study(
    "toys",
    "squares of numbers",
    "arithmetic",
    Scope(seeds=3, seconds=1.0),
    Scope(seeds=1, seconds=1.0),
    cases,
    measure,
    summary_by(("kind",), rows=row_count, sum=column_total("square")),
    picture(curves("number", ("square",))),
)
