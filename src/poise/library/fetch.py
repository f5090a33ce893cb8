"""Fetching captured motions: checked before they are kept, with the licence beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from poise.errors import PoiseError
from poise.files import check_writable, write_file
from poise.library.cache import is_intact
from poise.library.manifest import Capture
from poise.version import __version__

LICENCE = "LICENCE-CMU.txt"
"""The file beside fetched motions that says what may be done with them."""
SCHEMES = ("https", "http", "file")
"""What an address may begin with. Plain http and folders will do: it is the checksum that is trusted."""
PATIENCE = 20.0
"""s without a byte after which a host counts as out of reach."""
_PIECE = 1 << 16  # bytes

Tell = Callable[[int], object]
"""Is told how many more bytes have come."""


def in_silence(_: int) -> None:
    """Tells nobody."""


def fetch(
    capture: Capture, host: str, folder: Path, licence: str, tell: Tell = in_silence, patience: float = PATIENCE
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
