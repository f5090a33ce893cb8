"""What a database has: names, addresses, checksums and the licence, read from the manifest beside this module."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from poise.errors import unknown
from poise.frozen import Frozen


@dataclass(frozen=True)
class Capture:
    """A captured motion that can be fetched."""

    name: str
    what: str
    seconds: float
    path: str  # below the address of a host
    size: int  # bytes
    sha256: str

    @property
    def file(self) -> str:
        """What it is called where it is kept."""
        return f"{self.name}{Path(self.path).suffix}"


@dataclass(frozen=True)
class Library:
    """A database of captured motions."""

    title: str
    host: str  # address that the captures' paths are below
    licence: str
    captures: Mapping[str, Capture]

    def capture(self, name: str) -> Capture:
        """A capture by its name."""
        if name not in self.captures:
            raise unknown("captured motion", name, self.captures)
        return self.captures[name]


def cmu() -> Library:
    """The part of the CMU database that Poise knows."""
    told = tomllib.loads(Path(__file__).with_name("cmu.toml").read_text(encoding="utf-8"))
    captures = {
        name: Capture(name, of["what"], of["seconds"], of["path"], of["bytes"], of["sha256"])
        for name, of in told["captures"].items()
    }
    return Library(told["title"], told["host"], told["licence"].lstrip(), Frozen(captures))
