"""Interfaces: the methods of controllers, and the part of the world that controllers may use."""

from collections.abc import Callable, Hashable, MutableMapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

from poise.arrays import Array
from poise.body.body import Body
from poise.dynamics.actuation import Actuation
from poise.dynamics.state import State
from poise.errors import PoiseError
from poise.reference.reference import Reference


class GroundView(Protocol):
    """The terrain as controllers see it: the heights of its surface."""

    def height(self, x: float, y: float) -> float:
        """Height of the surface (m) at x and y (m)."""

    def heights(self, x: Array, y: Array) -> Array:
        """(N,) m: heights of the surface at N points with the coordinates x and y (N,) m."""


class SceneView(Protocol):
    """The scene as controllers see it; implemented by `poise.world.scene.Scene`."""

    @property
    def body(self) -> Body:
        """The body of the character that performs."""

    @property
    def terrain(self) -> GroundView:
        """The terrain on which the character moves."""

    @property
    def model(self) -> Any:
        """The compiled scene (`mujoco.MjModel`); the DOFs of the character come first."""


class WorldView(Protocol):
    """The world as controllers see it; implemented by `poise.world.world.World`."""

    @property
    def scene(self) -> SceneView:
        """The scene: body, terrain and compiled model."""

    @property
    def torque_limit(self) -> Array:
        """(nv,) N m: the largest torque at each degree of freedom."""

    @property
    def state(self) -> State:
        """The present state of the scene."""


class Controller(Protocol):
    """A controller computes the actuation of each step from the state."""

    @property
    def name(self) -> str:
        """The controller's name, for messages and recordings."""

    @property
    def settings(self) -> Any:
        """The controller's settings, a mapping or a dataclass; every recording contains them."""

    def reset(self, world: WorldView, reference: Reference) -> None:
        """Prepare to perform a reference in a world, from the start of the reference."""

    def act(self, state: State) -> Actuation:
        """Compute the actuation of the coming step from the present state."""

    def target(self, time: float) -> Array:
        """(nq,) the pose that is tracked at a time (s) not after the present; recordings store it as the ghost."""


class NotReset(PoiseError, AttributeError):
    """Raised when a controller is used before `reset`."""


class ResetFirst:
    """Base class of controllers whose attributes are set by `reset`; reading them before `reset` raises `NotReset`."""

    def __getattr__(self, name: str) -> Any:
        """Raise `NotReset` for a missing attribute."""
        if name.startswith("__"):
            raise AttributeError(name)
        who = getattr(type(self), "name", type(self).__name__)
        raise NotReset(f"{who} is not ready ('{name}' is not set): call reset(world, reference) before act and target")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({getattr(self, 'settings', '')})"


@dataclass(frozen=True)
class ControlChange:
    """A controller that begins or takes over."""

    time: float  # s
    controller: str  # its name
    why: str = "start"

    @property
    def event(self) -> dict[str, Any]:
        """The event of a recording that tells the change."""
        return {"kind": "control", **asdict(self)}


@runtime_checkable
class ChangesControl(Protocol):
    """A controller that delegates to one of several controllers at a time."""

    @property
    def changes(self) -> Sequence[ControlChange]:
        """The controllers that acted, in order of time, beginning with the first."""


@runtime_checkable
class ReportsEnding(Controller, Protocol):
    """A controller that reports when its motion has ended."""

    def stands(self) -> bool:
        """Whether the motion has ended and the body stands at rest."""


@runtime_checkable
class Steerable(Protocol):
    """A controller whose heading and speed can be commanded."""

    @property
    def name(self) -> str:
        """The controller's name, for messages."""

    def steer(self, heading: float | None = None, speed: float | None = None) -> None:
        """Command a heading (rad, to the left of the initial heading) or a speed (m/s); None keeps the last value."""


@runtime_checkable
class AdjustableSteps(Protocol):
    """A controller whose steps can be adjusted while it walks."""

    def adjust(self, lift: float | None = None, duration: float | None = None) -> None:
        """Set the additional foot lift (m) or the step duration (s); None keeps the last value."""


@runtime_checkable
class ReusesPreparation(Protocol):
    """A controller with a slow `reset` that keeps its results in `memory`, which controllers of one class can share."""

    memory: MutableMapping[Hashable, Any]


@runtime_checkable
class ReportsProgress(Protocol):
    """A controller with a slow `reset` that calls `say` with a line about its progress."""

    say: Callable[[str], None]


@runtime_checkable
class PushAware(Protocol):
    """A controller that reacts to pushes with a delay, as people do."""

    def note_push(self, time: float) -> None:
        """Note that a push begins at a time (s)."""

    def is_unaware(self, time: float) -> bool:
        """Whether, at a time (s), a push has begun that the controller does not react to yet."""
