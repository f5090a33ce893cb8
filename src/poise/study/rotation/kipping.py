"""A kip-up performed once and judged."""

from __future__ import annotations

from dataclasses import dataclass

from poise.control.rotation.flip import Flip
from poise.performance import Performance
from poise.study.rotation.friction import Friction
from poise.study.rotation.stage import SOUND, Rehearsal, of_foot, staged, touching
from poise.world.result import BlowUp

AIRBORNE = 0.1
"""s without any contact, of a kip-up that counts as a flight."""
STANDING = 2.0
"""s on the feet alone, that count as standing."""
UPRIGHT = 0.8
"""m of the centre of mass: whose is higher stands, and crouches no more."""
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
        up = self.flew >= AIRBORNE and self.on_feet and self.stood >= STANDING and self.height >= UPRIGHT
        return up and not self.blew_up


def kip(rehearsal: Rehearsal) -> Kipped:
    """Kip up until something other than feet touches the ground, or standing is long enough."""
    run, world, controller = staged(rehearsal)
    performing = controller.performing
    assert isinstance(performing, Flip)
    down, fell, on_feet, behind, flew = None, None, False, FAR, 0.0
    failure, friction = None, Friction(world)
    try:
        while world.time < rehearsal.seconds and fell is None and not _done(world.time, down):
            links = touching(world, friction.watch(run.step))
            feet = all(of_foot(link) for link in links)
            if performing.stage in ("flight", "land") and down is None:
                flew += world.settings.step if not links else 0.0
                if links and flew >= AIRBORNE:
                    down, on_feet, behind = world.time, feet, performing.behind
            if down is not None and not feet:
                fell = world.time
    except BlowUp as error:
        failure = error
    height, stands, taken = float(world.state.data.subtree_com[1, 2]), controller.stands(), run.take(failure)
    stood = 0.0 if down is None else (fell or world.time) - down
    return Kipped(flew, on_feet, behind, stood, height, stands, failure is not None, friction.driven, taken)


def _done(time: float, down: float | None) -> bool:
    return down is not None and time >= down + STANDING + 1e-9


def score_of_kip(rehearsal: Rehearsal) -> float:
    """Into the air, onto the feet, near them, standing, and up: 7 for all of it, less for friction that drives."""
    kipped = kip(rehearsal)
    flew, stood = min(kipped.flew / AIRBORNE, 1.0), min(kipped.stood / STANDING, 1.0)
    near = 1.0 - min(max(kipped.behind, 0.0) / FAR, 1.0)
    up = min(kipped.height / UPRIGHT, 1.0) if stood == 1.0 else 0.0
    landed = (1.0 + near + 3.0 * stood + up) * kipped.on_feet
    return flew + landed - 30.0 * max(kipped.driven - SOUND, 0.0)
