"""Key poses by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


class Posing:
    """To come."""

    def __init__(self, say: Callable[..., None], folder: Path) -> None:
        self._say, self._folder = say, folder

    def open(self, path: Path) -> None:
        """A script that was brought."""
        self._say("error", text=f"{path.name}: scripts cannot be opened yet", of="upload")
