"""A handspring, or several in a row, performed once and judged."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.control.rotation.handspring import Handspring
from poise.performance import Performance
from poise.study.rotation.friction import Friction
from poise.study.rotation.stage import SOUND, Rehearsal, of_foot, staged, touching
from poise.world.result import BlowUp

AIRBORNE = 0.03
"""s without any contact, of a flight that counts."""
STANDING = 2.0
"""s on the feet alone, that count as standing."""
UPRIGHT = 0.8
"""m of the centre of mass: who is higher stands, and crouches no more."""
_HANDS = ("_hand", "_forearm")


@dataclass(frozen=True)
class Support:
    """A time on the feet, on the hands, or on something else; what comes off the ground between is part of it."""

    on: str  # feet, hands or else
    start: float  # s
    end: float  # s


@dataclass(frozen=True)
class Sprung:
    """What came of handsprings."""

    springs: int  # that were asked for
    supports: tuple[Support, ...]
    turned: float  # degrees of the pelvis when the last support began
    height: float  # m of the centre of mass at the end
    blew_up: bool
    driven: float  # of friction's work, that of the worst second
    performance: Performance

    @property
    def flights(self) -> tuple[float, ...]:
        """s of each, from one support to the next."""
        return tuple(after.start - before.end for before, after in pairwise(self.supports))

    @property
    def right(self) -> int:
        """How many supports came as they should after the first one: hands, feet, hands, feet."""
        wanted = self.springs * ("hands", "feet")
        flown = zip(self.supports[1:], wanted, self.flights, strict=False)
        good = [support.on == on and flight >= AIRBORNE for support, on, flight in flown]
        return good.index(False) if False in good else len(good)

    @property
    def stood(self) -> float:
        """s on the feet after the last spring, until anything else touched the ground."""
        whole = 2 * self.springs
        return self.supports[whole].end - self.supports[whole].start if self.right == whole else 0.0

    @property
    def succeeded(self) -> bool:
        """Onto the hands, onto the feet, and up, through the air each time."""
        return self.stood >= STANDING and self.height > UPRIGHT and not self.blew_up


def spring(rehearsal: Rehearsal) -> Sprung:
    """Spring until it has stood for long enough, or something else than hands and feet touches the ground."""
    run, world, controller = staged(rehearsal)
    performing = controller.performing
    assert isinstance(performing, Handspring)
    supports: list[Support] = []
    turned, failure, friction = 0.0, None, Friction(world)
    try:
        while world.time < rehearsal.seconds and not _over(supports, performing.springs):
            links = touching(world, friction.watch(run.step))
            if not links:
                continue
            on, start = _on(links), world.time
            if supports and supports[-1].on == on:
                start = supports.pop().start
            else:
                turned = float(np.degrees(performing.pitch))
            supports.append(Support(on, start, world.time))
    except BlowUp as error:
        failure = error
    height = float(world.state.data.subtree_com[1, 2])
    taken = run.take(failure)
    return Sprung(performing.springs, tuple(supports), turned, height, failure is not None, friction.driven, taken)


def _on(links: set[str]) -> str:
    if all(of_foot(link) for link in links):
        return "feet"
    return "hands" if all(link.endswith(_HANDS) for link in links) else "else"


def _over(supports: list[Support], springs: int) -> bool:
    if not supports:
        return False
    last = supports[-1]
    return last.on == "else" or (len(supports) == 2 * springs + 1 and last.end - last.start >= STANDING)


def score_of_spring(rehearsal: Rehearsal) -> float:
    """Supports that come as they should, how far round, and standing: 6 and more for all, less for driving friction."""
    sprung = spring(rehearsal)
    round_ = min(abs(sprung.turned) / (310.0 + 360.0 * (sprung.springs - 1)), 1.0)
    stood, up = min(sprung.stood / STANDING, 1.0), min(sprung.height / UPRIGHT, 1.0)
    return sprung.right + round_ + 2.0 * stood + up * (stood == 1.0) - 30.0 * max(sprung.driven - SOUND, 0.0)
