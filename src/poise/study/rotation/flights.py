"""A handspring, or several in a row, performed once and judged."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.control.rotation.dive import Dive
from poise.control.rotation.flip import Flip
from poise.control.rotation.handspring import Handspring
from poise.performance.run import Performance
from poise.study.rotation.stage import SOUND, BehaviourTrial, Friction, of_foot, staged, touching_links
from poise.world.result import BlowUp
from poise.world.world import World

# A dive performed once and judged.

DIVE_AIRBORNE = 0.15
"""s without any contact, of a leap that counts as a flight."""
ROLLED = 0.6
"""Turns from the hands onto the feet: a roll that counts."""
DIVE_STANDING = 1.0
"""s on the feet alone, that count as standing."""
UPRIGHT = 0.8
"""m of the centre of mass above the ground: whose is higher stands, and crouches no more."""
_HANDS = ("_hand", "_forearm")


@dataclass(frozen=True)
class Dived:
    """What came of a dive."""

    flew: float  # s without any contact
    on_hands: bool  # whether it came down on hands or forearms, and on nothing else
    turns: float  # of the roll, since then
    height: float  # m of the centre of mass above the ground at the end
    stood: float  # s that it stood at the end
    blew_up: bool
    driven: float  # of friction's work, that of the worst second
    performance: Performance

    @property
    def succeeded(self) -> bool:
        """A flight, onto the hands, over, and up."""
        rolled = self.flew >= DIVE_AIRBORNE and self.on_hands and self.turns >= ROLLED
        return rolled and self.stood >= DIVE_STANDING and not self.blew_up


def dive(rehearsal: BehaviourTrial) -> Dived:
    """Dive and roll until it has stood for long enough or the time is up."""
    run, world, controller = staged(rehearsal)
    performing = controller.performing
    assert isinstance(performing, Dive)
    on_hands, landed, flew, turns, stood = False, False, 0.0, 0.0, 0.0
    failure, friction = None, Friction(world)
    try:
        while world.time < rehearsal.seconds and stood < DIVE_STANDING:
            links = touching_links(world, friction.watch(run.step))
            if performing.stage not in ("squat", "push") and not landed:
                flew += world.settings.step if not links else 0.0
                landed = bool(links) and performing.stage == "roll"
                on_hands = landed and all(link.endswith(_HANDS) for link in links)
            turns = max(turns, performing.roll.turned)
            up = landed and _height(world) > UPRIGHT and all(of_foot(link) for link in links)
            stood = stood + world.settings.step if up else 0.0
    except BlowUp as error:
        failure = error
    height, taken = _height(world), run.take(failure)
    return Dived(flew, on_hands, turns, height, stood, failure is not None, friction.driven, taken)


def _height(world: World) -> float:
    """m of the centre of mass above the ground."""
    x, y, z = world.state.data.subtree_com[1]
    return float(z - world.scene.terrain.height(x, y))


def score_of_dive(rehearsal: BehaviourTrial) -> float:
    """A flight, onto the hands, over, up, and standing: 6 for all of it, less for friction that drives."""
    dived = dive(rehearsal)
    flew, over = min(dived.flew / DIVE_AIRBORNE, 1.0), min(dived.turns / ROLLED, 1.0)
    up, stood = min(dived.height / UPRIGHT, 1.0), min(dived.stood / DIVE_STANDING, 1.0)
    return flew + (1.0 + over + up + 2.0 * stood) * dived.on_hands * flew - 30.0 * max(dived.driven - SOUND, 0.0)


# A kip-up performed once and judged.

KIP_AIRBORNE = 0.1
"""s without any contact, of a kip-up that counts as a flight."""
KIP_STANDING = 2.0
"""s on the feet alone, that count as standing."""
FAR = 0.5
"""m of the centre of mass behind the ankles at touch-down: from there nobody comes up."""


@dataclass(frozen=True)
class Kipped:
    """What came of a kip-up."""

    flew: float  # s without any contact
    on_feet: bool  # whether it came down on its feet, and on nothing else
    behind: float  # m of the centre of mass behind the ankles then
    stood: float  # s from there until anything but feet touched the ground, or the time was up
    height: float  # m of the centre of mass at the end
    stands: bool  # whether another controller may take over
    blew_up: bool
    driven: float  # of friction's work, that of the worst second
    performance: Performance

    @property
    def succeeded(self) -> bool:
        """Into the air, onto the feet, and up."""
        up = self.flew >= KIP_AIRBORNE and self.on_feet and self.stood >= KIP_STANDING and self.height >= UPRIGHT
        return up and not self.blew_up


def kip(rehearsal: BehaviourTrial) -> Kipped:
    """Kip up until something other than feet touches the ground, or standing is long enough."""
    run, world, controller = staged(rehearsal)
    performing = controller.performing
    assert isinstance(performing, Flip)
    down, fell, on_feet, behind, flew = None, None, False, FAR, 0.0
    failure, friction = None, Friction(world)
    try:
        while world.time < rehearsal.seconds and fell is None and not _done(world.time, down):
            links = touching_links(world, friction.watch(run.step))
            feet = all(of_foot(link) for link in links)
            if performing.stage in ("flight", "land") and down is None:
                flew += world.settings.step if not links else 0.0
                if links and flew >= KIP_AIRBORNE:
                    down, on_feet, behind = world.time, feet, performing.behind
            if down is not None and not feet:
                fell = world.time
    except BlowUp as error:
        failure = error
    height, stands, taken = float(world.state.data.subtree_com[1, 2]), controller.stands(), run.take(failure)
    stood = 0.0 if down is None else (fell or world.time) - down
    return Kipped(flew, on_feet, behind, stood, height, stands, failure is not None, friction.driven, taken)


def _done(time: float, down: float | None) -> bool:
    return down is not None and time >= down + KIP_STANDING + 1e-9


def score_of_kip(rehearsal: BehaviourTrial) -> float:
    """Into the air, onto the feet, near them, standing, and up: 7 for all of it, less for friction that drives."""
    kipped = kip(rehearsal)
    flew, stood = min(kipped.flew / KIP_AIRBORNE, 1.0), min(kipped.stood / KIP_STANDING, 1.0)
    near = 1.0 - min(max(kipped.behind, 0.0) / FAR, 1.0)
    up = min(kipped.height / UPRIGHT, 1.0) if stood == 1.0 else 0.0
    landed = (1.0 + near + 3.0 * stood + up) * kipped.on_feet
    return flew + landed - 30.0 * max(kipped.driven - SOUND, 0.0)


SPRING_AIRBORNE = 0.03
"""s without any contact, of a flight that counts."""
SPRING_STANDING = 2.0
"""s on the feet alone, that count as standing."""


@dataclass(frozen=True)
class SupportPhase:
    """A time on the feet, on the hands, or on something else; what comes off the ground between is part of it."""

    on: str  # feet, hands or else
    start: float  # s
    end: float  # s


@dataclass(frozen=True)
class Sprung:
    """What came of handsprings."""

    springs: int  # that were asked for
    supports: tuple[SupportPhase, ...]
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
        good = [support.on == on and flight >= SPRING_AIRBORNE for support, on, flight in flown]
        return good.index(False) if False in good else len(good)

    @property
    def stood(self) -> float:
        """s on the feet after the last spring, until anything else touched the ground."""
        whole = 2 * self.springs
        return self.supports[whole].end - self.supports[whole].start if self.right == whole else 0.0

    @property
    def succeeded(self) -> bool:
        """Onto the hands, onto the feet, and up, through the air each time."""
        return self.stood >= SPRING_STANDING and self.height > UPRIGHT and not self.blew_up


def spring(rehearsal: BehaviourTrial) -> Sprung:
    """Spring until it has stood for long enough, or something else than hands and feet touches the ground."""
    run, world, controller = staged(rehearsal)
    performing = controller.performing
    assert isinstance(performing, Handspring)
    supports: list[SupportPhase] = []
    turned, failure, friction = 0.0, None, Friction(world)
    try:
        while world.time < rehearsal.seconds and not _over(supports, performing.springs):
            links = touching_links(world, friction.watch(run.step))
            if not links:
                continue
            on, start = _on(links), world.time
            if supports and supports[-1].on == on:
                start = supports.pop().start
            else:
                turned = float(np.degrees(performing.pitch))
            supports.append(SupportPhase(on, start, world.time))
    except BlowUp as error:
        failure = error
    height = float(world.state.data.subtree_com[1, 2])
    taken = run.take(failure)
    return Sprung(performing.springs, tuple(supports), turned, height, failure is not None, friction.driven, taken)


def _on(links: set[str]) -> str:
    if all(of_foot(link) for link in links):
        return "feet"
    return "hands" if all(link.endswith(_HANDS) for link in links) else "else"


def _over(supports: list[SupportPhase], springs: int) -> bool:
    if not supports:
        return False
    last = supports[-1]
    return last.on == "else" or (len(supports) == 2 * springs + 1 and last.end - last.start >= SPRING_STANDING)


def score_of_spring(rehearsal: BehaviourTrial) -> float:
    """Supports that come as they should, how far round, and standing: 6 and more for all, less for driving friction."""
    sprung = spring(rehearsal)
    round_ = min(abs(sprung.turned) / (310.0 + 360.0 * (sprung.springs - 1)), 1.0)
    stood, up = min(sprung.stood / SPRING_STANDING, 1.0), min(sprung.height / UPRIGHT, 1.0)
    return sprung.right + round_ + 2.0 * stood + up * (stood == 1.0) - 30.0 * max(sprung.driven - SOUND, 0.0)
