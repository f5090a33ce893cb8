"""What every controller offers, and what it may know of the world."""

from __future__ import annotations

from collections.abc import Callable, Hashable, MutableMapping
from typing import Any, Protocol, runtime_checkable

from poise.arrays import Array
from poise.body.body import Body
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.reference.reference import Reference


class Ground(Protocol):
    """The ground as a controller may see it."""

    def height(self, x: float, y: float) -> float:
        """Of its surface, m."""

    def heights(self, x: Array, y: Array) -> Array:
        """(N,) m: the same at many places at once."""


class Setting(Protocol):
    """The scene as a controller may know it."""

    @property
    def body(self) -> Body:
        """The character that performs."""

    @property
    def terrain(self) -> Ground:
        """What it performs on."""

    @property
    def model(self) -> Any:
        """The compiled scene; the character's DOFs come first in it."""


class Stage(Protocol):
    """The world as a controller may know it; `poise.world.World` is one."""

    @property
    def scene(self) -> Setting:
        """What is in it."""

    @property
    def torque_limit(self) -> Array:
        """(nv,) N m."""

    @property
    def state(self) -> State:
        """Its state now."""


class Controller(Protocol):
    """Turns states into actuation, step by step."""

    @property
    def name(self) -> str:
        """Its name, for messages and recordings."""

    @property
    def settings(self) -> Any:
        """Its parameters, for recordings: a mapping or a dataclass."""

    def reset(self, world: Stage, reference: Reference) -> None:
        """Get ready to perform a reference from the start."""

    def act(self, state: State) -> Actuation:
        """Drive the body for the coming step."""

    def target(self, time: float) -> Array:
        """(nq,) the pose that it tracks at a time that has come, s: the ghost of a recording."""


class NotReset(PoiseError, AttributeError):
    """A controller was used before `reset`."""


class ResetFirst:
    """Base of controllers: what `reset` sets up is missing before it, and the error says so."""

    def __getattr__(self, name: str) -> Any:
        """Raise for an attribute that does not exist (yet)."""
        if name.startswith("__"):
            raise AttributeError(name)
        who = getattr(type(self), "name", type(self).__name__)
        raise NotReset(f"{who} is not ready ('{name}' is not set): call reset(world, reference) before act and target")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({getattr(self, 'settings', '')})"


@runtime_checkable
class Ending(Controller, Protocol):
    """A controller that reports when its motion is over."""

    def stands(self) -> bool:
        """Whether the motion is over and the body stands at rest."""


@runtime_checkable
class Steerable(Protocol):
    """A controller that goes where it is told."""

    @property
    def name(self) -> str:
        """Its name, for messages."""

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Want another heading (rad, to the left of the first one) or speed (m/s)."""


@runtime_checkable
class Adjustable(Protocol):
    """A controller whose steps can be changed while it walks."""

    def adjust(self, lift: float | None = None, duration: float | None = None) -> None:
        """Lift feet by so much more (m), or let steps last so long (s); None leaves as it is."""


@runtime_checkable
class Memorising(Protocol):
    """A controller whose preparation is slow, and can be reused by the next one of the same kind."""

    memory: MutableMapping[Hashable, Any]


@runtime_checkable
class Talkative(Protocol):
    """A controller that takes long to get ready, and tells how far it is."""

    say: Callable[[str], None]


@runtime_checkable
class Startled(Protocol):
    """A controller that notices pushes as people do."""

    def startle(self, time: float) -> None:
        """A push begins at a time, s."""

    def dazed(self, time: float) -> bool:
        """Whether at a time, s, a push has begun that is not noticed yet."""
