"""The bundled bodies by name. The module of a plan is imported on first use."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from poise.body.assemble import assemble_body
from poise.body.body import Body
from poise.body.plans.plan import BodyPlan
from poise.errors import unknown

_NAMES = ("biped29", "human37", "human42", "human43", "human58", "lamp14", "baby")


def names() -> tuple[str, ...]:
    """Names of the bundled bodies."""
    return _NAMES


def plan_named(name: str) -> BodyPlan:
    """The plan of a bundled body, from the module of the same name."""
    if name not in _NAMES:
        raise unknown("body", name, _NAMES)
    plan: BodyPlan = import_module(f"poise.body.plans.{name}").body_plan()
    return plan


@cache
def bundled_body(name: str) -> Body:
    """A bundled body; bodies are immutable, so that each is built once."""
    return assemble_body(plan_named(name))
