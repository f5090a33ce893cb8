"""The frame rate of an import: what the file states, what gravity says, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from poise.motion.clip import Clip
from poise.motion.repair.finding import Finding
from poise.motion.repair.gravity.evidence import RateEvidence, RateVerdict, rate_evidence, snapped, verdict
from poise.motion.repair.settings import ImportSettings
from poise.motion.roles import Roles

FEWEST = 24  # frames from which anything can be told
BELIEVED = 0.6  # a rate other than the file's must be at least this probable


def find_rate(clip: Clip, roles: Roles | None, settings: ImportSettings) -> Finding:
    """The rate that a clip was captured at."""
    stated = snapped(clip.rate)
    if settings.rate is not None:
        return _finding("its rate was given", settings.rate, "as asked")
    if roles is None or clip.frames < FEWEST:
        return _finding(f"the file states {stated:g}; nothing to check it by", stated, "as stated")
    seen = verdict(rate_evidence(clip, roles, stated))
    changed = seen.rate != stated and seen.confidence >= BELIEVED
    found = f"the file states {stated:g}; {in_words(seen.evidence)}; likeliest is {seen.rate:g}"
    finding = _finding(found, seen.rate if changed else stated, f"by {seen.decided_by}" if changed else "as stated")
    return replace(
        finding, value=finding.value | _value(seen), confidence=seen.confidence if changed else _stated(seen)
    )


def in_words(evidence: RateEvidence) -> str:
    """What gravity says, with its numbers."""
    said = []
    if evidence.flight_rate is not None:
        count = len(evidence.flights)
        said.append(f"{count} flight{'s' if count > 1 else ''} fall{'' if count > 1 else 's'} with g at "
                    f"{evidence.flight_rate:.0f}")  # fmt: skip
    if (swing := evidence.pendulum) is not None and swing.trust > 0.2:
        said.append(f"{swing.supports} single supports balance at {swing.rate:.0f} (correlation {swing.agreement:.2f})")
    reading = evidence.readings[evidence.header]
    said.append(f"at {evidence.header:g} the centre of mass falls with {reading.fall:.1f} g at most")
    if reading.outside is not None and reading.outside > 0:
        said.append(f"the force of standing acts {reading.outside * 100:.0f} cm outside the feet")
    return ", ".join(said)


def _finding(found: str, rate: float, why: str) -> Finding:
    return Finding("rate", found, f"{rate:g} frames per second, {why}", "rate=FPS", {"rate": rate})


def _stated(seen: RateVerdict) -> float:
    return seen.confidence if seen.rate == seen.evidence.header else 1 - seen.confidence


def _value(seen: RateVerdict) -> dict[str, Any]:
    evidence = seen.evidence
    swing, reading = evidence.pendulum, evidence.readings[evidence.header]
    return {
        "decided_by": seen.decided_by,
        "header": evidence.header,
        "flights": len(evidence.flights),
        "flight_rate": evidence.flight_rate,
        "pendulum_rate": None if swing is None else swing.rate,
        "pendulum_agreement": None if swing is None else swing.agreement,
        "supports": 0 if swing is None else swing.supports,
        "fall_g": reading.fall,
        "outside_m": reading.outside,
    }
