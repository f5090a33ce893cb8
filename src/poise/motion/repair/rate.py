"""The frame rate of a clip: the file's own, checked against gravity.

Four kinds of evidence are used. In flight the centre of mass falls with g; it never falls faster than g; in single
support the moments of inertia and weight about the standing foot balance; and a figure that stands on both feet does
not tip over. Each is evaluated for the file's rate, its halves and its doubles; the file's rate has the largest prior
probability. The result has a probability and names the evidence that decided.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poise.arrays import Frozen
from poise.motion.clip import Clip
from poise.motion.repair import support_evidence
from poise.motion.repair.bones import leg_length
from poise.motion.repair.finding import Finding, ImportSettings
from poise.motion.repair.point_masses import foot_and_hand_tracks, local_parabolas, mass_points
from poise.motion.roles import Roles

STANDARD = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 75.0, 90.0, 100.0, 120.0, 144.0, 150.0, 180.0, 200.0, 240.0)
DOUBLINGS = (0, -1, 1, -2, 2)  # candidate rates: the file's rate times two to these powers
WINDOW = 0.075  # s to each side for smoothing: a shorter one passes noise, a longer one misses short flights
STILL = 0.1  # m/s at the stated rate: largest speed of a standing foot
NEAR = 0.75  # s around a frame from which the level of the ground is taken
FEWEST = 24  # frames from which the rate can be checked
CERTAIN = 0.8  # probability below which the rate is said to be uncertain
BELIEVED = 0.6  # least probability at which a rate other than the file's is used

# Penalties as natural logarithms of odds: per doubling a priori, and the largest for each kind of evidence.
PRIOR, FLIGHT, PENDULUM, FALL, TIPPING = 2.5, 7.0, 7.0, 9.0, 5.0
RARE, COMMON = 4.5, (10.0, 150.0)  # penalty of rates outside this range (Hz), unless the file states them
# Standard deviations at the right rate: natural logarithms of ratios; for tipping, m.
FLIGHT_SPREAD, PENDULUM_SPREAD = 0.12, 0.15
FULL_RISE = 0.015  # m: total rise of all flights that deserves full trust; less may be a slowed step
FALL_FREE, FALL_SPREAD = 1.3, 0.25  # FREE: largest value without penalty, in g
TIPPING_FREE, TIPPING_SPREAD = 0.03, 0.03  # m


@dataclass(frozen=True)
class RateReading:
    """Evidence in a clip if the clip had a certain candidate rate."""

    pendulum: support_evidence.SingleSupportEvidence | None
    fall: float  # g, largest downward acceleration of the centre of mass
    outside: float | None  # m, distance of the zero moment point outside the feet while standing


@dataclass(frozen=True)
class RateEvidence:
    """All evidence in a clip about its rate."""

    header: float  # Hz, as stated in the file
    flights: tuple[support_evidence.AirbornePhase, ...]
    readings: Mapping[float, RateReading]  # by candidate rate (Hz), the header's first

    @property
    def flight_rate(self) -> float | None:
        """Geometric mean (Hz) of the flights' rates, weighted by rise; None without flights."""
        if not self.flights:
            return None
        rises, rates = np.array([(flight.rise, np.log(flight.rate)) for flight in self.flights]).T
        return float(np.exp(rises @ rates / rises.sum()))

    @property
    def pendulum(self) -> support_evidence.SingleSupportEvidence | None:
        """The most trusted single-support evidence; readings differ because smoothing depends on the assumed rate."""
        seen = [reading.pendulum for reading in self.readings.values() if reading.pendulum]
        return max(seen, key=lambda one: one.trust, default=None)


@dataclass(frozen=True)
class RateVerdict:
    """The most probable rate."""

    rate: float  # Hz
    confidence: float  # probability
    decided_by: str  # the evidence that favours this rate most over the second best, or "header"
    evidence: RateEvidence


def find_rate(clip: Clip, roles: Roles | None, settings: ImportSettings) -> Finding:
    """The finding on the rate at which a clip was captured."""
    stated = standard_frame_rate(clip.rate)
    if settings.rate is not None:
        return _rate_finding("the rate was given", settings.rate, "as asked")
    if roles is None or clip.frames < FEWEST:
        return _rate_finding(f"the file states {stated:g}; nothing to check it by", stated, "as stated")
    seen = rate_verdict(rate_evidence(clip, roles, stated))
    changed = seen.rate != stated and seen.confidence >= BELIEVED
    found = f"the file states {stated:g}; {_rate_evidence_text(seen.evidence)}; likeliest is {seen.rate:g}"
    rate, why = (seen.rate, f"by {seen.decided_by}") if changed else (stated, "as stated")
    sure = seen.confidence if rate == seen.rate else 1 - seen.confidence
    hint = "if it looks too fast or slow, give the rate"
    doubt = "" if sure >= CERTAIN else f", but only {100 * sure:.0f} % sure: {hint}"
    finding = _rate_finding(found, rate, why + doubt)
    return replace(finding, value=finding.value | _rate_values(seen), confidence=sure)


def standard_frame_rate(rate: float) -> float:
    """The standard rate that equals `rate` up to the rounding of frame times (.0083333); other rates are unchanged."""
    nearest = min(STANDARD, key=lambda standard: abs(standard - rate))
    return nearest if abs(nearest / rate - 1) < 5e-4 else rate


def rate_evidence(clip: Clip, roles: Roles, header: float) -> RateEvidence:
    """Evidence on flights, falls, single support and standing, with `header` (Hz) as the stated rate."""
    where, mass, leg = clip.places.position, mass_points(clip, roles), leg_length(clip, roles)

    def rate_reading(doublings: int) -> RateReading:
        step = 2 ** max(doublings, 0)  # at a higher rate fewer frames suffice
        rate = header * 2.0**doublings / step
        half = min(max(2, round(WINDOW * rate)), (clip.frames - 1) // step // 4)
        motion, limbs = local_parabolas(mass.place[::step], half), foot_and_hand_tracks(where[::step], roles, half)
        swing = support_evidence.single_support_evidence(mass, motion, limbs, rate)
        pendulum = swing and replace(swing, rate=swing.rate * step)
        outside = support_evidence.tipping_distance(mass, motion, limbs, leg, STILL / header * step, rate)
        return RateReading(pendulum=pendulum, fall=support_evidence.fastest_fall(mass, motion, rate), outside=outside)

    limbs_only = where[:, sorted(set(roles.joints.values()))]
    flights = support_evidence.flights_in_imported_file(
        mass, limbs_only, leg, near=min(round(NEAR * header), clip.frames)
    )
    return RateEvidence(header, tuple(flights), Frozen({header * 2.0**k: rate_reading(k) for k in DOUBLINGS}))


def rate_verdict(evidence: RateEvidence) -> RateVerdict:
    """The most probable rate given the evidence; without evidence, the file's rate."""
    rates = list(evidence.readings)
    terms = {name: np.array([term(evidence, rate) for rate in rates]) for name, term in _TERMS.items()}
    rare = [rate != evidence.header and not COMMON[0] <= rate <= COMMON[1] for rate in rates]
    against = PRIOR * np.abs(np.log2(np.array(rates) / evidence.header)) + RARE * np.array(rare) + sum(terms.values())
    best, rival = (int(k) for k in np.argsort(against)[:2])
    gains = {name: float(term[rival] - term[best]) for name, term in terms.items()}
    decided = max(gains, key=lambda name: gains[name])
    probability = float(1 / np.exp(against[best] - against).sum())
    return RateVerdict(rates[best], probability, decided if gains[decided] > 0.5 else "header", evidence)


def _flight_penalty(evidence: RateEvidence, rate: float) -> float:
    """Penalty of a rate (Hz), as a logarithm of odds, by the flights."""
    if evidence.flight_rate is None:
        return 0.0
    disagreement = float(np.std([np.log(flight.rate) for flight in evidence.flights]))
    spread = np.hypot(FLIGHT_SPREAD, disagreement) / np.sqrt(min(len(evidence.flights), 3))
    trust = min(1.0, sum(flight.rise for flight in evidence.flights) / FULL_RISE)
    return trust * _bounded_penalty(np.log(rate / evidence.flight_rate) / spread, FLIGHT)


def _pendulum_penalty(evidence: RateEvidence, rate: float) -> float:
    seen = evidence.pendulum
    return 0.0 if seen is None else seen.trust * _bounded_penalty(np.log(rate / seen.rate) / PENDULUM_SPREAD, PENDULUM)


def _fall_penalty(evidence: RateEvidence, rate: float) -> float:
    return _bounded_penalty(np.log(max(evidence.readings[rate].fall / FALL_FREE, 1.0)) / FALL_SPREAD, FALL)


def _tipping_penalty(evidence: RateEvidence, rate: float) -> float:
    outside = evidence.readings[rate].outside
    return 0.0 if outside is None else _bounded_penalty(max(outside - TIPPING_FREE, 0.0) / TIPPING_SPREAD, TIPPING)


_TERMS = {"flight": _flight_penalty, "pendulum": _pendulum_penalty, "fall": _fall_penalty, "tipping": _tipping_penalty}


def _bounded_penalty(deviations: float, most: float) -> float:
    """Half the square of a number of standard deviations, bounded so that one wrong reading cannot outvote the rest."""
    return float(min(deviations**2 / 2, most))


def _rate_evidence_text(evidence: RateEvidence) -> str:
    """The evidence with its numbers, as text for the report."""
    clauses = []
    if evidence.flight_rate is not None:
        count = len(evidence.flights)
        fall = "flights fall" if count > 1 else "flight falls"
        clauses.append(f"{count} {fall} with g at {evidence.flight_rate:.0f}")
    if (swing := evidence.pendulum) is not None and swing.trust > 0.2:
        balance = f"balance at {swing.rate:.0f} (correlation {swing.agreement:.2f})"
        clauses.append(f"{swing.supports} single supports {balance}")
    reading = evidence.readings[evidence.header]
    clauses.append(f"at {evidence.header:g} the centre of mass falls with {reading.fall:.1f} g at most")
    if reading.outside is not None and reading.outside > 0:
        clauses.append(f"the ground force while standing acts {reading.outside * 100:.0f} cm outside the feet")
    return ", ".join(clauses)


def _rate_finding(found: str, rate: float, why: str) -> Finding:
    return Finding("rate", found, f"{rate:g} frames per second, {why}", "rate=FPS", {"rate": rate})


def _rate_values(seen: RateVerdict) -> dict[str, Any]:
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
