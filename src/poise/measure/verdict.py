"""The verdict on a recording in three words: physical, assisted, or not physical."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from poise.measure.declared_forces import Effort


class Word(StrEnum):
    """The three words."""

    PHYSICAL = "physical"  # all checks pass, and nothing but joints, contacts and declared forces acts
    ASSISTED = "assisted"  # all checks pass, and a declared stabiliser acted on the root
    NOT_PHYSICAL = "not physical"  # a check fails


@dataclass(frozen=True)
class AuditCheck:
    """A measured value and its bounds."""

    name: str
    value: float
    bound: float  # upper bound; infinite for a value that is told for information
    unit: str
    meaning: str
    where: str = ""  # where the value is largest: a joint and a time; or more about it
    least: float = -np.inf  # lower bound

    @property
    def passed(self) -> bool:
        """Whether the value is within its bounds; NaN is not."""
        return bool(self.least <= self.value <= self.bound)

    @property
    def limit(self) -> str:
        """The bound in words; empty for information."""
        if np.isfinite(self.least):
            return f"at least {self.least:.3g}"
        return f"at most {self.bound:.3g}" if np.isfinite(self.bound) else ""

    @property
    def text(self) -> str:
        """The check in words."""
        value = f"{self.value:.3g} {self.unit}".rstrip()
        told = f"{self.meaning}: {value}{f', {self.limit}' if self.limit else ''}"
        return f"{told} ({self.where})" if self.where else told

    def as_dict(self) -> dict[str, Any]:
        """Return a table for JSON; infinite numbers, which JSON lacks, become null."""
        table = {**asdict(self), "passed": self.passed}
        return {key: None if isinstance(v, float) and not np.isfinite(v) else v for key, v in table.items()}


@dataclass(frozen=True)
class Verdict:
    """What a recording is called, and why."""

    word: Word
    reasons: tuple[str, ...]  # the failed checks, or what the stabiliser gave, in plain words
    assistance: Effort | None  # of the stabiliser; None if none acted
    unjudged: tuple[str, ...] = ()  # what the recording does not allow to judge

    @classmethod
    def of(cls, checks: Sequence[AuditCheck], assistance: Effort | None, unjudged: Sequence[str] = ()) -> "Verdict":
        """The verdict on the checks of a recording; a stabiliser that gave nothing is None."""
        failed = tuple(check.text for check in checks if not check.passed)
        given = () if assistance is None else (f"a stabiliser holds the root: {assistance.text}",)
        word = Word.NOT_PHYSICAL if failed else Word.ASSISTED if given else Word.PHYSICAL
        return cls(word, (*failed, *given), assistance, tuple(unjudged))

    @property
    def physical(self) -> bool:
        """Whether the word is `physical`."""
        return self.word is Word.PHYSICAL

    def __str__(self) -> str:
        return f"{self.word}: {'; '.join(self.reasons[:3])}" if self.reasons else str(self.word)

    def as_dict(self) -> dict[str, Any]:
        """The keys of the JSON output: the word, whether it is `physical`, reasons, assistance, what is not judged."""
        return {
            "verdict": str(self.word),
            "physical": self.physical,
            "reasons": list(self.reasons),
            "assistance": None if self.assistance is None else asdict(self.assistance),
            "unjudged": list(self.unjudged),
        }
