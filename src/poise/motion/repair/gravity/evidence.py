"""The frame rate that gravity confirms.

Four kinds of evidence, all against the one clock a figure cannot cheat: flights fall with g; nobody falls faster than
g; about one standing foot inertia balances weight; and whoever stands on two does not tip over. Each judges the file's
own rate and its halves and doubles, the file's being the likeliest beforehand. The winner comes with its probability
and with what decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from poise.frozen import Frozen
from poise.motion.clip import Clip
from poise.motion.repair.gravity.extremities import extremities
from poise.motion.repair.gravity.falling import fastest_fall
from poise.motion.repair.gravity.flight import Flight, find_flights
from poise.motion.repair.gravity.masses import mass_points
from poise.motion.repair.gravity.pendulum import Pendulum, pendulum
from poise.motion.repair.gravity.smooth import smoothed
from poise.motion.repair.gravity.tipping import tipping
from poise.motion.repair.lengths import leg_length
from poise.motion.roles import Roles

STANDARD = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 75.0, 90.0, 100.0, 120.0, 144.0, 150.0, 180.0, 200.0, 240.0)
DOUBLINGS = (0, -1, 1, -2, 2)
WINDOW = 0.075  # s to each side: less sees the jerks of the data, more misses short flights
STILL = 0.1  # m/s at the stated rate, a standing foot
NEAR = 0.75  # s around a frame in which the level of the ground is looked for

# Natural logarithms of odds: what speaks against a rate at most, and before anything was seen.
PRIOR, FLIGHT, PENDULUM, FALL, TIPPING = 2.5, 7.0, 7.0, 9.0, 5.0
RARE, COMMON = 4.5, (10.0, 150.0)  # against other rates than these, unless the file states them
# How far right rates stray: logarithms of ratios for flights and pendulums; g and m for falls and tipping.
FLIGHT_SPREAD, PENDULUM_SPREAD = 0.12, 0.15
FULL_RISE = 0.015  # m that all flights together rise, to be worth full trust: less may be a step that something slows
FALL_FREE, FALL_SPREAD = 1.3, 0.25
TIPPING_FREE, TIPPING_SPREAD = 0.03, 0.03


@dataclass(frozen=True)
class Reading:
    """What a clip shows if it has a certain rate."""

    pendulum: Pendulum | None
    fall: float  # g, the fastest of the centre of mass
    outside: float | None  # m, how far the force of standing acts outside the feet


@dataclass(frozen=True)
class RateEvidence:
    """What a clip shows about its rate."""

    header: float  # frames per second, as the file states
    flights: tuple[Flight, ...]
    readings: Mapping[float, Reading]  # by candidate rate, the header's first

    @property
    def flight_rate(self) -> float | None:
        """What the flights say, the higher ones counting more."""
        if not self.flights:
            return None
        rises, rates = np.array([(flight.rise, np.log(flight.rate)) for flight in self.flights]).T
        return float(np.exp(rises @ rates / rises.sum()))

    @property
    def pendulum(self) -> Pendulum | None:
        """The most trustworthy of the readings: how much smoothing a clip needs depends on its rate."""
        seen = [reading.pendulum for reading in self.readings.values() if reading.pendulum]
        return max(seen, key=lambda one: one.trust, default=None)


@dataclass(frozen=True)
class RateVerdict:
    """The likeliest rate."""

    rate: float
    confidence: float  # probability
    decided_by: str  # the evidence that speaks most for it against its best rival, or "header"
    evidence: RateEvidence


def snapped(rate: float) -> float:
    """The standard rate that a rounded frame time (.0083333) means; other rates as they are."""
    nearest = min(STANDARD, key=lambda standard: abs(standard - rate))
    return nearest if abs(nearest / rate - 1) < 5e-4 else rate


def rate_evidence(clip: Clip, roles: Roles, header: float) -> RateEvidence:
    """Look for flights, falls and single supports, and at how the figure stands, if the file states a rate."""
    where, mass, leg = clip.places.position, mass_points(clip, roles), leg_length(clip, roles)

    def reading(doublings: int) -> Reading:
        step = 2 ** max(doublings, 0)  # slower motion needs fewer frames
        rate = header * 2.0**doublings / step
        half = min(max(2, round(WINDOW * rate)), (clip.frames - 1) // step // 4)
        motion, limbs = smoothed(mass.place[::step], half), extremities(where[::step], roles, half)
        swing = pendulum(mass, motion, limbs, rate)
        return Reading(
            pendulum=swing and replace(swing, rate=swing.rate * step),
            fall=fastest_fall(mass, motion, rate),
            outside=tipping(mass, motion, limbs, leg, STILL / header * step, rate),
        )

    limbs_only = where[:, sorted(set(roles.joints.values()))]
    flights = find_flights(mass, limbs_only, leg, near=min(round(NEAR * header), clip.frames))
    return RateEvidence(header, tuple(flights), Frozen({header * 2.0**k: reading(k) for k in DOUBLINGS}))


def verdict(evidence: RateEvidence) -> RateVerdict:
    """Weigh the evidence; without any the file is believed."""
    rates = list(evidence.readings)
    terms = {name: np.array([term(evidence, rate) for rate in rates]) for name, term in _TERMS.items()}
    rare = [rate != evidence.header and not COMMON[0] <= rate <= COMMON[1] for rate in rates]
    against = PRIOR * np.abs(np.log2(np.array(rates) / evidence.header)) + RARE * np.array(rare) + sum(terms.values())
    best, rival = (int(k) for k in np.argsort(against)[:2])
    gains = {name: float(term[rival] - term[best]) for name, term in terms.items()}
    decided = max(gains, key=lambda name: gains[name])
    probability = float(1 / np.exp(against[best] - against).sum())
    return RateVerdict(rates[best], probability, decided if gains[decided] > 0.5 else "header", evidence)


def _against_flights(evidence: RateEvidence, rate: float) -> float:
    if evidence.flight_rate is None:
        return 0.0
    disagreement = float(np.std([np.log(flight.rate) for flight in evidence.flights]))
    spread = np.hypot(FLIGHT_SPREAD, disagreement) / np.sqrt(min(len(evidence.flights), 3))
    trust = min(1.0, sum(flight.rise for flight in evidence.flights) / FULL_RISE)
    return trust * _misfit(np.log(rate / evidence.flight_rate) / spread, FLIGHT)


def _against_pendulum(evidence: RateEvidence, rate: float) -> float:
    seen = evidence.pendulum
    return 0.0 if seen is None else seen.trust * _misfit(np.log(rate / seen.rate) / PENDULUM_SPREAD, PENDULUM)


def _against_fall(evidence: RateEvidence, rate: float) -> float:
    return _misfit(np.log(max(evidence.readings[rate].fall / FALL_FREE, 1.0)) / FALL_SPREAD, FALL)


def _against_tipping(evidence: RateEvidence, rate: float) -> float:
    outside = evidence.readings[rate].outside
    return 0.0 if outside is None else _misfit(max(outside - TIPPING_FREE, 0.0) / TIPPING_SPREAD, TIPPING)


_TERMS = {
    "flight": _against_flights,
    "pendulum": _against_pendulum,
    "fall": _against_fall,
    "tipping": _against_tipping,
}


def _misfit(deviations: float, most: float) -> float:
    """Half the square, bounded: one wrong reading must not outvote the rest."""
    return float(min(deviations**2 / 2, most))
