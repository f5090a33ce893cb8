"""Captured motions that can be fetched from a database: manifest, cache folder and checked download."""

import hashlib
import os
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from poise.arrays import Frozen
from poise.errors import PoiseError, known_name
from poise.files import check_folder_writable, write_file
from poise.version import __version__

LICENCE = "LICENCE-CMU.txt"  # Name of the licence file beside fetched motions
SCHEMES = ("https", "http", "file")  # of a host's address; http and folders are safe: the checksum is verified
TIMEOUT = 20.0  # Seconds without a byte after which a host counts as unreachable
_PIECE = 1 << 16  # bytes read at a time

ReportBytes = Callable[[int], object]  # Called with the number of bytes that have just arrived


@dataclass(frozen=True)
class MocapFile:
    """A captured motion that can be fetched."""

    name: str
    what: str  # description
    seconds: float
    path: str  # relative to the host's address
    size: int  # bytes
    sha256: str

    @property
    def file(self) -> str:
        """File name in the cache folder."""
        return f"{self.name}{Path(self.path).suffix}"


@dataclass(frozen=True)
class MocapArchive:
    """A database of captured motions."""

    title: str
    host: str  # address to which the captures' paths are relative
    licence: str
    captures: Mapping[str, MocapFile]

    def capture(self, name: str) -> MocapFile:
        """A capture by its name."""
        return self.captures[known_name("captured motion", name, self.captures)]


def cmu_mocap_archive() -> MocapArchive:
    """The part of the CMU database listed in the manifest cmu.toml: names, paths, checksums and the licence."""
    manifest = tomllib.loads(Path(__file__).with_name("cmu.toml").read_text(encoding="utf-8"))
    captures = {
        name: MocapFile(name, entry["what"], entry["seconds"], entry["path"], entry["bytes"], entry["sha256"])
        for name, entry in manifest["captures"].items()
    }
    return MocapArchive(manifest["title"], manifest["host"], manifest["licence"].lstrip(), Frozen(captures))


def mocap_cache_folder() -> Path:
    """The folder of fetched motions in the user's cache."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given) / "poise" / "motions"
    try:
        return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "poise" / "motions"
    except RuntimeError:
        raise PoiseError("no home folder to keep fetched motions in: set XDG_CACHE_HOME") from None


def cached_mocap_file(capture: MocapFile, folder: Path) -> Path | None:
    """The file of a capture in a folder; None if it is missing or damaged."""
    path = folder / capture.file
    try:
        return path if hashlib.sha256(path.read_bytes()).hexdigest() == capture.sha256 else None
    except OSError:
        return None


def motion_file(motion: str | Path) -> Path:
    """The cached file if `motion` is the name of a capture; otherwise `motion` itself as a path."""
    capture = cmu_mocap_archive().captures.get(str(motion))
    if capture is None:
        return Path(motion)
    path = cached_mocap_file(capture, mocap_cache_folder())
    if path is None:
        raise PoiseError(f"{motion} ({capture.what}) is not in {mocap_cache_folder()}: run poise motions get {motion}")
    return path


def fetch_mocap_file(
    capture: MocapFile, host: str, folder: Path, licence: str, progress: ReportBytes = lambda _: None
) -> Path:
    """Download a capture into a folder, with the licence beside it; return its path. Raise if the checksum is wrong."""
    check_folder_writable(folder)
    scheme, _, rest = host.partition("://")
    if scheme.lower() not in SCHEMES or not rest:
        raise PoiseError(f"'{host}' is not an address to fetch from: it must begin with {', '.join(SCHEMES)} and ://")
    address = f"{host.rstrip('/')}/{capture.path}"
    content = _download_mocap(address, capture.size, progress)
    found = hashlib.sha256(content).hexdigest()
    if found != capture.sha256:
        sums = f"SHA-256 {found[:12]}..., not {capture.sha256[:12]}..."
        raise PoiseError(f"{address} is not the expected {capture.name} ({sums}): nothing was kept")
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / LICENCE, licence.encode())  # first, so that no motion is ever without it
    return write_file(folder / capture.file, content)


def _download_mocap(address: str, most: int, progress: ReportBytes) -> bytes:
    """The content at an address, at most `most` + 1 bytes: the extra byte makes the checksum of a longer file fail."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    content = bytearray()
    try:
        with urlopen(Request(address, headers={"User-Agent": f"poise/{__version__}"}), timeout=TIMEOUT) as response:
            while len(content) <= most and (piece := response.read(min(_PIECE, most + 1 - len(content)))):
                content += piece
                progress(len(piece))
    except HTTPError as error:
        error.close()
        raise PoiseError(f"{address}: the host answers {error.code} {error.reason}") from None
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)  # urllib wraps most causes, but not all
        cause = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        if address.lower().startswith("file:"):
            raise PoiseError(f"cannot read {address}: {cause}") from None
        raise PoiseError(f"cannot reach {address}: {cause}; are you offline?") from None
    return bytes(content)
