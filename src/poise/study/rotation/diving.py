"""A dive performed once and judged."""

from __future__ import annotations

from dataclasses import dataclass

from poise.control.rotation.dive import Dive
from poise.performance import Performance
from poise.study.rotation.friction import Friction
from poise.study.rotation.stage import SOUND, Rehearsal, staged, touching
from poise.world.result import BlowUp

AIRBORNE = 0.15
"""s without any contact, of a leap that counts as a flight."""
ROLLED = 0.7
"""Turns from the hands onto the feet: a roll that counts."""
_HANDS = ("_hand", "_forearm")


@dataclass(frozen=True)
class Dived:
    """What came of a dive."""

    flew: float  # s without any contact
    on_hands: bool  # whether it came down on hands or forearms, and on nothing else
    turns: float  # of the roll, since then
    stood: bool  # whether it stood at the end, as its roll may
    blew_up: bool
    driven: float  # of friction's work, that of the worst second
    performance: Performance

    @property
    def succeeded(self) -> bool:
        """A flight, onto the hands, and over."""
        return self.flew >= AIRBORNE and self.on_hands and self.turns >= ROLLED and not self.blew_up


def dive(rehearsal: Rehearsal) -> Dived:
    """Dive and roll until it stands or the time is up."""
    run, world, controller = staged(rehearsal)
    performing = controller.performing
    assert isinstance(performing, Dive)
    on_hands, landed, flew, turns = False, False, 0.0, 0.0
    failure, friction = None, Friction(world)
    try:
        while world.time < rehearsal.seconds and not performing.stands():
            links = touching(world, friction.watch(run.step))
            if performing.stage not in ("squat", "push") and not landed:
                flew += world.settings.step if not links else 0.0
                landed = bool(links) and performing.stage == "roll"
                on_hands = landed and all(link.endswith(_HANDS) for link in links)
            turns = max(turns, performing.roll.turned)
    except BlowUp as error:
        failure = error
    taken = run.take(failure)
    return Dived(flew, on_hands, turns, performing.stands(), failure is not None, friction.driven, taken)


def score_of_dive(rehearsal: Rehearsal) -> float:
    """A flight, onto the hands, over, and standing: 5 for all of it, less for friction that drives."""
    dived = dive(rehearsal)
    flew = min(dived.flew / AIRBORNE, 1.0)
    over = min(dived.turns / ROLLED, 1.0)
    return flew + (1.0 + 2.0 * over + dived.stood) * dived.on_hands * flew - 30.0 * max(dived.driven - SOUND, 0.0)
