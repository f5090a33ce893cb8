"""What can go wrong for a user, said in one line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class PoiseError(Exception):
    """A mistake in the input. The message is one line that names the culprit; no traceback is shown for it."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


def unknown(kind: str, name: str, choices: Iterable[str]) -> PoiseError:
    """The error for a name that is not among the valid ones, with those listed and the likeliest suggested."""
    valid = sorted(choices)
    close = get_close_matches(name, valid, n=1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    return PoiseError(f"unknown {kind} '{name}'.{hint} Valid: {', '.join(valid) or 'none'}.")
