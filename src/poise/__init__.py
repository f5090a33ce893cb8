"""Poise: articulated characters that perform motions under exact physics.

    import poise
    run = poise.stage("walk", controller="pendulum", terrain="stairs:0.1:0.3:8")
    run.step()

Names are loaded when they are first used, so that importing poise costs nothing.
"""

from ast import ImportFrom, parse
from importlib import import_module
from pkgutil import get_data

_STUB = parse(get_data(__name__, "__init__.pyi") or b"")  # lists the public names; checkers of types read it too
_HOMES = {name.name: str(line.module) for line in _STUB.body if isinstance(line, ImportFrom) for name in line.names}
__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    """Load a public name from the module that defines it when the name is first used (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'poise' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
