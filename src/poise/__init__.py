"""Poise: articulated characters that perform motions under exact physics.

    import poise
    run = poise.stage("walk", controller="pendulum", terrain="stairs:0.1:0.3:8")
    run.step()

Names are loaded when they are first used, so that importing poise costs nothing.
"""

from importlib import import_module


def _homes_of_names() -> dict[str, str]:
    """The module that defines each public name, from the stub beside this file, which checkers of types read."""
    found, module = dict[str, str](), ""
    with open(f"{__file__}i", encoding="utf-8") as stub:
        words = stub.read().split()
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        if word == "from":
            module = after
        elif word == "as":
            found[before] = module
    return found


_HOMES = _homes_of_names()
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
