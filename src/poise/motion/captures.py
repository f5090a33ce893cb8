"""Fetching captured motions: checked before they are kept, with the licence beside them."""

from __future__ import annotations

import hashlib
import os
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from poise.arrays import Frozen
from poise.errors import PoiseError, unknown
from poise.files import check_writable, write_file
from poise.version import __version__

# What a database has: names, addresses, checksums and the licence, read from the manifest beside this module.


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


# Where fetched motions are kept, and which are there.


def cache_folder() -> Path:
    """The folder of fetched motions in the user's cache."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if os.path.isabs(given) else _usual_cache()) / "poise" / "motions"


def kept(capture: Capture, folder: Path) -> Path | None:
    """The file of a capture, if it is in a folder and intact."""
    path = folder / capture.file
    try:
        return path if is_intact(capture, path.read_bytes()) else None
    except OSError:
        return None


def is_intact(capture: Capture, content: bytes) -> bool:
    """Are these the bytes that the manifest promises?"""
    return hashlib.sha256(content).hexdigest() == capture.sha256


def motion_file(motion: str | Path) -> Path:
    """The file that a motion was fetched to, for the name of a captured one; anything else is a path as it is."""
    capture = cmu().captures.get(str(motion))
    if capture is None:
        return Path(motion)
    path = kept(capture, cache_folder())
    if path is None:
        raise PoiseError(f"{motion} ({capture.what}) is not in {cache_folder()}: poise motions get {motion}")
    return path


def _usual_cache() -> Path:
    try:
        return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    except RuntimeError:
        raise PoiseError("no home folder, so no place for fetched motions: set XDG_CACHE_HOME") from None


LICENCE = "LICENCE-CMU.txt"
"""The file beside fetched motions that says what may be done with them."""
SCHEMES = ("https", "http", "file")
"""What an address may begin with. Plain http and folders will do: it is the checksum that is trusted."""
PATIENCE = 20.0
"""s without a byte after which a host counts as out of reach."""
_PIECE = 1 << 16  # bytes

Tell = Callable[[int], object]
"""Is told how many more bytes have come."""


def ignore_bytes(_: int) -> None:
    """Tells nobody."""


def fetch(
    capture: Capture, host: str, folder: Path, licence: str, tell: Tell = ignore_bytes, patience: float = PATIENCE
) -> Path:
    """Fetch a capture from below an address into a folder; what is not as the manifest promises is not kept."""
    check_writable(folder)
    address = f"{_checked(host).rstrip('/')}/{capture.path}"
    content = _download(address, capture.size, tell, patience)
    if not is_intact(capture, content):
        found = hashlib.sha256(content).hexdigest()
        raise PoiseError(
            f"{address} is not the {capture.name} that was expected (SHA-256 {found[:12]}..., not "
            f"{capture.sha256[:12]}...): nothing was kept"
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / LICENCE, licence.encode())  # first, so that no motion is ever without it
    return write_file(folder / capture.file, content)


def _checked(host: str) -> str:
    scheme, _, rest = host.partition("://")
    if scheme.lower() not in SCHEMES or not rest:
        raise PoiseError(f"'{host}' is no address to fetch from: it must begin with {', '.join(SCHEMES)} and ://")
    return host


def _download(address: str, most: int, tell: Tell, patience: float) -> bytes:
    """What is at an address; of what is longer than `most` bytes, one more, which its checksum will show."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    content = bytearray()
    try:
        with urlopen(Request(address, headers={"User-Agent": f"poise/{__version__}"}), timeout=patience) as response:
            while len(content) <= most and (piece := response.read(min(_PIECE, most + 1 - len(content)))):
                content += piece
                tell(len(piece))
    except HTTPError as error:
        error.close()
        raise PoiseError(f"{address}: the host answers {error.code} {error.reason}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise PoiseError(_out_of_reach(address, error)) from None
    return bytes(content)


def _out_of_reach(address: str, error: Exception) -> str:
    reason = getattr(error, "reason", error)  # urllib wraps most causes, but not all
    cause = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    if address.lower().startswith("file:"):
        return f"cannot read {address}: {cause}"
    return f"cannot reach {address}: {cause}; are you offline?"
