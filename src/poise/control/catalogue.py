"""Controllers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from poise.control.controller import Controller
from poise.control.hold import Hold, HoldSettings
from poise.control.limp import Limp, LimpSettings
from poise.control.nqr import Nqr, NqrSettings
from poise.errors import PoiseError, unknown

CONTROLLERS: dict[str, tuple[Callable[..., Controller], type, str]] = {
    "limp": (Limp, LimpSettings, "no control: a falling rag doll"),
    "hold": (Hold, HoldSettings, "joint springs hold the pose; no balance"),
    "nqr": (Nqr, NqrSettings, "looks ahead along a motion that obeys physics, and adapts to contacts [Muico2009]"),
}
"""Name: (controller, its settings, what it does)."""


def named_controller(name: str, settings: Mapping[str, Any] | None = None) -> Controller:
    """A controller by name, with some of its settings changed."""
    if name not in CONTROLLERS:
        raise unknown("controller", name, CONTROLLERS)
    controller, kind, _ = CONTROLLERS[name]
    fields = kind.__dataclass_fields__  # type: ignore[attr-defined]
    values = {}
    for key, value in (settings or {}).items():
        if key not in fields:
            raise unknown(f"setting of {name}", key, fields)
        try:
            values[key] = type(fields[key].default)(value)
        except (TypeError, ValueError, OverflowError):
            raise PoiseError(f"setting {key} of {name}: '{value}' is not a number") from None
    return controller(kind(**values))
