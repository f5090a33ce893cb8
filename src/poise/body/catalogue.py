"""The bodies that come with Poise, by name. A plan's module is imported only when it is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from poise.body.assemble import assemble_body
from poise.body.body import Body
from poise.body.plans.plan import BodyPlan
from poise.errors import unknown

_NAMES = ("biped29", "human37", "human42", "human43", "human58", "lamp14", "baby")


def names() -> tuple[str, ...]:
    """Names that `Body.named` knows."""
    return _NAMES


def plan_named(name: str) -> BodyPlan:
    """The plan of a body that comes with Poise: its module is called like it."""
    if name not in _NAMES:
        raise unknown("body", name, _NAMES)
    plan: BodyPlan = import_module(f"poise.body.plans.{name}").plan()
    return plan


@cache
def build_named(name: str) -> Body:
    """A body that comes with Poise. Bodies never change, so one of each is enough."""
    return assemble_body(plan_named(name))
