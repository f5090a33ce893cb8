"""The files that the page is made of, by the address they are asked for."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_SHARED = ("three.bundle.min.js", "data.js", "quality.js", "stage.js", "figure.js", "overlays.js")
"""Of the playback page: bodies look the same in both."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "media-src blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
"""What the page may do: nothing comes from or goes anywhere else."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Page(NamedTuple):
    """A file of the page."""

    kind: str
    content: bytes


def page_at(path: str) -> Page | None:
    """What is at an address; None if there is nothing."""
    name = path.partition("?")[0].removeprefix("/") or "index.html"
    home = "poise.export" if name in _SHARED else "poise.studio"
    ours = {each.name for each in (files(home) / "assets").iterdir()}
    ending = "." + name.rpartition(".")[2]
    if name not in ours or ending not in _TYPES:
        return None
    return Page(_TYPES[ending] + "; charset=utf-8", (files(home) / "assets" / name).read_bytes())
