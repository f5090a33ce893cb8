"""Callbacks through which long work reports its progress."""

from collections.abc import Callable, Iterable

Say = Callable[[str], None]  # Receives one line of text at the start of each stage of long work
Steps = Callable[[int], Iterable[int]]
"""Wraps a number of steps in an iterable that shows progress, such as `range` or tqdm's `trange`."""


def no_progress(_: str) -> None:
    """A `Say` that reports nothing."""
