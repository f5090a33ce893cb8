"""The written form of a gait: curves of gait analysis over one cycle, and when feet are down.

Limb curves are told for the left; the right side does the same half a cycle later. Curves of the middle of the body are
told for half a cycle: the other half mirrors it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from poise.errors import unknown
from poise.frozen import Array, Frozen
from poise.reference.authoring.curves import CYCLE, Curve
from poise.reference.authoring.figure import LIMB_ANGLES, MIDDLE_ANGLES
from poise.reference.authoring.source import Source

HIPS = 0.93  # m: height of the hips of the figure that sources are written for
ENDS = ("heel", "ball", "ball_with_toes", "tip")  # the ball rises earlier where toes are hinged to the foot
_TURNING = ("_rotation", "_list", "_bend")  # angles of the middle that change sign between left and right
_FIELDS = ("kind", "title", "speed", "cadence", "load", "sway", "surge", "down", "curves")


@dataclass(frozen=True, eq=False)
class Gait:
    """A gait of a figure whose hips are HIPS high."""

    name: str
    speed: float  # m/s
    cadence: float  # steps per minute
    down: Mapping[str, tuple[float, float]]  # ENDS of the left foot: percent of the cycle
    load: Curve  # on the left foot while it bears, of body weight; both feet's is scaled to it on the average
    bounce: float  # how much of what the load differs from body weight lifts the centre of mass; 1 obeys gravity
    sway: Curve  # m, the centre of mass to the left
    surge: Curve  # m, the centre of mass before where a steady walk has it
    limbs: Mapping[str, Curve]  # degrees, of the left side
    middle: Mapping[str, Curve]  # degrees

    @property
    def seconds(self) -> float:
        """Of a cycle: two steps."""
        return 120.0 / self.cadence

    def angles(self, percent: Array) -> dict[str, Array]:
        """Degrees (T,) of all angles at percents (T,)."""
        left = {f"left_{name}": curve(percent) for name, curve in self.limbs.items()}
        right = {f"right_{name}": curve(percent + CYCLE / 2) for name, curve in self.limbs.items()}
        return left | right | {name: curve(percent) for name, curve in self.middle.items()}

    def sized(self, hips: float) -> Gait:
        """The gait of a figure of another size: dynamically alike, as equal Froude numbers make it."""
        size = hips / HIPS
        return replace(
            self,
            speed=self.speed * size**0.5,
            cadence=self.cadence / size**0.5,
            sway=self.sway.scaled(size),
            surge=self.surge.scaled(size),
        )


def read_gait(source: Source) -> Gait:
    """The gait of a source file."""
    source.check(_FIELDS)
    curves = {name: _curve(source, name, text) for name, text in source.section("curves").items()}
    for name in curves:
        if name not in (*LIMB_ANGLES, *MIDDLE_ANGLES):
            raise unknown(f"curve in {source.path.name}", name, (*LIMB_ANGLES, *MIDDLE_ANGLES))
    down = source.section("down")
    return Gait(
        name=source.name,
        speed=source.positive("speed"),
        cadence=source.positive("cadence"),
        down=Frozen({end: _interval(source, end, down.get(end)) for end in ENDS}),
        load=_curve(source, "load", source.text("load")),
        bounce=1.0,
        sway=_curve(source, "sway", source.text("sway")).continued(-1.0),
        surge=_curve(source, "surge", source.text("surge")).continued(1.0),
        limbs=Frozen({name: curve for name, curve in curves.items() if name in LIMB_ANGLES}),
        middle=Frozen({name: _continued(name, curve) for name, curve in curves.items() if name in MIDDLE_ANGLES}),
    )


def _curve(source: Source, name: str, text: object) -> Curve:
    try:
        return Curve.parse(str(text))
    except ValueError as error:
        raise source.fail(f"curve '{name}' {error}") from None


def _continued(name: str, curve: Curve) -> Curve:
    return curve.continued(-1.0 if name.endswith(_TURNING) else 1.0)


def _interval(source: Source, end: str, told: object) -> tuple[float, float]:
    start, stop = source.interval(f"'{end}' in [down]", told)
    if not 0 <= start < stop < CYCLE:
        raise source.fail(f"'{end}' in [down] must be in percent of the cycle, from 0 to below 100, not {told!r}")
    return start, stop
