"""Errors with a one-line message for the user."""

from collections.abc import Collection, Iterable


class PoiseError(Exception):
    """An error in the input. The message is one line that names the culprit. The command line shows no traceback."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


def unknown_name(kind: str, name: str, choices: Iterable[str]) -> PoiseError:
    """The error for an invalid name; the message lists the valid names and suggests the closest one."""
    from difflib import get_close_matches  # here, because it takes as long to import as all of `import poise`

    valid = sorted(choices)
    close = get_close_matches(name, valid, n=1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    return PoiseError(f"unknown {kind} '{name}'.{hint} Valid: {', '.join(valid) or 'none'}.")


def known_name(kind: str, name: str, choices: Collection[str]) -> str:
    """The name itself, which must be one of `choices`."""
    if name not in choices:
        raise unknown_name(kind, name, choices)
    return name
