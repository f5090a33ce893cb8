"""A dive performed once and judged."""

from __future__ import annotations

from dataclasses import dataclass

from poise.control.rotation.dive import Dive
from poise.performance import Performance
from poise.study.rotation.friction import Friction
from poise.study.rotation.stage import SOUND, Rehearsal, of_foot, staged, touching
from poise.world.result import BlowUp
from poise.world.world import World

AIRBORNE = 0.15
"""s without any contact, of a leap that counts as a flight."""
ROLLED = 0.6
"""Turns from the hands onto the feet: a roll that counts."""
STANDING = 1.0
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
        rolled = self.flew >= AIRBORNE and self.on_hands and self.turns >= ROLLED
        return rolled and self.stood >= STANDING and not self.blew_up


def dive(rehearsal: Rehearsal) -> Dived:
    """Dive and roll until it has stood for long enough or the time is up."""
    run, world, controller = staged(rehearsal)
    performing = controller.performing
    assert isinstance(performing, Dive)
    on_hands, landed, flew, turns, stood = False, False, 0.0, 0.0, 0.0
    failure, friction = None, Friction(world)
    try:
        while world.time < rehearsal.seconds and stood < STANDING:
            links = touching(world, friction.watch(run.step))
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


def score_of_dive(rehearsal: Rehearsal) -> float:
    """A flight, onto the hands, over, up, and standing: 6 for all of it, less for friction that drives."""
    dived = dive(rehearsal)
    flew, over = min(dived.flew / AIRBORNE, 1.0), min(dived.turns / ROLLED, 1.0)
    up, stood = min(dived.height / UPRIGHT, 1.0), min(dived.stood / STANDING, 1.0)
    return flew + (1.0 + over + up + 2.0 * stood) * dived.on_hands * flew - 30.0 * max(dived.driven - SOUND, 0.0)
