"""What a behaviour file says: poses by angles in degrees, numbers for the controller, and what a search may change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from poise.frozen import Array, Frozen
from poise.reference.authoring.figure import LIMB_ANGLES
from poise.reference.retarget_figure import SIDES


@dataclass(frozen=True)
class Freedom:
    """How far a search goes at first from a number, or from each of several."""

    spread: float  # of the number's own unit, or a share of the number
    relative: bool  # whether it is a share; such numbers keep their sign


@dataclass(frozen=True, eq=False)
class Behaviour:
    """A behaviour, before it is put on a body."""

    name: str
    title: str
    kind: str  # roll, flip, kip, dive or handspring: who reads the rest
    body: str
    path: Path
    control: Mapping[str, float]  # numbers for the controller, by name
    at: tuple[float, ...]  # where the poses are: turns, or seconds
    poses: Mapping[str, tuple[float, ...]]  # degrees at each of them, by angle
    start: Mapping[str, float]  # numbers for the beginning
    free: Mapping[str, Freedom] = field(default_factory=Frozen)  # of control, poses and start, by name
    rate: float = 60.0  # Hz at which it is controlled and simulated, unless somebody asks for another
    into: str | None = None  # the roll in which a dive ends
    limits: str | None = None  # set of torque limits; the body's own if not given

    def angles(self, at: Mapping[str, Array]) -> dict[str, Array]:
        """Angles by their full names: limbs that name no side are both."""
        out: dict[str, Array] = {}
        for name in sorted(at, key=lambda word: word.startswith(SIDES)):
            for each in [f"{side}_{name}" for side in SIDES] if name in LIMB_ANGLES else [name]:
                out[each] = at[name]
        return out

    @cached_property
    def _places(self) -> tuple[tuple[str, str, int], ...]:
        """Of each free number: table, name, and place in its list."""
        out = []
        for name in self.free:
            if name in self.poses:
                out += [("poses", name, k) for k in range(len(self.poses[name]))]
            else:
                out.append(("control" if name in self.control else "start", name, 0))
        return tuple(out)

    def _number(self, table: str, name: str, k: int) -> float:
        return self.poses[name][k] if table == "poses" else getattr(self, table)[name]

    @property
    def freedom(self) -> int:
        """How many numbers are free."""
        return len(self._places)

    @property
    def free_numbers(self) -> list[tuple[str, str, float | tuple[float, ...]]]:
        """Of each that is free: table, name, and the number or numbers."""
        places = dict.fromkeys((table, name) for table, name, _ in self._places)
        return [(table, name, getattr(self, table)[name]) for table, name in places]

    def varied(self, by: Array) -> Behaviour:
        """Another whose free numbers are so many spreads (n,) away from this one's."""
        changed: dict[str, dict[str, object]] = {
            "control": dict(self.control),
            "start": dict(self.start),
            "poses": {name: list(values) for name, values in self.poses.items()},
        }
        for (table, name, k), steps in zip(self._places, by, strict=True):
            freedom, old = self.free[name], self._number(table, name, k)
            new = old * float(np.exp(freedom.spread * steps)) if freedom.relative else old + freedom.spread * steps
            if table == "poses":
                changed["poses"][name][k] = float(new)  # type: ignore[index]
            else:
                changed[table][name] = float(new)
        poses = {name: tuple(values) for name, values in changed["poses"].items()}  # type: ignore[var-annotated, arg-type]
        return replace(
            self,
            control=Frozen(changed["control"]),  # type: ignore[arg-type]
            start=Frozen(changed["start"]),  # type: ignore[arg-type]
            poses=Frozen(poses),
        )
