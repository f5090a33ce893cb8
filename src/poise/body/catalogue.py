"""The bundled bodies by name. The module of a plan is imported on first use."""

from functools import cache
from importlib import import_module

from poise.body.assemble import assemble_body
from poise.body.body import Body
from poise.errors import unknown_name

_NAMES = ("biped29", "human37", "human42", "human43", "human58", "lamp14", "baby")


def body_names() -> tuple[str, ...]:
    """Names of the bundled bodies."""
    return _NAMES


@cache
def bundled_body(name: str) -> Body:
    """A bundled body, built once from the plan in `poise.body.plans.<name>`."""
    if name not in _NAMES:
        raise unknown_name("body", name, _NAMES)
    return assemble_body(import_module(f"poise.body.plans.{name}").body_plan())
