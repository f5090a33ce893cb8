"""Controllers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from poise.control.commands import FASTEST
from poise.control.controller import Controller
from poise.control.modal.modal import Modal
from poise.control.modal.settings import ModalSettings
from poise.control.nqr.nqr import Nqr, NqrSettings
from poise.control.pendulum.pendulum import Pendulum
from poise.control.pendulum.settings import PendulumSettings
from poise.control.plain import Hold, HoldSettings, Limp, LimpSettings
from poise.control.poses.poses import Poses, PosesSettings
from poise.control.rotation.rotation import Rotation
from poise.control.rotation.settings import RotationSettings
from poise.errors import PoiseError, unknown


class Entry(NamedTuple):
    """A controller, what it does, and how it is used unless someone wants it otherwise."""

    make: Callable[..., Controller]
    settings: type
    what: str
    body: str | None = None  # that performs motions which come with Poise; None for whichever is usual
    step: float = 1 / 120  # s of a simulation step
    edits_online: bool = False  # whether it performs what was edited after it was made to obey physics
    speeds: tuple[float, float] = (0.0, FASTEST)  # m/s between which it can be steered, backward below zero
    catches: bool = False  # whether it steps until it stands, from however a body topples


CONTROLLERS: dict[str, Entry] = {
    "limp": Entry(Limp, LimpSettings, "no control: a falling rag doll"),
    "hold": Entry(Hold, HoldSettings, "joint springs hold the pose; no balance"),
    "nqr": Entry(Nqr, NqrSettings, "looks ahead along a motion that obeys physics, and adapts to contacts [Muico2009]"),
    "modal": Entry(
        Modal,
        ModalSettings,
        "plans contact forces and slow modes a window ahead, at every step anew [Jain2011]",
        body="human42",
        edits_online=True,
    ),
    "pendulum": Entry(
        Pendulum,
        PendulumSettings,
        "walks by an inverted pendulum: any clip's manner, any speed and heading [Tsai2010]",
        body="human58",
        step=0.02,
        speeds=(-0.6, 1.8),
        catches=True,
    ),
    "poses": Entry(
        Poses, PosesSettings, "springs towards poses, the trunk held up by declared torques; for scripts [Fattal2006]"
    ),
    "rotation": Entry(
        Rotation,
        RotationSettings,
        "rolls and flips by whole-body momentum and excursion; for behaviours [Zordan2014]",
        body="human43",
    ),
}
"""By name."""


def named_controller(name: str, settings: Mapping[str, Any] | None = None) -> Controller:
    """A controller by name, with some of its settings changed."""
    if name not in CONTROLLERS:
        raise unknown("controller", name, CONTROLLERS)
    entry = CONTROLLERS[name]
    fields = entry.settings.__dataclass_fields__  # type: ignore[attr-defined]
    values = {}
    for key, value in (settings or {}).items():
        if key not in fields:
            raise unknown(f"setting of {name}", key, fields)
        kind = type(fields[key].default)
        try:
            values[key] = kind(value)
        except (TypeError, ValueError, OverflowError):
            wanted = "a whole number" if kind is int else "a number"
            raise PoiseError(f"setting {key} of {name}: '{value}' is not {wanted}") from None
    return entry.make(entry.settings(**values))
